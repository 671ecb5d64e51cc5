"""How answers are read off noisy vectors: which vectors each aggregate needs, and the formula for its answer.

What a reading is, and the readings of counts, sums and means; `readers` has the table of all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from privet.artifact import Answer, NoiseTerm
from privet.engine import CellMeasure, Measure
from privet.guarantee import Event, Term, mixture_half_width, readable, written
from privet.protect.query.estimators._sql_calls import CallReader, of_column, rows_or_persons
from privet.sealed import FixedPoint
from privet.source import Aggregate, Bounds, Count, Mean, OfColumn, Persons, Query, Sum, ValueCount, Variance
from privet.source import aggregates as asked

if TYPE_CHECKING:
    from numpy.typing import NDArray

Vectors = Mapping[str, "NDArray[np.int64]"]
Noise = Mapping[str, Event]
Row = tuple[float | None, float | None, float | None]  # value, low, high
Rows = list[Row]

NO_VALUE = "Rows without a value are left out."
CLAMPED = "Values outside their bounds count as the nearest bound; the error bars do not cover this."
MISSING = "Missing values are left out of sums and means."


@dataclass(frozen=True)
class ShownValue:
    """What a reading gives: answer columns, one row for each group in order.

    An aggregate that stands alone may give any number of rows: `groups` then says which group each row is of,
    and `labels` what tells the rows of a group apart, column by column.
    """

    answers: tuple[Answer, ...]
    groups: tuple[int, ...] | None = None
    labels: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Reading(ABC):
    """How one aggregate is read off noisy vectors, what it means and how far the noise moves it."""

    name: str
    aggregate: Aggregate
    by_size: ClassVar[bool] = False  # whether its error depends on the number of rows in the group
    supposed: ClassVar[str] = "worst case over the bounds"  # what `width` takes for granted where it does

    @abstractmethod
    def read(self, noisy: Vectors, noise: Noise, confidence: float) -> ShownValue:
        """The answer, with the interval that the noise alone puts around each value."""

    @abstractmethod
    def width(self, noise: Noise, confidence: float, rows: int) -> float:
        """How far the noise moves the answer for a group of so many rows, in the user's units, before any is drawn."""

    @abstractmethod
    def vectors(self) -> tuple[str, ...]:
        """The vectors it reads."""

    def worth(self, vector: str, rows: int) -> float | None:  # noqa: ARG002  asked of all alike
        """What one step of noise on a vector is worth when a budget is split; None: as far as it moves `width`."""
        return None

    def expected(self, noise: Noise, confidence: float, sizes: tuple[int, ...]) -> tuple[str, ...]:
        """The expected error in words; for groups of these sizes where it depends on them."""
        if not self.by_size:
            return (f"{self.name}: ± {readable(self.width(noise, confidence, 1))}",)
        widths = (f"± {readable(self.width(noise, confidence, size))} at {size:,} rows" for size in sizes)
        return (f"{self.name}: {', '.join(widths)} ({self.supposed})",)

    def stages(self) -> tuple[str, ...]:
        """What is done to values before they are added up, as sentences."""
        return ()

    def notes(self) -> tuple[str, ...]:
        """What the error bars leave out, as sentences."""
        return ()


@dataclass(frozen=True)
class WantedVectors:
    """The vectors that an aggregate needs, by name, and how it is read off them."""

    measures: Mapping[str, Measure | CellMeasure]
    readings: tuple[Reading, ...]


@dataclass(frozen=True)
class CountReading(Reading):
    """A noisy number of rows or persons, as it is."""

    vector: str
    meaning: str

    def vectors(self) -> tuple[str, ...]:
        """The counts."""
        return (self.vector,)

    def read(self, noisy: Vectors, noise: Noise, confidence: float) -> ShownValue:
        """Whole numbers, unbiased; small groups may come out below zero."""
        width = round(self.width(noise, confidence, 1))
        values = tuple(int(count) for count in noisy[self.vector])
        drawn = (NoiseTerm(self.vector, noise[self.vector]),)
        return ShownValue((spanned(self.name, self.meaning, values, width, drawn),))

    def width(self, noise: Noise, confidence: float, rows: int) -> float:  # noqa: ARG002  of every size
        """The same for every group."""
        return mixture_half_width([Term(1.0, noise[self.vector])], confidence)


@dataclass(frozen=True)
class ClampedColumn:
    """A column between public bounds in whole steps, and the sentences that say so."""

    column: str
    bounds: Bounds
    fixed: FixedPoint
    coarse: bool = False

    @property
    def total(self) -> str:
        """The name of the vector of its sums. Vectors are told apart by it, so nothing in it is rounded."""
        return f"sum of {self.place}"

    @property
    def place(self) -> str:
        """The column, its range, and where zero is, exactly."""
        steps = f" in steps of {written(self.fixed.step)}" if self.coarse else ""
        return f"{self.column} in {self.bounds.exactly()}, from {written(self.fixed.base)}{steps}"

    @property
    def count(self) -> str:
        """The name of the vector of its numbers of valid rows."""
        return f"values of {self.column}"

    def stage(self) -> str:
        """What is done to its values."""
        fixed = self.fixed
        return (
            f"Clamp {self.column} to [{readable(fixed.lower)}, {readable(fixed.upper)}] "
            f"({self.bounds.origin_sentence()}) and count it in steps of {readable(fixed.step)}."
        )

    def clamped(self) -> str:
        """For the meaning of an answer."""
        return f"each value clamped to [{readable(self.fixed.lower)}, {readable(self.fixed.upper)}]"


