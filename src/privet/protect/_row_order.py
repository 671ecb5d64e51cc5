"""The order of published rows: drawn anew, so that it says nothing about the table they came from.

A table is often sorted by something that is not published, or not published so finely: a row between two others
then shows within which bounds its value lies, whatever the cell says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from privet.artifact import discard, temporary_folder
from privet.mechanism import fresh_generator

if TYPE_CHECKING:
    import pyarrow as pa

# Rows that are put in order in memory; more go to files of about so many, drawn by lot, first.
_IN_MEMORY = 1_000_000
_BATCH = 100_000


def in_random_order(
    batches: Iterable[pa.RecordBatch], schema: pa.Schema, rows: int, in_memory: int = _IN_MEMORY
) -> Iterator[pa.RecordBatch]:
    """The same rows, every order equally likely. `rows` says about how many there are.

    Each row is dealt to a pile by lot and the piles are shuffled one by one: that is a uniformly random
    permutation, in the memory of one pile.
    """
    import pyarrow as pa

    piles = -(-rows // in_memory)
    if piles <= 1:
        yield from _shuffled(pa.Table.from_batches(batches, schema))
        return
    with temporary_folder() as room:
        files = [room / f"{pile}.arrow" for pile in range(piles)]
        _deal(batches, schema, files)
        for file in files:
            with pa.memory_map(str(file)) as source, pa.ipc.open_stream(source) as reader:
                yield from _shuffled(reader.read_all())
            discard(file)


def _deal(batches: Iterable[pa.RecordBatch], schema: pa.Schema, files: list[Path]) -> None:
    import pyarrow as pa

    draw = fresh_generator()
    with ExitStack() as open_files:
        writers = [open_files.enter_context(pa.ipc.new_stream(str(file), schema)) for file in files]
        for batch in batches:
            dealt = draw.integers(len(files), size=batch.num_rows)
            for pile, writer in enumerate(writers):
                writer.write_batch(batch.take(pa.array(np.flatnonzero(dealt == pile))))


def _shuffled(table: pa.Table) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    order = fresh_generator().permutation(len(table))
    whole = table.combine_chunks()
    for start in range(0, len(table), _BATCH):
        yield from whole.take(pa.array(order[start : start + _BATCH])).to_batches()
