"""How calls of SQL's aggregate functions are read as aggregates: what the declarations of estimators are made of.

A reader gets the `Arguments` of a call and gives an aggregate. Those that several functions share are made here
(`of_column`, `of_two`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from privet.errors import BadQuestion
from privet.source import Aggregate, Bounds
from privet.source import aggregates as asked
from privet.source import distribution_aggregates as binned
from privet.source import moment_aggregates as moments


class Arguments(Protocol):
    """What a call of an aggregate function gives to read: its columns, constants, and whether it counts persons."""

    def column(self, at: int = 0) -> tuple[str, Bounds | None]:
        """The column of an argument (computed first if need be), and its range if the question states one."""

    def any_column(self, at: int = 0) -> str:
        """The column of an argument that needs no range."""

    def number(self, at: int) -> float:
        """An argument that is a constant."""

    def is_person(self, at: int = 0) -> bool:
        """Whether an argument is the person column itself."""

    def refuse(self, fact: str, hint: str = "") -> BadQuestion:
        """A refusal at this call."""

    def holding(self) -> str:
        """A column that has a value where the argument, a condition, holds."""

    @property
    def size(self) -> int:
        """How many arguments there are."""

    @property
    def downwards(self) -> bool:
        """Whether WITHIN GROUP orders downwards."""

    @property
    def filtered(self) -> bool:
        """Whether the call has a FILTER."""

    @property
    def distinct(self) -> bool:
        """Whether the call is of DISTINCT values."""

    @property
    def star(self) -> bool:
        """Whether the call is of *."""


CallReader = Callable[[Arguments], Aggregate]


def rows_or_persons(call: Arguments) -> Aggregate:
    """COUNT: rows, rows with a value, persons, or distinct values."""
    if call.star:
        return asked.count(call.any_column()) if call.filtered else asked.count()
    if not call.distinct:
        return asked.count(call.any_column())
    if not call.is_person():
        return distinct_values(call)
    if call.filtered:
        raise call.refuse(
            "persons cannot be counted under a FILTER.",
            "Put the condition into WHERE, or count persons in a sub-query: "
            "SELECT COUNT(*) FROM (SELECT id, MAX(CASE WHEN … THEN 1 ELSE 0 END) AS had FROM t GROUP BY id) WHERE had = 1.",
        )
    return asked.persons()


def distinct_values(call: Arguments) -> Aggregate:
    """COUNT(DISTINCT x)."""
    if call.filtered:
        raise call.refuse("DISTINCT under a FILTER is not covered.", "Put the condition into WHERE.")
    return binned.distinct(call.any_column())


def of_column(builder: Callable[[str, Bounds | None], Aggregate]) -> CallReader:
    """The reader of a function of one column between bounds."""

    def read(call: Arguments) -> Aggregate:
        if call.distinct:
            raise call.refuse("numbers of DISTINCT values have no bound on what one person changes.")
        column, bounds = call.column()
        return builder(column, bounds)

    return read


def of_two(builder: Callable[[str, str, dict[str, Bounds]], Aggregate]) -> CallReader:
    """The reader of a function of two columns between bounds."""

    def read(call: Arguments) -> Aggregate:
        (x, of_x), (y, of_y) = call.column(0), call.column(1)
        stated = {name: bounds for name, bounds in ((x, of_x), (y, of_y)) if bounds is not None}
        return builder(x, y, stated)

    return read


def one_quantile(call: Arguments) -> Aggregate:
    """QUANTILE_CONT(x, share), or WITHIN GROUP."""
    column, bounds = call.column()
    share = call.number(1)
    if not 0 <= share <= 1:
        raise call.refuse("a quantile is a share between 0 and 1.")
    return binned.quantile(column, 1 - share if call.downwards else share, bounds)


def even_histogram(call: Arguments) -> Aggregate:
    """HISTOGRAM(x, bins)."""
    column, bounds = call.column()
    return binned.histogram(column, bounds=bounds, bins=_whole(call, 1))


def most_common_values(call: Arguments) -> Aggregate:
    """MOST_COMMON(x, how many)."""
    return binned.most_common(call.any_column(), _whole(call, 1))


def least_squares(call: Arguments) -> Aggregate:
    """REGRESSION(target, x, …): the target first."""
    found = [call.column(at) for at in range(call.size)]
    if len(found) < 2:
        raise call.refuse(
            "a regression has a target and at least one column.", "Write REGRESSION(cost, days)."
        )
    (target, _), *others = found
    stated = {name: bounds for name, bounds in found if bounds is not None}
    return moments.regression(target, [name for name, _ in others], stated)


def _whole(call: Arguments, at: int) -> int:
    number = call.number(at)
    if number != int(number) or number < 1:
        raise call.refuse("a whole number is needed here.")
    return int(number)
