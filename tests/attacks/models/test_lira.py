"""Likelihoods of an answer with and without the record."""

import numpy as np
import pytest

from privet.attacks._shadow_models import Shadows, complementary
from privet.attacks.models._lira import offline_scores, online_scores


def test_in_and_out_have_spreads_of_their_own() -> None:
    """A record whose answers spread only without it: far below the mean speaks for "out"."""
    inside = complementary(40, 50)
    draw = np.random.default_rng(2)
    values = np.where(inside, 3 + 0.1 * draw.normal(size=inside.shape), 4 * draw.normal(size=inside.shape))
    shadows = type("S", (), {"inside": inside, "log_odds": values.astype(np.float32)})
    for observed, sign in ((3.0, 1), (-5.0, -1), (9.0, -1)):
        assert (np.sign(online_scores(np.full(50, observed), shadows)) == sign).all()


def shadows(inside: np.ndarray, odds: np.ndarray) -> Shadows:
    return Shadows(inside, odds.astype(np.float32), odds > 0, np.zeros((*odds.shape, 3), np.float32))


INSIDE = np.array([[True], [True], [False], [False]])
ODDS = np.array([[3.0], [5.0], [-1.0], [1.0]])


def test_the_log_ratio_of_two_normal_densities_by_hand() -> None:
    """In: mean 4, spread 1. Out: mean 0, spread 1. At x: (x^2 - (x - 4)^2) / 2 = 4 x - 8."""
    for x in (0.0, 2.0, 4.0):
        found = online_scores(np.array([x]), shadows(INSIDE, ODDS), "own")
        assert found == pytest.approx([4 * x - 8])


def test_the_distance_from_answers_without_the_record_by_hand() -> None:
    assert offline_scores(np.array([3.0]), shadows(INSIDE, ODDS), "own") == pytest.approx([3.0])
    moved = np.array([[30.0], [50.0], [-1.0], [1.0]])
    assert offline_scores(np.array([3.0]), shadows(INSIDE, moved), "own") == pytest.approx([3.0]), (
        "answers with it are not read"
    )
