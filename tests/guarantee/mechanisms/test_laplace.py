"""Laplace noise, continuous and on integers: prices, error and cover, against sums over the integers."""

import math
from fractions import Fraction

import pytest

from privet.errors import BadAmount
from privet.guarantee._costs import BasicCost
from privet.guarantee._loss_grid import TooLargeForGrid
from privet.guarantee.mechanisms._laplace import (
    DiscreteLaplace,
    Laplace,
    covering_sensitivity,
    discrete_distribution,
    discrete_half_width,
    discrete_moments,
    epsilon_for_error,
    laplace_scale,
)
from privet.sealed import Sensitivity

GRID = 1e-3


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


# --- prices ---


def test_epsilon_is_sensitivity_over_scale():
    assert Laplace(4, 3).basic_cost() == BasicCost(Fraction(3, 4), Fraction(0))
    assert DiscreteLaplace("0.5", 3).basic_cost() == BasicCost(Fraction(6), Fraction(0))


@pytest.mark.parametrize("event", [Laplace(2), Laplace(4, 2)])
def test_continuous_noise_has_its_closed_form(event):
    priced = event.loss_distribution(GRID)
    for epsilon in (0.1, 0.3):
        exact = -math.expm1((epsilon - 0.5) / 2)
        assert exact - 1e-12 <= priced.distribution.get_delta_for_epsilon(epsilon) <= exact * 1.001
    assert priced.mean == pytest.approx(0.5 * (math.tanh(0.25) + GRID))


@pytest.mark.parametrize(("scale", "shift"), [(3, 1), (3, 4), (20, 7)])
def test_integer_noise_against_the_integers(scale, shift):
    priced = DiscreteLaplace(scale, shift).loss_distribution(GRID)
    top = shift / scale
    for epsilon in (0.0, 0.4 * top, 0.9 * top):
        exact = discrete_laplace_divergence(scale, shift, epsilon)
        assert exact - 1e-9 <= priced.distribution.get_delta_for_epsilon(epsilon) <= exact + 2 * GRID
    assert priced.mean == pytest.approx(top * (math.tanh(top / 2) + GRID))


@pytest.mark.parametrize("event", [Laplace(2), DiscreteLaplace(2)])
def test_a_sample_costs_less_and_its_mean_is_that_of_the_amplified_epsilon(event):
    sampled, plain = event.sampled_distribution(Fraction(1, 10), GRID), event.loss_distribution(GRID)
    assert sampled.distribution.get_delta_for_epsilon(0.01) < plain.distribution.get_delta_for_epsilon(0.01)
    amplified = math.log1p(0.1 * math.expm1(0.5))
    assert sampled.mean == pytest.approx(amplified * (math.tanh(amplified / 2) + GRID))


def test_beyond_two_thousand_steps_continuous_noise_takes_over():
    # The last that is walked over, and the first that is not: both have nearly the same loss.
    last = discrete_distribution(Fraction(2_000), 2_000, GRID).get_delta_for_epsilon(0.5)
    first = discrete_distribution(Fraction(2_001), 2_001, GRID).get_delta_for_epsilon(0.5)
    assert last == pytest.approx(first, rel=1e-3)
    assert first >= -math.expm1(-0.25)
    assert covering_sensitivity(Fraction(5), 3) == 3 + Fraction(1, 20)


def test_curves_stay_below_pure_epsilon_and_between_each_other():
    discrete, none = DiscreteLaplace(2).renyi_curve()
    continuous, _ = Laplace(2).renyi_curve()
    assert none == 0
    assert (discrete <= 0.5 * (1 + 1e-9)).all()
    # Integer noise is covered by continuous noise of a sensitivity higher by 1 / (4 scale).
    wider, _ = Laplace(2, Fraction(9, 8)).renyi_curve()
    assert (discrete <= wider * (1 + 1e-9)).all()
    assert (continuous <= wider).all()
    assert discrete[0] == pytest.approx(min(wider[0], DiscreteLaplace(2).basic_cost().epsilon), rel=0.5)


# --- error ---


def masses(scale):
    a = math.exp(-1 / scale)
    return {z: (1 - a) / (1 + a) * a ** abs(z) for z in range(-400, 401)}


