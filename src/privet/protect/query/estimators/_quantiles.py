"""How a quantile is read off bins chosen by their ranks, between two more choices that enclose it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from privet.engine import CellMeasure, Contribution, EvenBins, Measure, Ranked
from privet.guarantee import (
    Event,
    PermuteAndFlip,
    Repeated,
    readable,
    spread,
    written,
)
from privet.guarantee.mechanisms import CandidateSelection
from privet.protect.query.estimators._counts import (
    CLAMPED,
    NO_VALUE,
    Estimator,
    Noise,
    Reading,
    ShownValue,
    Vectors,
    WantedVectors,
    told,
)
from privet.protect.query.estimators._sql_calls import of_column, one_quantile
from privet.source import Quantile
from privet.source import distribution_aggregates as binned

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.source import Bounds, Query


LOW, HIGH = "low end", "high end"

# About as many candidates there are for the ends of a quantile's interval.
_MOST_ENDS = 100


@dataclass(frozen=True)
class QuantileReading(Reading):
    """A bin chosen by its rank, and two more that enclose it: chosen by ranks so far off that they do."""

    of: Ranked
    bounds: Bounds
    interval: Fraction
    largest: int  # how far one unit moves a score
    by_size: ClassVar[bool] = True
    supposed: ClassVar[str] = "if values spread evenly over the bounds"

    @property
    def vector(self) -> str:
        """The name of its scores. Vectors are told apart by it, so nothing in it is rounded."""
        assert isinstance(self.of.bins, EvenBins)
        said = self.of.bins.said().lower()
        return f"ranks of {self.of.column} in {said} around {written(self.of.quantile)}"

    def vectors(self) -> tuple[str, ...]:
        """Its scores, and those of both ends of its interval where that is paid for."""
        ends = (f"{self.vector}, {end}" for end in (LOW, HIGH))
        return (self.vector, *ends) if self.interval else (self.vector,)

    def measures(self) -> dict[str, Ranked]:
        """What the engine must rank; how far off the ends are aimed is settled when their noise is known."""
        return dict.fromkeys(self.vectors(), self._ends) | {self.vector: self.of}

    @property
    def _ends(self) -> Ranked:
        """How ends are ranked: among fewer candidates, which are quicker to choose from and missed less often."""
        return replace(self.of, together=max(1, self.of.bins.count // _MOST_ENDS))

    def worth(self, vector: str, rows: int) -> float:
        """Shares of epsilon fall out as `interval` says: they go with the two thirds' power of this."""
        part = 1.0 if vector == self.vector else float(self.interval / 2 / (1 - self.interval)) ** 1.5
        return part * self._unit(rows)

    def settled(self, noise: Noise, confidence: float) -> dict[str, Ranked]:
        """The same with the ends aimed so far off that each misses with half the chance that is left.

        A wrong candidate's score is then at least `shift` below the best, which is 0. The exponential mechanism chooses
        it with a chance of at most exp(-shift / scale), and no more than all candidates are wrong (McSherry and Talwar
        2007, Theorem 6); permute-and-flip with half of that, since it must come before the best in a random order.
        """
        found = {self.vector: self.of}
        for vector, side in zip(self.vectors()[1:], (-1, 1), strict=False):
            scale = _scale(noise[vector], self.largest)
            sides = 1 if _flips(noise[vector]) else 2
            shift = math.ceil(scale * math.log(sides * self._ends.length / (1 - confidence)))
            found[vector] = replace(self._ends, shift=side * shift)
        return found

    def stages(self) -> tuple[str, ...]:
        """Binning."""
        return (
            f"Count {self.of.column} in {self.of.bins.count:,} even bins between its bounds {self.bounds} "
            f"({self.bounds.origin_sentence()}).",
        )

    def notes(self) -> tuple[str, ...]:
        """Clamping, the width of bins, and what the interval is."""
        width = readable((self.bounds.upper - self.bounds.lower) / self.of.bins.count)
        found = [
            CLAMPED,
            NO_VALUE,
            f"A quantile is the middle of a bin {width} wide: it is off by half of that at most before any noise. A group "
            "that nobody is in gives any bin.",
        ]
        if self.interval:
            found.append(
                f"The interval of a quantile comes from two more choices, for {readable(self.interval)} of its budget, by "
                "ranks so far off that they enclose it with at least the stated confidence whatever the data: it is wider "
                "than the typical error."
            )
        else:
            found.append("No budget was set aside for intervals of quantiles: they are the whole range.")
        return tuple(found)

    def read(self, noisy: Vectors, noise: Noise, confidence: float) -> ShownValue:  # noqa: ARG002  asked of all alike
        """The middle of the chosen bin, between the outer edges of those that enclose it."""
        assert isinstance(self.of.bins, EvenBins)
        edges = np.asarray(self.of.bins.edges())
        lows, highs = _sides(edges, 1)
        chosen = noisy[self.vector]
        low, high = lows[chosen], highs[chosen]
        values = (low + high) / 2
        if self.interval:
            outer_lows, outer_highs = _sides(edges, self._ends.together)
            first, last = (noisy[vector] for vector in self.vectors()[1:])
            low, high = np.minimum(low, outer_lows[first]), np.maximum(high, outer_highs[last])
        else:
            low, high = np.full_like(values, edges[0]), np.full_like(values, edges[-1])
        rows = list(zip(values.tolist(), low.tolist(), high.tolist(), strict=True))
        share = self.of.quantile
        what = "median" if share == Fraction(1, 2) else f"{readable(share)} quantile"
        meaning = f"{what} of {self.of.column}, each value clamped to {self.bounds}"
        return ShownValue((told(self.name, meaning, rows),))

    def width(self, noise: Noise, confidence: float, rows: int) -> float:
        """The error of the quantile itself, where values spread evenly over the bounds; half a bin beside the noise."""
        span = float(self.bounds.upper - self.bounds.lower)
        parts = _scale(noise[self.vector], self.largest) * math.log(1 / (1 - confidence))
        return min(parts * self._unit(rows) + span / self.of.bins.count / 2, span)

    def _unit(self, rows: int) -> float:
        """What one step of a score is worth in the column's units."""
        return float(self.bounds.upper - self.bounds.lower) / self.of.quantile.denominator / rows


