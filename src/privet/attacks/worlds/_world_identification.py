"""The best guesses there are from one PAC release: which world was used, and whether one person is in it.

With all worlds known the posterior is Bayes' rule, and nobody guesses better. PAC privacy bounds the success of either:
KL(success ‖ blind) is at most the nats (Xiao and Devadas 2023, Theorem 1).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from privet.artifact import AttackCost, RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks._attack_scores import lower_rate, rate
from privet.attacks.worlds._world_game import INSIDER, WorldGame
from privet.attacks.worlds._world_posterior import WorldNoise, level, most_exposed, updated
from privet.errors import NoPower
from privet.guarantee import PacPrivacy

DRAWS = 1_000
NAMED = "share of worlds named rightly"
MEMBERSHIP = "share of right guesses about one person's membership"


@dataclass(frozen=True)
class WorldGuesses:
    """What was guessed: how often rightly, of how many, how often blindly, and the nats that were told each time."""

    measure: str
    right: int
    trials: int
    blind: float
    nats: Fraction


def scored(name: str, found: WorldGuesses, case: Case, started: float, **more: object) -> RiskEstimate:
    """Guesses beside what is blindly guessed and what so many nats allow at most."""
    bound = PacPrivacy(found.nats).posterior(found.blind)
    trials = found.trials
    details: dict[str, object] = {"nats": float(found.nats), "trials": trials, **more}
    return RiskEstimate(
        attack=name,
        measure=found.measure,
        success=rate(found.right, trials, case.confidence),
        baseline=found.blind,
        adversary=INSIDER,
        cost=AttackCost(time.process_time() - started, queries=trials),
        bound=bound,
        bound_reason=f"{float(found.nats):.6g} nats let nobody who succeeds with {found.blind:.4g} blindly do so more often",
        promise=case.promise,
        detectable=lower_rate(trials, trials, (1 - case.confidence) / 2),
        artifact="PAC release",
        notes=(
            "Only which world was used is guessed: presence in the universe is not promised to be hidden.",
        ),
        details=details,
    )


def refuse_constant(noise: WorldNoise) -> None:
    """An output that is the same in all worlds tells nothing of them."""
    if not (noise.variances > 0).any():
        raise NoPower(
            "the output is the same in every world.",
            "Nothing depends on who is in it: there is nothing to guess.",
        )


@register(name="world-identification", on="worlds")
def world_identification(target: WorldGame, case: Case) -> RiskEstimate:
    """Name the secret half that an output was computed on, as the likeliest of all worlds.

    Settings: `draws` (1000), releases that are made with fresh secrets.
    """
    started = time.process_time()
    draws, worlds = case.whole("draws", DRAWS), len(target.outputs)
    nats = target.promise.mutual_information
    noise = WorldNoise.of(target.outputs, level(worlds), float(nats), target.basis)
    refuse_constant(noise)
    answers, drawn = target.play(draws)
    guesses = noise.log_likelihoods(target.outputs, answers).argmax(axis=1)
    right = int((guesses == drawn).sum())
    found = WorldGuesses(NAMED, right, draws, 1 / worlds, nats)
    return scored("world-identification", found, case, started)


@register(name="world-membership", on="worlds")
def world_membership(target: WorldGame, case: Case) -> RiskEstimate:
    """Say whether the person who moves the output most was in the secret half.

    Settings: `draws` (1000), releases that are made with fresh secrets.
    """
    started = time.process_time()
    draws, worlds = case.whole("draws", DRAWS), len(target.outputs)
    nats = target.promise.mutual_information
    noise = WorldNoise.of(target.outputs, level(worlds), float(nats), target.basis)
    refuse_constant(noise)
    member = target.inside[:, most_exposed(target.outputs, target.inside, noise)]
    answers, drawn = target.play(draws)
    weights = updated(level(worlds), noise.log_likelihoods(target.outputs, answers))
    right = int(((weights @ member.astype(np.float64) >= 0.5) == member[drawn]).sum())
    return scored("world-membership", WorldGuesses(MEMBERSHIP, right, draws, 0.5, nats), case, started)
