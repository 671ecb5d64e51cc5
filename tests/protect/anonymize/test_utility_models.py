"""The models that measure use: a line, trees, and which of them serves."""

import numpy as np
import pytest

from privet.protect.anonymize import _utility_models as learning
from privet.protect.anonymize._utility_measures import (
    model_utility,
)
from privet.protect.anonymize._utility_models import BOOSTING, LOGISTIC


def test_trees_find_what_columns_say_together_and_a_line_does_not():
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    codes = np.stack([np.arange(800) % 2, np.arange(800) // 2 % 2], axis=1)
    target = (codes[:, 0] ^ codes[:, 1]).astype(np.int64)
    cells = [codes[:, [j]] == np.arange(2) for j in range(2)]
    held_out = np.arange(800) % 7 == 0
    none = np.zeros(800, bool)
    found = {
        learner.name: model_utility(codes, cells, target, none, held_out, learner=learner)
        for learner in (LOGISTIC, BOOSTING)
    }
    assert found[BOOSTING.name].published == 1
    assert found[LOGISTIC.name].published < 0.8
    assert model_utility(codes, cells, target, none, held_out).learner == BOOSTING.name


def test_without_scikit_learn_the_own_model_serves(monkeypatch):
    monkeypatch.setattr(learning, "find_spec", lambda name: None)
    assert learning.best_learner() is LOGISTIC


def test_a_cell_of_several_values_counts_as_each_in_equal_parts():
    cells = [np.array([[True, True, False], [False, False, True]]), np.array([[True, False], [True, True]])]
    features, rows = LOGISTIC.published(cells)
    assert features == pytest.approx(np.array([[0.5, 0.5, 0, 1, 0], [0, 0, 1, 0.5, 0.5]]))
    assert rows.tolist() == [0, 1]
    exact = LOGISTIC.exact(np.array([[1, 0], [2, 1]]), cells)
    assert exact.tolist() == [[0, 1, 0, 1, 0], [0, 0, 1, 0, 1]]


def test_trees_are_shown_values_that_the_cell_stands_for_and_every_time_the_same():
    cells = [np.array([[False, True, True, False, True]] * 50 + [[True, False, False, False, False]])]
    features, rows = BOOSTING.published(cells)
    assert len(features) == 4 * 51
    assert all(cells[0][row, int(value)] for row, (value,) in zip(rows, features, strict=True))
    assert set(features[rows < 50, 0].tolist()) == {1, 2, 4}, "spread over all of them"
    assert np.array_equal(features, BOOSTING.published(cells)[0])


def test_the_own_model_finds_a_line_between_two_classes():
    x = np.linspace(-1, 1, 40)[:, None]
    target = (x[:, 0] > 0.2).astype(np.int64)
    predict = LOGISTIC.learn(np.hstack([x, -x]), target)
    told = predict(np.array([[-0.9, 0.9], [0.9, -0.9]]))
    assert told.tolist() == [0, 1]
    one = LOGISTIC.learn(np.ones((5, 1)), np.zeros(5, np.int64))
    assert one(np.ones((3, 1))).tolist() == [0, 0, 0]
