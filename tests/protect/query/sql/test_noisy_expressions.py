"""Expressions over released numbers: values, intervals and the noise that they share."""

import datetime
from types import SimpleNamespace

import pytest
from tests.protect.query.sql.registers import registers

import privet as pv
from privet.artifact import Answer, NoiseTerm
from privet.engine import expressions as tree
from privet.errors import BadQuery
from privet.guarantee import DiscreteLaplace
from privet.protect.query.sql._noisy_expressions import (
    EXACT,
    RATIO,
    SINGLE,
    SUM,
    ReleasedRow,
    check_plain,
    combined,
    form_of,
    truth,
    value_of,
)


def test_computed_columns_can_be_computed_with(ledger):
    sql = "SELECT ward, COUNT(*) - COUNT(*) FILTER (WHERE cost > 5) AS rest FROM visits GROUP BY ward ORDER BY ward"
    answer = pv.release(sql, pv.PureDP(2), tables=registers(), ledger=ledger, why="test")
    total = answer.total("rest")
    assert total.value == pytest.approx(sum(answer["rest"]))
    assert total.half_width() > answer.answers[0].high[0] - answer.answers[0].values[0]


N, S, M = (tree.Column(name) for name in "nsm")


def of(op, left, right):
    return tree.Arithmetic(op, left, right)


def number(value):
    return tree.Literal(value)


def row(n=100, s=250.0, m=7.0):
    """A count and a sum with noise of their own, and a median without; half-widths of 6 and 1."""
    event = DiscreteLaplace(2)
    width = 6
    answers = (
        Answer("n", "", (n,), (n - width,), (n + width,), (NoiseTerm("rows", event),)),
        Answer("s", "", (s,), (s - width,), (s + width,), (NoiseTerm("sums", event),)),
        Answer("m", "", (m,), (m - 1 if m is not None else None,), (m + 2 if m is not None else None,)),
    )
    return ReleasedRow(0, SimpleNamespace(keys={"ward": ("A",)}, answers=answers), 0)


@pytest.mark.parametrize(
    ("expression", "form"),
    [
        (number(3), EXACT),
        (N, SUM),
        (M, SINGLE),
        (of("+", N, S), SUM),
        (of("-", N, number(3)), SUM),
        (of("*", number(2), N), SUM),
        (of("/", S, N), RATIO),
        (of("/", number(1), N), RATIO),
        (of("/", N, number(4)), SUM),
        (of("*", of("/", S, N), number(100)), RATIO),
        (of("+", M, number(1)), SINGLE),
        (of("+", of("/", S, N), number(1)), RATIO),
    ],
)
def test_forms(expression, form):
    assert form_of(expression, ["n", "s"]) == form


@pytest.mark.parametrize(
    "expression",
    [
        of("*", N, S),
        of("+", N, M),
        of("-", of("/", S, N), N),
        of("/", M, N),
        of("/", N, M),
        of("%", N, number(2)),
        of("/", N, number(0)),
        of("*", N, number(1e200)),
        tree.Abs(N),
        number(True),
        tree.Compare(">", N, S),
    ],
)
def test_what_has_no_sound_error_bar_is_refused(expression):
    with pytest.raises(BadQuery):
        form_of(expression, ["n", "s"])


def test_the_same_noise_cancels_and_other_noise_adds_up():
    def half(expression):
        value, low, high = combined(expression, row(), 0.95).span
        assert high - value == pytest.approx(value - low)
        return value, high - value

    alone = half(of("+", N, number(0)))
    assert alone[0] == pytest.approx(100)
    assert half(of("-", N, N)) == pytest.approx((0, 0))
    assert half(of("*", N, number(-3))) == pytest.approx((-300, 3 * alone[1]))
    value, both = half(of("-", S, N))
    assert value == pytest.approx(150)
    assert alone[1] < both < 2 * alone[1]


def test_a_ratio_holds_what_the_noise_explains_and_says_nothing_near_zero():
    value, low, high = combined(of("/", S, N), row(), 0.95).span
    assert value == pytest.approx(2.5)
    assert low < value < high
    assert high - value > value - low, "a smaller count moves it more"
    assert combined(of("/", S, N), row(n=3), 0.95).span == (None, None, None)


def test_a_single_answer_is_moved_with_its_interval():
    assert combined(of("+", M, number(10)), row(), 0.95).span == pytest.approx((17, 16, 19))
    assert combined(of("*", M, number(-2)), row(), 0.95).span == pytest.approx((-14, -18, -12))
    assert combined(of("*", M, number(2)), row(m=None), 0.95).span == (None, None, None)
    assert combined(of("*", of("*", N, number(1e140)), number(1e140)), row(), 0.95).span == (None, None, None)


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        (tree.Compare(">", N, number(99)), True),
        (tree.Compare(">", M, number(1)), None),
        (tree.And(tree.Compare(">", M, number(1)), tree.Compare("<", N, number(0))), False),
        (tree.Or(tree.Compare(">", M, number(1)), tree.Compare(">", N, number(0))), True),
        (tree.Or(tree.Compare(">", M, number(1)), tree.Compare("<", N, number(0))), None),
        (tree.Not(tree.Compare(">", M, number(1))), None),
        (tree.IsMissing(M), True),
        (tree.Between(N, number(100), number(100)), True),
        (tree.OneOf(tree.Column("ward"), ("A", "B")), True),
        (tree.OneOf(M, (1, 2)), None),
    ],
)
def test_conditions_have_three_values(expression, wanted):
    noisy = row(m=None)
    assert value_of(expression, noisy) is wanted
    assert truth(expression, noisy) is (wanted is True)
    check_plain(expression)


def test_days_and_moments_are_compared_as_moments():
    day, noon = datetime.date(2026, 1, 1), datetime.datetime(2026, 1, 1, 12)  # noqa: DTZ001  as columns hold them
    assert value_of(tree.Compare("<", number(day), number(noon)), row()) is True


def test_what_cannot_be_computed_from_noisy_values_is_refused_beforehand():
    with pytest.raises(BadQuery, match="lower cannot be applied"):
        check_plain(tree.Compare("=", tree.Lower(tree.Column("ward")), number("a")))
