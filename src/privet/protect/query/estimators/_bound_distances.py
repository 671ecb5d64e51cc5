"""Counts, sums and means of one column, read off its noisy distances to both bounds.

Each row adds its steps up from the lower bound to one number and its steps down from the upper bound to another. The
two add up to the range for every row, so one person moves both together by no more than a sum alone from one end of
the range: the number of rows comes with the sum at no cost of its own. With Laplace noise this leaves a count with
0.83 times, and a sum between 0 and the upper bound with 0.6 times, the typical error that a count and a sum from the
middle of the range have at half of epsilon each. (With Gaussian noise both ways err alike.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privet.artifact import NoiseTerm
from privet.engine import Measure
from privet.guarantee import Term, mixture_half_width
from privet.protect.query.estimators._counts import (
    CLAMPED,
    MISSING,
    ClampedColumn,
    Noise,
    Reading,
    Rows,
    ShownValue,
    Vectors,
    WantedVectors,
    clamped_column,
    spanned,
    told,
)
from privet.source import Aggregate, Bounds, Mean, OfColumn, Sum, ValueCount, Variance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.source import Query


@dataclass(frozen=True)
class _OfDistances(Reading):
    """What all readings of distances have in common."""

    of: ClampedColumn

    @property
    def vector(self) -> str:
        """The name of the distances. Vectors are told apart by it, so nothing in it is rounded."""
        return f"distances of {self.of.place} to both bounds"

    def vectors(self) -> tuple[str, ...]:
        """The distances."""
        return (self.vector,)

    def stages(self) -> tuple[str, ...]:
        """Clamping and rounding."""
        return (self.of.stage(),)

    @property
    def _span(self) -> int:
        return self.of.fixed.span

    def _both(self, noisy: Vectors) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        above, below = noisy[self.vector].reshape(-1, 2).astype(np.float64).T
        return above, below

    def _half_width(self, noise: Noise, confidence: float, up: float, down: float) -> float:
        event = noise[self.vector]
        return mixture_half_width([Term(up, event), Term(down, event)], confidence)

    def _terms(
        self, noise: Noise, up: float | tuple[float | None, ...], down: float | tuple[float | None, ...]
    ) -> tuple[NoiseTerm, ...]:
        event = noise[self.vector]
        return (
            NoiseTerm(f"{self.vector}, lower", event, up),
            NoiseTerm(f"{self.vector}, upper", event, down),
        )


@dataclass(frozen=True)
class DistancesCount(_OfDistances):
    """The number of rows with a value: both distances together over the range."""

    def stages(self) -> tuple[str, ...]:
        """None of its own."""
        return ()

    def read(self, noisy: Vectors, noise: Noise, confidence: float) -> ShownValue:
        """Whole numbers, rounded; small groups may come out below zero."""
        above, below = self._both(noisy)
        values = tuple(int(count) for count in np.rint((above + below) / self._span))
        # The truth is whole: rounding moves the answer across the end of the interval only from half a row off.
        width = math.ceil(self.width(noise, confidence, 1) - 0.5)
        meaning = f"number of rows with a value of {self.of.column}"
        each = 1 / self._span
        return ShownValue((spanned(self.name, meaning, values, width, self._terms(noise, each, each)),))

    def width(self, noise: Noise, confidence: float, rows: int) -> float:  # noqa: ARG002  of every size
        """The same for every group."""
        return self._half_width(noise, confidence, 1 / self._span, 1 / self._span)


@dataclass(frozen=True)
class DistancesSum(_OfDistances):
    """The sum: the lower bound for each row, and the distances from it."""

    def notes(self) -> tuple[str, ...]:
        """Clamping and gaps."""
        return CLAMPED, MISSING

    def read(self, noisy: Vectors, noise: Noise, confidence: float) -> ShownValue:
        """The sums, unbiased for the clamped values."""
        above, below = self._both(noisy)
        up, down = self._weights()
        values = tuple(float(value) for value in above * up + below * down)
        meaning = f"sum of {self.of.column}, {self.of.clamped()}"
        width = self.width(noise, confidence, 1)
        return ShownValue((spanned(self.name, meaning, values, width, self._terms(noise, up, down)),))

    def width(self, noise: Noise, confidence: float, rows: int) -> float:  # noqa: ARG002  of every size
        """The same for every group."""
        return self._half_width(noise, confidence, *self._weights())

    def _weights(self) -> tuple[float, float]:
        """What one step of noise in each distance moves the sum by."""
        fixed = self.of.fixed
        by_count = fixed.lower / fixed.span
        return float(fixed.step + by_count), float(by_count)


@dataclass(frozen=True)
class DistancesMean(_OfDistances):
    """The mean: it parts the range as the two distances are to each other."""

    by_size: ClassVar[bool] = True

    def notes(self) -> tuple[str, ...]:
        """Clamping and gaps."""
        return CLAMPED, MISSING

    def read(self, noisy: Vectors, noise: Noise, confidence: float) -> ShownValue:
        """Means inside the bounds; none where the noise alone could have made the count."""
        fixed, each = self.of.fixed, 1 / self._span
        lower, upper, top = float(fixed.lower), float(fixed.upper), self._top
        least = max(self._half_width(noise, confidence, each, each), 0.0)
        found: Rows = []
        moved: list[tuple[float, float] | None] = []
        for above, below in zip(*(side.tolist() for side in self._both(noisy)), strict=True):
            if (above + below) * each <= least:
                # The noise alone could have made this count: a ratio to it would say nothing.
                found.append((None, None, None))
                moved.append(None)
                continue
            mean = min(max(lower + (top - lower) * above / (above + below), lower), upper)
            up, down = (top - mean) / (above + below), (mean - lower) / (above + below)
            width = self._half_width(noise, confidence, up, down)
            found.append((mean, max(mean - width, lower), min(mean + width, upper)))
            moved.append((up, -down))
        meaning = f"mean of {self.of.column}, {self.of.clamped()}"
        ups = tuple(None if one is None else one[0] for one in moved)
        downs = tuple(None if one is None else one[1] for one in moved)
        return ShownValue((told(self.name, meaning, found, self._terms(noise, ups, downs)),))

    @property
    def _top(self) -> float:
        """The upper bound in whole steps: less than one step above it."""
        return float(self.of.fixed.lower + self._span * self.of.fixed.step)

    def width(self, noise: Noise, confidence: float, rows: int) -> float:
        """For a mean at the end of the bounds, where all of the error comes from one distance."""
        return self._half_width(noise, confidence, float(self.of.fixed.step) / rows, 0.0)


_READINGS: dict[type[Aggregate], type[_OfDistances]] = {
    ValueCount: DistancesCount,
    Sum: DistancesSum,
    Mean: DistancesMean,
}


def read_distances(query: Query, name: str, aggregate: Aggregate, *, selecting: bool) -> WantedVectors | None:
    """How an aggregate is read off distances to the bounds of its column; None if it is not.

    Distances pay where a mean, or a sum and a count, of one column are asked for; and a sum alone where they select
    unknown keys as well.
    """
    if not isinstance(aggregate, ValueCount | Sum | Mean):
        return None
    bounds = _shared_bounds(query, aggregate)
    if bounds is None:
        return None
    asked = _asked(query, aggregate.column, bounds)
    if any(issubclass(kind, Variance) for kind in asked) or not (
        Mean in asked or (Sum in asked and (ValueCount in asked or selecting))
    ):
        return None
    of = clamped_column(aggregate.column, bounds)
    reading = _READINGS[type(aggregate)](name, aggregate, of)
    return WantedVectors({reading.vector: Measure("distances", of.column, of.fixed)}, (reading,))


def _shared_bounds(query: Query, aggregate: ValueCount | Sum | Mean) -> Bounds | None:
    """The bounds of the aggregate; those of the first sum or mean of the column for a count, which has none."""
    if not isinstance(aggregate, ValueCount):
        return aggregate.ranges(query)[0]
    for kind in (Mean, Sum):
        for _, other in query.aggregates:
            if isinstance(other, kind) and other.column == aggregate.column:
                return other.ranges(query)[0]
    return None


def _asked(query: Query, column: str, bounds: Bounds) -> set[type[Aggregate]]:
    """The kinds of aggregates of this column, within these bounds where they have any."""
    return {
        type(one)
        for _, one in query.aggregates
        if isinstance(one, OfColumn | ValueCount)
        and one.column == column
        and (isinstance(one, ValueCount) or one.ranges(query) == (bounds,))
    }
