"""What can be asked about the spread of values: quantiles, histograms, cross tables, common and distinct values.

All of them are answered from whole numbers of rows in public bins; no value leaves the engine. How many rows one
person adds is bounded for each group, not for each bin, so that finer bins do not cost more noise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from privet.engine import Categories, ColumnKind, EvenBins, UnevenBins, did_you_mean
from privet.errors import BadAggregate, BadAmount, BadKeySet, BadQuery, checked, checked_names
from privet.guarantee import Number, Person, exact, written
from privet.source._key_sets import KeySet, as_arrow
from privet.source._public_ranges import Bounds
from privet.source.aggregates import (
    Aggregate,
    OfColumn,
    Question,
    Range,
    as_bounds,
    named,
    number_faults,
)

if TYPE_CHECKING:
    import pyarrow as pa

BINS = 1_000
# The share of a quantile's budget that pays for its interval.
FOR_INTERVAL = Fraction(1, 10)


@dataclass(frozen=True, slots=True)
class Quantile(OfColumn):
    """The value below which a share of the rows lies, found among even bins between public bounds.

    `interval` is the share of its budget that pays for the error bars; 0 leaves them as wide as the bounds.
    """

    share: Fraction = Fraction(1, 2)
    bins: int = BINS
    interval: Fraction = FOR_INTERVAL

    def faults(self, name: str, query: Question) -> Iterable[str]:
        """Beside the column's: a share strictly between 0 and 1, and bins that can be told apart."""
        yield from number_faults(self.column, self.bounds, query)
        if not 0 < self.share < 1:
            yield f"{name!r}: the share of a quantile lies between 0 and 1, as 0.5 for the median."
        if self.share.denominator > 10_000:
            yield f"{name!r}: the share of a quantile has four decimal places at most."
        if not 0 <= self.interval < 1:
            yield f"{name!r}: the interval's share of the budget is at least 0 and below 1."
        yield from _bin_faults(name, self.bounds or query.bounds.get(self.column), self.bins)

    def said(self, query: Question) -> str:
        """In words."""
        (bounds,) = self.ranges(query)
        return (
            f"QUANTILE {written(self.share)} OF {self.column!r} IN {self.bins} BINS OF {bounds.exactly()}, "
            f"{written(self.interval)} FOR ITS INTERVAL"
        )

    def even(self, query: Question) -> EvenBins:
        """The bins it is found among."""
        (bounds,) = self.ranges(query)
        return EvenBins(bounds.lower, bounds.upper, self.bins)


@dataclass(frozen=True, slots=True)
class Quantiles(OfColumn):
    """Many quantiles of one column, read off one tree of counts: a table of its own.

    The number of bins is a power of ten.
    """

    shares: tuple[Fraction, ...] = ()
    bins: int = BINS
    alone: ClassVar[bool] = True

    @property
    def labels(self) -> tuple[str, ...]:
        """The share of the rows below."""
        return ("share",)

    def faults(self, name: str, query: Question) -> Iterable[str]:
        """Beside the column's: shares strictly between 0 and 1, each once, and bins that can be told apart."""
        yield from number_faults(self.column, self.bounds, query)
        if not self.shares or not all(0 < share < 1 for share in self.shares):
            yield f"{name!r}: the shares of quantiles lie between 0 and 1."
        if len(set(self.shares)) < len(self.shares):
            yield f"{name!r} names a share twice."
        if self.bins not in (10, 100, 1_000, 10_000):
            yield f"{name!r}: the number of bins is 10, 100, 1,000 or 10,000."
        else:
            yield from _bin_faults(name, self.bounds or query.bounds.get(self.column), self.bins)

    def said(self, query: Question) -> str:
        """In words."""
        (bounds,) = self.ranges(query)
        shares = ", ".join(written(share) for share in self.shares)
        return f"QUANTILES {shares} OF {self.column!r} IN {self.bins} BINS OF {bounds.exactly()}"


