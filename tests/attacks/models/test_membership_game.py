"""How the game is set up, and who is left out of it."""

import numpy as np
import pytest
from tests.attacks.models.games import game

from privet.artifact import Adversary
from privet.attacks._attack_registry import Case
from privet.attacks.models._membership_game import game_of, outcome, work_of
from privet.errors import NoPower
from privet.guarantee import PureDP

WHO = Adversary("somebody", (), "black box")


def test_members_come_first_and_are_scored_against_the_others() -> None:
    played, _, case = game(np.repeat([4.0, -4.0], [12, 15]), 12)
    assert (played.members, len(played.pool)) == (12, 27)
    assert played.log_odds == pytest.approx(np.repeat([4.0, -4.0], [12, 15]))
    found = outcome("x", played, played.log_odds, case, WHO)
    assert found.success.value == pytest.approx(1)
    assert outcome("x", played, -played.log_odds, case, WHO).success.value == pytest.approx(0)
    assert (found.cost.records, found.cost.models) == (27, 0)


def test_ten_on_each_side_are_the_fewest() -> None:
    game(np.zeros(20), 10)
    with pytest.raises(NoPower, match="too few members or other records to tell"):
        game(np.zeros(20), 9)


def test_labels_that_the_model_does_not_know_are_left_out() -> None:
    labels = np.zeros(30, int)
    labels[[0, 1, 20]] = 7
    played, _, _ = game(np.zeros(30), 15, labels)
    assert (played.members, len(played.codes)) == (13, 27)
    assert "3 records without a label" in played.notes[0]
    with pytest.raises(NoPower, match="label that the model knows"):
        game(np.zeros(30), 15, np.full(30, 7))


def test_without_labels_the_model_s_own_answers_stand_in() -> None:
    _, target, case = game(np.linspace(-3, 3, 30), 15)
    played = game_of(target, Case(members=case.members[0], control=case.control[0]))
    assert played.guessed
    assert (played.log_odds >= 0).all(), "each record's likeliest class"


def test_what_the_case_says_of_the_work_is_kept() -> None:
    work = work_of(Case(workers=3, settings={"backend": "threading", "address": "ray://x"}))
    assert (work.workers, work.backend, work.address) == (3, "threading", "ray://x")


def test_a_promise_bounds_the_area() -> None:
    played, _, case = game(np.repeat([4.0, -4.0], [60, 60]), 60)
    promised = Case(members=case.members, control=case.control, promise=PureDP("0.1"))
    found = outcome("x", played, played.log_odds, promised, WHO)
    assert found.bound is not None
    assert found.verdict.value == "contradicts the promise"
