"""How many quantiles of one column are read off a noisy tree of counts."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privet.engine import Branched, EvenBins
from privet.guarantee import spread
from privet.protect.query._consistent_trees import deviations, running
from privet.protect.query.estimators._counts import (
    CLAMPED,
    Estimator,
    Noise,
    Reading,
    ShownValue,
    Vectors,
    WantedVectors,
    told,
)
from privet.source import Quantiles

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.source import Bounds, Query

BRANCHING = 10


@dataclass(frozen=True)
class TreeReading(Reading):
    """Quantiles where the estimated number of rows below passes the right rank; one row for each share."""

    of: Branched
    bounds: Bounds
    shares: tuple[Fraction, ...]
    by_size: ClassVar[bool] = True
    supposed: ClassVar[str] = "for the widest, if values spread evenly over the bounds"

    @property
    def vector(self) -> str:
        """The name of its counts."""
        return f"tree of rows by {self.of.column}"

    def vectors(self) -> tuple[str, ...]:
        """The counts."""
        return (self.vector,)

    def stages(self) -> tuple[str, ...]:
        """Binning."""
        return (
            f"Count {self.of.column} in {self.of.bins.count:,} even bins between its bounds {self.bounds} "
            f"({self.bounds.origin_sentence()}), and in runs of them, ten to each.",
        )

    def notes(self) -> tuple[str, ...]:
        """Clamping, and what the intervals are."""
        return (
            CLAMPED,
            "Rows without a value are left out.",
            "The intervals hold every bin whose rank the noise could have made the right one, taking the noise of many counts "
            "as normal. They hold whole bins, so they cover rather more than they say.",
        )

    def read(self, noisy: Vectors, noise: Noise, confidence: float) -> ShownValue:
        """For each group and share, the quantile and the bins it may lie in."""
        below = running(noisy[self.vector].reshape(-1, self.of.length), self.of.sizes)
        edges = np.asarray(self.of.bins.edges())
        sigma = spread(noise[self.vector]).standard_deviation * NormalDist().inv_cdf((1 + confidence) / 2)
        reach = [sigma * deviations(self.of.sizes, float(share)) for share in self.shares]
        rows = [
            _found(counts, edges, float(share), width)
            for counts in below
            for share, width in zip(self.shares, reach, strict=True)
        ]
        meaning = f"value of {self.of.column} below which the share of rows lies, clamped to {self.bounds}"
        groups = tuple(group for group in range(len(below)) for _ in self.shares)
        labels = {"share": tuple(float(share) for share in self.shares) * len(below)}
        return ShownValue((told(self.name, meaning, rows),), groups, labels)

    def width(self, noise: Noise, confidence: float, rows: int) -> float:
        """The widest of all shares, where values spread evenly over the bounds."""
        sigma = spread(noise[self.vector]).standard_deviation * NormalDist().inv_cdf((1 + confidence) / 2)
        widest = max(float(deviations(self.of.sizes, float(share)).max()) for share in self.shares)
        span = float(self.bounds.upper - self.bounds.lower)
        return min(sigma * widest / rows + 1 / self.of.bins.count, 1.0) * span


def _found(
    below: NDArray[np.float64], edges: NDArray[np.float64], share: float, width: NDArray[np.float64]
) -> tuple[float | None, float | None, float | None]:
    """The quantile and its interval; nothing where the noise alone could have made all of the rows."""
    off = below - share * below[-1]
    if below[-1] <= 0:
        return None, None, None
    # Noise lets the estimate fall here and there: the middle of the highest and lowest rising line does not.
    rising = (np.maximum.accumulate(off) + np.minimum.accumulate(off[::-1])[::-1]) / 2
    # Bins in which the rank may be passed: not surely too low at their end, nor surely too high at their beginning.
    possible = np.flatnonzero((rising[:-1] <= width[:-1]) & (rising[1:] >= -width[1:]))
    at = int(np.clip(np.searchsorted(rising, 0.0, side="left"), 1, len(edges) - 1))
    step = rising[at] - rising[at - 1]
    part = float(np.clip(-rising[at - 1] / step, 0, 1)) if step > 0 else 0.5
    value = float(edges[at - 1] + part * (edges[at] - edges[at - 1]))
    if not len(possible):
        return value, float(edges[0]), float(edges[-1])
    return value, min(float(edges[possible[0]]), value), max(float(edges[possible[-1] + 1]), value)


def read_quantiles(query: Query, name: str, aggregate: Quantiles) -> WantedVectors:
    """Many quantiles."""
    (bounds,) = aggregate.ranges(query)
    of = Branched(aggregate.column, EvenBins(bounds.lower, bounds.upper, aggregate.bins), BRANCHING)
    reading = TreeReading(name, aggregate, of, bounds, aggregate.shares)
    return WantedVectors({reading.vector: of}, (reading,))


TREES = (
    Estimator(
        Quantiles,
        read_quantiles,
        not_in_sql="SQL has no function that gives many quantiles as rows; QUANTILE_CONT asks for one.",
    ),
)
