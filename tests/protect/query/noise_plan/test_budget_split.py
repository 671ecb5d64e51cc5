"""Splitting a budget: the closed forms are the least, shares are exact, and errors come out equal where wanted."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.protect.query.noise_plan._budget_split import Stake, apportion, importance, split
from privet.sealed import Sensitivity

SENSITIVITIES = [Sensitivity.per_coordinate(1, 1), Sensitivity.per_coordinate(5, 3), Sensitivity(4, 2, 6)]
WEIGHTS = [1.0, 0.5, 20.0]


def _loss(kind, shares):
    found = 0.0
    for weight, s, share in zip(WEIGHTS, SENSITIVITIES, map(float, shares), strict=True):
        if kind == "laplace":
            found += weight * 2 * (s.total / share) ** 2
        elif kind == "gaussian":
            found += weight * s.coordinates * s.largest**2 / (2 * share)
        else:
            found += weight * s.total**2 / share
    return found


@pytest.mark.parametrize("kind", ["laplace", "gaussian", "pure in rho"])
def test_no_other_split_is_better(kind):
    best = split(Fraction(1), kind, SENSITIVITIES, WEIGHTS)
    assert sum(best) == 1
    for step in (Fraction(1, 100), Fraction(1, 1000)):
        for giver in range(3):
            for taker in range(3):
                if giver != taker:
                    other = list(best)
                    other[giver] -= step
                    other[taker] += step
                    assert _loss(kind, other) > _loss(kind, best)


@given(
    st.fractions(Fraction(1, 1000), 50),
    st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=12),
)
def test_shares_are_on_the_grid_and_never_more_than_the_whole(total, proportions):
    shares = apportion(total, proportions)
    assert total - Fraction(1, 10**12) < sum(shares) <= total
    assert all((share * 10**12).denominator == 1 for share in shares)


def test_equal_parts_are_equal():
    assert apportion(Fraction(7, 10), [1.0] * 4) == (Fraction(7, 40),) * 4


@pytest.mark.parametrize("kind", ["laplace", "gaussian", "pure in rho"])
def test_errors_are_equal_in_proportion_to_their_targets(kind):
    stakes = [Stake({0: 1.0}, target=3.0), Stake({1: 0.5}, target=40.0), Stake({2: 7.0}, target=1.0)]
    weights = importance(stakes, SENSITIVITIES, kind)
    shares = split(Fraction(1), kind, SENSITIVITIES, weights)
    ratios = []
    for stake, s, share in zip(stakes, SENSITIVITIES, map(float, shares), strict=True):
        ((_, move),) = stake.moves.items()
        variance = {
            "laplace": 2 * (s.total / share) ** 2,
            "gaussian": s.coordinates * s.largest**2 / (2 * share),
            "pure in rho": s.total**2 / share,
        }[kind]
        ratios.append(move * variance**0.5 / stake.target)
    assert ratios == pytest.approx([ratios[0]] * 3, rel=1e-3)


def test_a_vector_that_no_answer_is_read_off_counts_as_the_others_do():
    weights = importance([Stake({0: 1.0}), Stake({1: 1.0})], SENSITIVITIES, "laplace")
    units = [weight * s.largest**2 for weight, s in zip(weights, SENSITIVITIES, strict=True)]
    assert units == pytest.approx([1.0, 1.0, 1.0])


def test_a_vector_that_two_answers_share_counts_once_as_the_heavier_says():
    stakes = [Stake({0: 1.0}), Stake({0: 2.0}, weight=3.0), Stake({2: 1.0})]
    weights = importance(stakes, SENSITIVITIES, "laplace")
    assert weights[0] * SENSITIVITIES[0].largest ** 2 == pytest.approx(3.0)
    assert weights[2] * SENSITIVITIES[2].largest ** 2 == pytest.approx(1.0)


def test_an_answer_of_two_vectors_weighs_on_each_as_one_of_a_single_vector_does():
    stakes = [Stake({0: 1.0}), Stake({1: 5.0, 2: 7.5})]
    weights = importance(stakes, SENSITIVITIES, "laplace")
    units = [weight * s.largest**2 for weight, s in zip(weights, SENSITIVITIES, strict=True)]
    assert units == pytest.approx([1.0, 1.0, 1.0])
