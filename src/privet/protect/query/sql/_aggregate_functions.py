"""The aggregate functions of SQL and the aggregates they ask for: one table, to which new ones are added.

`FUNCTIONS` is keyed by the parser's name of the function (`Sum`, `StddevPop`, …), or by its own in capitals where
the parser does not know it. A reader gets the `Arguments` of the call and gives an aggregate.
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


Reader = Callable[[Arguments], Aggregate]


def _count(call: Arguments) -> Aggregate:
    if call.star:
        return asked.count(call.any_column()) if call.filtered else asked.count()
    if not call.distinct:
        return asked.count(call.any_column())
    if not call.is_person():
        return _distinct(call)
    if call.filtered:
        raise call.refuse(
            "persons cannot be counted under a FILTER.",
            "Put the condition into WHERE, or count persons in a sub-query: "
            "SELECT COUNT(*) FROM (SELECT id, MAX(CASE WHEN … THEN 1 ELSE 0 END) AS had FROM t GROUP BY id) WHERE had = 1.",
        )
    return asked.persons()


def _distinct(call: Arguments) -> Aggregate:
    if call.filtered:
        raise call.refuse("DISTINCT under a FILTER is not covered.", "Put the condition into WHERE.")
    return binned.distinct(call.any_column())


def _of_column(builder: Callable[[str, Bounds | None], Aggregate]) -> Reader:
    def read(call: Arguments) -> Aggregate:
        if call.distinct:
            raise call.refuse("numbers of DISTINCT values have no bound on what one person changes.")
        column, bounds = call.column()
        return builder(column, bounds)

    return read


def _of_two(builder: Callable[[str, str, dict[str, Bounds]], Aggregate]) -> Reader:
    def read(call: Arguments) -> Aggregate:
        (x, of_x), (y, of_y) = call.column(0), call.column(1)
        stated = {name: bounds for name, bounds in ((x, of_x), (y, of_y)) if bounds is not None}
        return builder(x, y, stated)

    return read


def _quantile(call: Arguments) -> Aggregate:
    column, bounds = call.column()
    share = call.number(1)
    if not 0 <= share <= 1:
        raise call.refuse("a quantile is a share between 0 and 1.")
    return binned.quantile(column, 1 - share if call.downwards else share, bounds)


def _histogram(call: Arguments) -> Aggregate:
    column, bounds = call.column()
    return binned.histogram(column, bounds=bounds, bins=_whole(call, 1))


def _most_common(call: Arguments) -> Aggregate:
    return binned.most_common(call.any_column(), _whole(call, 1))


def _regression(call: Arguments) -> Aggregate:
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


FUNCTIONS: dict[str, Reader] = {
    "Count": _count,
    "CountIf": lambda call: asked.count(call.holding()),
    "Sum": _of_column(asked.sum),
    "Avg": _of_column(asked.mean),
    "Variance": _of_column(moments.variance),
    "VariancePop": _of_column(lambda column, bounds: moments.variance(column, bounds, sample=False)),
    "Stddev": _of_column(moments.deviation),
    "StddevSamp": _of_column(moments.deviation),
    "StddevPop": _of_column(lambda column, bounds: moments.deviation(column, bounds, sample=False)),
    "CovarSamp": _of_two(moments.covariance),
    "CovarPop": _of_two(lambda x, y, bounds: moments.covariance(x, y, bounds, sample=False)),
    "Corr": _of_two(moments.correlation),
    "REGRESSION": _regression,
    "Median": _of_column(binned.median),
    "Quantile": _quantile,
    "PercentileCont": _quantile,
    "PercentileDisc": _quantile,
    "ApproxQuantile": _quantile,
    "ApproxDistinct": _distinct,
    "HISTOGRAM": _histogram,
    "MOST_COMMON": _most_common,
}

# What cannot be private as it stands, and what to ask instead.
INSTEAD = {
    "Mode": "Ask for MOST_COMMON(ward, 5).",
    "Max": "One person decides the largest value. Ask for a high quantile.",
    "Min": "One person decides the smallest value. Ask for a low quantile.",
    "First": "It would show one person's value.",
    "Last": "It would show one person's value.",
    "AnyValue": "It would show one person's value.",
    "ArrayAgg": "It would list people's values.",
    "GroupConcat": "It would list people's values.",
    "ArgMax": "It would show one person's value.",
    "ArgMin": "It would show one person's value.",
}
