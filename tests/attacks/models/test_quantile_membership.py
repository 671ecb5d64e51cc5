"""How sure the model would be of such a record."""

import numpy as np
import pytest
from tests.attacks.models.games import game

from privet.attacks.models._quantile_membership import quantile_scores


def made(lift: float, seed: int = 1):
    """Easy and hard records: the model is sure of easy ones whoever they are, and of members a little more."""
    draw = np.random.default_rng(seed)
    easy = draw.random(400) < 0.5
    member = np.arange(400) < 200
    features = np.column_stack([easy.astype(float), np.arange(400) / 1e6])
    odds = 6.0 * easy + draw.normal(0, 0.5, 400) + lift * member
    return game(odds, 200, features=features)[0], member, odds


def area(scores: np.ndarray, member: np.ndarray) -> float:
    return float((scores[member][:, None] > scores[~member][None, :]).mean())


def test_what_is_easy_for_everybody_is_no_sign_of_membership() -> None:
    played, member, odds = made(1.0)
    found = quantile_scores(played)
    assert area(found, member) > area(odds, member) + 0.1
    assert area(found, member) > 0.75


def test_where_members_are_answered_as_others_are_nothing_is_told() -> None:
    """Six standard errors of an area over 200 and 200 are 0.17."""
    played, member, _ = made(0.0, seed=2)
    assert abs(area(quantile_scores(played), member) - 0.5) < 0.17


def test_the_same_seed_scores_the_same() -> None:
    played, _, _ = made(1.0)
    assert quantile_scores(played, 3) == pytest.approx(quantile_scores(played, 3))
