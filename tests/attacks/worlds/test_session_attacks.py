"""Several answers about one secret: the sum of nats holds where what was told is tracked, and nothing holds where it is not."""

from __future__ import annotations

import numpy as np
import pytest
from tests.attacks.worlds.noisy_worlds import WORLDS, NoisyWorlds

from privet.artifact import Verdict
from privet.attacks._attack_registry import Case
from privet.attacks.worlds._session_attacks import _question, world_adaptive, world_averaging
from privet.guarantee import PacPrivacy

STEPS = {"draws": 150, "steps": 32}


def test_averaging_stays_within_the_sum_and_beats_it_with_a_fraction_of_the_noise() -> None:
    case = Case(promise=PacPrivacy("1/64"), settings={"draws": 1_000, "repeats": 4})
    kept = world_averaging(NoisyWorlds("1/64"), case)
    assert kept.bound == pytest.approx(PacPrivacy("1/16").posterior(), abs=1e-12)
    assert kept.success.low <= kept.bound
    assert kept.beats_baseline
    assert world_averaging(NoisyWorlds("1/64", 0.3), case).verdict is Verdict.CONTRADICTS


def test_an_adaptive_adversary_is_held_by_tracking_alone() -> None:
    """150 sessions of 32 questions at 1/32 nats each: one nat in all."""
    case = Case(promise=PacPrivacy("1/32"), settings=STEPS)
    tracked = world_adaptive(NoisyWorlds("1/32"), case)
    assert tracked.bound == pytest.approx(PacPrivacy(1).posterior(1 / WORLDS), abs=1e-12)
    assert tracked.verdict in (Verdict.WITHIN, Verdict.EDGE)
    assert tracked.details["untracked"] > tracked.bound
    assert "tracks" in tracked.notes[-1]


def test_questions_set_the_likeliest_worlds_apart() -> None:
    first = _question(np.full(8, 1 / 8))
    assert sorted(map(int, first[:, 0])) == [-1] * 4 + [1] * 4
    weights = np.array([0.01, 0.45, 0.02, 0.45, 0.01, 0.02, 0.02, 0.02])
    assert list(map(int, _question(weights)[:, 0])) == [0, 1, 0, -1, 0, 0, 0, 0]
