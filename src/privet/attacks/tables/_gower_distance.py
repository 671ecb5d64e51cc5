"""How far rows are from each other (Gower 1971): numbers by their distance over the column's span, anything else 0 or 1.

Two gaps are alike, and a gap is as far from a value as can be.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.attacks.tables._table_codes import Coded
from privet.disclosure import labels_of, mixed_radix

_CELLS = 4_000_000  # distances held at once: fits the caches, and bounds memory
_FAR = 5.0  # stands for a gap: cut off to 1, it is far from every number and at 0 from itself
Block = NDArray[np.float32]


def blocks(left: Coded, right: Coded) -> Iterator[tuple[slice, Block]]:
    """Distances from some rows of `left` at a time to all of `right`: sums over columns."""
    mine, theirs = prepared(left), prepared(right)
    step = max(1, _CELLS // max(1, len(right)))
    for start in range(0, len(left), step):
        part = slice(start, min(start + step, len(left)))
        total = np.zeros((part.stop - part.start, len(right)), np.float32)
        for a, b in zip(mine, theirs, strict=True):
            add_column(total, a[part], b)
        yield part, total


def prepared(table: Coded) -> list[NDArray[Any]]:
    """Columns as they are compared: short codes, or numbers between 0 and 1."""
    found: list[NDArray[Any]] = []
    for j in range(len(table.columns)):
        if table.is_number[j]:
            values = table.numbers[:, j]
            found.append(np.where(np.isnan(values), _FAR, values).astype(np.float32))
        else:
            small = table.sizes[j] < 255
            found.append((table.codes[:, j] + 1).astype(np.uint8 if small else np.int32))
    return found


def add_column(total: Block, left: NDArray[Any], right: NDArray[Any], sign: int = 1) -> None:
    """Add (or take away) one column's part of the distances, in place."""
    if left.dtype == np.float32:
        part = np.subtract.outer(left, right)
        np.abs(part, out=part)
        np.minimum(part, np.float32(1), out=part)
    else:
        part = np.not_equal.outer(left, right)
    if sign > 0:
        np.add(total, part, out=total)
    else:
        np.subtract(total, part, out=total)


def nearest(left: Coded, right: Coded, neighbours: int = 1) -> NDArray[np.float32]:
    """For each row of `left` the distances to its so many nearest rows of `right`, in no order."""
    many = min(neighbours, len(right))
    found = np.empty((len(left), many), np.float32)
    for part, total in blocks(left, right):
        found[part] = (
            total.min(axis=1)[:, None] if many == 1 else np.partition(total, many - 1, axis=1)[:, :many]
        )
    return found


def nearest_row(left: Coded, right: Coded) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """For each row of `left` the distance to the nearest row of `right`, and which row that is."""
    found, at = np.empty(len(left), np.float32), np.empty(len(left), np.int64)
    for part, total in blocks(left, right):
        at[part] = total.argmin(axis=1)
        found[part] = np.take_along_axis(total, at[part, None], axis=1)[:, 0]
    return found, at


def copied(left: Coded, right: Coded) -> NDArray[np.bool_]:
    """Which rows of `left` are also in `right`, as they are."""
    labels = labels_of_rows(np.concatenate([left.codes, right.codes]), left)
    there = np.zeros(int(labels.max(initial=-1)) + 1, bool)
    there[labels[len(left) :]] = True
    return there[labels[: len(left)]]


def unrepeated(table: Coded) -> Coded:
    """The table as if it had been published once, where every row is there as many times more."""
    labels = labels_of_rows(table.codes, table)
    order = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[order], labels[order])
    times = np.bincount(labels)
    repeated = int(np.gcd.reduce(times[times > 0])) if len(labels) else 1
    first = order[(np.arange(len(order)) - starts) * repeated < times[labels[order]]]
    return table if repeated == 1 or len(first) == 1 else table.take(np.sort(first))


def occurrences(table: Coded) -> NDArray[np.int64]:
    """How often each row is in the table."""
    labels = labels_of_rows(table.codes, table)
    return np.bincount(labels)[labels]


def labels_of_rows(codes: NDArray[np.int32], table: Coded) -> NDArray[np.int64]:
    """A number for each row, the same for equal ones."""
    keys, space = mixed_radix([column + 1 for column in codes.T], [size + 1 for size in table.sizes])
    return labels_of(keys, space)
