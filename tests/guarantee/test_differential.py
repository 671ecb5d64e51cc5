"""Promises about what an answer gives away: their parameters, their shares and what they say of guesses."""

import math
from fractions import Fraction

import pytest

from privet.errors import BadAmount
from privet.guarantee._differential import (
    ApproxDP,
    LocalDP,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
)
from privet.guarantee._pac_privacy import PacPrivacy
from privet.guarantee._privacy_units import Person, Row
from privet.guarantee._syntactic_promises import KAnonymity


@pytest.mark.parametrize("promise", [PureDP(1), ApproxDP(1, "1e-6"), ZeroConcentratedDP(1), RenyiDP(8, 1)])
def test_a_person_is_spoken_of_only_where_persons_are_the_unit(promise):
    assert "a given person is in" in promise.sentence_about(Person("id"))
    of_rows = promise.sentence_about(Row())
    assert "a given row is in" in of_rows
    assert "person" not in of_rows
    assert "a given person or row is in" in promise.sentence()
    both = (promise & KAnonymity(5)).sentence_about(Row())
    assert of_rows in both
    assert KAnonymity(5).sentence() in both


@pytest.mark.parametrize(
    "beyond",
    [
        lambda: PureDP(0),
        lambda: PureDP("1e-13"),
        lambda: PureDP(10**9 + 1),
        lambda: ApproxDP(1, 0),
        lambda: ApproxDP(1, 1),
        lambda: ApproxDP(1, "1e-31"),
        lambda: ApproxDP(0, "1e-6"),
        lambda: ZeroConcentratedDP(-1),
        lambda: RenyiDP(1, 1),
        lambda: RenyiDP("0.5", 1),
        lambda: RenyiDP(2, 0),
        lambda: LocalDP(0),
        lambda: PacPrivacy(0),
    ],
)
def test_parameters_outside_their_range_are_refused(beyond):
    with pytest.raises(BadAmount):
        beyond()


def test_parameters_at_their_edge_are_kept_exactly():
    assert PureDP("1e-12").epsilon == Fraction(1, 10**12)
    assert ApproxDP(1, "1e-30").delta == Fraction(1, 10**30)
    assert RenyiDP("1.0001", "0.1") == RenyiDP(Fraction(10001, 10000), Fraction(1, 10))


@pytest.mark.parametrize(
    ("promise", "half"),
    [
        (PureDP(1), PureDP("0.5")),
        (ApproxDP(1, "1e-6"), ApproxDP("0.5", "5e-7")),
        (ZeroConcentratedDP(1), ZeroConcentratedDP("0.5")),
        (RenyiDP(8, 1), RenyiDP(8, "0.5")),
        (LocalDP(1), LocalDP("0.5")),
        (PacPrivacy(1), PacPrivacy("0.5")),
    ],
)
def test_what_adds_up_has_shares_and_an_order_does_not_add_up(promise, half):
    assert promise / 2 == half  # exact: promises hold fractions


def test_the_factor_is_e_to_the_epsilon_rounded_up():
    assert "a factor of 2.72 (epsilon = 1)" in PureDP(1).sentence()
    assert "a factor of 2.72 (epsilon = 1)" in ApproxDP(1, "1e-6").sentence()
    assert "at most 1e-06 (delta)" in ApproxDP(1, "1e-6").sentence()
    assert "a factor of 2.72" in LocalDP(1).sentence()


def binary_gain(posterior):
    """The relative entropy of a coin of this bias to a fair one, in nats."""
    return math.log(2) + posterior * math.log(posterior) + (1 - posterior) * math.log(1 - posterior)


@pytest.mark.parametrize("posterior", [0.51, 0.6, 0.75, 0.9, 0.99])
def test_pac_privacy_bounds_a_guess_by_relative_entropy(posterior):
    assert PacPrivacy(binary_gain(posterior)).posterior() == pytest.approx(posterior, abs=1e-9)


def test_pac_privacy_lies_just_below_pinskers_bound():
    # Pinsker: a gain of I nats lifts a guess of one half by at most sqrt(I / 2), here 1 / 16.
    assert 0.5623 < PacPrivacy(Fraction(1, 128)).posterior() < 0.5625
    assert PacPrivacy(0.7).posterior() == 1.0  # exact: the most a chance can be
    assert PacPrivacy(0.69).posterior() < 1.0
    assert PacPrivacy("1e-12").posterior() == pytest.approx(0.5, abs=1e-6)
    assert "at most 56.2% of the time" in PacPrivacy(Fraction(1, 128)).sentence()


def test_pac_privacy_just_below_certainty_stays_a_number():
    assert PacPrivacy(math.nextafter(math.log(2), 0)).posterior() == pytest.approx(1)
