"""Variance, standard deviation, covariance and correlation, read off noisy sums of products."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privet.artifact import NoiseTerm
from privet.guarantee import Term, mixture_half_width, readable
from privet.protect.query._simulated_intervals import ends, simulated_noise
from privet.protect.query.estimators._counts import (
    CLAMPED,
    Estimator,
    Noise,
    Reading,
    Rows,
    ShownValue,
    Vectors,
    WantedVectors,
    clamped_column,
    told,
)
from privet.protect.query.estimators._moment_vectors import (
    SUPPOSED,
    SUPPOSED_OF_ONE,
    CompleteRows,
    Moments,
    stacked,
)
from privet.protect.query.estimators._sql_calls import of_column, of_two
from privet.source import Aggregate, Correlation, Covariance, CovarianceMatrix, Deviation, Query, Variance
from privet.source import moment_aggregates as moments

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

NARROWED = (
    "Clamping draws values together: where values lie outside their bounds, variances come out too small and "
    "covariances, correlations and slopes are off; the error bars do not cover this."
)
COMPLETE = "Only rows in which every column of the answer has a value count."
CUT = (
    "A variance below zero is shown as zero, and nothing beyond what the bounds admit is shown: where the truth is small "
    "against the noise, answers err upwards on average. The intervals are cut the same way."
)
SIMULATED = (
    "The intervals are simulated from the released numbers and the noise that is known to be in them; they are "
    "exact for large groups and close to it for small ones."
)
_NOTHING = (None, None, None)
LEAST_WORTH = 0.2


@dataclass(frozen=True)
class MomentReading(Reading):
    """One or more numbers about complete rows, with intervals simulated from the noise (see `_simulated_intervals`)."""

    of: CompleteRows
    meaning: str
    by_size: ClassVar[bool] = True
    supposed: ClassVar[str] = SUPPOSED

    @abstractmethod
    def formula(self, moments: Moments) -> Numbers:
        """The answers in the user's units, along a last axis of their own; not a number where undefined."""

    def limited(self, values: Numbers, moments: Moments) -> Numbers:  # noqa: ARG002  for formulas that have limits
        """The same, no further out than any data inside the bounds could have it."""
        return values

    def labels(self) -> dict[str, tuple[str, ...]]:
        """What tells several answers of a group apart."""
        return {}

    def vectors(self) -> tuple[str, ...]:
        """Rows, sums and sums of products."""
        return tuple(self.of.measures())

    def stages(self) -> tuple[str, ...]:
        """Clamping and rounding."""
        return tuple(one.stage() for one in self.of.columns)

    def notes(self) -> tuple[str, ...]:
        """Clamping, gaps, limits and where the intervals come from."""
        return CLAMPED, NARROWED, COMPLETE, CUT, SIMULATED

    def read(self, noisy: Vectors, noise: Noise, confidence: float) -> ShownValue:
        """The answers of every group; none where the noise alone could have made the number of rows."""
        vectors, units = self.vectors(), self.of.units()
        groups = stacked(noisy, vectors, units)
        draws = simulated_noise([noise[name] for name in vectors]) * units
        least = max(mixture_half_width([Term(1.0, noise[vectors[0]])], confidence), 0)
        labels = self.labels()
        several = len(next(iter(labels.values()), ("",)))
        rows: Rows = []
        for sums in groups:
            rows += self.read_one(sums, draws, confidence) if sums[0] > least else [_NOTHING] * several
        answer = told(self.name, self.meaning, rows, () if labels else self._drawn(groups, noise, rows))
        if not labels:
            return ShownValue((answer,))
        repeated = {name: values * len(groups) for name, values in labels.items()}
        return ShownValue((answer,), tuple(np.repeat(np.arange(len(groups)), several).tolist()), repeated)

    def read_one(self, sums: Numbers, draws: Numbers, confidence: float) -> Rows:
        """The answers of one group: (value, low, high) each."""
        values, simulated = self._answers(sums), self._answers(sums - draws)
        undefined = np.isnan(simulated).mean(axis=0)
        with np.errstate(invalid="ignore"):
            low, high = ends(np.where(undefined < 1, simulated, 0), confidence)
        found: Rows = []
        for value, gone, lower, upper in zip(values, undefined, low, high, strict=True):
            # An interval that leaves more out than its tail holds nothing for sure.
            defined = not np.isnan(value) and gone <= (1 - confidence) / 2
            inside = float(min(max(value, lower), upper))
            found.append((inside, float(lower), float(upper)) if defined else _NOTHING)
        return found

    def width(self, noise: Noise, confidence: float, rows: int) -> float:
        """To first order, for values about which nothing is known; of several answers the widest, made comparable."""
        widths = self.widths(noise, confidence, rows)
        return float(max(width * scale for width, scale in zip(widths, self.scales(), strict=True)))

    def worth(self, vector: str, rows: int) -> float:
        """By the root mean square of what it moves all answers: least noise then makes their mean square error least.

        What is supposed may be wrong, and a vector that moves nothing there may move much elsewhere: none is worth
        less than a part of the one worth most.
        """
        slopes = np.concatenate(
            [self._slopes(sums) * self.scales()[:, None] for sums in self.of.supposed(rows)]
        )
        moved = np.sqrt(np.mean(slopes**2, axis=0)) / self.of.units()
        least = np.maximum(moved, LEAST_WORTH * moved.max())
        return float((least * self.of.units())[self.vectors().index(vector)])

    def scales(self) -> Numbers:
        """What makes the errors of several answers comparable."""
        return np.ones(len(next(iter(self.labels().values()), ("",))))

    def expected(self, noise: Noise, confidence: float, sizes: tuple[int, ...]) -> tuple[str, ...]:
        """The expected error of every answer, in its own units."""
        if not self.labels():
            return super().expected(noise, confidence, sizes)
        by_size = [self.widths(noise, confidence, size) for size in sizes]
        lines = []
        for labels, widths in zip(
            zip(*self.labels().values(), strict=True), zip(*by_size, strict=True), strict=True
        ):
            said = (
                f"± {readable(width)} at {size:,} rows" for width, size in zip(widths, sizes, strict=True)
            )
            lines.append(f"{self.name}, {' and '.join(labels)}: {', '.join(said)}")
        return (*lines[:-1], f"{lines[-1]} ({self.supposed})")

    def widths(self, noise: Noise, confidence: float, rows: int) -> list[float]:
        """The expected error of each answer: the worst of what is supposed."""
        supposed = self.of.supposed(rows)
        return [
            max(each) for each in zip(*(self._widths(noise, confidence, s) for s in supposed), strict=True)
        ]

    def _widths(self, noise: Noise, confidence: float, sums: Numbers) -> list[float]:
        slopes = self._slopes(sums)
        return [
            mixture_half_width(
                [Term(float(slope), noise[name]) for slope, name in zip(row, self.vectors(), strict=True)],
                confidence,
            )
            for row in slopes
        ]

    def _answers(self, sums: Numbers) -> Numbers:
        moments = self.of.moments(sums)
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.limited(self.formula(moments), moments)

    def _slopes(self, sums: Numbers) -> Numbers:
        """What one step of each vector moves each answer by: one row for each answer, by central differences."""
        apart = np.eye(len(sums)) * (1e-4 * sums[0])
        ahead, behind = (self.formula(self.of.moments(sums + way * apart)) for way in (1, -1))
        return np.asarray(((ahead - behind) / (2e-4 * sums[0])).T * self.of.units())

    def _drawn(self, groups: Numbers, noise: Noise, rows: Rows) -> tuple[NoiseTerm, ...]:
        """What the noise moves each answer by, to first order, where that can be said."""
        if isinstance(self.aggregate, Deviation | Correlation):
            return ()
        slopes = [
            None if row[0] is None else self._slopes(sums)[0] for sums, row in zip(groups, rows, strict=True)
        ]
        return tuple(
            NoiseTerm(name, noise[name], tuple(None if s is None else float(s[at]) for s in slopes))
            for at, name in enumerate(self.vectors())
        )