@pytest.mark.parametrize("scale", [0.3, 1.0, 5.0])
def test_moments_and_widths_against_the_mass_function(scale):
    mass = masses(scale)
    deviation, absolute = discrete_moments(Fraction(scale))
    assert deviation**2 == pytest.approx(math.fsum(p * z * z for z, p in mass.items()))
    assert absolute == pytest.approx(math.fsum(p * abs(z) for z, p in mass.items()))
    for confidence in (0.05, 0.5, 0.9, 0.999):
        width = discrete_half_width(Fraction(scale), confidence)
        assert math.fsum(p for z, p in mass.items() if abs(z) <= width) >= confidence - 1e-9
        assert width == 0 or math.fsum(p for z, p in mass.items() if abs(z) < width) < confidence


def test_continuous_moments_and_widths():
    noise = Laplace(3).spread()
    assert (noise.standard_deviation, noise.mean_absolute) == pytest.approx((3 * math.sqrt(2), 3))
    assert noise.half_width(0.95) == pytest.approx(3 * math.log(20))
    assert "at most 8.98" in Laplace(3).expectation()
    assert DiscreteLaplace(3).half_width(0.95) == pytest.approx(9)
    assert "at most 9." in DiscreteLaplace(3).expectation()


# --- cover ---


def test_what_is_priced_is_covered_and_one_step_more_is_not():
    event = DiscreteLaplace(4, 6)
    assert event.covers(Sensitivity(3, 2, 6))
    assert event.covers(Sensitivity(6, 1, 6))
    assert event.covers(Sensitivity(1, 1, 1))
    assert not event.covers(Sensitivity(7, 1, 7))
    assert not event.covers(Sensitivity(4, 2, 7))
    assert event.noise_scale(Sensitivity(7, 1, 7)) == 4
    assert "of scale 4 to: the counts (one privacy unit moves it by at most 6)" in event.stage("the counts")


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Laplace(0),
        lambda: Laplace(1, 0),
        lambda: Laplace(10**9 + 1),
        lambda: DiscreteLaplace(0),
        lambda: DiscreteLaplace(2**62 + 1),
        lambda: DiscreteLaplace(1, 0),
        lambda: DiscreteLaplace(1, "1.5"),
    ],
)
def test_parameters_outside_their_range_are_refused(wrong):
    with pytest.raises(BadAmount):
        wrong()
    assert DiscreteLaplace(2**62).sensitivity == Laplace(1).sensitivity == 1


# --- calibration ---


def test_the_scale_for_an_epsilon_is_the_least_float():
    assert laplace_scale(Fraction(1, 2), 3) == 6
    third = laplace_scale(3, 1)
    assert Fraction(1, 3) <= third <= Fraction(math.nextafter(1 / 3, 1))


def test_the_epsilon_for_an_error_lies_on_the_booking_grid():
    # P[|Z| > 10] = 2 a^11 / (1 + a) is 0.05 at a = 0.7656.
    epsilon = epsilon_for_error(10, 0.95)
    assert epsilon.denominator <= 10**12
    a = math.exp(-float(epsilon))
    assert 2 * a**11 / (1 + a) == pytest.approx(0.05, rel=1e-6)
    assert epsilon_for_error(10, 0.95, 4) == pytest.approx(4 * epsilon)


def test_what_equals_its_default_is_left_out_of_a_record():
    assert Laplace(2).to_json().keys() == Laplace(2, 1).to_json().keys() == {"kind", "scale"}
    assert DiscreteLaplace(2, 1).to_json().keys() == {"kind", "scale"}


def test_losses_beyond_the_grid_are_refused():
    with pytest.raises(TooLargeForGrid):
        discrete_distribution(Fraction(1, 2_501), 1, GRID)
    with pytest.raises(TooLargeForGrid):
        Laplace(Fraction(1, 2_501)).loss_distribution(GRID)


def test_noise_is_rounded_to_the_side_that_costs_more(monkeypatch):
    from dp_accounting.pld import privacy_loss_distribution as library

    told = []
    monkeypatch.setattr(
        library, "from_discrete_laplace_mechanism", lambda decay, *_, **__: told.append(decay)
    )
    for scale in (Fraction(3), Fraction(7), Fraction(10, 3)):
        discrete_distribution(scale, 1, GRID)
        assert Fraction(told[-1]) >= 1 / scale
