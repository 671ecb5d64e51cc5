"""Precision, recall and the Fréchet distance against values known from elsewhere."""

import numpy as np
import pytest

from privet.protect.synthesize.fidelity._embedding_overlap import frechet, overlap


def test_the_distance_of_normals_in_closed_form() -> None:
    """Of independent coordinates: the squared shift, and the squared difference of the standard deviations."""
    draws = np.random.default_rng(0)
    first = draws.normal(size=(200, 3))
    first = (first - first.mean(axis=0)) @ np.linalg.inv(np.linalg.cholesky(np.cov(first, rowvar=False))).T
    second = first * [1, 2, 3] + [4, 0, 0]
    assert frechet(first, second) == pytest.approx(16 + 0 + 1 + 4)
    assert frechet(first, first) == pytest.approx(0, abs=1e-8)
    assert np.isnan(frechet(first[:1], second))


def test_precision_falls_with_strays_and_recall_with_gaps() -> None:
    """A twin of one of two clusters is precise and forgets half; one with strays is imprecise and forgets nothing."""
    draws = np.random.default_rng(1)
    left, right = draws.normal(size=(2, 300, 2))
    right = right + 100
    real = np.concatenate([left, right])
    half = overlap(left + 0.001, real, (real[::2], real[1::2]), "two numbers")
    assert half.precision > 0.9
    assert half.recall == pytest.approx(0.5, abs=0.05)
    stray = overlap(np.concatenate([real, real + 1e4]), real, (real[::2], real[1::2]), "two numbers")
    assert stray.precision == pytest.approx(0.5)
    assert stray.recall == pytest.approx(1)
    assert (stray.embedding, stray.points, stray.dimensions) == ("two numbers", (1200, 600), 2)
    assert half.by_chance < half.frechet


def test_samples_that_lie_nowhere_and_too_few_are_no_figures() -> None:
    points = np.array([[0.0, 0.0], [np.nan, 1.0], [1.0, 1.0]])
    found = overlap(points, points, (points, points), "x")
    assert found.points == (2, 2)
    assert np.isnan(found.precision)
