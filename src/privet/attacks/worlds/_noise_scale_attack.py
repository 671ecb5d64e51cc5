"""Presence in the universe, heard through the noise: somebody who stands out makes every world vary, and the noise with it.

PAC privacy does not promise that anybody's presence in the universe stays hidden, and noise of another scale gives it away: a sum of
three rows, one of them an outlier, tells in 98.6 % of the cases. What keeps it small is not the nats but public bounds
of every contribution and a least number of people. This measures what is left, for the person who moves the output most.
"""

from __future__ import annotations

import time

import numpy as np

from privet.artifact import AttackCost, RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks._attack_scores import lower_rate, rate
from privet.attacks.worlds._world_game import INSIDER, Floats, WorldGame
from privet.attacks.worlds._world_identification import refuse_constant
from privet.attacks.worlds._world_posterior import WorldNoise, level, most_exposed

DRAWS = 500


@register(name="world-noise-scale", on="worlds")
def world_noise_scale(target: WorldGame, case: Case) -> RiskEstimate:
    """Tell from one output whether the person who stands out most is in the universe at all: not promised, but measured.

    Settings: `draws` (500), releases with them and as many without.
    """
    started = time.process_time()
    draws, nats = case.whole("draws", DRAWS), float(target.promise.mutual_information)
    noise = WorldNoise.of(target.outputs, level(len(target.outputs)), nats, target.basis)
    refuse_constant(noise)
    absent = target.without(most_exposed(target.outputs, target.inside, noise))
    games = (target, absent)
    right = 0
    for here, game in enumerate(games):
        answers, _ = game.play(draws)
        likely = [_log_density(one, nats, answers) for one in games]
        right += int((likely[here] > likely[1 - here]).sum() + (likely[0] == likely[1]).sum() // 2)
    total = float(noise.variances.sum())
    other = WorldNoise.of(absent.outputs, level(len(absent.outputs)), nats, absent.basis)
    return RiskEstimate(
        attack="world-noise-scale",
        measure="share of right guesses about one person's presence in the universe",
        success=rate(right, 2 * draws, case.confidence),
        baseline=0.5,
        adversary=INSIDER,
        cost=AttackCost(time.process_time() - started, queries=2 * draws),
        promise=case.promise,
        detectable=lower_rate(2 * draws, 2 * draws, (1 - case.confidence) / 2),
        artifact="PAC release",
        notes=(
            "PAC privacy does not promise this: narrower public bounds and a larger least number of people make it harder, "
            "and differential privacy bounds it.",
        ),
        details={"noise_ratio": float(np.sqrt(other.variances.sum() / total)), "trials": 2 * draws},
    )


def _log_density(game: WorldGame, nats: float, answers: Floats) -> Floats:
    """How likely each answer is if this is the universe: the mean over its worlds, with its own noise."""
    weights = level(len(game.outputs))
    noise = WorldNoise.of(game.outputs, weights, nats, game.basis)
    moves = noise.variances > 0
    logs = noise.log_likelihoods(game.outputs, answers)
    highest = logs.max(axis=1)
    scale = np.log(noise.variances[moves]).sum() / 2
    found = highest + np.log(np.exp(logs - highest[:, None]).mean(axis=1)) - scale
    # What all worlds of a universe agree on is shown bare: an answer that says otherwise is not from there.
    bare = np.isclose(noise.turned(answers), noise.turned(game.outputs)[0], rtol=1e-9, atol=1e-9) | moves
    return np.asarray(np.where(bare.all(axis=1), found, -np.inf))