@dataclass(frozen=True)
class SumReading(Reading):
    """A sum, anchored at zero; or, beside a mean of the same column, at the middle and with the count."""

    of: ClampedColumn
    with_count: bool

    def vectors(self) -> tuple[str, ...]:
        """The sums, and the counts where they are needed."""
        return (self.of.total, self.of.count) if self.with_count else (self.of.total,)

    def stages(self) -> tuple[str, ...]:
        """Clamping and rounding."""
        return (self.of.stage(),)

    def notes(self) -> tuple[str, ...]:
        """Clamping and gaps."""
        return CLAMPED, MISSING

    def read(self, noisy: Vectors, noise: Noise, confidence: float) -> ShownValue:
        """The sums, unbiased for the clamped values."""
        totals = noisy[self.of.total]
        rows = noisy[self.of.count] if self.with_count else np.zeros_like(totals)
        values = tuple(float(value) for value in self.of.fixed.decode(totals, rows))
        meaning = f"sum of {self.of.column}, {self.of.clamped()}"
        drawn = tuple(NoiseTerm(vector, noise[vector], weight) for vector, weight in self._weights())
        return ShownValue((spanned(self.name, meaning, values, self.width(noise, confidence, 1), drawn),))

    def width(self, noise: Noise, confidence: float, rows: int) -> float:  # noqa: ARG002  of every size
        """The same for every group."""
        return mixture_half_width(
            [Term(weight, noise[vector]) for vector, weight in self._weights()], confidence
        )

    def _weights(self) -> list[tuple[str, float]]:
        """What one step of noise in each vector moves the sum by."""
        found = [(self.of.total, float(self.of.fixed.step))]
        return [*found, (self.of.count, float(self.of.fixed.base))] if self.with_count else found


@dataclass(frozen=True)
class MeanReading(Reading):
    """A mean: the sum from the middle of the bounds over the number of valid rows."""

    of: ClampedColumn
    by_size: ClassVar[bool] = True

    def vectors(self) -> tuple[str, ...]:
        """Counts and sums."""
        return (self.of.count, self.of.total)

    def stages(self) -> tuple[str, ...]:
        """Clamping and rounding."""
        return (self.of.stage(),)

    def notes(self) -> tuple[str, ...]:
        """Clamping and gaps."""
        return CLAMPED, MISSING

    def read(self, noisy: Vectors, noise: Noise, confidence: float) -> ShownValue:
        """Means inside the bounds; none where the noise alone could have made the count."""
        fixed = self.of.fixed
        lower, upper = float(fixed.lower), float(fixed.upper)
        least = mixture_half_width([Term(1.0, noise[self.of.count])], confidence)
        found: Rows = []
        for count, total in zip(noisy[self.of.count].tolist(), noisy[self.of.total].tolist(), strict=True):
            if count <= max(least, 0):
                # The noise alone could have made this count: a ratio to it would say nothing.
                found.append((None, None, None))
                continue
            mean = min(max(float(fixed.base) + total * float(fixed.step) / count, lower), upper)
            width = mixture_half_width(self._terms(noise, count, abs(mean - float(fixed.base))), confidence)
            found.append((mean, max(mean - width, lower), min(mean + width, upper)))
        meaning = f"mean of {self.of.column}, {self.of.clamped()}"
        return ShownValue((told(self.name, meaning, found, self._drawn(noisy, noise, found)),))

    def _drawn(self, noisy: Vectors, noise: Noise, found: Rows) -> tuple[NoiseTerm, ...]:
        """What the noise moves each mean by, to first order: more sum raises it, more rows draw it to the middle."""
        counts, base, step = (
            noisy[self.of.count].tolist(),
            float(self.of.fixed.base),
            float(self.of.fixed.step),
        )
        told_of = [(count, value) for count, (value, _, _) in zip(counts, found, strict=True)]
        by_sum = tuple(None if value is None else step / count for count, value in told_of)
        by_count = tuple(None if value is None else -(value - base) / count for count, value in told_of)
        return (
            NoiseTerm(self.of.total, noise[self.of.total], by_sum),
            NoiseTerm(self.of.count, noise[self.of.count], by_count),
        )

    def width(self, noise: Noise, confidence: float, rows: int) -> float:
        """For a mean at the end of the bounds, where the noise of the count tells most."""
        return mixture_half_width(self._terms(noise, rows, None), confidence)

    def _terms(self, noise: Noise, rows: float, off: float | None) -> list[Term]:
        half = float(self.of.fixed.upper - self.of.fixed.lower) / 2
        off = half if off is None else min(off, half)
        step = float(self.of.fixed.step)
        return [Term(step / rows, noise[self.of.total]), Term(off / rows, noise[self.of.count])]


