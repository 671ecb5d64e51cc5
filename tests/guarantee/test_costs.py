"""Costs: logarithms and amplified losses are rounded up, and by hardly anything."""

import math
from fractions import Fraction

import pytest

from privet.errors import BadAmount
from privet.guarantee._composition import delta_for
from privet.guarantee._costs import BasicCost, chance_of_any, log_up
from privet.guarantee._events import Laplace
from privet.guarantee._promise_registry import RenyiDP
from privet.guarantee.exact_amounts import DELTA_UNIT


@pytest.mark.parametrize(
    "ratio", [Fraction(1001, 1000), Fraction(3, 2), Fraction(2), Fraction(5), Fraction(10**30, 3)]
)
def test_a_logarithm_is_rounded_up_by_hardly_anything(ratio) -> None:
    exact = math.log(ratio.numerator) - math.log(ratio.denominator)
    assert exact * (1 - 1e-13) <= float(log_up(ratio)) <= exact * (1 + 1e-8) + 1e-11


def test_the_logarithm_of_one_is_nothing() -> None:
    assert log_up(Fraction(1)) == 0


def test_a_sample_of_everybody_and_a_loss_beyond_numbers_are_not_amplified() -> None:
    for cost, q in (
        (BasicCost(Fraction(1), Fraction(1, 10)), Fraction(1)),
        (BasicCost(Fraction(800)), Fraction(1, 2)),
    ):
        assert cost.sampled(q) == cost
    amplified = BasicCost(Fraction(1), Fraction(1, 10)).sampled(Fraction(1, 10))
    assert float(amplified.epsilon) == pytest.approx(math.log1p(0.1 * math.expm1(1)), rel=1e-8)
    assert amplified.delta == Fraction(1, 100)


def test_a_loss_that_is_just_allowed_leaves_no_delta() -> None:
    assert delta_for(Laplace(2), Fraction(1, 2), accountant="pure") == pytest.approx(0, abs=1e-15)


def test_a_renyi_order_lies_above_one() -> None:
    with pytest.raises(BadAmount, match="order"):
        RenyiDP(1, "0.5")


def test_losses_up_to_five_hundred_are_amplified() -> None:
    for epsilon, amplified in ((500, True), (501, False)):
        assert (BasicCost(Fraction(epsilon)).sampled(Fraction(1, 2)).epsilon < epsilon) is amplified


def test_the_logarithm_of_a_number_just_above_one_keeps_its_digits() -> None:
    # log(1 + 1e-6) = 999,999.5 budget units; the difference of two logarithms of such long numbers would lose half of one.
    assert log_up(1 + Fraction(10**294 + 1, 10**300)) == Fraction(10**6, 10**12)


def test_the_chance_of_any_is_that_of_not_none_rounded_up() -> None:
    for count in (1, 3, 40):
        exact = 1 - (1 - Fraction(1, 4)) ** count
        found = chance_of_any(count, math.log(0.25))
        assert exact <= found <= exact * (1 + Fraction(1, 10**11))


def test_a_chance_is_never_none_and_at_most_certain() -> None:
    assert chance_of_any(1, -1e9) == DELTA_UNIT
    assert chance_of_any(10**9, math.log(0.5)) == 1
