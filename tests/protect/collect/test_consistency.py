"""Consistent estimates: not negative, adding up, and nearest to the unbiased ones."""

import numpy as np
import pytest
from scipy.optimize import minimize

from privet.protect.collect._consistency import base_cut, norm_sub


def test_norm_sub_is_the_nearest_point_of_the_simplex() -> None:
    counts = np.array([50.0, 30.0, -20.0, 5.0, 1.0])
    found = norm_sub(counts, 60.0)
    assert found.sum() == pytest.approx(60)
    assert (found >= 0).all()
    best = minimize(
        lambda x: ((x - counts) ** 2).sum(), np.full(5, 12.0), bounds=[(0, None)] * 5,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 60},
    ).x  # fmt: skip
    assert found == pytest.approx(best, abs=1e-3)


def test_counts_that_are_consistent_stay() -> None:
    assert norm_sub(np.array([3.0, 7.0]), 10.0) == pytest.approx([3, 7])
    assert norm_sub(np.array([-3.0, -7.0]), 10.0).sum() == pytest.approx(10)


def test_base_cut_keeps_what_noise_does_not_explain() -> None:
    found = base_cut(np.array([100.0, 20.0, -30.0]), np.array([10.0, 10.0, 10.0]))
    assert found == pytest.approx([100, 0, 0])


def test_cutting_raises_few_false_alarms() -> None:
    """Of values that nobody has, at most one in 20 collections shows any. False alarms of this test: 1e-6."""
    noise = np.random.default_rng(5).normal(size=(2_000, 500))
    alarms = np.mean([base_cut(row, np.ones(500)).any() for row in noise])
    assert alarms < 0.05 + 5 * (0.05 * 0.95 / 2_000) ** 0.5
