"""How quantiles, histograms, cross tables, common and distinct values are read off noisy bins and selections."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from privet.artifact import Answer, NoiseTerm
from privet.engine import Binned, Categories, CellMeasure, Contribution, Distinct, EvenBins, Measure, Ranked
from privet.guarantee import (
    Event,
    PermuteAndFlip,
    Repeated,
    Term,
    mixture_half_width,
    readable,
    spread,
    written,
)
from privet.guarantee.mechanisms import CandidateSelection
from privet.protect.query._nonnegative_counts import nonnegative
from privet.protect.query.estimators._counts import (
    CLAMPED,
    CountReading,
    Estimator,
    Noise,
    Reading,
    ShownValue,
    Vectors,
    WantedVectors,
    told,
)
from privet.protect.query.estimators._sql_calls import (
    distinct_values,
    even_histogram,
    most_common_values,
    of_column,
    one_quantile,
)
from privet.source import Contingency, DistinctValues, Histogram, MostCommon, Quantile
from privet.source import distribution_aggregates as binned

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.source import Bounds, Query

LOW, HIGH = "low end", "high end"
# About as many candidates there are for the ends of a quantile's interval.
_MOST_ENDS = 100
ALL, OTHER = "(all)", "(other)"
NO_VALUE = "Rows without a value are left out."
FITTED = (
    "The non-negative counts are fitted to the noisy ones: where few or none are, they come out too high on average, "
    "and elsewhere too low by as much. For sums and tests use the unbiased ones."
)


# --- quantiles ---------------------------------------------------------------------------------


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


# --- tables of counts --------------------------------------------------------------------------


@dataclass(frozen=True)
class TableReading(Reading):
    """Noisy counts of bins, as many rows for each group as there are bins (and sums of them, if asked)."""

    vector: str
    meaning: str
    labels: tuple[tuple[str, tuple[Any, ...]], ...]  # by column: the label of each row of a group
    sums: tuple[tuple[int, ...], ...]  # for each row of a group, the bins that it adds up
    cells: int
    fitted: bool
    said: tuple[str, ...]

    def vectors(self) -> tuple[str, ...]:
        """The counts."""
        return (self.vector,)

    def stages(self) -> tuple[str, ...]:
        """Binning."""
        return self.said

    def notes(self) -> tuple[str, ...]:
        """Gaps, and what fitting does."""
        return (NO_VALUE, FITTED) if self.fitted else (NO_VALUE,)

    def read(self, noisy: Vectors, noise: Noise, confidence: float) -> ShownValue:
        """Unbiased counts; beside them, where asked, those without negative ones, with the same intervals cut at zero."""
        counts = noisy[self.vector].reshape(-1, self.cells)
        widths = [_whole_width(len(cells), noise[self.vector], confidence) for cells in self.sums]
        values = self._added(counts)
        groups = tuple(group for group in range(len(counts)) for _ in self.sums)
        answers = [_counted(self.name, self.meaning, values, widths, self._drawn(noise))]
        if self.fitted:
            best = np.array([nonnegative(row) for row in counts]).reshape(counts.shape)
            answers.append(self._cut(values, self._added(best), widths))
        labels = {name: column * len(counts) for name, column in self.labels}
        return ShownValue(tuple(answers), groups, labels)

    def _drawn(self, noise: Noise) -> tuple[NoiseTerm, ...]:
        """The noise of each row, where no row is a sum of others."""
        alone = all(len(cells) == 1 for cells in self.sums)
        return (NoiseTerm(self.vector, noise[self.vector]),) if alone else ()

    def _added(self, counts: NDArray[Any]) -> NDArray[Any]:
        columns = [counts[:, list(cells)].sum(axis=1) for cells in self.sums]
        return np.stack(columns, axis=1) if columns else counts

    def _cut(self, values: NDArray[Any], fitted: NDArray[Any], widths: list[int]) -> Answer:
        rows = [
            (float(best), max(0.0, min(value - width, best)), max(max(value, 0) + width, best))
            for row, fits in zip(values.tolist(), fitted.tolist(), strict=True)
            for value, best, width in zip(row, fits, widths, strict=True)
        ]
        return told(f"{self.name}_nonnegative", f"{self.meaning}, fitted to be non-negative", rows)

    def width(self, noise: Noise, confidence: float, rows: int) -> float:  # noqa: ARG002  of every size
        """That of a single bin; sums of many are wider."""
        return mixture_half_width([Term(1.0, noise[self.vector])], confidence)


def _whole_width(terms: int, event: Event, confidence: float) -> int:
    return math.ceil(mixture_half_width([Term(1.0, event)] * terms, confidence) - 1e-9)


def _counted(
    name: str, meaning: str, values: NDArray[Any], widths: list[int], drawn: tuple[NoiseTerm, ...]
) -> Answer:
    rows = [
        (int(value), int(value) - width, int(value) + width)
        for row in values.tolist()
        for value, width in zip(row, widths, strict=True)
    ]
    return told(name, meaning, rows, drawn)


@dataclass(frozen=True)
class CommonReading(Reading):
    """The largest of many noisy counts, with intervals that hold for all of them at once."""

    vector: str
    column: str
    most: int
    values: tuple[Any, ...] | None  # the listed values; None where they are keys

    def vectors(self) -> tuple[str, ...]:
        """The counts."""
        return (self.vector,)

    def notes(self) -> tuple[str, ...]:
        """What choosing the largest does."""
        return (
            "Only the largest noisy counts are shown, and these are too high more often than too low: the intervals are "
            "wide enough to hold for all values at once.",
        )

    def read(self, noisy: Vectors, noise: Noise, confidence: float) -> ShownValue:
        """The values with the largest counts, in falling order."""
        counts = noisy[self.vector]
        rows = counts.reshape(-1, len(self.values)) if self.values is not None else counts.reshape(1, -1)
        width = self._width(noise, confidence, rows.shape[1])
        # Equal counts stay in the order of the list, which is public.
        order = [np.argsort(-row, kind="stable")[: self.most].tolist() for row in rows]
        found = [(group, at) for group, places in enumerate(order) for at in places]
        shown = [(int(rows[group, at]), int(rows[group, at]) - width, int(rows[group, at]) + width) for group, at in found]  # fmt: skip
        answer = told(self.name, f"number of persons with this {self.column}", shown)
        if self.values is None:
            return ShownValue((answer,), tuple(at for _, at in found))
        labels = {self.column: tuple(self.values[at] for _, at in found)}
        return ShownValue((answer,), tuple(group for group, _ in found), labels)

    def _width(self, noise: Noise, confidence: float, many: int) -> int:
        each = 1 - (1 - confidence) / max(many, 1)
        return _whole_width(1, noise[self.vector], each)

    def width(self, noise: Noise, confidence: float, rows: int) -> float:  # noqa: ARG002  of every size
        """Of each count; wider by a little for every value listed."""
        return mixture_half_width([Term(1.0, noise[self.vector])], confidence)


@dataclass(frozen=True)
class DistinctReading(CountReading):
    """A noisy number of distinct values."""

    def notes(self) -> tuple[str, ...]:
        """What bounding does to it."""
        return (
            "Each person adds at most as many distinct values as rows of theirs may count, so where persons have more, the "
            "number of distinct values can fall short; the error bars cover the noise only.",
        )


# --- which vectors each aggregate needs --------------------------------------------------------


def read_quantile(query: Query, name: str, aggregate: Quantile) -> WantedVectors:
    """A quantile."""
    (bounds,) = aggregate.ranges(query)
    of = Ranked(aggregate.column, aggregate.even(query), aggregate.share)
    contribution = Contribution.for_unit(query.table.unit_or_refuse(), grouped=bool(query.keys))
    largest = of.sensitivity(contribution, 1).largest
    reading = QuantileReading(name, aggregate, of, bounds, aggregate.interval, largest)
    return WantedVectors(reading.measures(), (reading,))


def read_histogram(query: Query, name: str, aggregate: Histogram) -> WantedVectors:
    """A histogram."""
    bins = aggregate.public_bins(query)
    edges = bins.edges()
    vector = f"rows by bin of {aggregate.column}"
    reading = TableReading(
        name,
        aggregate,
        vector,
        f"number of rows with {aggregate.column} in the bin",
        (("low", edges[:-1]), ("high", edges[1:])),
        tuple((at,) for at in range(bins.count)),
        bins.count,
        aggregate.nonnegative,
        (f"Count {aggregate.column} in {bins.count:,} bins; values outside fall into the first or last.",),
    )
    return WantedVectors({vector: Binned((aggregate.column,), (bins,))}, (reading,))


def read_contingency(query: Query, name: str, aggregate: Contingency) -> WantedVectors:
    """A cross table; its margins are sums of its cells."""
    bins = [aggregate.public_bins(column, query) for column in aggregate.of]
    texts = aggregate.other or aggregate.margins
    sides = [_side(one, texts=texts, margins=aggregate.margins) for one in bins]
    sizes = [one.count for one in bins]
    rows = list(itertools.product(*sides))
    labels = tuple((column, tuple(row[at][0] for row in rows)) for at, column in enumerate(aggregate.of))
    sums = tuple(
        tuple(
            int(np.ravel_multi_index(cell, sizes))
            for cell in itertools.product(*(places for _, places in row))
        )
        for row in rows
    )
    vector = f"rows by {' and '.join(aggregate.of)}"
    said = f"Count rows for every combination of the public values of {', '.join(aggregate.of)}."
    reading = TableReading(
        name,
        aggregate,
        vector,
        "number of rows",
        labels,
        sums,
        math.prod(sizes),
        aggregate.nonnegative,
        (said,),
    )
    return WantedVectors({vector: Binned(aggregate.of, tuple(bins))}, (reading,))


def _side(bins: Categories, *, texts: bool, margins: bool) -> list[tuple[Any, tuple[int, ...]]]:
    """One column's labels, each with the bins it stands for."""
    listed: list[tuple[Any, tuple[int, ...]]]
    listed = [(str(value) if texts else value, (at,)) for at, value in enumerate(bins.values.to_pylist())]
    if bins.other:
        listed.append((OTHER, (bins.count - 1,)))
    if margins:
        listed.append((ALL, tuple(range(bins.count))))
    return listed