@dataclass(frozen=True)
class SpreadReading(MomentReading):
    """A variance or, with `root`, its root."""

    sample: bool
    root: bool
    supposed: ClassVar[str] = SUPPOSED_OF_ONE

    def formula(self, moments: Moments) -> Numbers:
        """The mean square less the squared mean, in the column's units."""
        found = moments.covariances[..., 0, 0, None] * self.of.halves()[0] ** 2
        found = found * _per_sample(moments, sample=self.sample)
        return np.asarray(np.sqrt(np.maximum(found, 0)) if self.root else found)

    def limited(self, values: Numbers, moments: Moments) -> Numbers:
        """Between zero and what two heaps at the bounds would have (Popoviciu 1935)."""
        most = self.of.halves()[0] ** 2 * _per_sample(moments, sample=self.sample)
        return np.clip(values, 0, np.sqrt(most) if self.root else most)


@dataclass(frozen=True)
class CovarianceReading(MomentReading):
    """The covariance of every pair of columns that is multiplied."""

    sample: bool

    def formula(self, moments: Moments) -> Numbers:
        """The mean product less the product of means, in the columns' units."""
        halves = self.of.halves()
        found = [moments.covariances[..., i, j] * halves[i] * halves[j] for i, j in self.of.pairs]
        return np.stack(found, axis=-1) * _per_sample(moments, sample=self.sample)

    def limited(self, values: Numbers, moments: Moments) -> Numbers:
        """No further from zero than bounds admit; variances not below zero."""
        halves = self.of.halves()
        most = np.array([halves[i] * halves[j] for i, j in self.of.pairs]) * _per_sample(
            moments, sample=self.sample
        )
        least = np.where([i == j for i, j in self.of.pairs], 0, -most)
        return np.clip(values, least, most)

    def scales(self) -> Numbers:
        """Each error against the product of its columns' ranges."""
        halves = self.of.halves()
        products = np.array([halves[i] * halves[j] for i, j in self.of.pairs])
        return np.asarray(products.max() / products)

    def labels(self) -> dict[str, tuple[str, ...]]:
        """The two columns, if there are several pairs."""
        if not self.aggregate.alone:
            return {}
        names = [one.column for one in self.of.columns]
        return {
            "first": tuple(names[i] for i, _ in self.of.pairs),
            "second": tuple(names[j] for _, j in self.of.pairs),
        }


