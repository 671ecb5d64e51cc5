"""The unicity curve: how many people are singled out by an attacker who knows any s of their attributes.

For each s, the share of rows that are unique on a set of s columns, averaged over all sets (de Montjoye et al.
2013). Where sets are too many, some are drawn; each is still counted on the whole table, so that the interval is
about the choice of sets alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from privet.disclosure._column_set_lattice import SetCounts, Walk
from privet.disclosure._mean_interval import mean_interval
from privet.disclosure._quasi_random import subsets
from privet.errors import BadCodes

# Tuples to be grouped beyond those of the walk.
LARGEST_CURVE = 1_000_000_000
_FEWEST = 10


@dataclass(frozen=True)
class AttackerFacts:
    """An attacker who knows `attributes` columns of a person.

    `share` of people are singled out on average over sets of columns; it lies in `low` … `high` with the stated
    confidence (both equal it when `exact`). `best` is the most that one of the `sets` looked at singles out, by
    `best_columns`.
    """

    attributes: int
    share: float
    low: float
    high: float
    best: float
    best_columns: tuple[str, ...]
    sets: int
    exact: bool


def unicity(
    walk: Walk,
    *,
    largest: int | None = None,
    draws: int = 100,
    confidence: float = 0.95,
    limit: int = LARGEST_CURVE,
    progress: Callable[[int], None] | None = None,
) -> tuple[AttackerFacts, ...]:
    """The curve for 1 … `largest` known attributes (all columns when None).

    Args:
        walk: sets that were looked at; larger ones are counted here.
        largest: the most attributes that the attacker knows.
        draws: how many sets of one size to count where the walk did not count all; fewer, but at least ten,
            where the table is so large that the limit would be passed.
        confidence: that each interval has at least, also for few draws (see `privet.disclosure._mean_interval`).
        limit: how many tuples may be grouped in all.
        progress: told the number of attributes when a point is done.
    """
    if draws < 2 or not 0 < confidence < 1:
        raise BadCodes("draw at least two sets, with a confidence between 0 and 1.")
    width = len(walk.table.columns)
    most = width if largest is None else max(1, min(largest, width))
    points = max(1, most - walk.searched)
    draws = min(draws, max(_FEWEST, limit // (points * max(1, len(walk.table)))))
    curve = []
    for size in range(1, most + 1):
        curve.append(_point(walk, size, draws, confidence))
        if progress is not None:
            progress(size)
    return tuple(curve)


def _point(walk: Walk, size: int, draws: int, confidence: float) -> AttackerFacts:
    width = len(walk.table.columns)
    exact = size <= walk.searched or comb(width, size) <= 2 * draws
    counted: Sequence[SetCounts]
    if size <= walk.searched:
        counted = walk.levels[size - 1]
    elif exact:
        counted = [walk.beyond(at) for at in combinations(range(width), size)]
    else:
        counted = [walk.beyond(at) for at in subsets(f"unicity {size}", width, size, draws)]
    shares = np.array([each.uniques for each in counted]) / max(1, walk.table.rows)
    share = float(shares.mean())
    low, high = (share, share) if exact else mean_interval(shares, comb(width, size), confidence)
    best = int(shares.argmax())
    return AttackerFacts(
        attributes=size,
        share=share,
        low=low,
        high=high,
        best=float(shares[best]),
        best_columns=walk.names(counted[best].at),
        sets=len(counted),
        exact=exact,
    )
