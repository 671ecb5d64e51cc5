"""An interval for the mean of finitely many numbers between 0 and 1, from some of them drawn without replacement."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

_STEPS = 2_000
# The largest share of the capital that is bet in one round.
_BOLDNESS = 0.5


def mean_interval(drawn: NDArray[np.float64], population: int, confidence: float) -> tuple[float, float]:
    """Where the mean of all `population` numbers lies, with at least this confidence, however few were drawn.

    Hedged betting without replacement (Waudby-Smith and Ramdas 2024, Section 5): against each possible mean a
    gambler bets both ways, and a mean is given up when the capital has ever reached 1 / (1 - confidence).
    Student's t is narrower, and too narrow for few draws: most sets of columns single out nobody and a few
    nearly everybody.

    Args:
        drawn: numbers between 0 and 1, in the order in which they were drawn.
        population: how many numbers there are to draw from.
        confidence: the least probability of covering the mean.
    """
    number = len(drawn)
    before = np.concatenate([[0.0], np.cumsum(drawn)[:-1]])
    bets = _bets(drawn, 1 - confidence)
    means = np.linspace(0, 1, _STEPS + 1)[:, None]
    # What the next number is on average if the mean is this and the earlier ones are gone.
    rest = (population * means - before) / (population - np.arange(number))
    possible = ((rest >= -1e-9) & (rest <= 1 + 1e-9)).all(axis=1)
    rest = np.clip(rest, 1e-9, 1 - 1e-9)
    up = np.cumsum(np.log1p(np.minimum(bets, _BOLDNESS / rest) * (drawn - rest)), axis=1)
    down = np.cumsum(np.log1p(-np.minimum(bets, _BOLDNESS / (1 - rest)) * (drawn - rest)), axis=1)
    capital = np.maximum(up, down).max(axis=1) - log(2)
    kept = means[possible & (capital < -log(1 - confidence)), 0]
    mean, step = float(drawn.mean()), 1 / _STEPS  # one step more: the ends lie between points of the grid
    low, high = (float(kept[0]), float(kept[-1])) if len(kept) else (mean, mean)
    return max(0.0, min(low - step, mean)), min(1.0, max(high + step, mean))


def _bets(drawn: NDArray[np.float64], error: float) -> NDArray[np.float64]:
    """How much to bet in each round, from what was seen before it: less where numbers vary more."""
    rounds = np.arange(1, len(drawn) + 1)
    means = (0.5 + np.cumsum(drawn)) / (rounds + 1)
    spread = (0.25 + np.cumsum((drawn - means) ** 2)) / (rounds + 1)
    before = np.concatenate([[0.25], spread[:-1]])
    return np.asarray(sqrt(2 * log(2 / error) / len(drawn)) / np.sqrt(before))
