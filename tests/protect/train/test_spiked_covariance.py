"""What columns share: a cause that stands out is found at its true size, noise is dropped, and a direction turns away from it."""

import numpy as np
import pytest

from privet.protect.train._spiked_covariance import TRUSTED, apart, shared


def noise_table(many, size, seed=0):
    table = np.triu(np.random.default_rng(seed).normal(size=(many, many)) * size, 1)
    return table + table.T


def test_noise_alone_leaves_hardly_anything():
    # The largest eigenvalue lies within a share of 200^(-2/3) of the edge, so what passes it is that small beyond it.
    found = shared(noise_table(200, 0.1), 0.1 * 1.2)
    assert not found.any()


def test_a_cause_is_found_at_its_size():
    cause = np.ones(200) / np.sqrt(200)
    found = shared(5 * np.outer(cause, cause) + noise_table(200, 0.1), 0.1)
    # Size 5 against an edge of 2.83: the seen vector is aligned with the true one by 1 - (1.41 / 5)².
    assert np.trace(found) == pytest.approx(5 * (1 - 2 / 25), rel=0.1)
    assert cause @ found @ cause == pytest.approx(5 * (1 - 2 / 25) ** 2, rel=0.1)


def test_without_causes_the_direction_is_that_of_the_means():
    means, ahead = np.array([1.0, -2.0, 0.5]), np.array([1.0, 0.5, 0.05])
    assert apart(means, ahead, np.zeros((3, 3)), 1.0) == pytest.approx(means)


def test_a_direction_turns_away_from_what_columns_share():
    ahead = np.array([1.0, 0.5])
    products = 0.8 * np.outer(ahead, ahead)
    np.fill_diagonal(products, 0)
    found = apart(np.array([1.0, 0.0]), ahead, products, 1e-9)
    cause = TRUSTED * shared(products, 1e-9)
    wanted = np.linalg.solve(np.eye(2) + cause / np.outer(ahead, ahead), [1.0, 0.0])
    assert found == pytest.approx(wanted)
    assert found[1] < 0 < found[0], "a column that only shows the shared cause is subtracted"
