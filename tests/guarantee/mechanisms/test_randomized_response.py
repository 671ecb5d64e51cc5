"""Randomised response: the odds of the truth, its curves and what can be learnt from many answers."""

import math
from fractions import Fraction

import pytest

from privet.errors import BadAmount
from privet.guarantee._loss_grid import TooLargeForGrid
from privet.guarantee._renyi_curves import orders
from privet.guarantee.mechanisms._randomized_response import RandomizedResponse
from privet.sealed import Sensitivity

GRID = 1e-3


@pytest.mark.parametrize(("p", "buckets"), [("0.5", 2), ("0.25", 2), ("0.5", 4), ("0.9", 10)])
def test_epsilon_is_the_logarithm_of_the_odds_rounded_up(p, buckets):
    truth = 1 - Fraction(p) + Fraction(p) / buckets
    other = Fraction(p) / buckets
    exact = math.log(truth / other)
    cost = RandomizedResponse(p, buckets).basic_cost()
    assert exact <= cost.epsilon <= exact + 1e-11
    assert cost.delta == 0


def test_an_answer_that_is_always_random_costs_nothing():
    event = RandomizedResponse(1)
    assert event.basic_cost().epsilon == 0
    priced = event.loss_distribution(GRID)
    assert priced.distribution.get_delta_for_epsilon(0.0) == 0
    assert priced.mean == pytest.approx(0.0)
    assert "nothing can be learnt" in event.expectation()


@pytest.mark.parametrize(("p", "buckets"), [("0.5", 2), ("0.5", 4)])
def test_its_distribution_is_that_of_two_answers(p, buckets):
    truth, other = 1 - float(p) + float(p) / buckets, float(p) / buckets
    event = RandomizedResponse(p, buckets)
    priced = event.loss_distribution(GRID)
    for epsilon in (0.0, 0.5, 1.0):
        exact = max(0.0, truth - math.exp(epsilon) * other)
        assert exact - 1e-9 <= priced.distribution.get_delta_for_epsilon(epsilon) <= exact + 2 * GRID
    loss = math.log(truth / other)
    assert priced.mean == pytest.approx(loss * (math.tanh(loss / 2) + GRID) + GRID)


def test_its_curve_is_that_of_two_answers_where_digits_allow():
    curve, delta = RandomizedResponse("0.5", 4).renyi_curve()
    truth, other = 0.625, 0.125
    at = list(orders()).index(2)
    exact = math.log(truth**2 / other + other**2 / truth + 2 * other)
    assert curve[at] == pytest.approx(exact, rel=1e-6)
    assert delta == 0
    hardly, _ = RandomizedResponse(
        "0.999"
    ).renyi_curve()  # epsilon 0.002: beyond the digits of the closed form
    epsilon = math.log(1 + 2 * 0.001 / 0.999)
    assert hardly[at] == pytest.approx(2 * epsilon**2 / 2, rel=1e-6)


def test_what_to_expect_of_answers():
    said = RandomizedResponse("0.5", 4).expectation()
    error = math.sqrt(0.125 * 0.875) / 0.5
    assert "with probability 0.625" in said
    assert f"about {error:.6g}/√n" in said


def test_one_answer_of_each_person_is_covered():
    event = RandomizedResponse("0.5")
    assert event.covers(Sensitivity(1, 9, 9))
    assert not event.covers(Sensitivity(2, 1, 2))
    assert event.noise_scale(Sensitivity(1, 1, 1)) is None
    assert not event.hides_presence


@pytest.mark.parametrize(
    "wrong",
    [lambda: RandomizedResponse(0), lambda: RandomizedResponse("1.1"), lambda: RandomizedResponse("0.5", 1)],
)
def test_parameters_outside_their_range_are_refused(wrong):
    with pytest.raises(BadAmount):
        wrong()
    assert RandomizedResponse("0.5") == RandomizedResponse("0.5", 2)


def test_losses_beyond_the_grid_are_refused():
    with pytest.raises(TooLargeForGrid):
        RandomizedResponse("1e-300").loss_distribution(1e-4)


def test_the_chance_of_a_random_answer_is_rounded_down(monkeypatch):
    from dp_accounting.pld import privacy_loss_distribution as library

    told = []
    monkeypatch.setattr(library, "from_randomized_response", lambda p, *_, **__: told.append(p))
    for p in (Fraction(1, 3), Fraction(2, 3), Fraction(1, 7)):
        RandomizedResponse(p).loss_distribution(GRID)
        assert Fraction(told[-1]) <= p


def test_what_equals_its_default_is_left_out_of_a_record():
    assert RandomizedResponse("0.5", 2).to_json().keys() == {"kind", "p"}


def test_a_loss_beyond_the_digits_keeps_no_delta():
    curve, delta = RandomizedResponse(Fraction(1, 10**300)).renyi_curve()
    assert delta == 0
    assert max(curve) <= math.log(2) + 300 * math.log(10) + 1e-6
