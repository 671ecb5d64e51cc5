"""Pairs of records that agree on some columns, made without looking at all pairs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from privet.disclosure.linkage._aligned_sides import MISSING, Sides


@dataclass(frozen=True, eq=False)
class Pairs:
    """Candidates: positions on the left and on the right."""

    left: NDArray[np.int64] = field(repr=False)
    right: NDArray[np.int64] = field(repr=False)

    def __len__(self) -> int:
        return len(self.left)


def keys(sides: Sides, places: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """One whole number for each record: equal exactly where all these columns agree; -1 where one is missing."""
    left = np.zeros(len(sides.left), np.int64)
    right = np.zeros(len(sides.right), np.int64)
    for at in places:
        mine, other = sides.left[:, at].astype(np.int64), sides.right[:, at].astype(np.int64)
        size = len(sides.labels[at]) + 1
        gone = (left < 0) | (mine == MISSING), (right < 0) | (other == MISSING)
        left = np.where(gone[0], -1, left * size + mine)
        right = np.where(gone[1], -1, right * size + other)
        # Dense again after each column, so that the product of many sizes cannot overflow.
        dense = np.unique(np.concatenate([left, right]), return_inverse=True)[1]
        offset = 1 if (left < 0).any() or (right < 0).any() else 0
        left, right = dense[: len(left)] - offset, dense[len(left) :] - offset
    return left, right


def joined(left: NDArray[np.int64], right: NDArray[np.int64]) -> Pairs:
    """All pairs with equal keys; -1 joins nothing."""
    order = np.argsort(right, kind="stable")
    ordered = right[order]
    first, last = np.searchsorted(ordered, left, "left"), np.searchsorted(ordered, left, "right")
    found = np.where(left < 0, 0, last - first)
    at = np.repeat(np.arange(len(left)), found)
    within = np.arange(len(at)) - np.repeat(np.cumsum(found) - found, found)
    return Pairs(at, order[np.repeat(first, found) + within])


def number_of_pairs(left: NDArray[np.int64], right: NDArray[np.int64]) -> int:
    """How many pairs `joined` would make."""
    size = int(max(left.max(initial=-1), right.max(initial=-1))) + 1
    return int(np.bincount(left[left >= 0], minlength=size) @ np.bincount(right[right >= 0], minlength=size))


def blocks(sides: Sides, most: int) -> list[tuple[int, ...]]:
    """The smallest sets of columns whose agreeing pairs fit: coarse ones first, none that contains another."""
    chosen: list[tuple[int, ...]] = []
    room = most
    width = len(sides.columns)
    for size in range(1, width + 1):
        for places in itertools.combinations(range(width), size):
            if any(set(smaller) <= set(places) for smaller in chosen):
                continue
            needed = number_of_pairs(*keys(sides, places))
            if needed <= room:
                chosen.append(places)
                room -= needed
    return chosen


def candidates(sides: Sides, chosen: Sequence[tuple[int, ...]]) -> Pairs:
    """Every pair that agrees on at least one of the sets, once."""
    width = max(len(sides.right), 1)
    packed = [np.zeros(0, np.int64)]
    for places in chosen:
        found = joined(*keys(sides, places))
        packed.append(found.left * width + found.right)
    together = np.unique(np.concatenate(packed))
    return Pairs(together // width, together % width)
