"""What the audit looks at: whose rows they are, what an outsider may know, and what must not be learned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from privet.engine.naming import did_you_mean
from privet.engine.reading_off import number_of_rows
from privet.engine.relation import ColumnKind
from privet.errors import BadAudit, NothingToAudit
from privet.guarantee.units import Person

if TYPE_CHECKING:
    from privet.audit.classification import ColumnFinding
    from privet.source.table import Table

# Columns that are compared with each other: sets of them grow as powers of two.
MOST_COLUMNS = 20
EVERY_ROW = "row"
# A column that repeats in less than this share of rows does not tell whose several rows are whose.
_REPEATS = 0.02
# Identifiers that several people may share, or one person may have several of.
_SHARED = (
    "user.name",
    "user.contact.phone",
    "user.contact.fax",
    "user.contact.address",
    "user.contact.url",
    "user.device",
)


@dataclass(frozen=True)
class WhoseRows:
    """The column that identifies a person, or None where each row counts as one; and how that is known."""

    column: str | None
    origin: str  # "stated", "found" or "assumed"
    why: str


@dataclass(frozen=True)
class Choice:
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
    rows: int,
    *,
    quasi: Sequence[str] | None,
    sensitive: Sequence[str] | None,
    unit: str | None,
    weights: str | None,
) -> Choice:
    """Decide by what was stated, then by what was found."""
    columns = table.columns
    for said, names in (
        ("quasi", quasi),
        ("sensitive", sensitive),
        ("weights", [weights] if weights else None),
    ):
        _known(said, names, columns)
    whose = _whose(table, findings, unit, rows)
    secret = tuple(sensitive) if sensitive is not None else _with(findings, "sensitive")
    usable = [
        name
        for name, kind in columns.items()
        if kind is not ColumnKind.OTHER
        and name not in (whose.column, weights)
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
    return Choice(whose, known or compared[:room], secret, compared[:room], compared[room:], how)


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
        if name == whose.column:
            raise BadAudit(f"column {name!r} says whose rows they are, so it is no quasi-identifier.")


def _whose(table: Table, findings: Mapping[str, ColumnFinding], unit: str | None, rows: int) -> WhoseRows:
    if unit == EVERY_ROW:
        return WhoseRows(None, "stated", "each row is one person, as stated")
    if unit is not None:
        _known("unit", [unit], table.columns)
        return WhoseRows(unit, "stated", f"rows of one {unit} are one person's, as stated")
    if isinstance(table.unit, Person):
        return WhoseRows(table.unit.column, "stated", "as stated when the table was opened")
    if table.unit is not None:
        return WhoseRows(None, "stated", "each row is one person, as stated when the table was opened")
    return _found_unit(table, findings, rows)


def whose_rows(table: Table, findings: Mapping[str, ColumnFinding]) -> WhoseRows:
    """Whose rows they are: as stated when the table was opened, else by the identifier that repeats."""
    return _whose(table, findings, None, number_of_rows(table.relation))


def _found_unit(table: Table, findings: Mapping[str, ColumnFinding], rows: int) -> WhoseRows:
    """The identifier that repeats from row to row and has most values; none if one never repeats."""
    identifiers = [
        finding
        for name, finding in findings.items()
        if finding.role == "direct"
        and not finding.category.startswith(_SHARED)
        and table.columns[name] not in (ColumnKind.OTHER, ColumnKind.REAL)
        and finding.missing_share < 0.01
        and finding.distinct > 1
    ]
    if not identifiers:
        return WhoseRows(
            None, "assumed", "no identifier of persons was found, so each row counts as one person"
        )
    best = max(identifiers, key=lambda finding: finding.distinct)
    if best.distinct > rows * (1 - best.missing_share) * (1 - _REPEATS):
        return WhoseRows(None, "found", f"{best.name} hardly repeats, so each row counts as one person")
    return WhoseRows(best.name, "found", f"rows of one {best.name} are taken as one person's")
