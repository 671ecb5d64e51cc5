"""Several answers about one secret: the same question again and again, and questions chosen after the answers.

Nats add up over a session, so both are held against the sum. An adaptive adversary asks what sets the likeliest worlds
apart and is silent about all others; noise that is calibrated to worlds as if nothing had been told is then far too small,
which is why sessions track what they have told (Zhu et al. 2026). The same adversary is therefore also let loose on noise
that is not tracked, played here, and that figure stands beside the other.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from privet.artifact import RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks._seeded_generator import Draw, repeatable_generator
from privet.attacks.worlds._world_game import Floats, WorldGame
from privet.attacks.worlds._world_identification import (
    MEMBERSHIP,
    NAMED,
    WorldGuesses,
    refuse_constant,
    scored,
)
from privet.attacks.worlds._world_posterior import WorldNoise, level, most_exposed, updated

SESSIONS, REPEATS, STEPS = 200, 4, 16
_DIAGONAL = "diagonal"


@register(name="world-averaging", on="worlds")
def world_averaging(target: WorldGame, case: Case) -> RiskEstimate:
    """Ask the same of one secret again and again, so that noise averages out, and guess one person's membership.

    Settings: `draws` (200), sessions; `repeats` (4), answers of each.
    """
    started = time.process_time()
    draws, repeats = case.whole("draws", SESSIONS), case.whole("repeats", REPEATS)
    nats, outputs, worlds = target.promise.mutual_information, target.outputs, len(target.outputs)
    first = WorldNoise.of(outputs, level(worlds), float(nats), _DIAGONAL)
    refuse_constant(first)
    member = target.inside[:, most_exposed(outputs, target.inside, first)]
    right = 0
    for _ in range(draws):
        session, weights = target.session(), level(worlds)
        for _ in range(repeats):
            noise = WorldNoise.of(outputs, weights, float(nats), _DIAGONAL)
            answer = session.ask(outputs, float(nats))
            weights = updated(weights, noise.log_likelihoods(outputs, answer[None, :])[0])
        right += bool(weights @ member >= 0.5) == bool(member[session.drawn])
    found = WorldGuesses(MEMBERSHIP, right, draws, 0.5, nats * repeats)
    return scored("world-averaging", found, case, started, answers=repeats)


@register(name="world-adaptive", on="worlds")
def world_adaptive(target: WorldGame, case: Case) -> RiskEstimate:
    """Ask one secret question after question, each chosen to set the likeliest worlds apart, and name the world.

    Settings: `draws` (200), sessions; `steps` (16), questions of each.
    """
    started = time.process_time()
    draws, steps = case.whole("draws", SESSIONS), case.whole("steps", STEPS)
    nats, worlds = target.promise.mutual_information, len(target.outputs)
    chance = repeatable_generator(case.seed, "world-adaptive")
    right = untracked = 0
    for _ in range(draws):
        session, weights = target.session(), level(worlds)
        for _ in range(steps):
            asked = _question(weights)
            noise = WorldNoise.of(asked, weights, float(nats), _DIAGONAL)
            answer = session.ask(asked, float(nats))
            weights = updated(weights, noise.log_likelihoods(asked, answer[None, :])[0])
        right += int(weights.argmax()) == session.drawn
        untracked += _untracked(worlds, steps, float(nats), chance)
    guesses = WorldGuesses(NAMED, right, draws, 1 / worlds, nats * steps)
    share = untracked / draws
    found = scored("world-adaptive", guesses, case, started, answers=steps, untracked=share)
    said = f"Where nobody tracks what was told, the same questions name {share:.1%} of the worlds."
    return replace(found, notes=(*found.notes, said))


def _question(weights: Floats) -> Floats:
    """A function of worlds: 1 and -1 in turn on the likeliest of them, and 0 on all others.

    How many: those whose weight lies furthest above their share, since noise for level worlds pays for the share.
    """
    order = np.argsort(-weights, kind="stable")
    sizes = 2 ** np.arange(1, int(np.log2(len(weights))) + 1)
    gains = np.cumsum(weights[order])[sizes - 1] * len(weights) / sizes
    # Of equals the largest: at first all worlds are alike.
    best = sizes[np.flatnonzero(gains >= gains.max() * (1 - 1e-9))[-1]]
    asked = np.zeros((len(weights), 1))
    asked[order[:best], 0] = np.where(np.arange(best) % 2, -1.0, 1.0)
    return asked


def _untracked(worlds: int, steps: int, nats: float, draw: Draw) -> bool:
    """The same adversary against noise that is always calibrated to level worlds: whether the world is named."""
    drawn, weights = int(draw.integers(worlds)), level(worlds)
    for _ in range(steps):
        asked = _question(weights)
        noise = WorldNoise.of(asked, level(worlds), nats, _DIAGONAL)
        answer = asked[drawn] + draw.normal(size=1) * np.sqrt(noise.variances)
        weights = updated(weights, noise.log_likelihoods(asked, answer[None, :])[0])
    return int(weights.argmax()) == drawn
