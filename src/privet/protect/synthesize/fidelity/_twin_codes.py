"""Real and synthetic rows in the same codes, which are read off the twin alone: they are as public as the twin is.

A category has a code for each value that the twin has. A number or date has one for each value where those are few, and
else even bins between the twin's least and largest. Two more codes stand for what the twin does not have, and for what is
missing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.engine import did_you_mean
from privet.errors import BadSynthesis

if TYPE_CHECKING:
    import pyarrow as pa

ELSEWHERE, MISSING = "not in the twin", "missing"
Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TwinCodes:
    """How one column is coded: its values as text, or the edges of its bins."""

    name: str
    labels: tuple[str, ...]
    edges: NDArray[np.float64] | None = field(default=None, repr=False)

    @property
    def size(self) -> int:
        """How many codes there are."""
        return len(self.labels)

    @classmethod
    def of(cls, column: pa.ChunkedArray, name: str, bins: int) -> TwinCodes:
        """The codes of a column of the twin."""
        import pyarrow.compute as pc

        if is_number(column):
            values = numbers(column)
            there = np.unique(values[np.isfinite(values)])
            if len(there) > bins:
                edges = np.linspace(there[0], there[-1], bins + 1)
                said = [_bin(column, low, high) for low, high in pairwise(edges)]
                return cls(name, (*said, ELSEWHERE, MISSING), edges)
        texts = as_text(column)
        return cls(name, (*sorted(pc.unique(texts).drop_null().to_pylist()), ELSEWHERE, MISSING))

    def codes(self, column: pa.ChunkedArray) -> Codes:
        """The code of each row."""
        import pyarrow as pa
        import pyarrow.compute as pc

        elsewhere, missing = self.size - 2, self.size - 1
        if self.edges is not None:
            if not is_number(column):
                raise BadSynthesis(
                    f"column {self.name!r} holds numbers or dates in the twin, and something else in the real rows.",
                    "Give rows of the table that the twin stands for.",
                )
            values = numbers(column)
            at = np.clip(np.searchsorted(self.edges, values, side="right") - 1, 0, elsewhere - 1)
            outside = (values < self.edges[0]) | (values > self.edges[-1])
            return np.where(np.isnan(values), missing, np.where(outside, elsewhere, at)).astype(np.int64)
        texts = as_text(column)
        at = pc.index_in(texts, value_set=pa.array(self.labels[:-2], pa.string()))
        found = np.asarray(at.fill_null(elsewhere).to_numpy(), np.int64)
        return np.where(np.asarray(texts.is_null()), missing, found)


def is_number(column: pa.ChunkedArray) -> bool:
    """Whether values of a column have distances."""
    import pyarrow as pa

    kind = column.type
    return bool(
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_temporal(kind)
    )


def numbers(column: pa.ChunkedArray) -> NDArray[np.float64]:
    """Numbers as they are and dates in days; NaN where there is none."""
    import pyarrow as pa

    kind = column.type
    scale = 1.0
    if pa.types.is_date(kind):
        column = column.cast(pa.date32()).cast(pa.int32())
    elif pa.types.is_timestamp(kind):
        column, scale = column.cast(pa.timestamp("us", kind.tz)).cast(pa.int64()), 86_400e6
    elif pa.types.is_temporal(kind):
        column = column.cast(pa.int64())
    found = column.cast(pa.float64(), safe=False).to_numpy()
    return np.asarray(found, float) / scale


def as_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Values as text, so that 1 is 1 whether it is written with a point or not."""
    import pyarrow as pa

    if pa.types.is_floating(column.type) or pa.types.is_integer(column.type):
        values = column.to_pylist()
        return pa.chunked_array(
            [
                pa.array(
                    [None if one is None or math.isnan(one) else f"{one:.12g}" for one in values], pa.string()
                )
            ]
        )
    return column.cast(pa.string())


def shared_columns(twin: pa.Table, real: pa.Table, named: Sequence[str]) -> list[str]:
    """The twin's columns that are compared; all of them have to be among the real rows."""
    lacking = [name for name in named if name not in real.column_names]
    if lacking:
        raise BadSynthesis(
            f"the real rows have no column {', '.join(map(repr, lacking))}. "
            f"{did_you_mean(lacking[0], real.column_names)}",
            "Give rows of the table that the twin stands for.",
        )
    return [name for name in named if name in twin.column_names]


def _bin(column: pa.ChunkedArray, low: float, high: float) -> str:
    import pyarrow as pa

    if pa.types.is_date(column.type) or pa.types.is_timestamp(column.type):
        first, last = (np.datetime64(int(np.floor(edge)), "D") for edge in (low, high))
        return f"{first} to {last}"
    return f"{low:.6g} to {high:.6g}"


def coded(
    twin: pa.Table, others: Sequence[pa.Table], names: Sequence[str], bins: int
) -> tuple[list[TwinCodes], list[Any]]:
    """How each column is coded, and the codes of the twin and of the other tables: a row for each row."""
    found = [TwinCodes.of(twin.column(name), name, bins) for name in names]
    tables = [
        np.column_stack([one.codes(table.column(one.name)) for one in found]) if found else np.zeros((0, 0))
        for table in (twin, *others)
    ]
    return found, tables
