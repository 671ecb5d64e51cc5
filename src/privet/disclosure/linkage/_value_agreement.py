"""How well two values agree: the same, near, or different; and how often that happens by chance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from privet.disclosure.linkage._aligned_sides import MISSING, Sides
from privet.disclosure.linkage._candidate_pairs import Pairs

if TYPE_CHECKING:
    import pyarrow as pa

UNKNOWN, DIFFERENT, NEAR, SAME = -1, 0, 1, 2
LEVELS = 3
_CHANCE_PAIRS = 200_000
_PREFIX = 3  # characters that make two texts near: the area of a postal code

Near = Callable[[NDArray[np.int32], NDArray[np.int32]], NDArray[np.bool_]]


@dataclass(frozen=True, eq=False)
class Comparisons:
    """The level of agreement of each pair (rows) in each column, and the chance of each level at random."""

    levels: NDArray[np.int8] = field(repr=False)
    chance: NDArray[np.float64]  # columns x levels: how often two random records agree like this
    frequency: tuple[NDArray[np.float64], ...] = field(repr=False)  # share of each value on the right


def compare(sides: Sides, pairs: Pairs) -> Comparisons:
    """Compare the pairs column by column."""
    nearness = [near(labels) for labels in sides.labels]
    levels = _levels(sides, pairs, nearness)
    random = _levels(sides, _chance_pairs(sides), nearness)
    chance, frequency = [], []
    for at, labels in enumerate(sides.labels):
        left, right = _shares(sides.left[:, at], len(labels)), _shares(sides.right[:, at], len(labels))
        chance.append(_chances(float(left @ right), random[:, at]))
        frequency.append(right)
    return Comparisons(levels, np.array(chance), tuple(frequency))


def near(labels: pa.Array) -> Near:
    """What counts as near: dates that share two of year, month and day; numbers at most 1 apart; texts alike."""
    import pyarrow as pa

    if pa.types.is_temporal(labels.type) and not pa.types.is_time(labels.type):
        return _near_by_keys(_date_keys(labels))
    if pa.types.is_integer(labels.type) or pa.types.is_floating(labels.type):
        values = np.asarray(labels.to_numpy(zero_copy_only=False), np.float64)
        return lambda left, right: np.abs(values[left] - values[right]) <= 1
    if pa.types.is_string(labels.type):
        return _near_by_keys(_text_keys(labels))
    return lambda left, right: np.zeros(len(left), np.bool_) & (left == right)


def _near_by_keys(table: NDArray[np.int64]) -> Near:
    def agree(left: NDArray[np.int32], right: NDArray[np.int32]) -> NDArray[np.bool_]:
        found = np.zeros(len(left), np.bool_)
        for column in table.T:
            found |= (column[left] == column[right]) & (column[left] >= 0)
        return found

    return agree


def _date_keys(labels: pa.Array) -> NDArray[np.int64]:
    import pyarrow.compute as pc

    year, month, day = (
        np.asarray(part(labels).to_numpy(zero_copy_only=False), np.int64)
        for part in (pc.year, pc.month, pc.day)
    )
    return np.stack([year * 100 + month, year * 100 + day, month * 100 + day], axis=1)


def _text_keys(labels: pa.Array) -> NDArray[np.int64]:
    import pyarrow.compute as pc

    start = pc.utf8_lower(pc.utf8_slice_codeunits(labels, 0, _PREFIX))
    long = np.asarray(pc.utf8_length(labels).to_numpy(zero_copy_only=False)) > _PREFIX
    places = np.asarray(
        pc.index_in(start, value_set=pc.unique(start)).to_numpy(zero_copy_only=False), np.int64
    )
    return np.where(long, places, -1)[:, None]


def _levels(sides: Sides, pairs: Pairs, nearness: list[Near]) -> NDArray[np.int8]:
    found = np.empty((len(pairs), len(nearness)), np.int8)
    for at, nearly in enumerate(nearness):
        left, right = sides.left[pairs.left, at], sides.right[pairs.right, at]
        known = (left != MISSING) & (right != MISSING)
        level = np.full(len(pairs), UNKNOWN, np.int8)
        level[known] = np.where(nearly(left[known], right[known]), NEAR, DIFFERENT)
        level[known & (left == right)] = SAME
        found[:, at] = level
    return found


def _chance_pairs(sides: Sides) -> Pairs:
    """Evenly spread pairs: two coprime strides walk through both tables, the same ones each time."""
    size = min(_CHANCE_PAIRS, len(sides.left) * len(sides.right))
    step = np.arange(size, dtype=np.int64)
    left = (step * 7919) % max(len(sides.left), 1)
    right = (step * 104_729 + step // max(len(sides.left), 1)) % max(len(sides.right), 1)
    return Pairs(left, right)


def _shares(codes: NDArray[np.int32], size: int) -> NDArray[np.float64]:
    known = codes[codes != MISSING]
    return np.bincount(known, minlength=size) / max(len(known), 1)


def _chances(same: float, random: NDArray[np.int8]) -> list[float]:
    """The chance of each level: sameness exactly, nearness from the random pairs; none is ever impossible."""
    known = random[random != UNKNOWN]
    least = 1 / (len(known) + 2)
    same = max(same, 1e-12)
    nearly = max(float((known == NEAR).mean()) if len(known) else 0.0, least)
    chances = (max(1 - same - nearly, least), nearly, same)
    return [chance / sum(chances) for chance in chances]
