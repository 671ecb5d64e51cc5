"""Two rounds: the exact second round loses nothing against one round at the smaller epsilon, and keeps both promises."""

import math
from fractions import Fraction

import pytest

from privet.errors import BadAmount
from privet.guarantee.oracles import largest_log_ratio, oracle_class
from privet.guarantee.oracles._chained_response import usual_once
from privet.guarantee.oracles._word_odds import exp_below

PAIRS = [("4", 2000), ("2", 1000), ("1/2", 100), ("12", 11000), ("16", 1)]


def test_the_published_golden_value() -> None:
    """Epsilon 4 for ever, 2 for one report, 100 values: variance 2.58/n, where the looser chaining has 16.2/n."""
    oracle = oracle_class("l-grr").made(Fraction(4), 100, {"once": 2000})
    assert abs(float(oracle.variance(1.0, 0.0)) - 2.58) < 0.005
    large = oracle_class("l-grr").made(Fraction(4), 1000, {"once": 2000})
    assert abs(float(large.variance(1.0, 0.0)) - 24.6) < 0.1


@pytest.mark.parametrize(("kind", "single"), [("l-grr", "grr"), ("l-sue", "sue"), ("loloha", "flh")])
@pytest.mark.parametrize(("epsilon", "once"), PAIRS)
def test_two_rounds_have_the_variance_of_one_at_the_smaller_epsilon(kind, single, epsilon, once) -> None:
    shape = {"range": 5, "pool": 64} if kind == "loloha" else {}
    two = oracle_class(kind).made(Fraction(epsilon), 40, {"once": once, **shape})
    one = oracle_class(single).made(Fraction(once, 1000), 40, shape)
    assert math.isclose(
        float(two.variance(1e4, 100.0, 50.0)), float(one.variance(1e4, 100.0, 50.0)), rel_tol=1e-6
    )


@pytest.mark.parametrize(
    ("kind", "size", "shape"), [("l-grr", 5, {}), ("l-sue", 4, {}), ("loloha", 3, {"range": 3, "pool": 8})]
)
@pytest.mark.parametrize(("epsilon", "once"), PAIRS)
def test_one_report_has_the_epsilon_stated_and_never_more(kind, size, shape, epsilon, once) -> None:
    matrix = oracle_class(kind).made(Fraction(epsilon), size, {"once": once, **shape}).report_matrix()
    assert all(sum(row) == 1 for row in matrix)
    worst = max(max(column) / min(column) for column in zip(*matrix, strict=True))
    assert worst <= exp_below(Fraction(once, 1000))
    assert abs(largest_log_ratio(matrix) - once / 1000) < 1e-9


@pytest.mark.parametrize("kind", ["l-grr", "l-sue", "loloha"])
def test_one_report_that_costs_as_much_as_all_is_refused(kind) -> None:
    with pytest.raises(BadAmount):
        oracle_class(kind).made(Fraction(2), 10, {"once": 2000})


def test_one_report_has_half_of_the_epsilon_unless_told_otherwise() -> None:
    assert oracle_class("l-grr").made(Fraction(4), 10, {}).once == 2000
    assert usual_once(Fraction(1, 4)) == 125
    assert usual_once(Fraction(1, 10**6)) == 1  # thousandths are whole
