"""Bayes' rule over worlds: how likely each is after an output, for somebody who knows all of them and the noise.

The noise is computed here from the published formula alone (`privet.guarantee`), so that a mechanism which draws another
noise is found out rather than believed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.guarantee import balanced_noise, log_det_noise

Floats = NDArray[np.float64]
# Of the range of a coordinate: noise is drawn in whole steps, at least eight of 2^-47 each.
_LEAST = 2.0**-44


@dataclass(frozen=True)
class WorldNoise:
    """The noise of a release: the axes in which it is independent, and its variance along each; nought where nothing varies."""

    axes: Floats | None
    variances: Floats

    @classmethod
    def of(cls, outputs: Floats, weights: Floats, nats: float, basis: str | Floats) -> WorldNoise:
        """As it is promised for these worlds, weighted by what was told of them before."""
        axes = None if isinstance(basis, str) else np.asarray(basis, np.float64)
        if isinstance(basis, str) and basis == "eigen":
            centred = outputs - weights @ outputs
            axes = np.asarray(np.linalg.eigh((centred * weights[:, None]).T @ centred)[1])
        turned = outputs if axes is None else outputs @ axes
        centred = turned - weights @ turned
        spread = weights @ np.square(centred)
        found = (balanced_noise if isinstance(basis, str) and basis == "balanced" else log_det_noise)(
            spread, nats
        )
        reach = np.abs(turned).max(axis=0)
        moves = np.ptp(turned, axis=0) > _LEAST * np.maximum(reach, 1e-300)
        return cls(axes, np.where(moves, np.maximum(found, np.square(_LEAST * reach)), 0.0))

    def log_likelihoods(self, outputs: Floats, answers: Floats) -> Floats:
        """Of each answer under each world (answers × worlds), up to a constant that all worlds share."""
        moves = self.variances > 0
        centre, seen = self.turned(outputs)[:, moves], self.turned(answers)[:, moves]
        away = (seen[:, None, :] - centre[None, :, :]) / np.sqrt(self.variances[moves])
        return np.asarray(-np.square(away).sum(axis=2) / 2)

    def turned(self, numbers: Floats) -> Floats:
        """Numbers in the coordinates of the axes."""
        return numbers if self.axes is None else np.asarray(numbers @ self.axes)


def level(worlds: int) -> Floats:
    """The prior: every world as likely as every other."""
    return np.full(worlds, 1 / worlds)


def updated(weights: ArrayLike, log_likelihoods: Floats) -> Floats:
    """Weights after an answer, for each answer; along the last axis."""
    with np.errstate(divide="ignore"):
        logs = np.log(np.asarray(weights, np.float64)) + log_likelihoods
    found = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return np.asarray(found / found.sum(axis=-1, keepdims=True))


def most_exposed(outputs: Floats, inside: NDArray[np.bool_], noise: WorldNoise) -> int:
    """The person whose membership moves the output furthest, against its noise."""
    turned = noise.turned(outputs)
    member = inside.astype(np.float64)
    size = np.maximum(member.sum(axis=0), 1)[:, None]
    others = np.maximum(len(member) - member.sum(axis=0), 1)[:, None]
    apart = member.T @ turned / size - (1 - member).T @ turned / others
    moves = noise.variances > 0
    if not moves.any():
        return 0
    return int((np.square(apart[:, moves]) / noise.variances[moves]).sum(axis=1).argmax())
