"""Private responses: what trees and other classifiers say of public points."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from privet.protect.pac import PacResponses
from privet.protect.pac._design_matrix import Classes, DesignMatrix, Feature
from privet.protect.pac._private_responses import EstimatorResponses, TreeResponses, spread_points

DESIGN = DesignMatrix((Feature("x", 0, 10),))
TWO = Classes("c", ("no", "yes"))
POINTS = np.array([[-0.8], [0.8]])
DRAW = np.random.default_rng(7)
X = DRAW.random(200) * 10
ROWS = pa.table({"x": X, "c": ["yes" if value > 5 else "no" for value in X]})


@pytest.mark.parametrize("trees", [1, 5])
def test_trees_answer_for_public_points(trees) -> None:
    made = TreeResponses(DESIGN, TWO, POINTS, trees, 2, 1 / 32)
    found = made(ROWS)
    assert found.shape == (2, 1)
    assert found[0, 0] < 0.05
    assert found[1, 0] > 0.95
    assert made(ROWS.take(DRAW.permutation(200))).tolist() == found.tolist()


@pytest.mark.parametrize(
    ("estimator", "labels"), [(GaussianNB(), False), (GaussianNB(), True), (LinearSVC(), False)]
)
def test_any_classifier_does(estimator, labels) -> None:
    found = EstimatorResponses(DESIGN, TWO, POINTS, estimator, labels)(ROWS)
    assert found[:, 0] == pytest.approx([0, 1], abs=0.1)
    assert not hasattr(estimator, "classes_")
    alone = EstimatorResponses(DESIGN, TWO, POINTS, GaussianNB(), labels)(ROWS.filter(pa.array(X > 5)))
    assert alone[:, 0] == pytest.approx([1, 1])


def test_what_was_released_is_brought_back_between_zero_and_one() -> None:
    read = PacResponses.read(np.array([[1.4], [-0.2], [0.6]]), TWO)
    assert read.labels == ["yes", "no", "yes"]
    assert read.probabilities.tolist() == [[0, 1], [1, 0], pytest.approx([0.4, 0.6])]


def test_points_are_spread_evenly() -> None:
    """In one column, 64 points leave no gap wider than three times the mean one."""
    found = np.sort(spread_points(64, 1)[:, 0])
    assert np.diff(found).max() < 3 * 2 / 64
    assert np.abs(spread_points(500, 4).mean(axis=0)).max() < 0.05
