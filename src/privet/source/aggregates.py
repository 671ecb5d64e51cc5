"""What can be asked about each group: counts, sums, means and more. Nothing is computed here.

An aggregate names the columns it reads and the public ranges it needs, finds its own faults, and says itself
in words. A query asks it for these and knows nothing else about it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeAlias

from privet.engine import ColumnKind, did_you_mean
from privet.errors import BadQuery, checked_names
from privet.guarantee import Number, Person, Unit
from privet.source._key_sets import KeySet
from privet.source._public_ranges import Bounds

Range: TypeAlias = Bounds | tuple[Number, Number] | None


class Question(Protocol):
    """What an aggregate may know about the query it stands in."""

    @property
    def columns(self) -> Mapping[str, ColumnKind]:
        """Columns and kinds, derived ones included."""

    @property
    def unit(self) -> Unit | None:
        """Whose presence is hidden."""

    @property
    def bounds(self) -> Mapping[str, Bounds]:
        """The table's public ranges."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that are grouped by."""

    @property
    def public_values(self) -> Mapping[tuple[str, ...], KeySet]:
        """The table's public keys, by the columns they are for."""


@dataclass(frozen=True, slots=True)
class Aggregate(ABC):
    """One thing to be told about each group.

    `alone` marks an aggregate whose answer is a table of its own, with several rows for each group, told apart
    by the columns `labels`: it is the only aggregate of its query.
    """

    alone: ClassVar[bool] = False

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The columns it reads."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The columns that tell its rows within a group apart; none for one row a group."""
        return ()

    @property
    def keys(self) -> tuple[str, ...]:
        """Columns that it groups by itself, beside those of its query."""
        return ()

    @abstractmethod
    def faults(self, name: str, query: Question) -> Iterable[str]:
        """Everything wrong with asking it here, as sentences; `name` is what the answer is called."""

    @abstractmethod
    def said(self, query: Question) -> str:
        """What is asked, in words that no other aggregate has; nothing in them is rounded."""

    def ranges(self, query: Question) -> tuple[Bounds, ...]:  # noqa: ARG002  asked of all alike
        """Every public range it uses: those of its first columns, in the same order."""
        return ()

    def shown(self, name: str) -> tuple[str, ...]:
        """The columns that it takes in the released table."""
        return (*self.labels, name, f"{name}_low", f"{name}_high")


@dataclass(frozen=True, slots=True)
class Count(Aggregate):
    """The number of rows."""

    @property
    def columns(self) -> tuple[str, ...]:
        """None: every row counts."""
        return ()

    def faults(self, name: str, query: Question) -> Iterable[str]:  # noqa: ARG002  asked of all alike
        """None."""
        return ()

    def said(self, query: Question) -> str:  # noqa: ARG002  asked of all alike
        """In words."""
        return "COUNT"


@dataclass(frozen=True, slots=True)
class ValueCount(Aggregate):
    """The number of rows in which a column has a value."""

    column: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    def faults(self, name: str, query: Question) -> Iterable[str]:  # noqa: ARG002  asked of all alike
        """The column must be there, and of a kind that can be missing in the same way on every engine."""
        if self.column not in query.columns:
            yield f"there is no column {self.column!r}. {did_you_mean(self.column, query.columns)}"
        elif query.columns[self.column] is ColumnKind.OTHER:
            yield f"column {self.column!r} has a type whose values cannot be counted."

    def said(self, query: Question) -> str:  # noqa: ARG002  asked of all alike
        """In words."""
        return f"VALUES OF {self.column!r}"


@dataclass(frozen=True, slots=True)
class Persons(Aggregate):
    """The number of distinct persons."""

    @property
    def columns(self) -> tuple[str, ...]:
        """None beside the person column, which every query reads."""
        return ()

    def faults(self, name: str, query: Question) -> Iterable[str]:
        """Persons must be told apart."""
        if not isinstance(query.unit, Person):
            yield f'{name!r} counts persons, and the table does not say what identifies one: unit=Person("…").'

    def said(self, query: Question) -> str:  # noqa: ARG002  asked of all alike
        """In words."""
        return "PERSONS"


@dataclass(frozen=True, slots=True)
class OfColumn(Aggregate):
    """A number about one column, each value clamped to public bounds (the table's, if none are given)."""

    column: str
    bounds: Bounds | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    def faults(self, name: str, query: Question) -> Iterable[str]:  # noqa: ARG002  asked of all alike
        """The column must be there, hold numbers and have public bounds."""
        return number_faults(self.column, self.bounds, query)

    def said(self, query: Question) -> str:
        """In words."""
        (bounds,) = self.ranges(query)
        return f"{type(self).__name__.upper()} OF {self.column!r} IN {bounds.exactly()}"

    def ranges(self, query: Question) -> tuple[Bounds, ...]:
        """The bounds that values are clamped to."""
        return (range_of(self.column, self.bounds, query),)


@dataclass(frozen=True, slots=True)
class Sum(OfColumn):
    """The sum of a column, each value clamped to public bounds (the table's, if none are given)."""


@dataclass(frozen=True, slots=True)
class Mean(OfColumn):
    """The mean of a column, each value clamped to public bounds (the table's, if none are given)."""


@checked_names
def count(column: str | None = None) -> Count | ValueCount:
    """The number of rows in each group; with a column, of those in which it has a value."""
    return Count() if column is None else ValueCount(named(column))


@checked_names
def persons() -> Persons:
    """The number of distinct persons in each group."""
    return Persons()


@checked_names
def sum(column: str, bounds: Range = None) -> Sum:  # noqa: A001  pv.sum
    """The sum of a column in each group; values outside the public bounds count as the nearest bound."""
    return Sum(named(column), as_bounds(bounds))


@checked_names
def mean(column: str, bounds: Range = None) -> Mean:
    """The mean of a column in each group; values outside the public bounds count as the nearest bound."""
    return Mean(named(column), as_bounds(bounds))


def named(column: object) -> str:
    """A column's name, or a refusal that says how to compute one first."""
    if isinstance(column, str) and column:
        return column
    raise BadQuery(
        "an aggregate names its columns one by one.",
        'Compute them first: table.derive(half=col("days") / 2), then mean("half").',
    )


def as_bounds(given: Any) -> Bounds | None:
    """Bounds as given, or None where the table's are meant."""
    return None if given is None else Bounds.of(given)


def range_of(column: str, given: Bounds | None, query: Question) -> Bounds:
    """The public range that a column is clamped to: the aggregate's own, or the table's."""
    found = given or query.bounds.get(column)
    if found is None:
        raise BadQuery("this aggregate has no bounds.", "Give them: mean(…, bounds=(0, 60)).")
    return found


def number_faults(column: str, given: Bounds | None, query: Question) -> Iterable[str]:
    """What keeps a column from being added up between public bounds, as sentences."""
    known = query.columns
    if column not in known:
        yield f"there is no column {column!r}. {did_you_mean(column, known)}"
        return
    if known[column] is ColumnKind.BOOLEAN:
        yield f'column {column!r} is a truth value: derive(x=col({column!r}).cast("integer")) counts it as 0 and 1.'
    elif not known[column].is_number:
        yield f"column {column!r} holds {known[column].value}s, which do not add up."
    if given is None and column not in query.bounds:
        yield f"column {column!r} has no public bounds: write bounds=(…, …), known without looking at the data."
