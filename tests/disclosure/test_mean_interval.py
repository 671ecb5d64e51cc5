"""Intervals for a mean drawn without replacement: they cover it as often as they say, and close in on it."""

import numpy as np
import pytest

from privet.disclosure._mean_interval import mean_interval


@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 1.0])
def test_it_covers_the_mean(share):
    """150 draws of 30 of 100 at 95 %: more than 40 misses have a probability below 1e-15 if the promise holds."""
    draw = np.random.default_rng(7)
    population = np.zeros(100)
    population[: int(100 * share)] = 1.0
    missed = 0
    for _ in range(150 if 0 < share < 1 else 5):
        low, high = mean_interval(draw.permutation(population)[:30], 100, 0.95)
        assert 0 <= low <= high <= 1
        missed += not low <= population.mean() <= high
    assert missed <= 40 * (0 < share < 1)


def test_more_draws_are_narrower_and_more_confidence_is_wider():
    draw = np.random.default_rng(8)
    numbers = draw.random(1000)
    width = lambda drawn, confidence: np.subtract(*mean_interval(numbers[:drawn], 1000, confidence)[::-1])  # noqa: E731
    assert width(500, 0.95) < width(100, 0.95) < width(20, 0.95)
    assert width(100, 0.95) < width(100, 0.99)
    assert width(500, 0.95) < 0.1


def test_when_everything_was_drawn_hardly_anything_is_left_open():
    numbers = np.tile([0.0, 1.0], 200)
    low, high = mean_interval(numbers, 400, 0.95)
    assert low <= 0.5 <= high
    assert high - low < 0.01


def test_what_is_left_bounds_the_mean_however_little_was_drawn():
    # Eight ones of ten are gone before the ninth is drawn: the mean is at least 0.8 for sure.
    low, high = mean_interval(np.ones(9), 10, 0.95)
    assert low >= 0.8 - 2 / 2000
    assert high == pytest.approx(1.0)
    low, high = mean_interval(np.zeros(9), 10, 0.95)
    assert low == pytest.approx(0.0)
    assert high <= 0.2 + 2 / 2000
