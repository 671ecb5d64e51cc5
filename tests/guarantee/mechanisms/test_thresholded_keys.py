"""Keys above a threshold: the chance of showing a lonely key, against sums over the noise."""

import math
from fractions import Fraction

import pytest

from privet.errors import BadAmount, NoSolution
from privet.guarantee._loss_distribution import distribution_delta
from privet.guarantee.mechanisms._thresholded_keys import ThresholdedKeys, threshold_delta, threshold_for
from privet.sealed import Sensitivity

GRID = 1e-3


def masses(scale, reach=500):
    a = math.exp(-1 / scale)
    return {z: (1 - a) / (1 + a) * a ** abs(z) for z in range(-reach, reach + 1)}


def shown_alone(scale, threshold, keys, reach, parts):
    """The chance that one of so many keys of one person alone exceeds the threshold, summed over the noise."""
    mass = masses(scale)
    if parts == 1:
        one = math.fsum(p for z, p in mass.items() if reach + z > threshold)
    else:
        tail, total = {}, 0.0
        for z in sorted(mass, reverse=True):
            total += mass[z]
            tail[z] = total
        one = math.fsum(p * tail.get(max(threshold + 1 - 2 * reach - z, -500), 0.0) for z, p in mass.items())
    return -math.expm1(keys * math.log1p(-one))


@pytest.mark.parametrize(
    ("scale", "threshold", "keys", "reach", "parts"),
    [(1, 10, 1, 1, 1), (2, 12, 3, 1, 1), (2, 20, 3, 4, 1), (5, 11, 2, 10, 1), (2, 20, 1, 1, 2), (3, 25, 4, 5, 2),
     (0.5, 3, 1, 1, 2)],
)  # fmt: skip
def test_the_delta_is_the_chance_of_showing_a_lonely_key(scale, threshold, keys, reach, parts):
    exact = shown_alone(scale, threshold, keys, reach, parts)
    found = threshold_delta(Fraction(scale), threshold, keys, reach, parts)
    assert exact * (1 - 1e-9) <= found <= exact * (1 + 1e-8)


def test_published_value():
    # exp(-10) / (1 + exp(-1)): the threshold of Korolova et al. 2009 on integers.
    assert float(threshold_delta(Fraction(1), 10, 1)) == pytest.approx(math.exp(-10) / (1 + math.exp(-1)))


def test_the_price_counts_every_key_and_its_reach():
    cost = ThresholdedKeys(10, 80, 3, 4, 2).basic_cost()
    assert cost.epsilon == Fraction(12, 10)
    assert cost.delta == threshold_delta(Fraction(10), 80, 3, 4, 2)
    assert ThresholdedKeys(10, 80).basic_cost().epsilon == Fraction(1, 10)


def test_the_distribution_adds_the_chance_of_a_lonely_key_to_the_noise():
    event = ThresholdedKeys(4, 40, 2, 3)
    priced, basic = event.loss_distribution(GRID), event.basic_cost()
    delta = float(basic.delta)
    assert priced.distribution.get_delta_for_epsilon(1.5 + 2 * GRID) == pytest.approx(0)
    assert priced.distribution.get_delta_for_epsilon(0.7) > 0.01
    assert priced.apart == pytest.approx(delta, rel=1e-9)
    assert distribution_delta(event, Fraction(2), grid=GRID) == pytest.approx(delta, rel=1e-9)
    assert priced.failing == pytest.approx(delta, rel=1e-9)
    assert priced.mean == pytest.approx(1.5 * (math.tanh(0.75) + GRID))


@pytest.mark.parametrize(("scale", "keys", "delta", "reach", "parts"), [
    (1, 1, "1e-6", 1, 1), (Fraction(5, 2), 4, "1e-9", 3, 1), (10, 2, "1e-7", 5, 2),
])  # fmt: skip
def test_the_threshold_for_a_delta_is_the_smallest(scale, keys, delta, reach, parts):
    found = threshold_for(scale, keys, delta, reach, parts)
    assert threshold_delta(Fraction(scale), found, keys, reach, parts) <= Fraction(delta)
    assert threshold_delta(Fraction(scale), found - 1, keys, reach, parts) > Fraction(delta)


