"""Exposure: ranks by hand, 1.44 bits by chance, a tail that goes on where ranks end."""

import math

import numpy as np
import pytest
from tests.attacks.memorization.tiny_models import parrot

from privet.attacks.memorization import plant_canaries
from privet.attacks.memorization._canary_exposure import (
    exposures,
    mean_by_chance,
    mean_exposure,
    rank_exposure,
    recitations,
    secret_scores,
    tail_exposure,
)


def test_ranks_are_the_definitions() -> None:
    references = np.array([0.0, 1.0, 2.0])
    found = rank_exposure(np.array([5.0, 1.5, -1.0]), references)
    assert np.allclose(found, [2.0, 1.0, 0.0])
    assert np.allclose(rank_exposure(np.array([1.0]), references), 2 - math.log2(2.5))


def test_what_was_never_inserted_has_log2_e_bits() -> None:
    assert abs(mean_by_chance(100_000) - math.log2(math.e)) < 1e-3
    draw = np.random.default_rng(0)
    own, references = draw.normal(size=20_000), draw.normal(size=20_000)
    found = rank_exposure(own, references)
    # Standard deviation 1.44 bits; six standard errors of both samples together.
    assert abs(found.mean() - mean_by_chance(20_000)) < 6 * 1.45 * math.sqrt(2 / 20_000)
    low, high = (mean_exposure(found, 20_000, one) for one in (0.9, 0.99))
    assert high.low < low.low < low.value < low.high < high.high
    assert mean_exposure(np.empty(0), 10, 0.95).high == pytest.approx(math.log2(11))


def test_the_tail_agrees_with_ranks_and_goes_beyond_them() -> None:
    from scipy.stats import skewnorm

    references = skewnorm.rvs(-4, size=20_000, random_state=1)
    own = np.quantile(references, [0.5, 0.75, 0.9])
    assert np.abs(tail_exposure(own, references) - rank_exposure(own, references)).max() < 0.2
    far = np.array([references.max() + 1])
    assert tail_exposure(far, references)[0] > rank_exposure(far, references)[0] > 14
    assert tail_exposure(np.array([1e9]), references)[0] > 999
    assert np.isfinite(tail_exposure(np.array([0.0]), np.zeros(5))).all()


def test_secrets_known_by_heart_are_recited_and_others_are_not() -> None:
    texts, record = plant_canaries([], copies={1: 20, 3: 4}, seed=2)
    model = parrot(texts)
    planted = np.array([one.copies > 0 for one in record.canaries])
    assert np.array_equal(recitations(model, record.canaries), planted)
    scores = secret_scores(model, record.canaries)
    assert scores[planted].min() > -1 > scores[~planted].max()
    found = exposures(model, record.canaries, record.references(255))
    assert np.allclose(found.by_rank[planted], 8.0)
    assert found.by_rank[~planted].max() < 8
    assert found.most == pytest.approx(8)
