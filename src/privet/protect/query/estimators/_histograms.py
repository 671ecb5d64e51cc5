"""How histograms, cross tables, common and distinct values are read off noisy bins."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import Answer, NoiseTerm
from privet.engine import Binned, Categories, Distinct, Measure
from privet.guarantee import (
    Event,
    Term,
    mixture_half_width,
)
from privet.protect.query._nonnegative_counts import nonnegative
from privet.protect.query.estimators._counts import (
    NO_VALUE,
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
)
from privet.source import Contingency, DistinctValues, Histogram, MostCommon

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.source import Query

ALL, OTHER = "(all)", "(other)"
FITTED = (
    "The non-negative counts are fitted to the noisy ones: where few or none are, they come out too high on average, "
    "and elsewhere too low by as much. For sums and tests use the unbiased ones."
)


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
    Estimator(Histogram, read_histogram, {"HISTOGRAM": even_histogram}, ("HISTOGRAM(x, 10)",)),
    Estimator(
        Contingency,
        read_contingency,
        not_in_sql="it counts every combination of public categories: GROUP BY with public keys asks for that.",
    ),
    Estimator(MostCommon, read_most_common, {"MOST_COMMON": most_common_values}, ("MOST_COMMON(x, 5)",)),
    Estimator(DistinctValues, read_distinct, {"ApproxDistinct": distinct_values}, ("COUNT(DISTINCT x)",)),
)
