"""The least noise that hides a world: golden totals, the papers' noise beside it, and the laws that both keep."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.errors import BadAmount
from privet.guarantee import balanced_noise, linearised_noise, log_det_information, log_det_noise, noise_ratio

SPREAD = (4.0, 1.0, 0.25, 0.01)


@pytest.mark.parametrize(
    ("nats", "papers", "ours"), [(1 / 16, 103.68, 101.0764), (0.5, 12.96, 10.5399), (2, 3.24, 1.38394)]
)
def test_totals_are_those_computed_elsewhere(nats, papers, ours) -> None:
    assert linearised_noise(SPREAD, nats).sum() == pytest.approx(papers, rel=1e-9)
    assert log_det_noise(SPREAD, nats).sum() == pytest.approx(ours, rel=1e-5)


def test_each_of_the_papers_variances_and_what_they_tell() -> None:
    noise = linearised_noise(SPREAD, 1 / 16)
    assert noise == pytest.approx([57.6, 28.8, 14.4, 2.88])
    assert log_det_information(SPREAD, noise) == pytest.approx(0.060975, abs=1e-6)


def test_the_mean_of_ten_numbers_over_all_halves() -> None:
    halves = [np.mean(half) for half in itertools.combinations(range(1, 11), 5)]
    assert len(halves) == 252
    variance = np.var(halves)
    assert variance == pytest.approx(0.9166667, abs=1e-7)
    assert variance == pytest.approx(np.var(range(1, 11), ddof=1) / 10)
    assert linearised_noise([variance], 1 / 16) == pytest.approx([7.3333333], abs=1e-7)
    assert log_det_noise([variance], 1 / 16) == pytest.approx([variance / math.expm1(1 / 8)])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(1e-12, 1e12), min_size=1, max_size=8),
    st.floats(1e-6, 20),
)
def test_the_bound_is_met_and_never_passed_and_less_noise_than_the_papers(spread, nats) -> None:
    noise = log_det_noise(spread, nats)
    told = log_det_information(spread, noise)
    assert told <= nats
    assert told >= nats * (1 - 1e-6)
    assert noise.sum() <= linearised_noise(spread, nats).sum() * (1 + 1e-6)


@pytest.mark.parametrize("least", [5e-324, 1e-320, 1e-200, 1e-60])
@pytest.mark.parametrize("nats", [1e-6, 1 / 16, 4])
def test_spreads_at_the_end_of_doubles_get_their_noise(least, nats) -> None:
    """A posterior that is all but certain leaves a coordinate with next to none: that is no reason to fail."""
    spread = [2.0**94, least, 1.0]
    noise = log_det_noise(spread, nats)
    assert (noise > 0).all()
    assert log_det_information(spread, noise) <= nats
    assert noise.sum() <= linearised_noise(spread, nats).sum() * (1 + 1e-6)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(1e-3, 1e3), min_size=2, max_size=5), st.floats(1e-3, 5), st.floats(0.5, 0.99))
def test_no_other_split_of_the_same_information_needs_less(spread, nats, share) -> None:
    """Move information from one coordinate to another: the total only grows."""
    noise = log_det_noise(spread, nats)
    told = np.log1p(np.array(spread) / noise) / 2
    moved = told.copy()
    moved[1] += told[0] * (1 - share)
    moved[0] *= share
    other = np.array(spread) / np.expm1(2 * moved)
    assert other.sum() >= noise.sum() * (1 - 1e-6)


def test_balanced_noise_meets_the_bound_with_equal_shares() -> None:
    noise = balanced_noise([*SPREAD, 0.0], 0.5)
    assert noise[:4] / SPREAD == pytest.approx([1 / math.expm1(0.25)] * 4)
    assert noise[4] == 0  # exact: none is added
    assert log_det_information([*SPREAD, 0.0], noise) == pytest.approx(0.5)
    assert noise.sum() > log_det_noise(SPREAD, 0.5).sum()
    assert balanced_noise([0.0], 0.5).tolist() == [0]  # exact: none is added


def test_what_never_varies_needs_no_noise_and_tells_nothing() -> None:
    assert log_det_noise([0, 3, 0], 0.1)[[0, 2]].tolist() == [0, 0]  # exact: none is added
    assert log_det_noise([0.0, 0.0], 0.1).tolist() == [0, 0]  # exact: none is added
    assert log_det_information([0, 3], [0, 3]) == pytest.approx(math.log(2) / 2)
    assert log_det_information([3], [0]) == math.inf


def test_the_ratio_is_public_and_met_where_all_vary_alike() -> None:
    for coordinates in (1, 4, 30):
        spread = np.full(coordinates, 2.5)
        most = log_det_noise(spread, 0.25).sum() / spread.sum()
        assert most == pytest.approx(noise_ratio(0.25, coordinates), rel=1e-6)
        uneven = np.geomspace(1, 1e-4, coordinates)
        assert log_det_noise(uneven, 0.25).sum() / uneven.sum() <= most * (1 + 1e-6)


@pytest.mark.parametrize(
    "wrong", [([-1.0], 0.1), ([math.nan], 0.1), ([[1.0]], 0.1), ([1.0], 0), ([1.0], math.inf)]
)
def test_what_is_no_variance_or_budget_is_refused(wrong) -> None:
    with pytest.raises(BadAmount):
        log_det_noise(*wrong)
