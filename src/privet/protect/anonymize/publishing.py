"""From a recoding to a file: rows are looked up, written, read back, and compared with what was planned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact.table import Pair
from privet.engine.frequencies import FrequencyTable
from privet.engine.recoding import Finder, coded_batches
from privet.errors import PromiseBroken
from privet.guarantee.promises import Promise
from privet.protect.anonymize import verifying
from privet.protect.anonymize.asking import Request
from privet.protect.anonymize.counting import COUNT, counted
from privet.protect.anonymize.recoding import Recoding
from privet.protect.anonymize.verifying import Reference

if TYPE_CHECKING:
    import pyarrow as pa

SHOWN = 12  # rows before and after, for the owner's page


@dataclass(eq=False)
class Publication:
    """One pass over the rows: what is written, and a few rows before and after for the owner."""

    request: Request
    recoding: Recoding
    full: FrequencyTable = field(repr=False)
    pairs: list[Pair] = field(default_factory=list, repr=False)

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
            yield rows.filter(pa.array(kept))

    def _remember(self, batch: pa.RecordBatch, codes: Any, rows: pa.RecordBatch, kept: Any) -> None:
        for row in range(min(batch.num_rows, SHOWN - len(self.pairs))):
            before = {
                name: self.full.labels[at][int(codes[row, at])].as_py()
                for at, name in enumerate(self.full.columns)
            }
            before |= {name: batch[name][row].as_py() for name in self.request.kept}
            after = {name: rows[name][row].as_py() for name in rows.schema.names} if kept[row] else None
            self.pairs.append(Pair({name: before[name] for name in rows.schema.names}, after))

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
    references: Mapping[str, Reference],
    people: Mapping[tuple[Any, ...], int] | None,
) -> None:
    """Raise unless the written file holds what was planned, and the promise holds in it."""
    columns = list(publication.full.columns)
    table = counted(path, ending, publication.schema, columns)
    if not same_rows(table, publication.planned(), columns):
        raise PromiseBroken(
            "the written file does not hold the rows that were planned; nothing was published.",
            "Check that nothing changes the source, and run again.",
        )
    quasi = publication.recoding.names
    verifying.check(verifying.written(table, quasi, references, people), promise)


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
) -> dict[str, Reference]:
    """How sensitive columns are spread over the original table."""
    found = {}
    for name in columns:
        at = full.columns.index(name)
        values = full.labels[at]
        totals = np.bincount(full.codes[:, at], weights=full.counts, minlength=len(values))
        levels = ladders[name].nodes[:, 1:].astype(np.int64) if name in ladders else None
        found[name] = Reference(values, totals / max(1.0, totals.sum()), levels)
    return found
