"""Counting a written file: distinct combinations of its values, read back without the engine that wrote it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.disclosure import Codes
from privet.engine import FrequencyTable
from privet.protect._row_writer import PARQUET

if TYPE_CHECKING:
    import pyarrow as pa

COUNT = "privet_count"
_BATCH = 200_000
_MERGE = 1_000_000  # partial counts held before they are merged


def counted(path: Path, ending: str, schema: pa.Schema, columns: Sequence[str]) -> pa.Table:
    """Each combination of the named columns that the file holds, and how many rows have it."""
    import pyarrow as pa

    shape = pa.schema([*(schema.field(name) for name in columns), pa.field(COUNT, pa.int64())])
    merged, waiting, held = shape.empty_table(), [], 0
    for batch in _batches(path, ending, schema, columns):
        part = pa.Table.from_batches([batch]).append_column(COUNT, pa.array(np.ones(len(batch), np.int64)))
        part = grouped(part, columns).cast(shape)
        waiting.append(part)
        held += len(part)
        if held > _MERGE:
            merged, waiting, held = grouped(pa.concat_tables([merged, *waiting]), columns).cast(shape), [], 0
    return grouped(pa.concat_tables([merged, *waiting]), columns).cast(shape)


def codes_of(table: pa.Table, columns: Sequence[str]) -> tuple[Codes, dict[str, pa.Array]]:
    """What `counted` found as codes in the order of values, with the values that the codes stand for."""
    import pyarrow.compute as pc

    labels: dict[str, Any] = {}
    codes = np.zeros((len(table), len(columns)), np.int32, order="F")
    for at, name in enumerate(columns):
        column = table[name].combine_chunks()
        known = pc.unique(column)
        labels[name] = known.take(pc.sort_indices(known))
        codes[:, at] = pc.index_in(column, value_set=labels[name], skip_nulls=False).to_numpy(
            zero_copy_only=False
        )
    missing = tuple(len(labels[name]) - 1 if labels[name].null_count else None for name in columns)
    sizes = tuple(max(1, len(labels[name])) for name in columns)
    counts = np.asarray(table[COUNT].to_numpy(), np.int64)
    return Codes(tuple(columns), codes, counts, sizes, missing), labels


def codes_of_frequencies(found: FrequencyTable) -> Codes:
    """A frequency table of the engine's as codes."""
    missing = tuple(len(labels) - 1 if labels.null_count else None for labels in found.labels)
    sizes = tuple(max(1, len(labels)) for labels in found.labels)
    return Codes(found.columns, found.codes, found.counts, sizes, missing)


def grouped(table: pa.Table, columns: Sequence[str]) -> pa.Table:
    """Counts added up over everything but the named columns."""
    found = table.group_by(list(columns)).aggregate([(COUNT, "sum")])
    return found.rename_columns([*columns, COUNT])


def _batches(path: Path, ending: str, schema: pa.Schema, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    if ending == PARQUET:
        import pyarrow.parquet as pq

        with pq.ParquetFile(path) as file:
            yield from (
                batch.select(list(columns)) for batch in file.iter_batches(_BATCH, columns=list(columns))
            )
        return
    import pyarrow.csv as text

    # Unquoted nothing is a missing value, as the writer means it; quoted nothing is a text of no letters.
    options = text.ConvertOptions(
        column_types={name: schema.field(name).type for name in columns},
        include_columns=list(columns),
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
    )
    with text.open_csv(path, convert_options=options) as reader:
        yield from reader
