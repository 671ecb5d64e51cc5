"""Sums of values and of products of values over complete rows: what spread and dependence are read off.

Every column is measured from the middle of its bounds in units of half its range, so that all sums are of numbers
between -1 and 1. A row at a corner of the bounds moves all of them as far as they can go at once: what one person
can do to the whole set is what it can do to its parts, added up, and no joint bound is tighter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privet.engine import Measure
from privet.protect.query.estimators._counts import ClampedColumn

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Where no data may be looked at, errors are stated for groups like this: values that average half-way between the
# middle and an end of their bounds, deviate by a quarter of the range, and correlate by a half. On which side of the
# middle matters, so several are tried.
SUPPOSED_MEAN, SUPPOSED_DEVIATION, SUPPOSED_CORRELATION = 0.5, 0.5, 0.5
SUPPOSED_OF_ONE = "for values half-way off the middle of their bounds, spread by a quarter of the range"
SUPPOSED = f"{SUPPOSED_OF_ONE}, correlated by a half"


@dataclass(frozen=True)
class Moments:
    """Numbers of rows, means and covariances in units of half a range; the last axes are the columns."""

    rows: NDArray[np.float64]
    means: NDArray[np.float64]
    covariances: NDArray[np.float64]


@dataclass(frozen=True)
class CompleteRows:
    """The rows in which all these columns have values, and the vectors that describe them: `pairs` are multiplied."""

    columns: tuple[ClampedColumn, ...]
    pairs: tuple[tuple[int, int], ...]

    def measures(self) -> dict[str, Measure]:
        """The vectors, by names that tell them apart exactly: rows, sums, sums of products."""
        names = tuple(one.column for one in self.columns)
        count = self.columns[0].count if len(names) == 1 else f"rows with {' and '.join(sorted(names))}"
        found = {count: Measure("valid", names[0], beside=names[1:])}
        beside = "" if len(names) == 1 else f", in {count}"
        for one in self.columns:
            others = tuple(name for name in names if name != one.column)
            found[f"{one.total}{beside}"] = Measure("sum", one.column, one.fixed, beside=others)
        for i, j in self.pairs:
            one, other = self.columns[i], self.columns[j]
            others = tuple(name for name in names if name not in (one.column, other.column))
            if i == j:
                name = f"squares of {one.place}"
                measure = Measure("sum_of_squares", one.column, one.fixed, beside=others)
            else:
                name = f"products of {one.place} and {other.place}"
                measure = Measure("product", one.column, one.fixed, other.column, other.fixed, others)
            found[f"{name}{beside}"] = measure
        return found

    def units(self) -> NDArray[np.float64]:
        """What one step of each vector is, in units of half a range."""
        reach = [one.fixed.reach for one in self.columns]
        products = [reach[i] * reach[j] for i, j in self.pairs]
        return 1 / np.array([1, *reach, *products], np.float64)

    def halves(self) -> NDArray[np.float64]:
        """Half the range of each column, in its own units."""
        return np.array([one.fixed.reach * float(one.fixed.step) for one in self.columns])

    def middles(self) -> NDArray[np.float64]:
        """The middle of each column's range."""
        return np.array([float(one.fixed.base) for one in self.columns])

    def moments(self, sums: NDArray[np.float64]) -> Moments:
        """Means and covariances from sums (the last axis, in the order of `measures`); undefined without rows."""
        size = len(self.columns)
        rows = np.where(sums[..., 0] > 0, sums[..., 0], np.nan)
        means = sums[..., 1 : 1 + size] / rows[..., None]
        covariances = np.full((*sums.shape[:-1], size, size), np.nan)
        for at, (i, j) in enumerate(self.pairs):
            shift = self._square_middle(i) if i == j else 0.0
            found = sums[..., 1 + size + at] / rows + shift - means[..., i] * means[..., j]
            covariances[..., i, j] = covariances[..., j, i] = found
        return Moments(rows, means, covariances)

    def supposed(self, rows: int) -> list[NDArray[np.float64]]:
        """The sums of a group of so many rows about which nothing is known, with means on various sides."""
        size = len(self.columns)
        turned = [1 - 2 * (at % 2) for at in range(size)]
        sides = ([1] * size, turned, [1] * (size - 1) + [-1])
        return [self._supposed(rows, np.array(side, np.float64) * SUPPOSED_MEAN) for side in sides]

    def _supposed(self, rows: int, means: NDArray[np.float64]) -> NDArray[np.float64]:
        products = []
        for i, j in self.pairs:
            together = SUPPOSED_DEVIATION**2 * (1 if i == j else SUPPOSED_CORRELATION) + means[i] * means[j]
            products.append(together - (self._square_middle(i) if i == j else 0))
        return np.array([1, *means, *products], np.float64) * rows

    def _square_middle(self, column: int) -> float:
        """What the engine takes off each square, so that squares too are counted from the middle of their range."""
        fixed = self.columns[column].fixed
        return Measure("sum_of_squares", "x", fixed).offset / fixed.reach**2


def stacked(
    noisy: Mapping[str, NDArray[np.int64]], vectors: Sequence[str], units: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Noisy vectors side by side in units of half a range: one row for each group."""
    return np.column_stack([noisy[name] for name in vectors]) * units
