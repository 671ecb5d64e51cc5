"""Recorded updates of federated training, and how near a reconstruction comes to the records behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import BadAttack, checked_class


@checked_class
@dataclass(frozen=True)
class Update:
    """What a server received from a client: a gradient (or a change of the weights) for each named parameter.

    `model` is the PyTorch module that it was computed with, where the attacker holds it; `records` is how many records
    were behind the update, and `shape` the shape of one of them.
    """

    gradients: Mapping[str, NDArray[np.floating[Any]]]
    records: int = 1
    model: Any = None
    shape: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if not self.gradients or self.records < 1:
            raise BadAttack(
                "an update has gradients and at least one record behind it.", "Check what was recorded."
            )


@dataclass(frozen=True)
class Nearness:
    """How near one record's reconstruction came."""

    cosine: float
    psnr: float  # decibels, for values with the truth's own range


def matched(guesses: NDArray[np.float64], truth: NDArray[np.float64]) -> list[Nearness]:
    """Each true record with the guess that is its own, by the assignment with the largest total cosine."""
    from scipy.optimize import linear_sum_assignment

    if not len(guesses):
        return [Nearness(0.0, -np.inf) for _ in truth]
    cosines = _unit(truth) @ _unit(guesses).T
    rows, columns = linear_sum_assignment(-cosines)
    own = dict(zip(rows.tolist(), columns.tolist(), strict=True))
    peak = float(np.ptp(truth)) or 1.0
    found = []
    for i, record in enumerate(truth):
        if i not in own:
            found.append(Nearness(0.0, -np.inf))
            continue
        error = float(((record - guesses[own[i]]) ** 2).mean())
        decibels = 10 * np.log10(peak**2 / error) if error > 0 else np.inf
        found.append(Nearness(float(cosines[i, own[i]]), float(decibels)))
    return found


def _unit(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1))
