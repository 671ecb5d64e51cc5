"""Rows set aside in a file, to be read again by their places: a sample costs what it holds, not what its table holds.

A table on an engine has no places: to find a thousand rows among ten million, an engine reads ten million. So they are read
once, batch by batch, and kept as an Arrow file of small blocks, of which those that hold a wanted row are read again. No
more than a block is in memory for each.

The file holds rows as they are. Without a place of its own it lies in the folder of this process that nobody else may enter,
and loses its name as soon as it is open: it is gone with the process, even a killed one.
"""

from __future__ import annotations

import hashlib
import itertools
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from privet.artifact import OwnerOnly, discard, own_folder, written_whole
from privet.engine._spill_folder import spill_folder
from privet.errors import FileProblem
from privet.evidence import record_file

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK = 256  # rows; a row that is read brings so many with it
_PIECE = 1 << 20
_numbers = itertools.count()


@dataclass(frozen=True, eq=False)
class RowStore:
    """Rows in a file, numbered from 0 in the order in which they came."""

    size: int
    _file: BinaryIO = field(repr=False)
    _reader: Any = field(repr=False)

    @classmethod
    def written(cls, batches: Iterable[pa.RecordBatch], schema: pa.Schema, place: Path | None) -> RowStore:
        """All rows of these batches, read one after the other; at `place`, or without a name."""
        target = spill_folder() / f"rows-{next(_numbers)}.arrow" if place is None else place
        own_folder(target.parent, parents=True)
        written_whole(target, OwnerOnly(lambda path: _write(batches, schema, path)))
        try:
            return cls.opened(target)
        finally:
            if place is None:
                discard(target)

    @classmethod
    def opened(cls, place: Path, known: Callable[[bytes], bool] | None = None) -> RowStore:
        """The rows that lie at a place.

        Args:
            place: the file.
            known: whether its digest is that of the rows that were set aside there; asked before anything is parsed.
        """
        import pyarrow as pa

        try:
            file = record_file(place)
            if known is not None and not known(_digest(file)):
                raise FileProblem(
                    "the rows that were set aside are not those that were set aside for this run.",
                    "Put them back as they were; or start again in an empty folder and pay again.",
                )
            reader = pa.ipc.open_file(pa.PythonFile(file, mode="r"))
            last = reader.num_record_batches - 1
            size = last * BLOCK + reader.get_batch(last).num_rows if last >= 0 else 0
        except (OSError, pa.ArrowException):
            raise FileProblem("the rows that were set aside cannot be read.", "Start again.") from None
        return cls(size, file, reader)

    def at(self, places: NDArray[np.int64]) -> pa.Table:
        """The rows at these places, which ascend."""
        import pyarrow as pa

        blocks, starts = np.unique(places // BLOCK, return_index=True)
        found = []
        for block, inside in zip(
            blocks.tolist(), np.split(places, starts[1:]) if len(places) else [], strict=True
        ):
            found.append(self._block(block).take(pa.array(inside - block * BLOCK)))
        return pa.Table.from_batches(found, self._reader.schema)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """All rows, some at a time."""
        for block in range(self._reader.num_record_batches):
            yield self._block(block)

    def digest(self) -> bytes:
        """A digest of all rows in their order. Key it before it is kept."""
        return _digest(self._file)

    def _block(self, number: int) -> pa.RecordBatch:
        import pyarrow as pa

        try:
            return self._reader.get_batch(number)
        except (OSError, pa.ArrowException):
            raise FileProblem("the rows that were set aside cannot be read.", "Start again.") from None


def _digest(file: BinaryIO) -> bytes:
    """Of a whole file, piece by piece; it is left where parsers begin."""
    total = hashlib.sha256()
    for start in range(0, os.fstat(file.fileno()).st_size, _PIECE):
        file.seek(start)
        total.update(file.read(_PIECE))
    file.seek(0)
    return total.digest()


def _write(batches: Iterable[pa.RecordBatch], schema: pa.Schema, path: Path) -> None:
    """Blocks of equally many rows, but for the last."""
    import pyarrow as pa

    rest = schema.empty_table()
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, schema) as writer:
        for batch in batches:
            rows = pa.concat_tables([rest, pa.Table.from_batches([batch]).cast(schema)]).combine_chunks()
            whole = rows.num_rows // BLOCK * BLOCK
            writer.write_table(rows.slice(0, whole), max_chunksize=BLOCK)
            rest = rows.slice(whole)
        writer.write_table(rest.combine_chunks(), max_chunksize=BLOCK)