@dataclass(frozen=True)
class CorrelationReading(MomentReading):
    """Pearson's correlation of two columns."""

    def formula(self, moments: Moments) -> Numbers:
        """The covariance over the deviations; undefined where a variance is not above zero."""
        first, second = moments.covariances[..., 0, 0], moments.covariances[..., 1, 1]
        both = np.where((first > 0) & (second > 0), first * second, np.nan)
        return np.asarray((moments.covariances[..., 0, 1] / np.sqrt(both))[..., None])

    def limited(self, values: Numbers, moments: Moments) -> Numbers:  # noqa: ARG002  limits of their own
        """Between -1 and 1."""
        return np.clip(values, -1, 1)


def _per_sample(moments: Moments, *, sample: bool) -> Numbers:
    """The factor n / (n - 1) for a sample; undefined for one row."""
    if not sample:
        return np.ones_like(moments.rows)[..., None]
    return np.asarray(moments.rows / np.where(moments.rows > 1, moments.rows - 1, np.nan))[..., None]


def complete_rows(query: Query, aggregate: Aggregate, pairs: tuple[tuple[int, int], ...]) -> CompleteRows:
    """The aggregate's columns in steps coarse enough for products, in the order they were named."""
    columns = zip(aggregate.columns, aggregate.ranges(query), strict=True)
    return CompleteRows(tuple(clamped_column(c, bounds, coarse=True) for c, bounds in columns), pairs)


def _in_order(of: CompleteRows) -> CompleteRows:
    """Two columns by name, so that both orders of naming them read the same vectors."""
    return CompleteRows(tuple(sorted(of.columns, key=lambda one: (one.column, one.total))), of.pairs)


def said_of(words: str, of: CompleteRows) -> str:
    """The meaning of an answer in words."""
    clamped = "; ".join(f"{one.column}: {one.clamped()}" for one in of.columns)
    return f"{words} ({clamped})"


def _spread(query: Query, name: str, aggregate: Variance) -> WantedVectors:
    of = complete_rows(query, aggregate, ((0, 0),))
    root = isinstance(aggregate, Deviation)
    kind = "standard deviation" if root else "variance"
    words = f"{'sample' if aggregate.sample else 'population'} {kind} of {aggregate.column}"
    reading = SpreadReading(name, aggregate, of, said_of(words, of), aggregate.sample, root)
    return WantedVectors(of.measures(), (reading,))


def _covariance(query: Query, name: str, aggregate: Covariance) -> WantedVectors:
    of = _in_order(complete_rows(query, aggregate, ((0, 1),)))
    kind = "sample" if aggregate.sample else "population"
    words = f"{kind} covariance of {' and '.join(aggregate.columns)}"
    return WantedVectors(
        of.measures(), (CovarianceReading(name, aggregate, of, said_of(words, of), aggregate.sample),)
    )


def _correlation(query: Query, name: str, aggregate: Correlation) -> WantedVectors:
    of = _in_order(complete_rows(query, aggregate, ((0, 1), (0, 0), (1, 1))))
    words = f"correlation of {' and '.join(aggregate.columns)}"
    return WantedVectors(of.measures(), (CorrelationReading(name, aggregate, of, said_of(words, of)),))


def _matrix(query: Query, name: str, aggregate: CovarianceMatrix) -> WantedVectors:
    size = len(aggregate.columns)
    of = complete_rows(query, aggregate, tuple((i, j) for i in range(size) for j in range(i, size)))
    words = f"{'sample' if aggregate.sample else 'population'} covariances"
    return WantedVectors(
        of.measures(), (CovarianceReading(name, aggregate, of, said_of(words, of), aggregate.sample),)
    )


MOMENTS = (
    Estimator(
        Variance,
        _spread,
        {
            "Variance": of_column(moments.variance),
            "VariancePop": of_column(lambda column, bounds: moments.variance(column, bounds, sample=False)),
        },
        ("VARIANCE(x)", "VAR_POP(x)"),
    ),
    Estimator(
        Deviation,
        _spread,
        {
            "Stddev": of_column(moments.deviation),
            "StddevSamp": of_column(moments.deviation),
            "StddevPop": of_column(lambda column, bounds: moments.deviation(column, bounds, sample=False)),
        },
        ("STDDEV(x)", "STDDEV_POP(x)"),
    ),
    Estimator(
        Covariance,
        _covariance,
        {
            "CovarSamp": of_two(moments.covariance),
            "CovarPop": of_two(lambda x, y, bounds: moments.covariance(x, y, bounds, sample=False)),
        },
        ("COVAR_SAMP(x, y)", "COVAR_POP(x, y)"),
    ),
    Estimator(Correlation, _correlation, {"Corr": of_two(moments.correlation)}, ("CORR(x, y)",)),
    Estimator(
        CovarianceMatrix,
        _matrix,
        not_in_sql="SQL has no function that gives a matrix; COVAR_POP asks for one pair.",
    ),
)