def read_most_common(query: Query, name: str, aggregate: MostCommon) -> WantedVectors:
    """The most common values, listed or as keys."""
    column = aggregate.column
    if aggregate.among is None:
        reading = CommonReading(name, aggregate, "persons", column, aggregate.most, None)
        return WantedVectors({"persons": Measure("persons")}, (reading,))
    bins = aggregate.public_bins(query)
    vector = f"persons by {column}"
    reading = CommonReading(name, aggregate, vector, column, aggregate.most, tuple(bins.values.to_pylist()))
    return WantedVectors({vector: Binned((column,), (bins,), once=True)}, (reading,))


def read_distinct(query: Query, name: str, aggregate: DistinctValues) -> WantedVectors:  # noqa: ARG001  all are called alike
    """The number of distinct values."""
    vector = f"distinct values of {aggregate.column}"
    reading = DistinctReading(name, aggregate, vector, f"number of distinct values of {aggregate.column}")
    return WantedVectors({vector: Distinct(aggregate.column)}, (reading,))


BINS = (
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
    Estimator(Histogram, read_histogram, {"HISTOGRAM": even_histogram}, ("HISTOGRAM(x, 10)",)),
    Estimator(
        Contingency,
        read_contingency,
        not_in_sql="it counts every combination of public categories: GROUP BY with public keys asks for that.",
    ),
    Estimator(MostCommon, read_most_common, {"MOST_COMMON": most_common_values}, ("MOST_COMMON(x, 5)",)),
    Estimator(DistinctValues, read_distinct, {"ApproxDistinct": distinct_values}, ("COUNT(DISTINCT x)",)),
)
