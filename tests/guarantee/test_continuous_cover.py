"""The continuous bounds of integer noise, checked against the integers themselves."""

import math
from fractions import Fraction
from statistics import NormalDist

import pytest

from privet.guarantee._events import DiscreteGaussian, DiscreteLaplace
from privet.guarantee._loss_grid import Slack
from privet.guarantee.mechanisms._gaussian import continuous_slack
from privet.guarantee.mechanisms._laplace import covering_sensitivity


def divergence(upper, lower, epsilon):
    return math.fsum(max(0.0, p - math.exp(epsilon) * q) for p, q in zip(upper, lower, strict=True))


def discrete_laplace_divergence(scale, shift, epsilon):
    reach = range(-40 * math.ceil(scale) - shift, 40 * math.ceil(scale) + 2 * shift)
    a = math.exp(-1 / scale)
    mass = (1 - a) / (1 + a)
    return divergence(
        [mass * a ** abs(z) for z in reach], [mass * a ** abs(z - shift) for z in reach], epsilon
    )


@pytest.mark.parametrize(("scale", "shift"), [(Fraction(1, 2), 1), (1, 1), (3, 2), (3, 7), (10, 10)])
def test_laplace_noise_covers_discrete_laplace_noise_at_every_epsilon(scale, shift):
    event = DiscreteLaplace(scale, shift)
    covering = float(covering_sensitivity(event.scale, event.sensitivity) / event.scale)
    top = float(shift / event.scale)
    for step in range(-20, 21):
        epsilon = top * step / 20 + 0.013 * top
        exact = discrete_laplace_divergence(float(scale), shift, epsilon)
        bound = (
            max(0.0, -math.expm1((epsilon - covering) / 2)) if epsilon >= -covering else -math.expm1(epsilon)
        )
        assert exact <= bound + 1e-12
    # Without the surcharge it would not be covered: halfway between two losses the discrete one is larger.
    between = top - 1 / float(scale)
    assert discrete_laplace_divergence(float(scale), shift, between) > -math.expm1((between - top) / 2)


def gaussian_divergence(mu, epsilon):
    normal = NormalDist()
    return normal.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * normal.cdf(-mu / 2 - epsilon / mu)


@pytest.mark.parametrize(("sigma", "shift"), [(10, 1), (10, 10), (25, 40), (60, 20)])
def test_gaussian_noise_with_slack_covers_discrete_gaussian_noise(sigma, shift):
    slack = continuous_slack(DiscreteGaussian(sigma, shift))
    reach = range(-12 * sigma - shift, 12 * sigma + 2 * shift)
    weights = [math.exp(-((z / sigma) ** 2) / 2) for z in reach]
    shifted = [math.exp(-(((z - shift) / sigma) ** 2) / 2) for z in reach]
    total = math.fsum(weights)
    for step in range(-10, 31):
        epsilon = step / 10
        exact = divergence([w / total for w in weights], [w / total for w in shifted], epsilon)
        bound = slack.lost + math.exp(slack.swell) * gaussian_divergence(shift / sigma, epsilon - slack.drift)
        assert exact <= bound + 1e-13


def test_slack_vanishes_with_sigma_and_adds_up():
    assert continuous_slack(DiscreteGaussian(10**9, 10**8)).drift < 1e-16
    one = continuous_slack(DiscreteGaussian(100, 3))
    five = continuous_slack(DiscreteGaussian(100, 3, 5))
    assert five.drift == pytest.approx(5 * one.drift)
    assert (one + one) == one.times(2) == Slack(2 * one.drift, 2 * one.swell, 2 * one.lost)
