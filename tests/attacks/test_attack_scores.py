"""Rates, curves and areas: exact values, and intervals that cover."""

import numpy as np
import pytest
from scipy.stats import norm

from privet.attacks import _attack_scores as scoring


def test_the_exact_interval_of_a_rate() -> None:
    """Values of the Clopper-Pearson interval as tabulated: 10 of 100, and none of 20 (rule of three)."""
    found = scoring.rate(10, 100)
    assert (found.low, found.high) == (pytest.approx(0.0490047, abs=1e-6), pytest.approx(0.1762226, abs=1e-6))
    assert scoring.upper_rate(0, 20, 0.05) == pytest.approx(1 - 0.05 ** (1 / 20))
    assert scoring.rate(0, 0).high == pytest.approx(1)


def test_wilsons_interval() -> None:
    centre, half = scoring.wilson(10, 100)
    assert (centre - half, centre + half) == (
        pytest.approx(0.0552291, abs=1e-6),
        pytest.approx(0.1743657, abs=1e-6),
    )


def test_the_curve_moves_equal_scores_together() -> None:
    found = scoring.curve(np.array([3.0, 2.0, 2.0]), np.array([2.0, 1.0]))
    assert found.false_positives.tolist() == pytest.approx([0, 0, 0.5, 1])
    assert found.true_positives.tolist() == pytest.approx([0, 1 / 3, 1, 1])
    assert found.at(0.4) == pytest.approx(1 / 3)
    assert found.at(0.5) == 1


def test_constant_scores_say_nothing() -> None:
    same = np.zeros(50)
    found = scoring.area(same, same)
    assert (found.value, found.low, found.high) == (
        0.5,
        pytest.approx(0.4401, abs=1e-4),
        pytest.approx(0.5599, abs=1e-4),
    )
    assert scoring.curve(same, same).at(0.1) == 0


def test_perfect_scores_keep_an_interval() -> None:
    found = scoring.area(np.arange(20.0) + 100, np.arange(20.0))
    assert found.value == pytest.approx(1)
    assert 0.8 < found.low < 0.9
    assert scoring.area(np.arange(20.0), np.arange(20.0) + 100).value == pytest.approx(0)


def test_the_area_of_two_normals_is_covered() -> None:
    """Coverage of 95 % over 2,000 draws: the standard error is 0.0049, so 0.925 is 5 of them below (3e-7)."""
    draw = np.random.default_rng(5)
    truth = norm.cdf(1 / np.sqrt(2))
    inside = 0
    for _ in range(2_000):
        found = scoring.area(draw.normal(1, 1, 80), draw.normal(0, 1, 120))
        inside += found.low <= truth <= found.high
    assert inside / 2_000 > 0.925


def test_true_positives_at_few_false_ones_are_covered() -> None:
    draw = np.random.default_rng(6)
    truth = norm.sf(norm.isf(0.05) - 1)
    inside = 0
    for _ in range(300):
        found = scoring.true_positives_at(draw.normal(1, 1, 400), draw.normal(0, 1, 400), 0.05)
        inside += found.low <= truth <= found.high
    assert inside >= 270


def test_a_thinned_curve_keeps_its_ends() -> None:
    draw = np.random.default_rng(7)
    found = scoring.curve(draw.normal(1, 1, 5_000), draw.normal(0, 1, 5_000)).thinned(100)
    assert len(found["false_positives"]) <= 100
    assert found["true_positives"][-1] == 1
    assert found["false_positives"][0] == 0


def test_too_few_others_say_nothing_from_below() -> None:
    """With 200 others no threshold is known to let fewer than one in a thousand pass."""
    found = scoring.true_positives_at(np.full(200, 2.0), np.linspace(0, 1, 200), 0.001)
    assert (found.value, found.low) == pytest.approx((1.0, 0.0))
    assert scoring.true_positives_at(np.full(200, 2.0), np.linspace(0, 1, 10_000), 0.001).low > 0.9
