"""From a recoding to a file: rows are looked up, written, read back, and compared with what was planned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.artifact import ColumnPair
from privet.engine import Finder, FrequencyTable, coded_batches
from privet.errors import PromiseBroken
from privet.guarantee import Promise
from privet.protect._file_counts import COUNT, counted, grouped
from privet.protect._residual_risk import RiskView
from privet.protect.anonymize import _promise_verification as promise_verification
from privet.protect.anonymize._anonymize_request import AnonymizeRequest
from privet.protect.anonymize._population import Crowd
from privet.protect.anonymize._promise_verification import OriginalShares
from privet.protect.anonymize._recoding import Recoding

if TYPE_CHECKING:
    import pyarrow as pa

SHOWN = 12  # rows before and after, for the owner's page


@dataclass(eq=False)
class Publication:
    """One pass over the rows: what is written, and a few rows before and after for the owner."""

    request: AnonymizeRequest
    recoding: Recoding
    full: FrequencyTable = field(repr=False)
    pairs: list[ColumnPair] = field(default_factory=list, repr=False)
    # Where people have several rows: whose the rows on their way into the file are, counted batch by batch.
    whose: list[pa.Table] = field(default_factory=list, repr=False)

    @property
    def schema(self) -> pa.Schema:
        """Columns and types of the file."""
        import pyarrow as pa

        types = {column.name: column.published.type for column in self.recoding.columns}
        for at, name in enumerate(self.full.columns):
            types.setdefault(name, self.full.labels[at].type)
        kept = list(self.request.kept)
        if kept:
            source = self.request.table.relation.table.select(*kept).schema().to_pyarrow()
            types |= {name: source.field(name).type for name in kept}
        return pa.schema([pa.field(name, types[name]) for name in self.request.published])

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The published rows."""
        import pyarrow as pa

        finder, schema = Finder(self.recoding.combinations), self.schema
        width = len(self.recoding.names)
        self.whose.clear()
        for batch, codes in coded_batches(self.request.table.relation, self.full, self.request.kept):
            places = finder.places(codes[:, :width])
            columns = {
                column.name: column.published.take(pa.array(column.numbers[places]))
                for column in self.recoding.columns
            }
            for at in range(width, len(self.full.columns)):
                columns[self.full.columns[at]] = self.full.labels[at].take(pa.array(codes[:, at]))
            for name in self.request.kept:
                columns[name] = batch[name].cast(schema.field(name).type)
            rows = pa.RecordBatch.from_arrays([columns[name] for name in schema.names], schema=schema)
            kept = self.recoding.kept[places]
            self._remember(batch, codes, rows, kept)
            rows = rows.filter(pa.array(kept))
            if self.request.persons is not None:
                self._count_people(rows, codes[kept])
            yield rows

    def _remember(self, batch: pa.RecordBatch, codes: Any, rows: pa.RecordBatch, kept: Any) -> None:
        for row in range(min(batch.num_rows, SHOWN - len(self.pairs))):
            before = {
                name: self.full.labels[at][int(codes[row, at])].as_py()
                for at, name in enumerate(self.full.columns)
            }
            before |= {name: batch[name][row].as_py() for name in self.request.kept}
            after = {name: rows[name][row].as_py() for name in rows.schema.names} if kept[row] else None
            self.pairs.append(ColumnPair({name: before[name] for name in rows.schema.names}, after))

    def _count_people(self, rows: pa.RecordBatch, codes: NDArray[np.int32]) -> None:
        import pyarrow as pa

        assert self.request.persons is not None
        at = self.full.columns.index(self.request.persons)
        person = self.full.labels[at].take(pa.array(codes[:, at]))
        written = [name for name in self.full.columns if name != self.request.persons]
        table = pa.Table.from_batches([rows.select(written)]).append_column(self.request.persons, person)
        table = table.append_column(COUNT, pa.array(np.ones(len(rows), np.int64)))
        self.whose.append(grouped(table, self.full.columns))

    def with_people(self, table: pa.Table) -> pa.Table:
        """What a file holds together with whose its rows are, which the file does not say.

        Counted from the rows on their way into the file; refused where they are not those that it holds.
        """
        import pyarrow as pa

        if self.request.persons is None:
            return table
        found = grouped(pa.concat_tables(self.whose), self.full.columns) if self.whose else None
        written = [name for name in self.full.columns if name != self.request.persons]
        if found is None or not same_rows(table, grouped(found, written), written):
            raise _not_as_planned()
        return found

    def planned(self) -> pa.Table:
        """What the file must hold: combinations of all columns but those published as they are, with counts."""
        import pyarrow as pa

        codes, labels = self.recoding.codes(self.full)
        columns = {
            name: labels[name].take(pa.array(codes.codes[:, at])) for at, name in enumerate(codes.columns)
        }
        return pa.table({**columns, COUNT: pa.array(codes.counts)})


def verify(
    publication: Publication,
    path: Path,
    ending: str,
    *,
    promise: Promise,
    references: Mapping[str, OriginalShares],
    people: Crowd | None,
) -> None:
    """Raise unless the written file holds what was planned, and the promise holds in it."""
    columns, asked = list(publication.full.columns), publication.request
    written = [name for name in columns if name != asked.persons]
    table = publication.with_people(counted(path, ending, publication.schema, written))
    if not same_rows(table, publication.planned(), columns):
        raise _not_as_planned()
    view = RiskView(publication.recoding.names, list(references), asked.missing, asked.persons)
    promise_verification.check(promise_verification.written(table, view, references, people), promise)


def _not_as_planned() -> PromiseBroken:
    return PromiseBroken(
        "the written file does not hold the rows that were planned; nothing was published.",
        "Check that nothing changes the source, and run again.",
    )


def same_rows(left: pa.Table, right: pa.Table, columns: Sequence[str]) -> bool:
    """Whether two tables of counts say the same, in whatever order."""
    if left.num_rows != right.num_rows:
        return False
    order: list[tuple[str, Any]] = [(name, "ascending") for name in columns]
    first, second = (table.select([*columns, COUNT]).sort_by(order) for table in (left, right))
    return all(
        first[name].combine_chunks().equals(second[name].combine_chunks().cast(first[name].type))
        for name in [*columns, COUNT]
    )


def references(
    full: FrequencyTable, columns: Sequence[str], ladders: Mapping[str, Any]
) -> dict[str, OriginalShares]:
    """How sensitive columns are spread over the original table."""
    found = {}
    for name in columns:
        at = full.columns.index(name)
        values = full.labels[at]
        totals = np.bincount(full.codes[:, at], weights=full.counts, minlength=len(values))
        levels = ladders[name].nodes[:, 1:].astype(np.int64) if name in ladders else None
        found[name] = OriginalShares(values, totals / max(1.0, totals.sum()), levels)
    return found
