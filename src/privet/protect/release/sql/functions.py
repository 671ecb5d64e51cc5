"""The aggregate functions of SQL and the aggregates they ask for: one table, to which new ones are added.

`FUNCTIONS` is keyed by the parser's name of the function (`Sum`, `StddevPop`, …), or by its own in capitals where
the parser does not know it. A reader gets the `Arguments` of the call and gives an aggregate.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from privet.errors import BadQuestion
from privet.source import aggregates as asked
from privet.source.aggregates import Aggregate
from privet.source.bounds import Bounds


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
    builder: Any = getattr(asked, "distinct", None)
    if builder is None:
        raise call.refuse("COUNT(DISTINCT …) counts persons only: name the unit's column.")
    found: Aggregate = builder(call.any_column())
    return found


def _of_column(builder: Callable[..., Aggregate]) -> Reader:
    def read(call: Arguments) -> Aggregate:
        if call.distinct:
            raise call.refuse("sums and means of DISTINCT values have no bound on what one person changes.")
        column, bounds = call.column()
        return builder(column, bounds)

    return read


FUNCTIONS: dict[str, Reader] = {
    "Count": _count,
    "Sum": _of_column(asked.sum),
    "Avg": _of_column(asked.mean),
}

# What cannot be private as it stands, and what to ask instead.
INSTEAD = {
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
