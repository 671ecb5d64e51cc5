"""Two tables of people in the same integer codes, ready to be compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa

MISSING = -1


@dataclass(frozen=True, eq=False)
class Sides:
    """The people looked for (left) and the attacker's records (right): one row each, equal values have equal codes.

    A missing value is -1 and agrees with nothing.
    """

    columns: tuple[tuple[str, str], ...]  # the column's name on the left and on the right
    left: NDArray[np.int32] = field(repr=False)
    right: NDArray[np.int32] = field(repr=False)
    labels: tuple[pa.Array, ...] = field(repr=False)
    left_ids: NDArray[np.int64] = field(repr=False)
    right_ids: NDArray[np.int64] = field(repr=False)


def aligned(left: pa.Array, right: pa.Array) -> tuple[NDArray[np.int32], NDArray[np.int32], pa.Array]:
    """For each label of both sides its common code, and the common labels. Different types meet as text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if left.type != right.type:
        left, right = _comparable(left, right)
    both = pc.unique(pa.concat_arrays([left.drop_null(), right.drop_null()]))
    both = both.take(pc.sort_indices(both))
    return _codes(left, both), _codes(right, both), both


def _comparable(left: pa.Array, right: pa.Array) -> tuple[pa.Array, pa.Array]:
    import pyarrow as pa

    kinds = {_family(left.type), _family(right.type)}
    wanted = {
        frozenset({"number"}): pa.float64(),
        frozenset({"number", "whole"}): pa.float64(),
        frozenset({"whole"}): pa.int64(),
    }.get(frozenset(kinds))
    if wanted is not None:
        return left.cast(wanted), right.cast(wanted)
    return _as_text(left), _as_text(right)


def _family(kind: Any) -> str:
    import pyarrow as pa

    if pa.types.is_integer(kind):
        return "whole"
    return "number" if pa.types.is_floating(kind) else str(kind)


def _as_text(labels: pa.Array) -> pa.Array:
    """As one would write it: dates without a time of day, whole numbers without a fraction."""
    import pyarrow as pa

    if pa.types.is_timestamp(labels.type):
        labels = labels.cast(pa.date32(), safe=False)
    return labels.cast(pa.string())


def _codes(labels: pa.Array, both: pa.Array) -> NDArray[np.int32]:
    import pyarrow.compute as pc

    places = pc.fill_null(pc.index_in(labels, value_set=both, skip_nulls=True), MISSING)
    return np.asarray(places.to_numpy(zero_copy_only=False), np.int32)
