import math
from fractions import Fraction

import pytest

from privet.errors import BadAmount, UnsupportedEvent
from privet.guarantee._events import (
    DiscreteGaussian,
    DiscreteLaplace,
    Exponential,
    Gaussian,
    Laplace,
    NonPrivate,
    ThresholdedKeys,
)
from privet.guarantee._expected_error import half_width, spread


def test_laplace():
    noise = spread(Laplace(3))
    assert noise.standard_deviation == pytest.approx(3 * math.sqrt(2))
    assert noise.mean_absolute == pytest.approx(3)
    assert noise.half_width(0.95) == pytest.approx(3 * math.log(20))


def test_gaussian():
    noise = spread(Gaussian(3))
    assert noise.standard_deviation == pytest.approx(3)
    assert noise.mean_absolute == pytest.approx(3 * math.sqrt(2 / math.pi))
    assert noise.half_width(0.95) == pytest.approx(3 * 1.959963985)
    assert noise.half_width(1 - 1e-15) == pytest.approx(3 * 7.9, rel=0.02)


def masses(event):
    reach = range(-600, 601)
    if isinstance(event, DiscreteGaussian):
        weights = {z: math.exp(-((z / float(event.sigma)) ** 2) / 2) for z in reach}
    else:
        weights = {z: math.exp(-abs(z) / float(event.scale)) for z in reach}
    total = math.fsum(weights.values())
    return {z: weight / total for z, weight in weights.items()}


INTEGER_NOISE = [
    DiscreteLaplace(Fraction(1, 3)),
    DiscreteLaplace(1),
    DiscreteLaplace(7),
    ThresholdedKeys(7, 20),
    DiscreteGaussian(Fraction(1, 3)),
    DiscreteGaussian(1),
    DiscreteGaussian(7),
    DiscreteGaussian(40),
]


@pytest.mark.parametrize("event", INTEGER_NOISE, ids=lambda event: event.canonical())
def test_integer_noise_against_its_mass_function(event):
    mass, noise = masses(event), spread(event)
    assert noise.standard_deviation**2 == pytest.approx(math.fsum(p * z * z for z, p in mass.items()))
    assert noise.mean_absolute == pytest.approx(math.fsum(p * abs(z) for z, p in mass.items()))
    for confidence in (0.05, 0.5, 0.9, 0.95, 0.999, 1 - 1e-9):
        width = noise.half_width(confidence)
        assert width == int(width)
        inside = math.fsum(p for z, p in mass.items() if abs(z) <= width)
        fewer = math.fsum(p for z, p in mass.items() if abs(z) <= width - 1)
        assert inside >= confidence - 1e-11
        assert fewer < confidence


def test_a_confidence_met_exactly_is_met():
    # P[|Z| > 4] = 2 a^5 / (1 + a) for a = exp(-1/2).
    a = math.exp(-0.5)
    assert spread(DiscreteLaplace(2)).half_width(1 - 2 * a**5 / (1 + a)) == pytest.approx(4)


def test_large_discrete_gaussians_are_bounded_within_a_step():
    exact, bound = spread(DiscreteGaussian(2000)), spread(DiscreteGaussian(Fraction("2000.000001")))
    assert exact.standard_deviation <= bound.standard_deviation * (1 + 1e-9)
    assert bound.standard_deviation == pytest.approx(exact.standard_deviation, rel=1e-6)
    assert 0 <= bound.mean_absolute - exact.mean_absolute <= 1.001
    for confidence in (0.5, 0.95, 0.999):
        assert 0 <= bound.half_width(confidence) - exact.half_width(confidence) <= 1
    assert spread(DiscreteGaussian(10**9)).half_width(0.95) == pytest.approx(1.959963985e9, rel=1e-9)


@pytest.mark.parametrize("confidence", [0, 1, -1, 2, math.nan])
def test_bad_confidence(confidence):
    with pytest.raises(BadAmount):
        spread(Laplace(1)).half_width(confidence)


def test_selection_has_no_spread():
    with pytest.raises(UnsupportedEvent):
        spread(Exponential(1))


def test_an_event_without_noise_has_neither_spread_nor_width():
    for event in (NonPrivate(), Exponential(1)):
        with pytest.raises(UnsupportedEvent):
            half_width(event, 0.95)
        with pytest.raises(UnsupportedEvent):
            spread(event)
    assert half_width(Gaussian(3), 0.95) == pytest.approx(3 * 1.959963985)
