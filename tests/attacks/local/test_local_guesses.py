"""Guesses beside what epsilon allows: ties are dealt, values come from everywhere, and few people show little."""

import numpy as np
import pytest
from tests.attacks.local.clients import TWELVE

from privet.artifact import Verdict
from privet.attacks._attack_registry import Case
from privet.attacks.local._local_client import LocalClient
from privet.attacks.local._local_guesses import best_columns, candidates, guessed, known_oracle
from privet.errors import BadAttack
from privet.guarantee import most_guessed


def found(right: int, people: int, epsilon: float | None = 1.0):
    flags = np.arange(people) < right
    return guessed("x", flags, 0.1, Case(), measure="share", epsilon=epsilon, reports=3, started=0.0)


def test_the_bound_is_that_of_epsilon() -> None:
    made = found(100, 1_000)
    assert made.bound == pytest.approx(most_guessed(1.0, 0.1))
    assert made.verdict is Verdict.WITHIN
    assert found(900, 1_000).verdict is Verdict.CONTRADICTS
    assert found(1, 3).verdict is not Verdict.WITHIN
    assert found(100, 1_000, None).verdict is Verdict.NOT_PROMISED


def test_ties_are_dealt_and_the_largest_wins() -> None:
    scores = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 2.0]])
    assert best_columns(scores, np.array([[0.1, 0.9, 1.0], [0.9, 0.9, 0.0]])).tolist() == [1, 2]


def test_candidates_come_from_the_whole_list() -> None:
    assert candidates(5).tolist() == [0, 1, 2, 3, 4]
    many = candidates(1_000)
    assert (len(many), many[0], many[-1]) == (64, 0, 999)


def test_a_client_without_a_specification_cannot_be_read() -> None:
    with pytest.raises(BadAttack, match="states none"):
        known_oracle(LocalClient(len, TWELVE))
