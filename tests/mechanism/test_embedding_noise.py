"""Noise for embeddings: its distribution, two-sided, at a false-alarm rate below 1e-9, and what it refuses."""

import math

import numpy as np
import pytest
from scipy import stats

from privet.errors import OutOfRange
from privet.mechanism import WordStream, embedding_noise, euclidean_laplace

COUNT = 100_000


def test_normal_noise_has_the_variance_of_one() -> None:
    """The sum of n squares is chi-squared: between its quantiles at 5e-10 on either side, and not at 0.9 or 1.1 of the scale."""
    total = float((embedding_noise(WordStream.seeded(1), (COUNT // 10, 10)) ** 2).sum())
    low, high = stats.chi2.ppf([5e-10, 1 - 5e-10], COUNT)
    assert low < total < high
    assert not low < 0.81 * total < high
    assert not low < 1.21 * total < high


def test_norms_of_laplace_noise_are_gamma() -> None:
    """A row's norm is Gamma(d, 1/epsilon), so the sum of n norms is Gamma(n·d, 1/epsilon)."""
    rows, width, epsilon = 10_000, 10, 4.0
    total = float(
        np.linalg.norm(euclidean_laplace(WordStream.seeded(2), (rows, width), epsilon), axis=1).sum()
    )
    low, high = stats.gamma.ppf([5e-10, 1 - 5e-10], rows * width, scale=1 / epsilon)
    assert low < total < high
    assert not low < 0.9 * total < high
    assert not low < 1.1 * total < high


def test_directions_of_laplace_noise_favour_none() -> None:
    """The mean of 10,000 unit vectors in 10 dimensions is short: n·d·|mean|² is about chi-squared with 10 degrees."""
    found = euclidean_laplace(WordStream.seeded(3), (10_000, 10), 1.0)
    mean = (found / np.linalg.norm(found, axis=1, keepdims=True)).mean(0)
    assert 100_000 * float((mean**2).sum()) < stats.chi2.ppf(1 - 1e-9, 10)


def test_shapes_are_kept_and_fresh_streams_differ() -> None:
    first, second = (embedding_noise(WordStream.fresh(), (2, 3, 5)) for _ in range(2))
    assert first.shape == (2, 3, 5)
    assert not (first == second).any()
    assert euclidean_laplace(WordStream.fresh(), (2, 3, 5), 1.0).shape == (2, 3, 5)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.inf, math.nan])
def test_an_epsilon_that_is_none_is_refused(epsilon: float) -> None:
    with pytest.raises(OutOfRange):
        euclidean_laplace(WordStream.seeded(1), (2, 2), epsilon)
