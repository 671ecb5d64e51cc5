"""Rules that only missing values would keep are refused while they cost nothing."""

import datetime

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.protect.synthesize.people import table

import privet as pv
from privet.engine import ColumnKind
from privet.errors import BadSynthesis, RuleUnmet
from privet.protect.synthesize import planned_twin
from privet.protect.synthesize._column_domain import ColumnDomain, number_domain
from privet.protect.synthesize._row_rules import SIGNS, RowRule, keeping, rules_of
from privet.protect.synthesize._rule_satisfiability import opposite, refuse_unsatisfiable

KINDS = {
    "in": ColumnKind.DATE, "out": ColumnKind.DATE, "seen": ColumnKind.DATE, "age": ColumnKind.INTEGER,
    "weight": ColumnKind.REAL, "ward": ColumnKind.TEXT, "alive": ColumnKind.BOOLEAN,
}  # fmt: skip
KNOWN = {
    "age": number_domain("age", ColumnKind.INTEGER, 0, 120, bins=None, origin="stated"),
    "ward": ColumnDomain("ward", "category", ColumnKind.TEXT, values=("A", "B")),
}
VALUES = st.integers(-3, 3)
RULES = st.lists(
    st.builds(RowRule, st.just("age"), st.sampled_from(list(SIGNS)), st.none(), VALUES), max_size=4
)
PAIRS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from(list(SIGNS)), st.sampled_from("abc")).filter(lambda one: one[0] != one[2]),
    max_size=4,
)  # fmt: skip


@pytest.mark.parametrize(
    "wrong",
    [
        ["age < 10", "age > 20"],
        ["age > 3", "age < 4"],
        ["age == 3", "age != 3"],
        ["weight < 1", "weight >= 1"],
        ["alive < false"],
        ["alive == true", "alive == false"],
        ["in > 2026-01-02", "in <= 2026-01-02"],
        ["ward == A", "ward == B"],
        ["in < out", "out < in"],
        ["in <= out", "out <= seen", "seen < in"],
        ["in == out", "in != out"],
        ["age > 120"],
        ["age == 500"],
        ["ward == C"],
    ],
)
def test_what_no_value_keeps_is_refused(wrong: list[str]) -> None:
    with pytest.raises(BadSynthesis, match="only rows with missing values"):
        refuse_unsatisfiable(rules_of(wrong, KINDS), KNOWN)


@pytest.mark.parametrize(
    "right",
    [
        [],
        ["age > 3", "age < 5"],
        ["weight > 3", "weight < 4"],
        ["age >= 3", "age <= 3"],
        ["in <= out", "out <= in"],
        ["in < out", "in < seen", "out != seen"],
        ["ward != A"],
        ["age <= 120", "age != 4"],
        ["alive < true"],
    ],
)
def test_what_some_value_keeps_passes(right: list[str]) -> None:
    refuse_unsatisfiable(rules_of(right, KINDS), KNOWN)


@given(RULES)
def test_values_are_judged_as_trying_them_all_does(rules: list[RowRule]) -> None:
    some = any(all(SIGNS[one.sign](at, one.value) for one in rules) for at in range(-5, 6))
    assert _passes(rules) == some


@given(PAIRS)
def test_columns_are_judged_as_trying_all_orders_does(pairs: list[tuple[str, str, str]]) -> None:
    numbers = [dict(zip("abc", (x, y, z), strict=True)) for x in range(3) for y in range(3) for z in range(3)]
    some = any(all(SIGNS[sign](row[left], row[right]) for left, sign, right in pairs) for row in numbers)
    assert _passes([RowRule(*one) for one in pairs]) == some


@given(st.sampled_from(list(SIGNS)), VALUES, VALUES)
def test_a_rule_or_its_opposite_holds(sign: str, left: int, right: int) -> None:
    other = opposite(RowRule("age", sign, None, right))
    assert SIGNS[sign](left, right) != SIGNS[other.sign](left, other.value)


@pytest.mark.parametrize(
    "wrong", ["age < 99999999999999999999", "weight < nan", "weight > inf", "weight < 1e400", "age != age"]
)
def test_values_that_no_column_holds_are_no_rules(wrong: str) -> None:
    with pytest.raises(BadSynthesis):
        rules_of([wrong], KINDS)


@pytest.mark.parametrize(
    "wrong", [["age > 900", "age < 800"], ["age > 99999999999999999999"], ["age == age"]]
)
def test_a_twin_with_such_rules_books_nothing(wrong: list[str], ledger) -> None:
    before = ledger.balance().spent
    with pytest.raises(BadSynthesis):
        pv.synthesize(
            table(), pv.ApproxDP(1, 1e-6), rows=10, ledger=ledger, why="a twin", method="mst", rules=wrong
        )
    assert ledger.balance().spent == before
    with pytest.raises(BadSynthesis):
        planned_twin(table(), pv.ApproxDP(1, 1e-6), accounting="basic", rules=wrong)


def test_a_rule_that_empties_a_column_is_told_and_not_kept_by_missing_values() -> None:
    rows = pa.table({"in": [datetime.date(2026, 1, 1), None] * 1_200, "age": list(range(1_200)) * 2})
    with pytest.raises(RuleUnmet, match="only rows with missing values keep it"):
        keeping(rules_of(["in > 2030-01-01"], KINDS), 100, iter([rows] * 3))
    assert keeping(rules_of(["in < 2030-01-01", "age < 3"], KINDS), 4, iter([rows] * 3)).num_rows == 4


def _passes(rules: list[RowRule]) -> bool:
    try:
        refuse_unsatisfiable(rules, {})
    except BadSynthesis:
        return False
    return True
