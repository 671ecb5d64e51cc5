"""Choosing a candidate by its score: prices, tails and scales."""

import math
from fractions import Fraction

import pytest

from privet.errors import BadAmount
from privet.guarantee._costs import BasicCost, ConcentratedCost
from privet.guarantee._renyi_curves import orders
from privet.guarantee.mechanisms._selection import Exponential, PermuteAndFlip
from privet.sealed import Sensitivity

BOTH = pytest.mark.parametrize("mechanism", [Exponential, PermuteAndFlip])


@BOTH
def test_epsilon_is_as_stated_whatever_a_unit_moves(mechanism):
    event = mechanism("0.3")
    assert event.basic_cost() == BasicCost(Fraction(3, 10), Fraction(0))
    for largest in (1, 50):
        moved = Sensitivity(2, largest, 2 * largest)
        assert event.covers(moved)
        assert event.noise_scale(moved) == Fraction(20 * largest, 3)


@BOTH
@pytest.mark.parametrize("epsilon", [0, -1, "1e-13"])
def test_epsilon_is_positive_and_can_be_booked(mechanism, epsilon):
    with pytest.raises(BadAmount):
        mechanism(epsilon)


def test_bounded_range_makes_the_exponential_mechanism_four_times_cheaper():
    # Cesar and Rogers 2021: epsilon² / 8; any pure mechanism has epsilon² / 2.
    assert Exponential("0.4").concentrated_cost() == ConcentratedCost(Fraction(2, 100))
    assert PermuteAndFlip("0.4").concentrated_cost() is None
    assert PermuteAndFlip("0.4").renyi_curve() is None


def test_its_curve_is_the_lower_of_two_bounds():
    at = list(orders()).index
    curve, delta = Exponential(1).renyi_curve()
    assert delta == 0
    assert curve[at(2)] == pytest.approx(2 / 8)
    # At large orders order / 8 exceeds epsilon, which no pure mechanism does.
    assert curve[at(63)] <= 1 + 1e-9
    assert curve[at(63)] > 0.9


@BOTH
def test_the_tail_of_the_chosen_score(mechanism):
    # McSherry and Talwar 2007: short by more than 2 (ln candidates + ln 20) / epsilon with probability 1 / 20.
    said = mechanism("0.5").expectation()
    assert f"by at most {4 * math.log(20):.6g} + 4·ln(candidates)" in said


def test_stages_name_the_mechanism():
    assert "by the exponential mechanism of epsilon 0.5, by: errors" in Exponential("0.5").stage("errors")
    assert "by permute-and-flip of epsilon 0.5, by: errors" in PermuteAndFlip("0.5").stage("errors")
    with pytest.raises(Exception, match="adds no noise"):
        Exponential(1).spread()
