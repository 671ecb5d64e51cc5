"""Several tables in the same integer codes, so that attacks compare whole numbers and never values.

A code keeps the order of numbers and dates; a missing value is -1. Names of columns are never read as anything but
names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa

MISSING = -1


@dataclass(frozen=True, eq=False)
class Coded:
    """The rows of one table: `codes[:, j]` in 0 … `sizes[j]` - 1, and for columns of numbers their value in `numbers`.

    The tables that were coded together share everything but their rows.
    """

    columns: tuple[str, ...]
    codes: NDArray[np.int32] = field(repr=False)
    numbers: NDArray[np.float64] = field(repr=False)  # scaled to 0 … 1 over all tables; NaN where missing
    is_number: NDArray[np.bool_]
    sizes: tuple[int, ...]
    spans: tuple[float, ...]  # what 1 in `numbers` stands for

    def __len__(self) -> int:
        return len(self.codes)

    def take(self, rows: NDArray[np.int64]) -> Coded:
        """Some of the rows."""
        return replace(self, codes=self.codes[rows], numbers=self.numbers[rows])

    def only(self, places: Sequence[int]) -> Coded:
        """Some of the columns."""
        at = list(places)
        return Coded(
            tuple(self.columns[j] for j in at),
            self.codes[:, at],
            self.numbers[:, at],
            self.is_number[at],
            tuple(self.sizes[j] for j in at),
            tuple(self.spans[j] for j in at),
        )

    def at(self, column: str) -> int:
        """Where a column stands."""
        return self.columns.index(column)


def coded(tables: Sequence[pa.Table], columns: Sequence[str]) -> list[Coded]:
    """All tables in common codes, over these columns."""
    ends = np.cumsum([table.num_rows for table in tables])[:-1]
    parts = [_column([table.column(name) for table in tables]) for name in columns]
    codes = np.stack([part.codes for part in parts], axis=1)
    numbers = np.stack([part.numbers for part in parts], axis=1)
    shared: dict[str, Any] = {
        "columns": tuple(columns),
        "is_number": np.array([part.is_number for part in parts]),
        "sizes": tuple(part.size for part in parts),
        "spans": tuple(part.span for part in parts),
    }
    return [
        Coded(codes=np.asfortranarray(mine), numbers=values, **shared)
        for mine, values in zip(np.split(codes, ends), np.split(numbers, ends), strict=True)
    ]


@dataclass(frozen=True, eq=False)
class _Part:
    codes: NDArray[np.int32]
    numbers: NDArray[np.float64]
    size: int
    span: float
    is_number: bool


def _column(parts: Sequence[Any]) -> _Part:
    """One column of all tables, one below the other."""
    numbers = [as_numbers(part) for part in parts]
    if all(found is not None for found in numbers):
        values = np.concatenate([found for found in numbers if found is not None])
        known = ~np.isnan(values)
        distinct, inverse = np.unique(values[known], return_inverse=True)
        codes = np.full(len(values), MISSING, np.int32)
        codes[known] = inverse
        low = float(distinct[0]) if len(distinct) else 0.0
        span = float(distinct[-1] - low) if len(distinct) else 0.0
        return _Part(codes, (values - low) / (span or 1.0), len(distinct), span, is_number=True)
    return _texts(parts)


def _texts(parts: Sequence[Any]) -> _Part:
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pa.chunked_array([chunk for part in parts for chunk in as_text(part).chunks], pa.string())
    encoded = pc.dictionary_encode(text).combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.chunk(0) if encoded.num_chunks else pa.array([], pa.string()).dictionary_encode()
    codes = np.asarray(pc.fill_null(encoded.indices, MISSING).to_numpy(zero_copy_only=False), np.int32)
    return _Part(codes, np.full(len(codes), np.nan), len(encoded.dictionary), 0.0, is_number=False)


def as_numbers(column: Any) -> NDArray[np.float64] | None:
    """Numbers, and dates and times as days; NaN where missing. None for anything else, truth values included."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_timestamp(kind):
        stamps = column.cast(pa.timestamp("us"), safe=False).cast(pa.int64())
        return _floats(stamps) / 86_400e6
    if pa.types.is_date(kind):
        return _floats(column.cast(pa.date32(), safe=False).cast(pa.int32()))
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        found = _floats(column.cast(pa.float64(), safe=False))
        return np.where(np.isfinite(found), found, np.nan)
    return None


def _floats(column: Any) -> NDArray[np.float64]:
    import pyarrow as pa

    found = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return np.asarray(found, np.float64)


def as_text(column: Any) -> Any:
    """As the anonymizer writes values: whole numbers without a fraction, dates without a time of day."""
    import pyarrow as pa
    import pyarrow.compute as pc

    chunked = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    if pa.types.is_dictionary(chunked.type):
        chunked = chunked.cast(chunked.type.value_type)
    if pa.types.is_timestamp(chunked.type) and pc.all(
        pc.equal(chunked, pc.floor_temporal(chunked, unit="day"))
    ).as_py() in (True, None):
        chunked = chunked.cast(pa.date32(), safe=False)
    if pa.types.is_floating(chunked.type):
        values = chunked.to_numpy(zero_copy_only=False)
        texts = [
            None if np.isnan(v) else str(int(v)) if float(v).is_integer() else str(v) for v in values.tolist()
        ]
        return pa.chunked_array([pa.array(texts, pa.string())])
    return chunked.cast(pa.string())
