"""How answers are read off noisy vectors: which vectors a question needs, and the formula for each answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privet.artifact.answer import Answer
from privet.engine.measures import Measure
from privet.errors import InternalError
from privet.guarantee.amounts import readable, written
from privet.guarantee.events import Event
from privet.protect.release.intervals import Term, half_width
from privet.sealed import FixedPoint
from privet.source.query import Aggregate, Count, Mean, Persons, Query, Sum

if TYPE_CHECKING:
    from numpy.typing import NDArray

Vectors = Mapping[str, "NDArray[np.int64]"]


@dataclass(frozen=True)
class Reading:
    """One answer column: the vectors it needs and what it means."""

    name: str
    aggregate: Aggregate
    count: str | None  # the vector of row counts it uses
    total: str | None  # the vector of fixed-point sums it uses
    fixed: FixedPoint | None

    def meaning(self) -> str:
        """What the column says, in words."""
        match self.aggregate:
            case Count():
                return "number of rows"
            case Persons():
                return "number of distinct persons"
            case Sum(column=column) if self.fixed:
                return f"sum of {column}, each value clamped to {_range(self.fixed)}"
            case Mean(column=column) if self.fixed:
                return f"mean of {column}, each value clamped to {_range(self.fixed)}"
        raise InternalError("an aggregate has no reading.")

    def read(self, noisy: Vectors, noise: Mapping[str, Event], confidence: float) -> Answer:
        """The answer column, with the interval that the noise alone puts around each value."""
        if isinstance(self.aggregate, Count | Persons):
            return self._read_count(
                noisy[self._vector(self.count)], noise[self._vector(self.count)], confidence
            )
        if isinstance(self.aggregate, Sum):
            return self._read_sum(noisy, noise, confidence)
        return self._read_mean(noisy, noise, confidence)

    def terms(self, noise: Mapping[str, Event], rows: float, mean: float | None = None) -> list[Term]:
        """The noise on this answer as weighted terms, for a group of `rows` rows with the given mean (None: worst case)."""
        if isinstance(self.aggregate, Count | Persons):
            return [Term(1.0, noise[self._vector(self.count)])]
        fixed, total = self._fixed(), Term(float(self._fixed().step), noise[self._vector(self.total)])
        if isinstance(self.aggregate, Sum):
            return [total, Term(float(fixed.base), noise[self.count])] if self.count else [total]
        half = float(fixed.upper - fixed.lower) / 2
        off = half if mean is None else min(abs(mean - float(fixed.base)), half)
        return [Term(total.weight / rows, total.event), Term(off / rows, noise[self._vector(self.count)])]

    def _read_count(self, counts: NDArray[np.int64], event: Event, confidence: float) -> Answer:
        width = round(half_width([Term(1.0, event)], confidence))
        values = tuple(int(count) for count in counts)
        return Answer(
            self.name,
            self.meaning(),
            values,
            tuple(v - width for v in values),
            tuple(v + width for v in values),
        )

    def _read_sum(self, noisy: Vectors, noise: Mapping[str, Event], confidence: float) -> Answer:
        totals = noisy[self._vector(self.total)]
        rows = noisy[self.count] if self.count else np.zeros_like(totals)
        values = tuple(float(value) for value in self._fixed().decode(totals, rows))
        width = half_width(self.terms(noise, 1.0), confidence)
        return Answer(
            self.name,
            self.meaning(),
            values,
            tuple(v - width for v in values),
            tuple(v + width for v in values),
        )

    def _read_mean(self, noisy: Vectors, noise: Mapping[str, Event], confidence: float) -> Answer:
        fixed = self._fixed()
        counts, totals = noisy[self._vector(self.count)], noisy[self._vector(self.total)]
        lower, upper = float(fixed.lower), float(fixed.upper)
        least = half_width([Term(1.0, noise[self._vector(self.count)])], confidence)
        found: list[tuple[float | None, float | None, float | None]] = []
        for count, total in zip(counts.tolist(), totals.tolist(), strict=True):
            if count <= max(least, 0):
                # The noise alone could have made this count: a ratio to it would say nothing.
                found.append((None, None, None))
                continue
            mean = min(max(float(fixed.base) + total * float(fixed.step) / count, lower), upper)
            width = half_width(self.terms(noise, float(count), mean), confidence)
            found.append((mean, max(mean - width, lower), min(mean + width, upper)))
        values, lows, highs = zip(*found, strict=True) if found else ((), (), ())
        return Answer(self.name, self.meaning(), values, lows, highs)

    def _fixed(self) -> FixedPoint:
        if self.fixed is None:
            raise InternalError("a sum was planned without bounds.")
        return self.fixed

    @staticmethod
    def _vector(name: str | None) -> str:
        if name is None:
            raise InternalError("an answer was planned without its vector.")
        return name


def measures_and_readings(query: Query) -> tuple[dict[str, Measure], tuple[Reading, ...]]:
    """The fewest vectors that answer every aggregate of a question, and how to read them.

    A mean needs the number of rows that have a value and their sum, centred on the middle of the bounds. A sum
    of the same column reads off those two; a sum on its own is centred on zero and needs one vector only.
    """
    measures: dict[str, Measure] = {}
    readings: list[Reading] = []
    averaged = {(a.column, a.bounds) for _, a in query.aggregates if isinstance(a, Mean)}
    for name, aggregate in query.aggregates:
        if isinstance(aggregate, Count):
            measures["rows"] = Measure("rows")
            readings.append(Reading(name, aggregate, "rows", None, None))
        elif isinstance(aggregate, Persons):
            measures["persons"] = Measure("persons")
            readings.append(Reading(name, aggregate, "persons", None, None))
        else:
            column, bounds = aggregate.column, query.bounds_of(aggregate)
            centred = isinstance(aggregate, Mean) or (column, aggregate.bounds) in averaged
            fixed = FixedPoint(bounds.lower, bounds.upper, anchor="middle" if centred else "zero")
            # Vectors are told apart by this name, so nothing in it is rounded.
            total = f"sum of {column} in {bounds.exactly()}, from {written(fixed.base)}"
            measures[total] = Measure("sum", column, fixed)
            count = f"values of {column}" if centred else None
            if count:
                measures[count] = Measure("valid", column)
            readings.append(Reading(name, aggregate, count, total, fixed))
    return measures, tuple(readings)


def _range(fixed: FixedPoint) -> str:
    return f"[{readable(fixed.lower)}, {readable(fixed.upper)}]"
