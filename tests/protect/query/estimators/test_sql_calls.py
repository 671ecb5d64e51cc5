"""Calls of aggregate functions as aggregates: what is asked, and what is refused."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

import privet as pv
from privet.errors import BadQuestion
from privet.protect.query.estimators import _sql_calls as calls
from privet.source import aggregates as asked


@dataclass
class Call:
    """A call of a function with these arguments."""

    columns: list[str] = field(default_factory=lambda: ["x"])
    numbers: dict[int, float] = field(default_factory=dict)
    person: bool = False
    downwards: bool = False
    filtered: bool = False
    distinct: bool = False
    star: bool = False

    def column(self, at: int = 0) -> tuple[str, pv.Bounds | None]:
        return self.columns[at], None

    def any_column(self, at: int = 0) -> str:
        return self.columns[at]

    def number(self, at: int) -> float:
        return self.numbers[at]

    def is_person(self, at: int = 0) -> bool:
        return self.person and at == 0

    def refuse(self, fact: str, hint: str = "") -> BadQuestion:
        return BadQuestion(fact, hint)

    def holding(self) -> str:
        return "held"

    @property
    def size(self) -> int:
        return len(self.columns)


def test_one_function_counts_four_things() -> None:
    assert calls.rows_or_persons(Call(star=True)) == pv.count()
    assert calls.rows_or_persons(Call()) == pv.count("x")
    assert calls.rows_or_persons(Call(star=True, filtered=True)) == pv.count("x"), (
        "rows that the filter keeps"
    )
    assert calls.rows_or_persons(Call(distinct=True, person=True)) == pv.persons()
    assert calls.rows_or_persons(Call(distinct=True)) == pv.distinct("x")


def test_a_quantile_counts_from_the_end_that_is_named() -> None:
    up = calls.one_quantile(Call(numbers={1: 0.25}))
    down = calls.one_quantile(Call(numbers={1: 0.75}, downwards=True))
    assert [float(one.share) for one in (up, down)] == pytest.approx([0.25, 0.25])
    assert {one.column for one in (up, down)} == {"x"}


def test_a_regression_names_its_target_first() -> None:
    assert calls.least_squares(Call(columns=["y", "a", "b"])) == pv.regression("y", ["a", "b"])


@pytest.mark.parametrize(
    ("reader", "call"),
    [
        (calls.of_column(asked.sum), Call(distinct=True)),
        (calls.rows_or_persons, Call(distinct=True, person=True, filtered=True)),
        (calls.rows_or_persons, Call(distinct=True, filtered=True)),
        (calls.one_quantile, Call(numbers={1: 1.5})),
        (calls.even_histogram, Call(numbers={1: 2.5})),
        (calls.most_common_values, Call(numbers={1: 0})),
        (calls.least_squares, Call(columns=["y"])),
    ],
)
def test_what_has_no_bounded_answer_is_refused(reader, call) -> None:
    with pytest.raises(BadQuestion):
        reader(call)
