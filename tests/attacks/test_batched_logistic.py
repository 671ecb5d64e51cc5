"""Many regressions at once are those trained alone."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from privet.attacks import _batched_logistic as batched
from privet.attacks._attack_records import AttackRecords
from privet.attacks._batched_logistic import logistic_scores
from privet.attacks._shadow_models import complementary


def pool(records: int = 200, width: int = 6, seed: int = 1) -> AttackRecords:
    draw = np.random.default_rng(seed)
    features = draw.normal(size=(records, width))
    return AttackRecords(features, (features[:, 0] + draw.normal(size=records) > 0).astype(int))


@pytest.mark.parametrize("penalty", [1.0, 100.0, 0.01])
def test_models_trained_at_once_are_those_trained_alone(penalty: float) -> None:
    given = pool(600, 12)
    design = complementary(6, 600)
    found = logistic_scores(given.features, given.labels.astype(bool), design, penalty, 1e-9)
    for k, row in enumerate(design):
        alone = LogisticRegression(C=penalty, tol=1e-10, max_iter=5_000)
        alone.fit(given.features[row], given.labels[row])
        assert np.abs(alone.decision_function(given.features) - found[k]).max() < 1e-4


def test_subsets_that_separate_are_still_fitted() -> None:
    """A few records in many dimensions with next to no penalty: the common curvature is far off."""
    given = pool(60, 25, seed=2)
    design = complementary(4, 60)
    found = logistic_scores(given.features, given.labels.astype(bool), design, 1e4, 1e-8)
    alone = LogisticRegression(C=1e4, tol=1e-12, max_iter=100_000, solver="newton-cholesky")
    alone.fit(given.features[design[0]], given.labels[design[0]])
    ours, theirs = found[0], alone.decision_function(given.features)
    assert np.corrcoef(ours, theirs)[0, 1] > 0.999


def test_without_features_the_log_odds_are_those_of_the_share() -> None:
    """Three of four say yes in the one half, one of four in the other: log 3 and -log 3."""
    yes = np.array([1, 1, 1, 0, 1, 0, 0, 0], bool)
    inside = np.arange(8) < 4
    found = logistic_scores(np.zeros((8, 1)), yes, np.stack([inside, ~inside]), 1.0, 1e-10)
    assert found == pytest.approx(np.repeat([[np.log(3)], [-np.log(3)]], 8, axis=1), abs=1e-6)


def test_models_in_small_parts_are_the_same(monkeypatch) -> None:
    given, design = pool(60), complementary(6, 60)
    whole = logistic_scores(given.features, given.labels.astype(bool), design, 1.0, 1e-9)
    monkeypatch.setattr(batched, "_CHUNK", 60)
    parts = logistic_scores(given.features, given.labels.astype(bool), design, 1.0, 1e-9)
    assert parts == pytest.approx(whole, abs=1e-6)