@dataclass(frozen=True, slots=True)
class Histogram(Aggregate):
    """The number of rows between public edges, or in even bins between public bounds: a table of its own."""

    column: str
    edges: tuple[Fraction, ...] | None
    bounds: Bounds | None
    bins: int | None
    nonnegative: bool
    alone: ClassVar[bool] = True

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    @property
    def labels(self) -> tuple[str, ...]:
        """Where a bin begins and ends."""
        return ("low", "high")

    def faults(self, name: str, query: Question) -> Iterable[str]:
        """Either edges, or bounds and a number of bins."""
        given = self.bounds or (None if self.edges else query.bounds.get(self.column))
        if (self.edges is None) == (self.bins is None):
            yield f"{name!r} needs either edges or a number of bins."
        elif self.edges is not None:
            if self.bounds is not None:
                yield f"{name!r} has edges: bounds say nothing more."
            yield from _edge_faults(name, self.edges)
        else:
            yield from _bin_faults(name, given, self.bins)
        stand_in = Bounds(0, 1) if self.edges else given
        yield from number_faults(self.column, stand_in, query)

    def ranges(self, query: Question) -> tuple[Bounds, ...]:
        """The bounds, where there are some."""
        if self.edges is not None:
            return ()
        found = self.bounds or query.bounds.get(self.column)
        return () if found is None else (found,)

    def said(self, query: Question) -> str:
        """In words."""
        more = ", NON-NEGATIVE TOO" if self.nonnegative else ""
        return f"HISTOGRAM OF {self.column!r} IN {self.public_bins(query).said()}{more}"

    def public_bins(self, query: Question) -> EvenBins | UnevenBins:
        """The bins."""
        if self.edges is not None:
            return UnevenBins(self.edges)
        (bounds,) = self.ranges(query)
        return EvenBins(bounds.lower, bounds.upper, self.bins or 1)

    def shown(self, name: str) -> tuple[str, ...]:
        """The unbiased counts, and beside them those without negative ones if asked."""
        return _shown(self.labels, name, nonnegative=self.nonnegative)


@dataclass(frozen=True, slots=True)
class Contingency(Aggregate):
    """The number of rows for every combination of public values of several columns: a table of its own."""

    of: tuple[str, ...]
    categories: tuple[tuple[str, KeySet], ...]
    other: bool
    margins: bool
    nonnegative: bool
    alone: ClassVar[bool] = True

    @property
    def columns(self) -> tuple[str, ...]:
        """The crossed columns."""
        return self.of

    @property
    def labels(self) -> tuple[str, ...]:
        """The crossed columns."""
        return self.of

    def faults(self, name: str, query: Question) -> Iterable[str]:
        """Every column once, with public values that fit it."""
        if not self.of or len(set(self.of)) < len(self.of):
            yield f"{name!r} crosses columns, each named once."
        for column, _ in self.categories:
            if column not in self.of:
                yield f"{name!r}: categories are given for {column!r}, which is not crossed."
        for column in self.of:
            yield from _value_faults(name, column, self.values(column, query), query)

    def values(self, column: str, query: Question) -> KeySet | None:
        """The public values of a column: those given here, or the table's public keys."""
        return dict(self.categories).get(column) or query.public_values.get((column,))

    def said(self, query: Question) -> str:
        """In words."""
        parts = [f"{column!r} OF {self.public_bins(column, query).said()}" for column in self.of]
        more = "".join(
            f", {word}" for word, on in (("MARGINS", self.margins), ("NON-NEGATIVE", self.nonnegative)) if on
        )
        return f"CONTINGENCY OF {' BY '.join(parts)}{more}"

    def public_bins(self, column: str, query: Question) -> Categories:
        """The values of one column as bins."""
        return _categories(self.values(column, query), query.columns[column], other=self.other)

    def shown(self, name: str) -> tuple[str, ...]:
        """The unbiased counts, and beside them those without negative ones if asked."""
        return _shown(self.labels, name, nonnegative=self.nonnegative)


