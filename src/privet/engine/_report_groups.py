"""Reports of local randomisers where they lie: counted by group, or streamed in the columns that are needed.

A report was randomised by its person before it was sent, so its counts need no seal. A row that does not fit is left
out by a filter that never fails, whatever stands in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from privet.engine._engine_results import fetch, stream
from privet.engine._owner_only import number_of_rows
from privet.engine._relation import SPARK, ColumnKind, Relation

if TYPE_CHECKING:
    import pyarrow as pa

REPORTS = "privet_count"
_ROWS = 1_000_000


@dataclass(frozen=True)
class ReportGroups:
    """Groups of equal reports with their numbers, under `REPORTS`; and how many rows there were in all."""

    groups: pa.Table
    rows: int


def groupable(relation: Relation, stamp: str, columns: Sequence[str]) -> bool:
    """Whether the engine can count: a column of text for the stamp, and whole numbers."""
    kinds = relation.columns
    return kinds.get(stamp) is ColumnKind.TEXT and all(
        kinds.get(name) is ColumnKind.INTEGER for name in columns
    )


def report_groups(
    relation: Relation, stamp: str, stamps: Sequence[str], bounds: Mapping[str, int]
) -> ReportGroups:
    """Reports with one of the stamps, whose numbers lie below their bounds, counted by group on their engine."""
    rows = relation.table
    fits = rows[stamp].isin(list(stamps))
    for name, bound in bounds.items():
        fits = fits & rows[name].notnull() & (rows[name] >= 0) & (rows[name] < bound)
    kept = rows.filter(fits)
    grouped = kept.group_by([stamp, *bounds]).aggregate(**{REPORTS: kept.count()})
    return ReportGroups(fetch(grouped, relation.engine), number_of_rows(relation))


def report_batches(relation: Relation, columns: Sequence[str]) -> Iterator[pa.Table]:
    """All reports in these columns, a million rows or fewer at a time."""
    import pyarrow as pa

    chosen = relation.table.select(*columns)
    if relation.engine == SPARK:
        yield from _spark_parts(relation, chosen)
        return
    held: list[Any] = []
    for batch in stream(chosen):
        held.append(batch)
        if sum(one.num_rows for one in held) >= _ROWS:
            yield pa.Table.from_batches(held)
            held = []
    if held:
        yield pa.Table.from_batches(held)


def _spark_parts(relation: Relation, chosen: Any) -> Iterator[pa.Table]:
    """Spark hands over whole results only, so it is asked for one part of the rows after the other."""
    import ibis

    parts = -(-number_of_rows(relation) // _ROWS)
    if parts <= 1:
        yield fetch(chosen, SPARK)
        return
    place = ibis.struct({name: chosen[name] for name in chosen.columns}).hash()
    for part in range(parts):
        # The remainder has the sign of the hash.
        yield fetch(chosen.filter(((place % parts) + parts) % parts == part), SPARK)