def _sides(edges: NDArray[Any], together: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """The lower and the upper edge of each candidate; the first and last are the bounds themselves."""
    starts = edges[:-1:together]
    lows = np.concatenate([edges[:1], starts, edges[-1:]])
    highs = np.concatenate([edges[:1], starts[1:], edges[-1:], edges[-1:]])
    return lows, highs


def _scale(event: Event, largest: int) -> float:
    """The scale of a selection's noise on scores that one unit moves so far."""
    if isinstance(event, Repeated) and isinstance(event.event, CandidateSelection):
        return float(2 * largest / event.event.epsilon)
    # Planning probes answers with noise on one vector at a time.
    return float(spread(event).standard_deviation) / math.sqrt(2)


def _flips(event: Event) -> bool:
    return isinstance(event, Repeated) and isinstance(event.event, PermuteAndFlip)


def settled(
    readings: Sequence[Reading],
    measures: Mapping[str, Measure | CellMeasure],
    noise: Noise,
    confidence: float,
) -> dict[str, Measure | CellMeasure]:
    """The measures with everything in place that depends on the noise that was chosen for them."""
    found = dict(measures)
    for reading in readings:
        if isinstance(reading, QuantileReading):
            found |= reading.settled(noise, confidence)
    return found


def read_quantile(query: Query, name: str, aggregate: Quantile) -> WantedVectors:
    """A quantile."""
    (bounds,) = aggregate.ranges(query)
    of = Ranked(aggregate.column, aggregate.even(query), aggregate.share)
    contribution = Contribution.for_unit(query.table.unit_or_refuse(), grouped=bool(query.keys))
    largest = of.sensitivity(contribution, 1).largest
    reading = QuantileReading(name, aggregate, of, bounds, aggregate.interval, largest)
    return WantedVectors(reading.measures(), (reading,))


QUANTILES = (
    Estimator(
        Quantile,
        read_quantile,
        {
            "Median": of_column(binned.median),
            "Quantile": one_quantile,
            "PercentileCont": one_quantile,
            "PercentileDisc": one_quantile,
            "ApproxQuantile": one_quantile,
        },
        ("MEDIAN(x)", "QUANTILE_CONT(x, 0.9)", "PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY x)"),
    ),
)
