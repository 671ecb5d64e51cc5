"""Whose probability is raised more than others'."""

import numpy as np
import pytest

from privet.attacks._shadow_models import complementary
from privet.attacks.models._rmia import outside_mean, relative_scores, tuned_rise


def test_the_rise_is_chosen_on_reference_models() -> None:
    """Where members' probabilities are raised to one whatever they were, a small rise fits better than a large one."""
    inside = complementary(8, 400)
    draw = np.random.default_rng(4)
    without = draw.uniform(0.05, 0.95, 400)
    chance = np.where(inside, 0.98, np.clip(without + 0.05 * draw.normal(size=inside.shape), 0.01, 0.97))
    odds = np.log(chance / (1 - chance)).astype(np.float32)
    shadows = type("S", (), {"inside": inside, "log_odds": odds, "__len__": lambda self: 8})()
    rise = tuned_rise(shadows)
    assert 0 <= rise <= 1
    ratios = relative_scores(np.array([0.9, 0.9, 0.1]), np.array([0.1, 0.8, 0.1]), 1.0)
    assert ratios.argmax() == 0
    assert ratios.argmin() == 2


def test_ratios_by_hand() -> None:
    """With a = 0 what is expected is (outside + 1) / 2: 0.6 / 0.75, 0.6 / 0.6 and 0.6 / 0.9."""
    found = relative_scores(np.full(3, 0.6), np.array([0.5, 0.2, 0.8]), 0.0)
    assert found == pytest.approx([2 / 3, 1, 1 / 3])


def test_a_larger_gamma_asks_for_more() -> None:
    observed, outside = np.array([0.9, 0.5]), np.array([0.5, 0.5])
    assert relative_scores(observed, outside, 1.0) == pytest.approx([1, 0.5])
    assert relative_scores(observed, outside, 1.0, gamma=1.5) == pytest.approx([0.5, 0])


def test_means_are_over_models_that_did_not_see_the_record() -> None:
    inside = np.array([[True, False], [False, True], [False, False]])
    odds = np.log(
        np.array([[0.9, 0.2], [0.4, 0.9], [0.6, 0.4]]) / (1 - np.array([[0.9, 0.2], [0.4, 0.9], [0.6, 0.4]]))
    )
    shadows = type("S", (), {"inside": inside, "log_odds": odds})()
    assert outside_mean(shadows) == pytest.approx([0.5, 0.3])
    assert outside_mean(shadows, skip=2) == pytest.approx([0.4, 0.2])