@dataclass(frozen=True, slots=True)
class MostCommon(Aggregate):
    """The values of a column that most persons have, the most common first: a table of its own.

    With a public list of values (`among`), in each group. Without, for the table as a whole: which values exist is
    private too, so that values of few persons are never shown.
    """

    column: str
    most: int
    among: KeySet | None
    alone: ClassVar[bool] = True

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    @property
    def labels(self) -> tuple[str, ...]:
        """The value, where it comes from a list."""
        return () if self.among is None else (self.column,)

    @property
    def keys(self) -> tuple[str, ...]:
        """The column itself, where its values are not known beforehand."""
        return (self.column,) if self.among is None else ()

    def faults(self, name: str, query: Question) -> Iterable[str]:
        """A positive number of values; a list that fits the column; groups only with a list."""
        if type(self.most) is not int or self.most < 1:
            yield f"{name!r} needs the number of values to show: a whole number of at least 1."
        if self.among is not None:
            yield from _value_faults(name, self.column, self.among, query)
        elif self.column not in query.columns:
            yield f"there is no column {self.column!r}. {did_you_mean(self.column, query.columns)}"
        elif query.keys != (self.column,):
            yield f"{name!r}: within groups, the values must come from a public list: among=[…]."

    def said(self, query: Question) -> str:
        """In words."""
        among = "" if self.among is None else f" AMONG {self.public_bins(query).said()}"
        return f"{self.most} MOST COMMON OF {self.column!r}{among}"

    def public_bins(self, query: Question) -> Categories:
        """The listed values as bins."""
        return _categories(self.among, query.columns[self.column], other=False)


@dataclass(frozen=True, slots=True)
class DistinctValues(Aggregate):
    """The number of distinct values of a column, missing ones left out."""

    column: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    def faults(self, name: str, query: Question) -> Iterable[str]:
        """The column must be there, and its values told apart; it may not be the person's own."""
        kind = query.columns.get(self.column)
        if kind is None:
            yield f"there is no column {self.column!r}. {did_you_mean(self.column, query.columns)}"
        elif kind is ColumnKind.OTHER:
            yield f"column {self.column!r} has a type whose values cannot be told apart."
        if isinstance(query.unit, Person) and self.column == query.unit.column:
            yield f"{name!r}: distinct persons are counted by persons(), with less noise."

    def said(self, query: Question) -> str:  # noqa: ARG002  asked of all alike
        """In words."""
        return f"DISTINCT VALUES OF {self.column!r}"


# --- how they are asked for --------------------------------------------------------------------


@checked_names
def quantile(
    column: str, q: Number, bounds: Range = None, *, bins: int = BINS, interval: Number = FOR_INTERVAL
) -> Quantile:
    """The value that a share `q` of the rows of each group lies below, found among even bins between public bounds.

    Chosen by the exponential mechanism (or permute-and-flip) by the number of rows it is away from the right rank.
    A share `interval` of the budget pays for two more choices that enclose it.
    """
    return Quantile(
        named(column),
        as_bounds(bounds),
        _amount(q, "q"),
        _number(bins, "bins"),
        _amount(interval, "interval"),
    )


@checked_names
def median(
    column: str, bounds: Range = None, *, bins: int = BINS, interval: Number = FOR_INTERVAL
) -> Quantile:
    """The middle value of each group: `quantile(column, 1/2)`."""
    return quantile(column, Fraction(1, 2), bounds, bins=bins, interval=interval)


@checked
def quantiles(column: str, shares: Iterable[Number], bounds: Range = None, *, bins: int = BINS) -> Quantiles:
    """Many quantiles of a column in each group, for the price of about ten: read off one noisy tree of counts.

    Fewer than ten or so are more exact as one `quantile` each.
    """
    wanted = tuple(_amount(share, "shares") for share in shares)
    return Quantiles(named(column), as_bounds(bounds), wanted, _number(bins, "bins"))


