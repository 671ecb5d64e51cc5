import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest

from privet.errors import BadAmount
from privet.protect.train._naive_noise import add_laplace_noise, claim_for, true_guarantee

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "naive_noise.py"


def test_the_recipe_does_not_promise_what_it_says():
    found = true_guarantee([1.0] * 30, sensitivity=1, epsilon=0.5)
    assert found.claimed == pytest.approx(0.5)
    assert found.features == pytest.approx(15)
    assert math.isinf(found.row)
    assert "nothing at all" in str(found)


def test_wide_columns_make_it_worse_and_a_noised_target_finite():
    assert true_guarantee([1, 100], epsilon=0.5).features == pytest.approx(50.5)
    assert true_guarantee([1, 1], epsilon=0.5, target_noised=True).row == pytest.approx(1.5)
    assert true_guarantee([2, 3], epsilon=claim_for([2, 3], 1.0)).features == pytest.approx(1.0)


def test_the_computed_guarantee_is_the_odds_of_two_rows():
    """The log-odds of outputs between the two corners of the table reach the sum over cells, and no more."""
    widths, scale = np.array([1.0, 4.0]), 2.0
    outputs = np.random.default_rng(1).uniform(-20, 20, (20_000, 2))
    odds = (np.abs(outputs - widths) - np.abs(outputs)).sum(axis=1) / scale
    bound = true_guarantee([1.0, 4.0], sensitivity=1, epsilon=0.5).features
    assert odds.max() == pytest.approx(bound)


def test_the_noise_has_the_scale_it_says():
    """The mean size of 200,000 draws of scale 2 within six standard errors."""
    noise = np.abs(add_laplace_noise(np.zeros(200_000)))
    assert abs(noise.mean() - 2) < 6 * 2 / math.sqrt(200_000)


def test_amounts_that_mean_nothing_are_refused():
    for call in (lambda: add_laplace_noise(np.zeros(2), epsilon=0), lambda: true_guarantee([])):
        with pytest.raises(BadAmount):
            call()


def test_the_right_way_wins_at_the_same_true_epsilon(tmp_path):
    """By ten points and more on each of three splits."""
    spec = importlib.util.spec_from_file_location("naive_noise", EXAMPLE)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    for seed in range(3):
        train, test = example.split(seed)
        room = tmp_path / str(seed)
        room.mkdir()
        assert example.right(train, test, 4, room) > example.naive(train, test, 4) + 0.1
