"""What can be asked about spread and dependence: variance, covariance, correlation, linear regression.

All are read off sums of values and of products of two values. A row counts where every column asked about has a
value, and each value is clamped to the public bounds of its column.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from privet.errors import BadQuery, checked, checked_names
from privet.source._public_ranges import Bounds
from privet.source.aggregates import (
    Aggregate,
    OfColumn,
    Question,
    Range,
    as_bounds,
    named,
    number_faults,
    range_of,
)

INTERCEPT = "(intercept)"
MOST_COLUMNS = 21


@dataclass(frozen=True, slots=True)
class Variance(OfColumn):
    """The variance of a column: of the rows as a sample (divided by their number less one), or as they are."""

    sample: bool = True

    def said(self, query: Question) -> str:
        """In words."""
        (bounds,) = self.ranges(query)
        return f"{_kind(self, sample=self.sample)} OF {self.column!r} IN {bounds.exactly()}"


@dataclass(frozen=True, slots=True)
class Deviation(Variance):
    """The standard deviation of a column: the root of its variance."""


@dataclass(frozen=True, slots=True)
class OfColumns(Aggregate):
    """A number about several columns, each clamped to public bounds (the table's, where none are given)."""

    names: tuple[str, ...]
    given: tuple[Bounds | None, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns, in the order they were named."""
        return self.names

    def faults(self, name: str, query: Question) -> Iterable[str]:
        """Every column must be there, once, hold numbers and have public bounds."""
        for column, bounds in zip(self.names, self.given, strict=True):
            yield from number_faults(column, bounds, query)
        if len(set(self.names)) < len(self.names):
            yield f"{name!r} names a column twice."
        if not 2 <= len(self.names) <= MOST_COLUMNS:
            yield f"{name!r} is about {len(self.names)} columns; it takes 2 to {MOST_COLUMNS}."

    def ranges(self, query: Question) -> tuple[Bounds, ...]:
        """The bounds of each column."""
        return tuple(range_of(c, given, query) for c, given in zip(self.names, self.given, strict=True))

    def said(self, query: Question) -> str:
        """In words."""
        return f"{type(self).__name__.upper()} OF {self._ranged(query)}"

    def _ranged(self, query: Question) -> str:
        pairs = zip(self.names, self.ranges(query), strict=True)
        return " AND ".join(f"{column!r} IN {bounds.exactly()}" for column, bounds in pairs)


@dataclass(frozen=True, slots=True)
class Covariance(OfColumns):
    """The covariance of two columns, over rows where both have a value."""

    sample: bool = True

    def said(self, query: Question) -> str:
        """In words."""
        return f"{_kind(self, sample=self.sample)} OF {self._ranged(query)}"


@dataclass(frozen=True, slots=True)
class Correlation(OfColumns):
    """Pearson's correlation of two columns, over rows where both have a value."""


@dataclass(frozen=True, slots=True)
class CovarianceMatrix(OfColumns):
    """The covariances of several columns with one another and themselves, over rows where all have a value."""

    sample: bool = True
    alone: ClassVar[bool] = True

    @property
    def labels(self) -> tuple[str, ...]:
        """The two columns of each entry."""
        return ("first", "second")

    def said(self, query: Question) -> str:
        """In words."""
        return f"{_kind(self, sample=self.sample)} OF {self._ranged(query)}"


@dataclass(frozen=True, slots=True)
class Regression(OfColumns):
    """A least-squares line through the last column, given the others; over rows where all have a value."""

    alone: ClassVar[bool] = True

    @property
    def labels(self) -> tuple[str, ...]:
        """Which coefficient it is: the intercept or a predictor's name."""
        return ("term",)

    @property
    def target(self) -> str:
        """The column that is predicted."""
        return self.names[-1]

    @property
    def predictors(self) -> tuple[str, ...]:
        """The columns that predict it."""
        return self.names[:-1]

    def faults(self, name: str, query: Question) -> Iterable[str]:
        """As for all; and no predictor may be mistaken for the intercept."""
        yield from super(Regression, self).faults(name, query)
        if INTERCEPT in self.predictors:
            yield f"a predictor is called {INTERCEPT!r}, which is what the constant is called."


@checked_names
def variance(column: str, bounds: Range = None, *, sample: bool = True) -> Variance:
    """The variance of a column in each group, as a sample's (n - 1) or, with sample=False, as it is (n)."""
    return Variance(named(column), as_bounds(bounds), sample)


@checked_names
def deviation(column: str, bounds: Range = None, *, sample: bool = True) -> Deviation:
    """The standard deviation of a column in each group, as a sample's (n - 1) or, with sample=False, as it is (n)."""
    return Deviation(named(column), as_bounds(bounds), sample)


@checked_names
def covariance(
    x: str, y: str, bounds: Mapping[str, Range] | None = None, *, sample: bool = True
) -> Covariance:
    """The covariance of two columns in each group; `bounds` by column: {"age": (0, 120)}."""
    return Covariance(*_bounded((x, y), bounds), sample)


@checked_names
def correlation(x: str, y: str, bounds: Mapping[str, Range] | None = None) -> Correlation:
    """Pearson's correlation of two columns in each group; `bounds` by column: {"age": (0, 120)}."""
    return Correlation(*_bounded((x, y), bounds))


@checked
def covariance_matrix(
    columns: Sequence[str], bounds: Mapping[str, Range] | None = None, *, sample: bool = True
) -> CovarianceMatrix:
    """The covariance matrix of several columns in each group, one row for each pair; `bounds` by column."""
    return CovarianceMatrix(*_bounded(_listed(columns), bounds), sample)


@checked
def regression(target: str, on: Sequence[str] | str, bounds: Mapping[str, Range] | None = None) -> Regression:
    """Least squares of `target` on other columns in each group, one row for each coefficient; `bounds` by column."""
    return Regression(*_bounded((*_listed(on), target), bounds))


def _kind(aggregate: Any, *, sample: bool) -> str:
    return f"{'SAMPLE' if sample else 'POPULATION'} {type(aggregate).__name__.upper()}"


def _listed(columns: Sequence[str] | str) -> tuple[str, ...]:
    return (columns,) if isinstance(columns, str) else tuple(columns)


def _bounded(
    columns: tuple[str, ...], bounds: Mapping[str, Range] | None
) -> tuple[tuple[str, ...], tuple[Bounds | None, ...]]:
    names = tuple(named(column) for column in columns)
    stated: Any = {} if bounds is None else bounds
    if not isinstance(stated, Mapping) or set(stated) - set(names):
        raise BadQuery(
            "bounds of several columns are given by the columns' names, and only for those.",
            'Write bounds={"age": (0, 120), "cost": (0, 9000)}.',
        )
    return names, tuple(as_bounds(stated.get(name)) for name in names)