@checked
def histogram(
    column: str,
    edges: Sequence[Number] | None = None,
    *,
    bounds: Range = None,
    bins: int | None = None,
    nonnegative: bool = False,
) -> Histogram:
    """The number of rows between public edges, or in so many even bins between public bounds.

    A value on an edge belongs to the bin that begins there; values outside fall into the first or last bin. With
    `nonnegative`, a second column of counts is fitted to the noisy ones: none below zero, and the same sum.
    """
    stated = None if edges is None else tuple(_amount(edge, "edges") for edge in edges)
    count = None if bins is None else _number(bins, "bins")
    return Histogram(named(column), stated, as_bounds(bounds), count, bool(nonnegative))


@checked
def contingency(
    *columns: str,
    categories: Mapping[str, KeySet | Iterable[Any]] | None = None,
    other: bool = False,
    margins: bool = False,
    nonnegative: bool = False,
) -> Contingency:
    """The number of rows for every combination of public values of these columns.

    The values of a column are those in `categories`, or the table's public keys. Rows with other values are left
    out, or counted as `(other)`. `margins` adds sums over each column as `(all)`: of the noisy counts, so that
    everything adds up. With `nonnegative`, a second column of counts has none below zero, and the same sums.
    """
    given = tuple((named(column), KeySet.of(values)) for column, values in (categories or {}).items())
    return Contingency(
        tuple(named(column) for column in columns), given, bool(other), bool(margins), bool(nonnegative)
    )


@checked_names
def most_common(column: str, k: int, *, among: KeySet | Iterable[Any] | None = None) -> MostCommon:
    """The `k` values of a column that most persons have, the most common first, with their numbers of persons."""
    return MostCommon(named(column), k, None if among is None else KeySet.of(among))


@checked_names
def distinct(column: str) -> DistinctValues:
    """The number of distinct values of a column in each group.

    Each person adds at most as many values as the unit's caps allow rows, so that one person cannot move the number
    by more. Where persons have more distinct values than that, the number can fall short.
    """
    return DistinctValues(named(column))


def _amount(value: Number, name: str) -> Fraction:
    try:
        return exact(value, name)
    except BadAmount as fault:
        raise BadQuery(fault.fact, fault.hint) from None


def _number(value: object, name: str) -> int:
    if type(value) is int:
        return value
    raise BadQuery(f"{name} must be a whole number.", f"Write {name}=20.")


def _shown(labels: tuple[str, ...], name: str, *, nonnegative: bool) -> tuple[str, ...]:
    names = (name, f"{name}_nonnegative") if nonnegative else (name,)
    return (*labels, *(f"{one}{end}" for one in names for end in ("", "_low", "_high")))


def _bin_faults(name: str, bounds: Bounds | None, bins: int | None) -> Iterable[str]:
    if bounds is None or bins is None:
        return
    try:
        EvenBins(bounds.lower, bounds.upper, bins)
    except BadAggregate as fault:
        yield f"{name!r}: {fault.fact}"


def _edge_faults(name: str, edges: tuple[Fraction, ...]) -> Iterable[str]:
    try:
        UnevenBins(edges)
    except BadAggregate as fault:
        yield f"{name!r}: {fault.fact}"


def _value_faults(name: str, column: str, values: KeySet | None, query: Question) -> Iterable[str]:
    kind = query.columns.get(column)
    if kind is None:
        yield f"there is no column {column!r}. {did_you_mean(column, query.columns)}"
    elif kind is ColumnKind.OTHER:
        yield f"column {column!r} has a type whose values cannot be told apart."
    elif values is None:
        yield f"{name!r}: the values of {column!r} are not public: list them, known without looking at the data."
    elif not values.is_public:
        yield f"{name!r}: the values of {column!r} were read off the data: an answer would give them away."
    else:
        try:
            values.fitted([kind])
        except BadKeySet as fault:
            yield f"{name!r}: values of {column!r}: {fault.fact}"


def _categories(values: KeySet | None, kind: ColumnKind, *, other: bool) -> Categories:
    if values is None:
        raise BadQuery("this aggregate has no public values.", "List them: categories={…}.")
    listed: pa.Table = as_arrow(["v"], [kind], values.fitted([kind]).values)
    return Categories(listed["v"].combine_chunks(), other)