def spanned(
    name: str, meaning: str, values: tuple[Any, ...], width: float, noise: tuple[NoiseTerm, ...] = ()
) -> Answer:
    """An answer whose interval is the same width everywhere."""
    return Answer(
        name,
        meaning,
        values,
        tuple(value - width for value in values),
        tuple(value + width for value in values),
        noise,
    )


def told(name: str, meaning: str, rows: Sequence[Row], noise: tuple[NoiseTerm, ...] = ()) -> Answer:
    """An answer from its rows (value, low, high)."""
    values, lows, highs = zip(*rows, strict=True) if rows else ((), (), ())
    return Answer(name, meaning, values, lows, highs, noise)


def clamped_column(
    column: str, bounds: Bounds, *, anchor: str = "middle", coarse: bool = False
) -> ClampedColumn:
    """A column in steps of the usual size; anchored in the middle, one row moves a sum least.

    Coarse steps are sixteen times as large (the range in 2^15 to 2^16 steps), so that products of two fit integers.
    """
    fixed = FixedPoint(bounds.lower, bounds.upper, anchor=anchor)
    if coarse:
        fixed = FixedPoint(bounds.lower, bounds.upper, fixed.step * 16, anchor=anchor)
    return ClampedColumn(column, bounds, fixed, coarse)


def _asked_too(query: Query, aggregate: OfColumn, *kinds: type[OfColumn]) -> bool:
    """Whether the query asks one of these about the same column and bounds, so that vectors can be shared."""
    asked = (aggregate.column, aggregate.ranges(query))
    return any(isinstance(a, kinds) and (a.column, a.ranges(query)) == asked for _, a in query.aggregates)


def _count(query: Query, name: str, aggregate: Count) -> WantedVectors:  # noqa: ARG001  all readers are called alike
    reading = CountReading(name, aggregate, "rows", "number of rows")
    return WantedVectors({"rows": Measure("rows")}, (reading,))


def _values(query: Query, name: str, aggregate: ValueCount) -> WantedVectors:  # noqa: ARG001  all readers are called alike
    vector = f"values of {aggregate.column}"
    reading = CountReading(name, aggregate, vector, f"number of rows with a value of {aggregate.column}")
    return WantedVectors({vector: Measure("valid", aggregate.column)}, (reading,))


def _persons(query: Query, name: str, aggregate: Persons) -> WantedVectors:  # noqa: ARG001  all readers are called alike
    reading = CountReading(name, aggregate, "persons", "number of distinct persons")
    return WantedVectors({"persons": Measure("persons")}, (reading,))


def _sum(query: Query, name: str, aggregate: Sum) -> WantedVectors:
    """On its own a sum is centred on zero and needs one vector; beside a mean or variance it reads off their two."""
    (bounds,) = aggregate.ranges(query)
    centred, coarse = _asked_too(query, aggregate, Mean, Variance), _asked_too(query, aggregate, Variance)
    anchor = "middle" if centred else "zero"
    of = clamped_column(aggregate.column, bounds, anchor=anchor, coarse=coarse)
    measures = {of.total: Measure("sum", of.column, of.fixed)}
    if centred:
        measures[of.count] = Measure("valid", of.column)
    return WantedVectors(measures, (SumReading(name, aggregate, of, centred),))


def _mean(query: Query, name: str, aggregate: Mean) -> WantedVectors:
    (bounds,) = aggregate.ranges(query)
    of = clamped_column(aggregate.column, bounds, coarse=_asked_too(query, aggregate, Variance))
    measures = {of.total: Measure("sum", of.column, of.fixed), of.count: Measure("valid", of.column)}
    return WantedVectors(measures, (MeanReading(name, aggregate, of),))


@dataclass(frozen=True, slots=True)
class Estimator:
    """What is declared of an aggregate, once: the question, the vectors that answer it, and how SQL asks for it.

    `wanted` names the vectors and how they are read; vectors of one name mean the same and are computed, noised and paid
    for once, however many aggregates of the query read them. `functions` are those of SQL that ask for it first, by the
    parser's names; `written` are calls that ask for it, as the reference shows them. Where SQL has none, `not_in_sql` says why.
    """

    question: type[Aggregate]
    wanted: Callable[[Query, str, Any], WantedVectors]
    functions: Mapping[str, CallReader] = field(default_factory=dict)
    written: tuple[str, ...] = ()
    not_in_sql: str = ""


COUNTS_AND_SUMS = (
    Estimator(
        Count,
        _count,
        {"Count": rows_or_persons, "CountIf": lambda call: asked.count(call.holding())},
        ("COUNT(*)",),
    ),
    Estimator(ValueCount, _values, written=("COUNT(x)", "COUNT_IF(x > 1)")),
    Estimator(Persons, _persons, written=("COUNT(DISTINCT person)",)),
    Estimator(Sum, _sum, {"Sum": of_column(asked.sum)}, ("SUM(x)",)),
    Estimator(Mean, _mean, {"Avg": of_column(asked.mean)}, ("AVG(x)",)),
)
