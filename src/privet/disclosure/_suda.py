"""Special uniques: the smallest sets of columns on which a row is alone, and the scores built on them.

A minimal sample unique is a set of columns on which a row is unique while it is unique on no proper subset
(Elliot, Manning, Ford 2002; SUDA2: Manning, Haglin, Keane 2008). The fewer columns it takes, and the more such
sets there are, the more exposed the row.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

import numpy as np
from numpy.typing import NDArray

from privet.disclosure._column_set_lattice import Walk
from privet.errors import BadCodes


@dataclass(frozen=True)
class MinimalSet:
    """A set of columns, and how many rows have it as a minimal sample unique."""

    columns: tuple[str, ...]
    rows: int


@dataclass(frozen=True, eq=False)
class Suda:
    """Minimal sample uniques of a table.

    `number[s - 1, i]` counts those of size s of tuple i, in the order of the walk's table. `exact` is True when
    there are no others; otherwise sets of more than `searched` columns were not looked at. `sets` are in
    descending order of rows.
    """

    columns: tuple[str, ...]
    number: NDArray[np.int32] = field(repr=False)
    sets: tuple[MinimalSet, ...] = field(repr=False)
    searched: int
    exact: bool
    uniques: int
    pairs: int

    @property
    def by_size(self) -> tuple[int, ...]:
        """How many minimal sample uniques there are of each size, from 1."""
        return tuple(int(line.sum()) for line in self.number)

    @property
    def smallest(self) -> NDArray[np.int64]:
        """The size of each tuple's smallest minimal sample unique; 0 where none was found."""
        found = self.number > 0
        return np.where(found.any(axis=0), found.argmax(axis=0) + 1, 0)

    def weight(self, size: int) -> float:
        """What a minimal sample unique of this size adds to a score: the product of (columns - i), i = size … M.

        M is one less than the number of columns, or the largest size searched. A row that is unique on all
        columns only has score 0, as in SUDA2.
        """
        largest = min(len(self.columns) - 1, self.searched)
        return (
            float(prod(len(self.columns) - i for i in range(size, largest + 1))) if size <= largest else 0.0
        )

    @property
    def scores(self) -> NDArray[np.float64]:
        """The SUDA score of each tuple."""
        weights = np.array([self.weight(size) for size in range(1, len(self.number) + 1)])
        return np.asarray(weights @ self.number, np.float64)

    def contributions(self) -> dict[str, float]:
        """The share of the total score that comes from sets with each column."""
        parts = dict.fromkeys(self.columns, 0.0)
        total = 0.0
        for found in self.sets:
            score = found.rows * self.weight(len(found.columns))
            total += score
            for name in found.columns:
                parts[name] += score
        return {name: part / total if total else 0.0 for name, part in parts.items()}

    def dis_scores(self, fraction: float = 0.01) -> NDArray[np.float64]:
        """DIS-SUDA: scores turned into chances that a unique match is right, for a sampling fraction.

        The chance for the table as a whole is that of data intrusion simulation (Skinner and Elliot 2002); it is
        spread over the rows as sdcMicro does, by powers of their scores.
        """
        if not 0 < fraction <= 1:
            raise BadCodes("the sampling fraction must be above 0, and at most 1.")
        scores = self.scores
        scored = scores > 0
        if not scored.any():
            return np.zeros(len(scores))
        right = self.uniques * fraction
        overall = right / (right + self.pairs * (1 - fraction))
        power = 1 + (8 - len(self.columns)) / 20
        level = float((scores[scored] ** -power).sum())
        spread = np.zeros(len(scores))
        odds = (self.uniques / overall - self.uniques) / (scores[scored] ** power * level)
        spread[scored] = 1 / (1 + odds)
        return spread


def suda(walk: Walk) -> Suda:
    """Minimal sample uniques, as a walk over the sets of columns has found them."""
    sets = [MinimalSet(walk.names(each.at), each.minimal) for each in walk.sets() if each.minimal]
    return Suda(
        columns=walk.table.columns,
        number=walk.number,
        sets=tuple(sorted(sets, key=lambda each: (-each.rows, each.columns))),
        searched=walk.searched,
        exact=walk.complete,
        uniques=int((walk.table.counts == 1).sum()),
        pairs=int((walk.table.counts == 2).sum()),
    )
