"""How far two tables are apart, by the shares of the cells of small sets of columns.

The total variation distance of a set is half the sum of the differences of shares: 0 for equal tables, 1 for tables
that have no cell in common. It is the workload error of the literature on marginals (McKenna, Mullins, Sheldon and Miklau,
"AIM", VLDB 2022), up to the factor of a half.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]
MOST_SETS = 300  # of one size; more of them are thinned evenly
_DENSE = 2_000_000  # cells counted in one array


@dataclass(frozen=True)
class MarginalDistance:
    """All sets of so many columns: their mean distance, the largest and where, and what chance alone would leave."""

    ways: int
    sets: int  # that were compared
    of: int  # that there are
    mean: float
    worst: float
    worst_columns: tuple[str, ...]
    by_chance: float  # the mean distance between real rows and other real rows


def total_variation(first: Codes, second: Codes, sizes: Sequence[int]) -> float:
    """The distance of two tables of codes over all their columns together."""
    if not len(first) or not len(second):
        return 1.0
    cells = int(np.prod([int(size) for size in sizes], dtype=object))
    keys = [_keys(table, sizes) for table in (first, second)]
    if cells > _DENSE:
        together = np.unique(np.concatenate(keys), return_inverse=True)[1].ravel()
        keys, cells = [together[: len(first)], together[len(first) :]], int(together.max()) + 1
    shares = [np.bincount(key, minlength=cells) / len(key) for key in keys]
    return float(np.abs(shares[0] - shares[1]).sum() / 2)


def distances(
    twin: Codes,
    real: Codes,
    sizes: Sequence[int],
    names: Sequence[str],
    *,
    others: tuple[Codes, Codes],
    most_ways: int = 3,
) -> tuple[MarginalDistance, ...]:
    """Distances of all sets of one, two and three columns; `others` are two tables of real rows that differ by chance alone."""
    found = []
    for ways in range(1, min(most_ways, len(names)) + 1):
        every = list(combinations(range(len(names)), ways))
        step = max(1, -(-len(every) // MOST_SETS))
        some = every[::step]
        apart = [_apart(twin, real, sizes, one) for one in some]
        chance = [_apart(*others, sizes, one) for one in some]
        at = int(np.argmax(apart))
        found.append(
            MarginalDistance(
                ways,
                len(some),
                len(every),
                float(np.mean(apart)),
                float(apart[at]),
                tuple(names[column] for column in some[at]),
                float(np.mean(chance)),
            )
        )
    return tuple(found)


def _apart(first: Codes, second: Codes, sizes: Sequence[int], columns: tuple[int, ...]) -> float:
    places = list(columns)
    return total_variation(first[:, places], second[:, places], [sizes[at] for at in places])


def _keys(table: Codes, sizes: Sequence[int]) -> Codes:
    """One number for each row. Sets are of at most three columns with few codes each, so that it fits."""
    key = np.zeros(len(table), np.int64)
    for column, size in zip(table.T, sizes, strict=True):
        key = key * int(size) + column
    return key
