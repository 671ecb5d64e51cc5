"""Grouping of integer tuples: one whole number for each tuple, then counting, sorting or marking.

Small key spaces are counted in place. Large ones are sorted, which numpy does faster for plain integers than
for anything else: where labels are wanted, the position is packed into the low digits of the key.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.signedinteger[Any]]

# Keys stay below this, so that sums and comparisons of 64-bit integers cannot overflow.
LARGEST_SPACE = 2**62
_ALWAYS_COUNTED = 2**16


def mixed_radix(columns: Sequence[Integers], cardinalities: Sequence[int]) -> tuple[Integers, int]:
    """One key for each tuple, in the tuples' lexicographic order, and the size of the key space.

    Where the product of cardinalities would overflow, what has been combined so far is renumbered first.
    """
    space = max(1, cardinalities[0])
    keys: Integers = columns[0]
    for column, cardinality in zip(columns[1:], cardinalities[1:], strict=True):
        width = max(1, cardinality)
        if space * width > LARGEST_SPACE:
            keys, space = _renumbered(keys, space)
        wide = np.int32 if space * width < 2**31 else np.int64
        keys = np.multiply(keys, width, dtype=wide)
        keys += column
        space *= width
    return keys, space


def _renumbered(keys: Integers, space: int) -> tuple[Integers, int]:
    labels = labels_of(keys, space)
    return labels, int(labels.max(initial=-1)) + 1


def is_counted(space: int, length: int) -> bool:
    """Whether an array as long as the key space is cheaper than sorting the keys."""
    return space <= max(_ALWAYS_COUNTED, 2 * length)


def labels_of(keys: Integers, space: int) -> NDArray[np.int64]:
    """The number of each key's group; groups are numbered in ascending order of keys."""
    if is_counted(space, len(keys)):
        present = np.zeros(space, bool)
        present[keys] = True
        return (np.cumsum(present, dtype=np.int64) - 1)[keys]
    ordered, order = sorted_keys(keys, space)
    labels = np.empty(len(keys), np.int64)
    labels[order] = np.cumsum(starts_of(ordered), dtype=np.int64) - 1
    return labels


def sorted_keys(keys: Integers, space: int) -> tuple[Integers, NDArray[np.int64]]:
    """Keys in ascending order, and where each came from."""
    digits = len(keys).bit_length()
    if space << digits > LARGEST_SPACE:
        order = np.argsort(keys)
        return keys[order], order
    packed = keys.astype(np.int64)
    packed <<= digits
    packed |= np.arange(len(keys))
    packed.sort()
    return packed >> digits, packed & ((1 << digits) - 1)


def starts_of(ordered: Integers) -> NDArray[np.bool_]:
    """True where a new group begins in sorted keys."""
    starts = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=starts[1:])
    return starts


def sizes_of(keys: Integers, space: int, counts: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """Rows of each group, in ascending order of keys; `counts` is None when each key stands for one row."""
    if counts is None and not is_counted(space, len(keys)):
        begins = np.flatnonzero(starts_of(np.sort(keys)))
        return _lengths(begins, len(keys))
    return sizes_and_singles(keys, space, counts)[0]


def sizes_and_singles(
    keys: Integers, space: int, counts: NDArray[np.int64] | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows of each group in ascending order of keys, and the positions of keys that are a group of one row."""
    if is_counted(space, len(keys)):
        found = np.bincount(keys, minlength=1) if counts is None else totals_of(keys, counts, 1)
        singles = np.flatnonzero((found == 1)[keys])
        return found[found > 0].astype(np.int64, copy=False), singles
    ordered, order = sorted_keys(keys, space)
    begins = np.flatnonzero(starts_of(ordered))
    sizes = _lengths(begins, len(keys)) if counts is None else np.add.reduceat(counts[order], begins)
    return sizes, order[begins[sizes == 1]]


def _lengths(begins: NDArray[np.int64], end: int) -> NDArray[np.int64]:
    lengths = np.empty_like(begins)
    np.subtract(begins[1:], begins[:-1], out=lengths[:-1])
    lengths[-1:] = end - begins[-1:]
    return lengths


def totals_of(labels: Integers, counts: NDArray[np.int64], groups: int) -> NDArray[np.int64]:
    """The sum of counts in each group, exact: doubles hold whole numbers up to 2**53."""
    return np.bincount(labels, weights=counts, minlength=groups).astype(np.int64)
