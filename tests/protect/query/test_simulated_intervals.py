"""Simulated noise: the same every time, spread as the events say."""

import math

import numpy as np
import pytest

from privet.errors import UnsupportedEvent
from privet.guarantee import Composed
from privet.guarantee._events import DiscreteGaussian, DiscreteLaplace
from privet.protect.query._simulated_intervals import DRAWS, ends, simulated_noise


def test_the_same_release_has_the_same_interval():
    events = [DiscreteLaplace(7, 1), DiscreteGaussian(9, 1, 1)]
    noise = simulated_noise(events)
    assert noise.shape == (DRAWS, 2)
    assert (noise == simulated_noise(events)).all()  # exact: the same draws, kept
    assert noise.std(axis=0) == pytest.approx([7 * math.sqrt(2), 9], rel=0.02)
    assert abs(np.corrcoef(noise.T)[0, 1]) < 0.01


@pytest.mark.parametrize("event", [DiscreteLaplace(7, 1), DiscreteGaussian(9, 1, 1)])
def test_quantiles_of_simulated_noise_are_those_of_its_distribution(event):
    noise = simulated_noise([event])[:, 0]
    assert np.median(noise) == pytest.approx(0, abs=0.02)
    low, high = ends(noise[:, None], 0.9)
    assert high[0] == pytest.approx(-low[0], rel=0.01)
    wanted = 7 * math.log(10) if isinstance(event, DiscreteLaplace) else 9 * 1.6449
    assert high[0] == pytest.approx(wanted, rel=0.01)


def test_undefined_values_are_left_out_of_the_ends():
    values = np.array([[1.0, 5.0], [2.0, np.nan], [3.0, 5.0]])
    low, high = ends(values, 0.999999)
    assert low == pytest.approx([1, 5], abs=1e-4)
    assert high == pytest.approx([3, 5], abs=1e-4)


def test_only_additive_noise_can_be_simulated():
    with pytest.raises(UnsupportedEvent):
        simulated_noise([Composed((DiscreteLaplace(1), DiscreteLaplace(2)))])
