"""A game that is played in numbers alone: means of halves with one outlier, and as much noise as is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from privet.attacks.worlds._world_posterior import WorldNoise, level, updated
from privet.guarantee import PacPrivacy

WORLDS, PEOPLE, OUTLIER = 64, 40, 0


def halves(worlds: int = WORLDS, people: int = PEOPLE) -> Any:
    draw = np.random.default_rng(4)
    inside = np.empty((worlds, people), bool)
    inside[0::2] = draw.random((worlds // 2, people)) < 0.5
    inside[1::2] = ~inside[0::2]
    return inside


def means_of(inside: Any, largest: float) -> Any:
    values = np.random.default_rng(5).normal(0, 1, inside.shape[1])
    values[OUTLIER] = largest
    return (inside @ values / np.maximum(inside.sum(axis=1), 1))[:, None]


class NoisySession:
    def __init__(self, draw: Any, share: float, *, tracked: bool) -> None:
        self._draw, self._share, self._tracked = draw, share, tracked
        self.drawn, self._weights = int(draw.integers(WORLDS)), level(WORLDS)

    def ask(self, outputs: Any, mutual_information: float) -> Any:
        noise = WorldNoise.of(outputs, self._weights, mutual_information, "diagonal")
        scale = self._share * np.sqrt(noise.variances)
        answer = outputs[self.drawn] + self._draw.normal(size=outputs.shape[1]) * scale
        if self._tracked:
            self._weights = updated(self._weights, noise.log_likelihoods(outputs, answer[None, :])[0])
        return answer


class NoisyWorlds:
    """As `PacTrials`, with `share` of the noise's scale; half of it keeps no promise."""

    basis = "diagonal"

    def __init__(
        self, nats: Any, share: float = 1.0, *, tracked: bool = True, largest: float = 100.0, seed: int = 1
    ) -> None:
        self.promise, self.inside = PacPrivacy(nats), halves()
        self.outputs = means_of(self.inside, largest)
        self._share, self._tracked, self._draw = share, tracked, np.random.default_rng(seed)

    def play(self, releases: int) -> Any:
        noise = WorldNoise.of(self.outputs, level(WORLDS), float(self.promise.mutual_information), self.basis)
        drawn = self._draw.integers(0, WORLDS, releases)
        scale = self._share * np.sqrt(noise.variances)
        return self.outputs[drawn] + self._draw.normal(size=(releases, 1)) * scale, drawn

    def session(self) -> NoisySession:
        return NoisySession(self._draw, self._share, tracked=self._tracked)

    def without(self, person: int) -> NoisyWorlds:
        assert person == OUTLIER
        other = NoisyWorlds(self.promise.mutual_information, self._share, largest=0.0, seed=9)
        kept = self.inside.copy()
        kept[:, OUTLIER] = False
        other.outputs = means_of(kept, 0.0)
        return other
