"""Gaussian noise, continuous and on integers: prices, error and cover, against sums over the integers."""

import math
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest

from privet.errors import BadAmount
from privet.guarantee._costs import ConcentratedCost
from privet.guarantee._loss_grid import Slack
from privet.guarantee._renyi_curves import orders
from privet.guarantee.mechanisms._gaussian import (
    DiscreteGaussian,
    Gaussian,
    NormedGaussian,
    continuous_slack,
    gaussian_sigma,
    rho_for_error,
)
from privet.sealed import Sensitivity

GRID = 1e-3
ROUNDING = 1e-12  # of sums of floats, which differ from one processor to another


def divergence(upper, lower, epsilon):
    return math.fsum(max(0.0, p - math.exp(epsilon) * q) for p, q in zip(upper, lower, strict=True))


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


def test_slack_has_the_terms_of_its_proof():
    slack = continuous_slack(DiscreteGaussian(10, 30))
    assert slack.swell == pytest.approx(1 / 800)
    assert slack.drift == pytest.approx(1 / 800 + (30 + 130) ** 2 / (8 * 10**4))
    assert slack.lost == pytest.approx(1e-36)


@pytest.mark.parametrize(
    ("sigma", "shift"), [(11, 1), (30, 7), (Fraction(101, 3), 5), (2_001, 3), (10**9, 1)]
)
def test_slack_is_rounded_up_and_hardly(sigma, shift):
    slack = continuous_slack(DiscreteGaussian(sigma, shift))
    spread = Fraction(sigma) ** 2
    swell = 1 / (8 * spread)
    drift = swell + (shift + 13 * Fraction(sigma)) ** 2 / (8 * spread**2)
    for found, exact in ((slack.swell, swell), (slack.drift, drift)):
        assert exact <= Fraction(found) <= exact * (1 + Fraction(1, 2**51))


# --- prices ---


def test_rho_is_half_the_square_of_sensitivity_over_sigma():
    assert Gaussian(4, 3).concentrated_cost() == ConcentratedCost(Fraction(9, 32))
    assert DiscreteGaussian(4, 3, 5).concentrated_cost() == ConcentratedCost(Fraction(45, 32))
    assert Gaussian(4, 3).basic_cost() is None
    curve, delta = Gaussian(2).renyi_curve()
    assert list(curve) == pytest.approx(list(orders() / 8))
    assert delta == 0


def test_continuous_noise_merges_by_its_squares():
    assert Gaussian(4, 2).merged_gaussian().squares == Fraction(1, 4)
    assert Gaussian(4, 2).loss_distribution(GRID).squares == Fraction(1, 4)


def test_integer_noise_merges_only_beyond_a_sigma_of_two_thousand():
    assert DiscreteGaussian(2_000).merged_gaussian() is None
    wide = DiscreteGaussian(2_001, 3, 2)
    merged = wide.merged_gaussian()
    assert merged is not None
    assert merged.squares == 2 * Fraction(3, 2_001) ** 2
    assert merged.slack == continuous_slack(wide)
    assert wide.loss_distribution(GRID).squares == merged.squares


def discrete_gaussian_divergence(sigma, shift, epsilon):
    reach = range(-12 * sigma - shift, 12 * sigma + 2 * shift)
    weights = [math.exp(-((z / sigma) ** 2) / 2) for z in reach]
    shifted = [math.exp(-(((z - shift) / sigma) ** 2) / 2) for z in reach]
    total = math.fsum(weights)
    return divergence([w / total for w in weights], [w / total for w in shifted], epsilon)


@pytest.mark.parametrize(("sigma", "shift"), [(2, 1), (5, 3), (3, 6)])
def test_integer_noise_against_the_integers(sigma, shift):
    priced = DiscreteGaussian(sigma, shift).loss_distribution(GRID)
    for epsilon in (0.0, 0.5, 1.5):
        exact = discrete_gaussian_divergence(sigma, shift, epsilon)
        found = priced.distribution.get_delta_for_epsilon(epsilon) + priced.slack.lost
        assert exact * (1 - ROUNDING) <= found <= exact * 1.01 + 1e-9
    assert priced.mean == pytest.approx((shift / sigma) ** 2 / 2)
    assert priced.slack == Slack(lost=pytest.approx(1e-17))


def test_coordinates_are_composed():
    one, three = DiscreteGaussian(4, 2), DiscreteGaussian(4, 2, 3)
    single, product = one.loss_distribution(GRID), three.loss_distribution(GRID)
    assert (single.times, product.times) == (1, 3)
    assert product.distribution.get_delta_for_epsilon(0.5) == pytest.approx(
        single.distribution.get_delta_for_epsilon(0.5)
    )
    assert product.mean == pytest.approx(3 * single.mean)
    assert product.slack.lost == pytest.approx(3 * single.slack.lost)


