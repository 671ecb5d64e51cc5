"""What the audit looks at: what an outsider may know, and what must not be learned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from privet.engine import ColumnKind, did_you_mean
from privet.errors import BadAudit, NothingToAudit

if TYPE_CHECKING:
    from privet.audits._column_finding import ColumnFinding
    from privet.audits._privacy_unit import WhoseRows
    from privet.source import Table

# Columns that are compared with each other: sets of them grow as powers of two.
MOST_COLUMNS = 20


@dataclass(frozen=True)
class ColumnChoice:
    """The columns by what is done with them."""

    unit: WhoseRows
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    compared: tuple[str, ...]  # everything an outsider could conceivably know, quasi-identifiers first
    left_out: tuple[str, ...]  # comparable columns beyond the limit
    how: str  # how the quasi-identifiers were chosen


def choose(
    table: Table,
    findings: Mapping[str, ColumnFinding],
    whose: WhoseRows,
    *,
    quasi: Sequence[str] | None,
    sensitive: Sequence[str] | None,
    weights: str | None,
) -> ColumnChoice:
    """Decide by what was stated, then by what was found."""
    columns = table.columns
    for said, names in (
        ("quasi", quasi),
        ("sensitive", sensitive),
        ("weights", [weights] if weights else None),
    ):
        _known(said, names, columns)
    secret = tuple(sensitive) if sensitive is not None else _with(findings, "sensitive")
    usable = [
        name
        for name, kind in columns.items()
        if kind is not ColumnKind.OTHER
        and name not in (*whose.columns, weights)
        and findings[name].role not in ("direct", "free text")
    ]
    if quasi is not None:
        known, how = tuple(quasi), "stated"
    else:
        known, how = _found_quasi(findings, usable, secret)
    if overlap := set(known) & set(secret):
        raise BadAudit(
            f"column {min(overlap)!r} cannot be both known to an outsider and secret.",
            "Name it with --quasi or with --sensitive, not with both.",
        )
    _comparable(known, columns, whose)
    others = sorted(
        (name for name in usable if name not in known),
        key=lambda name: (name not in secret, -findings[name].distinct),
    )
    compared = tuple(dict.fromkeys([*known, *others]))
    if not compared:
        raise NothingToAudit(
            "no column is left to compare people by: all are identifiers, free text or lists.",
            "Name the columns an outsider may know: --quasi a,b,c.",
        )
    room = max(MOST_COLUMNS, len(known))
    return ColumnChoice(whose, known or compared[:room], secret, compared[:room], compared[room:], how)


def _found_quasi(
    findings: Mapping[str, ColumnFinding], usable: Sequence[str], secret: Sequence[str]
) -> tuple[tuple[str, ...], str]:
    found = tuple(name for name in usable if findings[name].role == "quasi" and name not in secret)
    if len(found) > MOST_COLUMNS:
        strongest = sorted(found, key=lambda name: -findings[name].distinct)[:MOST_COLUMNS]
        return tuple(name for name in found if name in strongest), "the most telling of those found"
    if found:
        return found, "found by classification"
    rest = tuple(name for name in usable if name not in secret)[:MOST_COLUMNS]
    return rest, "none was recognised, so every other column counts as known"


def _with(findings: Mapping[str, ColumnFinding], role: str) -> tuple[str, ...]:
    return tuple(name for name, finding in findings.items() if finding.role == role)


def _known(said: str, names: Iterable[str] | None, columns: Mapping[str, ColumnKind]) -> None:
    for name in names or ():
        if name not in columns:
            raise BadAudit(f"{said}: there is no column {name!r}.", did_you_mean(name, columns))


def _comparable(known: Iterable[str], columns: Mapping[str, ColumnKind], whose: WhoseRows) -> None:
    for name in known:
        if columns[name] is ColumnKind.OTHER:
            raise BadAudit(f"column {name!r} holds lists or structures, which cannot be compared.")
        if name in whose.columns:
            raise BadAudit(f"column {name!r} says whose rows they are, so it is no quasi-identifier.")
