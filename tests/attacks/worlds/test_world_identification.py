"""The best guesses from one release: within the promise where it is kept, and beyond it with half of the noise."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.attacks.worlds.noisy_worlds import OUTLIER, WORLDS, NoisyWorlds

from privet.artifact import Verdict
from privet.attacks._attack_registry import Case
from privet.attacks.worlds._world_identification import world_identification, world_membership
from privet.errors import NoPower
from privet.guarantee import PacPrivacy

DRAWS = 10_000


def case(nats: str) -> Case:
    return Case(promise=PacPrivacy(nats), settings={"draws": DRAWS})


@pytest.mark.parametrize("nats", ["1/128", "1/16", "1/4"])
def test_with_its_noise_nobody_beats_the_bound_and_with_half_of_it_somebody_does(nats) -> None:
    """10,000 releases, drawn by a fixed seed."""
    kept = world_membership(NoisyWorlds(nats), case(nats))
    assert kept.bound == pytest.approx(PacPrivacy(nats).posterior(), abs=1e-12)
    error = math.sqrt(kept.bound * (1 - kept.bound) / DRAWS)
    assert kept.success.value <= kept.bound + 3 * error
    assert kept.success.value > 0.5 + 3 * error
    assert kept.verdict in (Verdict.WITHIN, Verdict.EDGE)
    broken = world_membership(NoisyWorlds(nats, 0.5), case(nats))
    assert broken.success.value > kept.bound + 3 * error
    assert broken.verdict is Verdict.CONTRADICTS


def test_worlds_are_named_beyond_chance_and_within_the_bound() -> None:
    found = world_identification(NoisyWorlds("1/4"), case("1/4"))
    assert found.baseline == pytest.approx(1 / WORLDS)
    assert found.bound == pytest.approx(PacPrivacy("1/4").posterior(1 / WORLDS), abs=1e-12)
    assert found.found_something
    assert found.success.value <= found.bound


def test_an_output_that_never_varies_cannot_be_attacked() -> None:
    game = NoisyWorlds("1/16")
    game.outputs = np.ones((WORLDS, 2))
    for attack in (world_identification, world_membership):
        with pytest.raises(NoPower):
            attack(game, case("1/16"))
    assert OUTLIER == 0