def test_one_coordinate_alone_is_priced_on_a_sample():
    sampled = DiscreteGaussian(4).sampled_distribution(Fraction(1, 10), GRID)
    plain = DiscreteGaussian(4).loss_distribution(GRID)
    assert sampled is not None
    assert (
        0 < sampled.distribution.get_delta_for_epsilon(0.05) < plain.distribution.get_delta_for_epsilon(0.05)
    )
    assert sampled.mean == pytest.approx(0.01 * math.expm1(1 / 16) + 0.1 * 0.25 * GRID)
    assert sampled.slack.lost == pytest.approx(1e-17)
    assert DiscreteGaussian(4, 1, 2).sampled_distribution(Fraction(1, 10), GRID) is None


# --- error ---


@pytest.mark.parametrize("sigma", [Fraction(1, 2), 1, 6])
def test_moments_and_widths_against_the_mass_function(sigma):
    weights = {z: math.exp(-((z / float(sigma)) ** 2) / 2) for z in range(-120, 121)}
    total = math.fsum(weights.values())
    mass = {z: weight / total for z, weight in weights.items()}
    noise = DiscreteGaussian(sigma).spread()
    assert noise.standard_deviation**2 == pytest.approx(math.fsum(p * z * z for z, p in mass.items()))
    assert noise.mean_absolute == pytest.approx(math.fsum(p * abs(z) for z, p in mass.items()))
    for confidence in (0.05, 0.5, 0.9, 0.999):
        width = noise.half_width(confidence)
        assert math.fsum(p for z, p in mass.items() if abs(z) <= width) >= confidence - 1e-9
        assert width == 0 or math.fsum(p for z, p in mass.items() if abs(z) < width) < confidence


def test_continuous_moments_and_widths():
    noise = Gaussian(3).spread()
    assert (noise.standard_deviation, noise.mean_absolute) == pytest.approx((3, 3 * math.sqrt(2 / math.pi)))
    assert noise.half_width(0.95) == pytest.approx(3 * 1.959963985)
    assert "at most 5.87989" in Gaussian(3).expectation()
    assert "at most 6." in DiscreteGaussian(3).expectation()


def test_beyond_a_sum_bounds_take_over():
    exact, bound = DiscreteGaussian(2_000).spread(), DiscreteGaussian(2_001).spread()
    assert exact.mean_absolute == pytest.approx(2_000 * math.sqrt(2 / math.pi), rel=1e-7)
    assert bound.standard_deviation == pytest.approx(2_001)
    assert bound.mean_absolute == pytest.approx(2_001 * math.sqrt(2 / math.pi) + 1)
    assert bound.half_width(0.95) == math.ceil(2_001 * 1.959963984540054)  # exact: a whole number, rounded up
    assert exact.half_width(0.95) == pytest.approx(2_000 * 1.959963984540054, abs=1)


# --- cover ---


def test_what_is_priced_is_covered_and_one_step_more_is_not():
    event = DiscreteGaussian(4, 3, 2)
    assert event.covers(Sensitivity(2, 3, 6))
    assert event.covers(Sensitivity(1, 1, 1))
    assert not event.covers(Sensitivity(3, 3, 9))
    assert not event.covers(Sensitivity(2, 4, 8))
    assert event.noise_scale(Sensitivity(2, 4, 8)) == 4
    said = event.stage("the counts")
    assert (
        "of standard deviation 4 to: the counts (one privacy unit moves at most 2 groups by at most 3 each)"
        in said
    )


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Gaussian(0),
        lambda: Gaussian(1, 0),
        lambda: DiscreteGaussian(0),
        lambda: DiscreteGaussian(2**62 + 1),
        lambda: DiscreteGaussian(1, 0),
        lambda: DiscreteGaussian(1, 1, 0),
    ],
)
def test_parameters_outside_their_range_are_refused(wrong):
    with pytest.raises(BadAmount):
        wrong()
    assert DiscreteGaussian(2**62) == DiscreteGaussian(2**62, 1, 1)
    assert Gaussian(1).sensitivity == 1


# --- calibration ---


def test_sigma_for_a_rho_is_the_least_float():
    assert gaussian_sigma(Fraction(1, 2), 3) == 3
    sigma = gaussian_sigma(Fraction(1, 7), 3, 5)
    assert DiscreteGaussian(sigma, 3, 5).concentrated_cost().rho <= Fraction(1, 7)
    less = Fraction(math.nextafter(float(sigma), 0))
    assert DiscreteGaussian(less, 3, 5).concentrated_cost().rho > Fraction(1, 7)


def test_rho_for_an_error_lies_on_the_booking_grid():
    rho = rho_for_error(20_000, 0.95)
    assert rho.denominator <= 10**12
    # Far out the noise is as good as continuous: sigma is the width over 1.96.
    assert float(rho) == pytest.approx((1.959963984540054 / 20_000) ** 2 / 2, rel=1e-3)
    assert rho_for_error(20_000, 0.95, 3, 2) == pytest.approx(18 * rho, rel=1e-3)


