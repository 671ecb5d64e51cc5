"""How much noise steps need: the exact formula, checked as a whole by the accountant that books it."""

import math
from fractions import Fraction

import pytest
from scipy.stats import norm

import privet as pv
from privet.guarantee import Change, Gaussian, PoissonSampled, Repeated, epsilon_for
from privet.protect.train.tabular._noise_multiplier import analytic_sigma, noise_for, run_of


def delta_of(sigma, epsilon):
    """Balle and Wang (ICML 2018), Theorem 8, for sensitivity 1."""
    return norm.cdf(1 / (2 * sigma) - epsilon * sigma) - math.exp(epsilon) * norm.cdf(
        -1 / (2 * sigma) - epsilon * sigma
    )


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-6), (1, 1e-5), (8, 1e-9)])
def test_the_formula_is_met_to_the_last_digits(epsilon, delta):
    assert delta_of(analytic_sigma(epsilon, delta), epsilon) == pytest.approx(delta, rel=1e-6)


def test_the_published_value():
    """The analytic Gaussian mechanism at epsilon 1 and delta 1e-5 has sigma 3.7304 (Balle and Wang's own code)."""
    assert analytic_sigma(1, 1e-5) == pytest.approx(3.7304, abs=1e-3)


@pytest.mark.parametrize("steps", [1, 40])
def test_without_sampling_noise_grows_with_the_root_of_steps(steps):
    promise = pv.ApproxDP(1, "1e-5")
    sigma = noise_for(Fraction(1), steps, promise, Change.ADD_OR_REMOVE)
    assert float(sigma) == pytest.approx(3.7304 * math.sqrt(steps), rel=1e-3)
    assert epsilon_for(run_of(Fraction(1), steps, sigma), promise.delta, accountant="pld").epsilon <= 1


def test_sampled_steps_are_booked_as_such_and_need_less_noise():
    promise = pv.ApproxDP(1, "1e-5")
    assert run_of(Fraction(1), 3, Fraction(2)) == Repeated(Gaussian(Fraction(2), 1), 3)
    assert run_of(Fraction(1, 4), 3, Fraction(2)) == Repeated(
        PoissonSampled(Fraction(1, 4), Gaussian(Fraction(2), 1)), 3
    )
    sampled = noise_for(Fraction(1, 4), 40, promise, Change.ADD_OR_REMOVE)
    assert sampled < noise_for(Fraction(1), 40, promise, Change.ADD_OR_REMOVE) / 2
    assert epsilon_for(run_of(Fraction(1, 4), 40, sampled), promise.delta, accountant="pld").epsilon <= 1
