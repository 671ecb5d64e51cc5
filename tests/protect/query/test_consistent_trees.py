"""Trees made to add up: the least-squares estimate, by another way; exact trees stay as they are."""

import itertools

import numpy as np
import pytest

from privet.protect.query._consistent_trees import consistent, deviations, edge_weights, running

SIZES = (1, 3, 9)


def by_least_squares(noisy):
    """The same through the matrix that adds leaves up to nodes."""
    leaves = np.eye(9)
    design = np.vstack([leaves.reshape(9, size, -1).sum(axis=2).T for size in SIZES])
    fitted, *_ = np.linalg.lstsq(design, noisy, rcond=None)
    return fitted


def test_it_is_the_nearest_tree_that_adds_up():
    noisy = np.random.default_rng(3).normal(10, 5, 13)
    levels = consistent(noisy, SIZES)
    assert levels[-1] == pytest.approx(by_least_squares(noisy))
    for above, below in itertools.pairwise(levels):
        assert below.reshape(-1, 3).sum(axis=1) == pytest.approx(above)


def test_a_tree_that_adds_up_stays():
    leaves = np.arange(9.0)
    exact = np.concatenate([[leaves.sum()], leaves.reshape(3, 3).sum(axis=1), leaves])
    assert consistent(exact, SIZES)[-1] == pytest.approx(leaves)
    assert running(exact, SIZES) == pytest.approx(np.concatenate([[0], np.cumsum(leaves)]))


def test_weights_are_those_of_the_estimate():
    noisy = np.random.default_rng(4).normal(0, 1, 13)
    assert edge_weights(SIZES) @ noisy == pytest.approx(running(noisy, SIZES))
    drawn = running(np.random.default_rng(5).normal(0, 1, (20_000, 13)), SIZES)
    found = (drawn - 0.3 * drawn[:, -1:]).std(axis=0)
    assert found == pytest.approx(deviations(SIZES, 0.3), rel=0.04, abs=1e-9)  # 8 standard errors


def test_many_groups_at_once():
    noisy = np.random.default_rng(6).normal(0, 1, (4, 13))
    assert running(noisy, SIZES)[2] == pytest.approx(running(noisy[2], SIZES))
