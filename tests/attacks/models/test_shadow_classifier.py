"""A classifier that has seen how models answer whom they know."""

import numpy as np
from tests.attacks.models.games import game

from privet.attacks._shadow_models import Shadows, complementary
from privet.attacks.models._shadow_classifier import learned_scores


def shadows(records: int, lift: float) -> Shadows:
    inside = complementary(4, records)
    draw = np.random.default_rng(1)
    odds = draw.normal(size=inside.shape) + lift * inside
    chance = 1 / (1 + np.exp(-odds))
    top = np.stack(
        [np.maximum(chance, 1 - chance), np.minimum(chance, 1 - chance), np.zeros_like(odds)], axis=2
    )
    return Shadows(inside, odds.astype(np.float32), odds > 0, top.astype(np.float32))


def test_answers_like_those_of_members_are_scored_higher() -> None:
    played, _, _ = game(np.repeat([4.0, 0.0], [60, 60]), 60)
    scores = learned_scores(played, shadows(120, 4.0))
    assert scores[:60].min() > scores[60:].max()


def test_where_models_answer_alike_the_classifier_learns_nothing_much() -> None:
    played, _, _ = game(np.random.default_rng(2).normal(size=120), 60)
    scores = learned_scores(played, shadows(120, 0.0))
    assert np.abs(scores).mean() < 3
    assert abs((scores[:60][:, None] > scores[60:][None, :]).mean() - 0.5) < 0.32
