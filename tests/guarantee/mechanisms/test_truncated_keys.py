"""Keys above the bound of truncated noise: price, error and cover, against the noise's mass function."""

import math
from fractions import Fraction

import pytest

from privet.errors import BadAmount
from privet.guarantee._loss_grid import worst_distribution
from privet.guarantee.mechanisms._truncated_keys import TruncatedKeys, bound_for, truncated_delta
from privet.sealed import Sensitivity

GRID = 1e-3


def masses(scale, bound):
    weights = {z: math.exp(-abs(z) / scale) for z in range(-bound, bound + 1)}
    total = math.fsum(weights.values())
    return {z: weight / total for z, weight in weights.items()}


@pytest.mark.parametrize(
    ("scale", "bound", "keys"), [(1, 10, 1), (2, 30, 3), (0.5, 3, 2), (10, 5, 1), (3, 1, 4)]
)
def test_the_delta_is_the_chance_of_the_largest_value(scale, bound, keys):
    exact = -math.expm1(keys * math.log1p(-masses(scale, bound)[bound]))
    found = truncated_delta(Fraction(scale), bound, keys)
    assert exact * (1 - 1e-9) <= found <= exact * (1 + 1e-8)


def test_prices_count_every_key():
    event = TruncatedKeys(4, 40, 3)
    assert event.basic_cost().epsilon == Fraction(3, 4)
    assert event.basic_cost().delta == truncated_delta(Fraction(4), 40, 3)
    assert event.concentrated_cost().rho == Fraction(3, 32)
    assert event.concentrated_cost().delta == event.basic_cost().delta
    curve, delta = event.renyi_curve()
    one, _ = TruncatedKeys(4, 40).renyi_curve()
    assert delta == event.basic_cost().delta
    assert list(curve) == pytest.approx(list(3 * one))


def divergence(scale, bound, epsilon):
    """Between counts n + 1 and n, by the masses themselves; the same both ways round."""
    mass = masses(scale, bound)
    return math.fsum(
        max(0.0, mass.get(z - 1, 0.0) - math.exp(epsilon) * mass.get(z, 0.0))
        for z in range(-bound, bound + 2)
    )


@pytest.mark.parametrize(("scale", "bound"), [(2, 10), (4, 25)])
def test_the_distribution_of_one_key_covers_its_divergence(scale, bound):
    priced = TruncatedKeys(scale, bound).loss_distribution(GRID)
    for epsilon in (0.0, 0.3 / scale, 0.9 / scale, 1.2 / scale):
        exact = divergence(scale, bound, epsilon)
        assert exact - 1e-9 <= priced.distribution.get_delta_for_epsilon(epsilon) <= exact + 2 * GRID
    assert priced.failing == pytest.approx(masses(scale, bound)[bound])


def test_keys_are_composed():
    one, three = TruncatedKeys(4, 40), TruncatedKeys(4, 40, 3)
    single, product = one.loss_distribution(GRID), three.loss_distribution(GRID)
    assert (single.times, product.times) == (1, 3)
    assert product.distribution.get_delta_for_epsilon(0.1) == pytest.approx(
        single.distribution.get_delta_for_epsilon(0.1)
    )
    assert product.mean == pytest.approx(3 * single.mean)
    assert product.failing == pytest.approx(3 * single.failing)


@pytest.mark.parametrize(("scale", "bound"), [(0.5, 3), (3, 8), (20, 30)])
def test_moments_and_widths_against_the_mass_function(scale, bound):
    mass, noise = masses(scale, bound), TruncatedKeys(scale, bound).spread()
    assert noise.standard_deviation**2 == pytest.approx(math.fsum(p * z * z for z, p in mass.items()))
    assert noise.mean_absolute == pytest.approx(math.fsum(p * abs(z) for z, p in mass.items()))
    for confidence in (0.05, 0.5, 0.9, 0.95, 0.999999):
        width = noise.half_width(confidence)
        assert math.fsum(p for z, p in mass.items() if abs(z) <= width) >= confidence - 1e-11
        assert width == 0 or math.fsum(p for z, p in mass.items() if abs(z) < width) < confidence


def test_beyond_a_sum_the_noise_that_is_not_cut_off_bounds_it():
    exact, bound = TruncatedKeys(1000, 100_000).spread(), TruncatedKeys(1000, 100_001).spread()
    assert exact.standard_deviation == pytest.approx(bound.standard_deviation, rel=1e-9)
    assert TruncatedKeys(10**6, 100_001).spread().mean_absolute > 100_001
    assert TruncatedKeys(10**6, 100_000).spread().mean_absolute < 100_000


def test_a_confidence_met_exactly_is_met():
    mass = masses(2, 9)
    inside = math.fsum(p for z, p in mass.items() if abs(z) <= 4)
    assert TruncatedKeys(2, 9).half_width(inside) == pytest.approx(4)


@pytest.mark.parametrize(
    ("scale", "keys", "delta"), [(1, 1, "1e-6"), (Fraction(5, 2), 4, "1e-9"), (100, 20, "1e-12")]
)
def test_the_bound_for_a_delta_is_the_smallest(scale, keys, delta):
    found = bound_for(scale, keys, delta)
    assert truncated_delta(Fraction(scale), found, keys) <= Fraction(delta)
    assert truncated_delta(Fraction(scale), found - 1, keys) > Fraction(delta)
    assert bound_for("0.01", 1, "0.1") == 1


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: TruncatedKeys(0, 5),
        lambda: TruncatedKeys(1, 0),
        lambda: TruncatedKeys(1, 5, 0),
        lambda: bound_for(2**62 + 1, 1, "1e-6"),
        lambda: bound_for(1, 0, "1e-6"),
        lambda: bound_for(1, 1, 0),
    ],
)
def test_parameters_outside_their_range_are_refused(wrong):
    with pytest.raises(BadAmount):
        wrong()
    assert TruncatedKeys(1, 1) == TruncatedKeys(1, 1, 1)


def test_what_is_priced_is_covered_and_one_step_more_is_not():
    event = TruncatedKeys(4, 40, 3)
    assert event.covers(Sensitivity(3, 1, 3))
    assert event.covers(Sensitivity(1, 1, 1))
    assert not event.covers(Sensitivity(4, 1, 4))
    assert not event.covers(Sensitivity(2, 2, 3))
    assert not event.covers(Sensitivity(2, 1, 2, 2))
    assert event.noise_scale(Sensitivity(9, 9, 81)) == 4
    assert event.shown_above == 40


def test_words():
    event = TruncatedKeys(4, 40)
    lone = masses(4, 40)[40]
    said = event.expectation()
    assert (
        f"with probability {lone:.6g}, one of 41 persons more often than not, one of more than 80 always."
        in said
    )
    assert "of scale 4 cut off at 40, is above 40" in event.stage("rows")


def test_what_equals_its_default_is_left_out_of_a_record():
    assert TruncatedKeys(2, 30, 1).to_json().keys() == {"kind", "scale", "bound"}


def test_each_key_adds_the_loss_of_the_worst_mechanism():
    """At a scale of a quarter the mean loss of one key is far from one, so that adding and dividing differ."""
    scale = Fraction(1, 4)
    worst = worst_distribution(1 / scale, truncated_delta(scale, 5, 1), GRID)
    for keys in (1, 3):
        priced = TruncatedKeys(scale, 5, keys).loss_distribution(GRID)
        assert priced.mean == pytest.approx(keys * worst.mean)
        assert priced.failing == pytest.approx(keys * worst.failing)
    assert worst.mean > 2