def test_a_threshold_lies_above_what_one_unit_alone_reaches():
    assert threshold_for("0.01", 1, "0.5") == 2
    assert threshold_for("0.01", 1, "0.5", 7, 2) == 15
    with pytest.raises(NoSolution):
        threshold_for(1, 1, "1e-31")


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: ThresholdedKeys(0, 10),
        lambda: ThresholdedKeys(2**62 + 1, 10),
        lambda: ThresholdedKeys(1, 1),
        lambda: ThresholdedKeys(1, 10, 0),
        lambda: ThresholdedKeys(1, 10, 1, 0),
        lambda: ThresholdedKeys(1, 10, 1, 10),
        lambda: ThresholdedKeys(1, 14, 1, 7, 2),
        lambda: ThresholdedKeys(1, 10, 1, 1, 0),
        lambda: ThresholdedKeys(1, 10, 1, 1, 3),
        lambda: threshold_for(2**62 + 1, 1, "1e-6"),
        lambda: threshold_for(1, 0, "1e-6"),
        lambda: threshold_for(1, 1, 0),
    ],
)
def test_parameters_outside_their_range_are_refused(wrong):
    with pytest.raises(BadAmount):
        wrong()


def test_edges_are_allowed():
    assert ThresholdedKeys(2**62, 2) == ThresholdedKeys(2**62, 2, 1, 1, 1)
    assert ThresholdedKeys(1, 15, 1, 7, 2).shown_above == 15


def test_what_is_priced_is_covered_and_one_step_more_is_not():
    event = ThresholdedKeys(10, 50, keys=3, reach=2)
    assert event.covers(Sensitivity(3, 2, 6))
    assert event.covers(Sensitivity(1, 1, 1))
    assert not event.covers(Sensitivity(4, 1, 4))
    assert not event.covers(Sensitivity(3, 3, 6))
    assert not event.covers(Sensitivity(4, 2, 7))
    assert not event.covers(Sensitivity(2, 2, 4, 2))
    pairs = ThresholdedKeys(10, 50, keys=3, reach=2, parts=2)
    assert pairs.covers(Sensitivity(6, 1, 6, 2))
    assert not pairs.covers(Sensitivity(6, 2, 7, 2))
    assert not pairs.covers(Sensitivity(8, 1, 6, 2))
    assert not pairs.covers(Sensitivity(3, 2, 6))
    assert event.noise_scale(Sensitivity(9, 9, 81)) == 10


def test_noise_that_is_not_exact_raises_the_threshold_by_one():
    assert ThresholdedKeys("0.5", 10).threshold_at(0.5) == 10
    third = ThresholdedKeys(Fraction(1, 3), 10)
    assert third.threshold_at(1 / 3) == 11


def test_its_noise_is_discrete_laplace_noise():
    mass, noise = masses(7), ThresholdedKeys(7, 20).spread()
    assert noise.standard_deviation**2 == pytest.approx(math.fsum(p * z * z for z, p in mass.items()))
    assert noise.mean_absolute == pytest.approx(math.fsum(p * abs(z) for z, p in mass.items()))
    width = noise.half_width(0.95)
    assert math.fsum(p for z, p in mass.items() if abs(z) <= width) >= 0.95
    assert math.fsum(p for z, p in mass.items() if abs(z) < width) < 0.95


def test_what_to_expect_of_keys():
    said = ThresholdedKeys(2, 30).expectation()
    lone = math.exp(-15) / (1 + math.exp(-0.5))
    assert "exceeds 30." in said
    assert f"probability {lone:.6g}" in said
    # A key of threshold + width + 1 persons is missed only where the noise falls below minus the width.
    assert f"one that {30 + 6 + 1} or more persons have" in said
    for two in (ThresholdedKeys(2, 60, 1, 2), ThresholdedKeys(2, 60, 1, 1, 2)):
        assert two.expectation().endswith("at most.")
    wide = ThresholdedKeys(2, 60, 5, 3).expectation()
    assert f"probability {float(threshold_delta(Fraction(2), 60, 1, 3, 1)):.6g} at most" in wide


def test_stages():
    assert ThresholdedKeys(2, 30).stage("rows") == (
        "Show a group only if its number of persons, with discrete Laplace noise of scale 2, is above 30"
    )
    assert "if its rows, with" in ThresholdedKeys(2, 60, 5, 3).stage("rows")
    pair = ThresholdedKeys(2, 60, 5, 3, 2).stage("parts")
    assert "the sum of its parts" in pair
    assert "at most 5 groups by at most 3 each" in pair


def test_what_equals_its_default_is_left_out_of_a_record():
    assert ThresholdedKeys(2, 30, 1, 1, 1).to_json().keys() == {"kind", "scale", "threshold"}
