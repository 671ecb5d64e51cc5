"""Where trees may split, and by which columns: read off noisy figures alone, so it costs nothing.

A split asks whether a code is at least `low` and below `high`: of a number, whether it is beyond a noisy quantile; of a category,
whether it is one level. Columns are drawn by how much they say by themselves, pairs by how much two columns say together and
neither says alone; whatever noise alone would show counts nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.artifact import Features, NumberColumn

QUANTILES = 12  # a number may be split at the quantiles between so many parts
SURE = 2.5  # deviations of noise beyond which a column says something by itself
UNSURE = 0.1  # of draws, whatever was seen
_PAIRS_SURE = 0.8  # times what the largest of so many normal numbers comes to

Floats = NDArray[np.float64]
Split = tuple[int, int, int]  # a column, the first code on the right side, the code after the last


@dataclass(frozen=True, eq=False)
class Levels:
    """How many units have each level of each column, as it was released: one array for each column, nothing below 0."""

    features: Features
    counts: tuple[Floats, ...]

    @classmethod
    def of(cls, features: Features, noisy: Floats) -> Levels:
        """From the noisy counts of all levels of all columns."""
        return cls(features, tuple(np.split(np.maximum(noisy, 0.0), features.offsets[1:])))

    def splits(self, at: int) -> list[Split]:
        """All splits of a column that are worth a draw."""
        column, counts = self.features.columns[at], self.counts[at]
        if not isinstance(column, NumberColumn):
            return [(at, level, level + 1) for level in range(column.levels)]
        placed = self._ranks(at, np.arange(1, QUANTILES) / QUANTILES)
        cuts = sorted({cut for cut in placed if 0 < cut < column.bins}) or [max(1, column.bins // 2)]
        return [(at, cut, len(counts)) for cut in cuts]

    def middle(self, at: int) -> Split:
        """The split that comes nearest to halving the units."""
        column, counts = self.features.columns[at], self.counts[at]
        if not isinstance(column, NumberColumn):
            level = int(np.argmin(np.abs(counts - counts.sum() / 2)))
            return at, level, level + 1
        (cut,) = self._ranks(at, np.array([0.5]))
        return at, min(max(cut, 1), column.bins - 1), len(counts)

    def directions(self, at: int) -> list[Floats]:
        """What an effect may look like over the levels: along the rank and bent in it; for a category, one level each."""
        column, counts = self.features.columns[at], self.counts[at]
        if not isinstance(column, NumberColumn):
            return list(np.eye(column.levels))
        known = counts[:-1]
        rank = 2 * (np.cumsum(known) - known / 2) / max(float(known.sum()), 1e-300) - 1
        return [np.append(rank, 0.0), np.append((3 * rank**2 - 1) / 2, 0.0)]

    def _ranks(self, at: int, shares: Floats) -> list[int]:
        """The first code beyond each share of the units whose value is known."""
        total = np.cumsum(self.counts[at][:-1])
        return [int(place) + 1 for place in np.searchsorted(total, shares * max(float(total[-1]), 1e-300))]


@dataclass(frozen=True, eq=False)
class Proposals:
    """Columns and pairs of columns, with how often each is drawn, and the splits of each column."""

    alone: Floats
    pairs: tuple[tuple[int, int], ...]
    together: Floats
    splits: tuple[list[Split], ...]

    @classmethod
    def of(cls, levels: Levels, alone: Floats, pairs: Floats) -> Proposals:
        """From what columns say by themselves and what pairs say, both at least 0."""
        many = len(levels.counts)
        first, second = np.triu_indices(many, 1)
        kept = np.flatnonzero(pairs)
        named = tuple((int(first[one]), int(second[one])) for one in kept)
        return cls(alone, named, pairs[kept], tuple(levels.splits(at) for at in range(many)))

    def tree(self, depth: int, draw: Callable[[], float]) -> list[Split]:
        """The splits of one tree, from the root down; each level of it asks one question (Prokhorenkova et al. 2018).

        `draw` gives numbers between 0 and 1, evenly spread.
        """
        many = len(self.alone)
        weights = np.sqrt(np.concatenate([self.alone, self.together]))
        total = float(weights.sum())
        shares = (1 - UNSURE) * weights / total if total else np.zeros(len(weights))
        shares[:many] += (UNSURE if total else 1.0) / many
        chosen = _drawn(shares, draw())
        if chosen >= many:
            pair = self.pairs[chosen - many]
            columns = [*pair, *(pair[int(2 * draw())] for _ in range(depth - 2))]
        else:
            others = np.sqrt(self.alone) + 1e-9
            columns = [chosen, chosen, *(_drawn(others, draw()) for _ in range(depth - 2))]
        return [self.splits[at][int(draw() * len(self.splits[at]))] for at in columns]


def _drawn(weights: Floats, number: float) -> int:
    """A place, by weights and a number between 0 and 1."""
    total = np.cumsum(weights)
    return min(int(np.searchsorted(total, number * total[-1], side="right")), len(weights) - 1)


def said_alone(levels: Levels, sums: Floats, deviation: float, share: float) -> Floats:
    """What each column explains of a class with this share: of noisy sums of residuals over its levels."""
    found = np.zeros(len(levels.counts))
    own = share * (1 - share)
    for at, here in enumerate(np.split(sums, levels.features.offsets[1:])):
        for direction in levels.directions(at):
            size = max(float((levels.counts[at] * direction**2).sum()), 1.0)
            chance = deviation**2 * float((direction**2).sum()) + own * size
            square = float((here * direction).sum()) ** 2
            found[at] += max(0.0, square - chance) / size if square > SURE**2 * chance else 0.0
    return found


def said_together(moments: Floats, deviation: float, share: float, records: int) -> Floats:
    """What each pair explains: of noisy sums of residual times both sides of two halved columns."""
    if not len(moments):
        return moments
    least = _PAIRS_SURE * math.sqrt(2 * math.log(max(2, len(moments))))
    chance = deviation**2 + share * (1 - share) * records
    sure = moments**2 > least**2 * chance
    return np.where(sure, np.maximum(moments**2 - chance, 0.0) / records, 0.0)
