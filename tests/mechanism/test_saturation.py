"""Clamping: no overflow, no error, no trace of the exact value in a saturated draw."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.mechanism.permits import permit_for

from privet.guarantee._events import DiscreteGaussian, DiscreteLaplace
from privet.mechanism import _opendp_samplers as sampling
from privet.mechanism import discrete_gaussian, discrete_laplace
from privet.mechanism._saturation import LARGEST_EXACT, LARGEST_RELEASED, add_noise, clamp_exact
from privet.sealed import Sealed, Sensitivity

INT64 = st.integers(-(2**63), 2**63 - 1)
BEYOND = st.integers(-(2**70), 2**70) | INT64


def clamp(value: int, limit: int) -> int:
    return min(max(value, -limit), limit)


@given(INT64, BEYOND)
def test_the_release_is_a_function_of_the_ideal_sum(exact, ideal_noise):
    clamped = clamp_exact(np.array([exact]))
    saturated = min(max(ideal_noise, -(2**63)), 2**63 - 1)  # what a 64-bit sampler hands over
    released = add_noise(clamped, np.array([saturated]))
    assert released[0] == clamp(clamp(exact, LARGEST_EXACT) + ideal_noise, LARGEST_RELEASED)


@given(st.lists(st.tuples(INT64, INT64), min_size=1, max_size=8))
def test_clamping_raises_no_sensitivity(pairs):
    before, after = np.array(pairs, dtype=object).T
    moved = abs(clamp_exact(after.astype(np.int64)).astype(object) - clamp_exact(before.astype(np.int64)))
    assert all(moved <= abs(after - before))


@pytest.mark.parametrize(
    ("mechanism", "event", "draw"),
    [
        (discrete_laplace, DiscreteLaplace(2**62), "draw_discrete_laplace"),
        (discrete_gaussian, DiscreteGaussian(2**62), "draw_discrete_gaussian"),
    ],
)
def test_extreme_answers_and_noise_neither_fail_nor_wrap(monkeypatch, mechanism, event, draw):
    ends = [2**63 - 1, -(2**63), 0]
    answer = Sealed(ends, Sensitivity(1, 1, 1))
    assert abs(mechanism(answer, permit_for(event)).astype(object)).max() <= LARGEST_RELEASED
    for noise in (2**63 - 1, -(2**63)):
        monkeypatch.setattr(sampling, draw, lambda n, _, noise=noise: np.full(n, noise))
        limit = LARGEST_RELEASED if noise > 0 else -LARGEST_RELEASED
        assert mechanism(answer, permit_for(event)).tolist() == [limit] * 3


def test_the_limits_are_those_of_the_proof():
    ends = np.array([2**63 - 1, 2**60 + 1, 2**60, -(2**60), -(2**60) - 1, -(2**63)])
    assert clamp_exact(ends).tolist() == [2**60] * 3 + [-(2**60)] * 3
    noise = np.array([2**62, 2**61 + 1, 2**61, -(2**61), -(2**61) - 1, -(2**62)])
    assert add_noise(np.zeros(6, np.int64), noise).tolist() == [2**61] * 3 + [-(2**61)] * 3
