"""The linkage attack as a whole: which columns both tables share, both ways of joining, and the truth if known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from privet.audits._person_records import PersonRecords, people
from privet.audits.linkage_risk import _linkage_attempts as linkage_attempts
from privet.audits.linkage_risk._linkage_attempts import Attempt, Truth
from privet.audits.linkage_risk._person_sides import sides_of
from privet.disclosure.linkage import (
    MOST_PAIRS,
    THRESHOLD,
    Claims,
    Pairs,
    Sides,
    blocks,
    exact_claims,
    mutual,
    probable_claims,
)
from privet.engine import DUCKDB, ColumnKind, did_you_mean, frequency_table
from privet.engine import splink_linkage as record_linkage
from privet.errors import BadAudit

if TYPE_CHECKING:
    from privet.source import Table

Linker = Literal["auto", "splink", "own"]
# Categories that say nothing about whether two columns mean the same: every house has its own numbers.
_OF_ITS_OWN = ("user.unique_id", "user.date", "user.content", "other")


@dataclass(frozen=True)
class Linkage:
    """What an attacker with another table would find. Counts only; who was found is not kept."""

    auxiliary: str
    records: int
    columns: tuple[tuple[str, str], ...]
    direct: tuple[str, ...]  # identifiers that both tables have: until they go, no attack is needed
    attempts: tuple[Attempt, ...]
    people: int

    @property
    def share(self) -> float:
        """The largest share of people that any attempt claims to know."""
        return max((attempt.share for attempt in self.attempts), default=0.0)

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "auxiliary": self.auxiliary,
            "records": self.records,
            "people": self.people,
            "columns": [{"table": mine, "auxiliary": other} for mine, other in self.columns],
            "shared_direct_identifiers": list(self.direct),
            "attempts": [attempt.to_json() for attempt in self.attempts],
        }


def shared_columns(
    table: Mapping[str, tuple[ColumnKind, str]],
    auxiliary: Mapping[str, tuple[ColumnKind, str]],
    stated: Mapping[str, str] | None,
) -> tuple[tuple[str, str], ...]:
    """Which columns of both tables say the same thing: as stated, else by equal names, else by the only equal category.

    Both mappings give each column's kind and its category.
    """
    if stated:
        for mine, other in stated.items():
            for name, columns, where in (
                (mine, table, "the table"),
                (other, auxiliary, "the auxiliary table"),
            ):
                if name not in columns:
                    raise BadAudit(f"{where} has no column {name!r} to link by.", did_you_mean(name, columns))
        return tuple(stated.items())
    folded = {name.casefold(): name for name in auxiliary}
    pairs = {name: folded[name.casefold()] for name in table if name.casefold() in folded}
    for name, (_, category) in table.items():
        alike = [other for other, (_, theirs) in auxiliary.items() if theirs == category]
        same = [other for other, (_, ours) in table.items() if ours == category]
        if (
            name not in pairs
            and not category.startswith(_OF_ITS_OWN)
            and len(alike) == len(same) == 1
            and alike[0] not in pairs.values()
        ):
            pairs[name] = alike[0]
    return tuple(
        (mine, other)
        for mine, other in pairs.items()
        if ColumnKind.OTHER not in (table[mine][0], auxiliary[other][0])
    )


def simulate(
    table: Table,
    ours: PersonRecords,
    auxiliary: Table,
    *,
    columns: Sequence[tuple[str, str]],
    direct: Sequence[str] = (),
    unit: str | None = None,
    truth: Table | None = None,
    linker: Linker = "auto",
) -> Linkage:
    """Join by all the shared columns exactly, then by probability; score both if the truth is given."""
    if not columns:
        raise BadAudit(
            "the table and the auxiliary table share no column to link by.",
            "Name pairs of columns that mean the same: link={'born': 'date_of_birth'}.",
        )
    known = None if truth is None else _truth_columns(table, auxiliary, truth, unit)
    theirs = people(auxiliary.relation, [other for _, other in columns], (known[1],) if known else ())
    sides = sides_of(ours, theirs, tuple(columns))
    answer = None if known is None or truth is None else _truth(truth, known, ours, theirs)
    attempts = [linkage_attempts.attempt("exact join", exact_claims(sides), len(ours), answer, sides)]
    if len(columns) > 1:
        method, claims = _probable(table, sides, linker)
        attempts.append(linkage_attempts.attempt(method, claims, len(ours), answer, sides))
    return Linkage(auxiliary.name, len(theirs), tuple(columns), tuple(direct), tuple(attempts), len(ours))


def _probable(table: Table, sides: Sides, linker: Linker) -> tuple[str, Claims]:
    on_duckdb = table.relation.engine == DUCKDB
    if linker == "splink" and not on_duckdb:
        raise BadAudit("splink links on DuckDB, and this table is elsewhere.", 'Use linker="own".')
    if linker == "own" or (linker == "auto" and not (on_duckdb and record_linkage.available())):
        return "Fellegi-Sunter, own", probable_claims(sides)
    chosen = [block for block in blocks(sides, MOST_PAIRS) if len(block) < len(sides.columns)]
    if len(chosen) < 2:  # splink trains each column on pairs that agree elsewhere: one block leaves one out
        return "Fellegi-Sunter, own", probable_claims(sides)
    left, right, chances = record_linkage.linked(
        table.relation, sides.left, sides.right, chosen, least=THRESHOLD
    )
    return "Fellegi-Sunter, splink", mutual(Pairs(left, right), chances, THRESHOLD)


def _truth_columns(table: Table, auxiliary: Table, truth: Table, unit: str | None) -> tuple[str, str]:
    """The truth's column that names our people, and the one that names theirs."""
    mine = unit if unit in truth.columns else next((c for c in truth.columns if c in table.columns), None)
    other = next((c for c in truth.columns if c in auxiliary.columns and c != mine), None)
    if mine is None or other is None or mine != unit:
        raise BadAudit(
            "the truth does not say who is who in both tables.",
            "It needs the table's unit column and one that identifies the auxiliary table's records.",
        )
    return mine, other


def _truth(truth: Table, known: tuple[str, str], ours: PersonRecords, theirs: PersonRecords) -> Truth:
    pairs = frequency_table(truth.relation, list(known))
    left, right = (
        _places(pairs.labels[at], side.owner_labels)[pairs.codes[:, at]]
        for at, side in enumerate((ours, theirs))
    )
    both = (left >= 0) & (right >= 0)
    return Truth(left[both], right[both])


def _places(labels: Any, owners: Any) -> NDArray[np.int64]:
    import pyarrow as pa
    import pyarrow.compute as pc

    if labels.type != owners.type:
        labels, owners = labels.cast(pa.string()), owners.cast(pa.string())
    found = pc.fill_null(pc.index_in(labels, value_set=owners, skip_nulls=True), -1)
    return np.asarray(found.to_numpy(zero_copy_only=False), np.int64)