def test_a_sigma_below_one_comes_down_to_the_least_float_too():
    # The root of 1 / 429 is rounded up by two steps.
    for rho in (Fraction(429, 2), Fraction(471, 2)):
        sigma = gaussian_sigma(rho, 1)
        assert sigma**2 >= 1 / (2 * rho)
        assert Fraction(math.nextafter(float(sigma), 0)) ** 2 < 1 / (2 * rho)


def test_what_equals_its_default_is_left_out_of_a_record():
    assert Gaussian(2).to_json().keys() == Gaussian(2, 1).to_json().keys() == {"kind", "sigma"}
    assert DiscreteGaussian(2, 1, 1).to_json().keys() == {"kind", "sigma"}


def test_noise_is_rounded_to_the_side_that_costs_more(monkeypatch):
    from dp_accounting.pld import privacy_loss_distribution as library

    told = []
    monkeypatch.setattr(
        library, "from_discrete_gaussian_mechanism", lambda sigma, *_, **more: told.append((sigma, more))
    )
    for sigma in (Fraction(1, 3), Fraction(10, 3), Fraction(22, 7)):
        DiscreteGaussian(sigma, 2).sampled_distribution(Fraction(1, 3), GRID)
        found, more = told[-1]
        assert Fraction(found) <= sigma
        assert Fraction(more["sampling_prob"]) >= Fraction(1, 3)
        assert more["truncation_bound"] == math.ceil(9 * sigma) + 2


# --- within a norm ---


def test_noise_within_a_norm_costs_by_the_length_and_not_by_the_coordinates():
    event = NormedGaussian(4_000, 3_000, 50)
    assert event.concentrated_cost() == ConcentratedCost(Fraction(9, 32))
    merged = event.merged_gaussian()
    assert merged.squares == Fraction(9, 16)
    assert merged.slack == continuous_slack(DiscreteGaussian(4_000, 3_000, 50))
    assert event.loss_distribution(GRID).squares == Fraction(9, 16)
    spread = DiscreteGaussian(4_000, 3_000, 50).spread()
    assert event.spread().standard_deviation == pytest.approx(spread.standard_deviation)
    assert event.spread().mean_absolute == pytest.approx(spread.mean_absolute)
    assert event.half_width(0.95) == pytest.approx(spread.half_width(0.95))
    assert event.expectation() == DiscreteGaussian(4_000).expectation()
    assert "at most 50 entries, by 3000 in Euclidean length" in event.stage("votes")


@pytest.mark.parametrize("shares", [(1.0, 0.0), (0.6, 0.8)])
def test_changes_of_one_length_are_covered_however_they_are_spread(shares):
    """Two coordinates of integer noise, their divergence summed over a lattice, against the price of the length alone."""
    sigma, norm = 20, 30  # the proof asks for 10; the class for more, so that the sum is made with its parts
    slack = continuous_slack(DiscreteGaussian(sigma, norm, 2))
    z = np.arange(-9 * sigma, 9 * sigma + norm + 1)

    def mass(centre):
        weights = np.exp(-(((z - centre) / sigma) ** 2) / 2)
        return weights / weights.sum()

    lower = np.outer(mass(0), mass(0))
    upper = np.outer(mass(round(shares[0] * norm)), mass(round(shares[1] * norm)))
    for epsilon in (0.5, 1.5, 3.0):
        exact = float(np.maximum(0, upper - math.exp(epsilon) * lower).sum())
        bound = slack.lost + math.exp(slack.swell) * gaussian_divergence(norm / sigma, epsilon - slack.drift)
        assert exact <= bound + 1e-13


def test_a_norm_needs_noise_as_large_as_the_proof_asks():
    with pytest.raises(BadAmount, match="must exceed 2000"):
        NormedGaussian(2_000)
    event = NormedGaussian(Fraction(4_001, 2))
    assert (event.norm, event.coordinates) == (1, 1)
    assert NormedGaussian(2**62).sigma == 2**62
    for wrong in ((2**62 + 1, 1, 1), (3_000, 0, 1), (3_000, 1, 0), (-3_000, 1, 1)):
        with pytest.raises(BadAmount):
            NormedGaussian(*wrong)


def test_a_change_longer_or_wider_than_priced_is_not_covered():
    event = NormedGaussian(3_000, 5, 4)
    assert event.covers(Sensitivity.within_norm(4, 5))
    assert event.covers(Sensitivity(1, 5, 5))
    assert not event.covers(Sensitivity.within_norm(4, 6))
    assert not event.covers(Sensitivity.within_norm(5, 5))
    assert not event.covers(Sensitivity(2, 4, 8))  # 4² + 4² > 5²
    assert not event.covers(Sensitivity(26, 1, 26))
    assert event.noise_scale(Sensitivity(1, 1, 1)) == 3_000
