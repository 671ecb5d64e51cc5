"""Intervals for answers that are not sums: the planned noise is taken off the noisy vectors again, many times over.

Each simulated vector is one that the exact vector could have been; an answer computed from all of them spreads as
wide as the noise leaves it open, however curved its formula is. Only released numbers go in, so this costs nothing.
The simulated noise is a fixed, evenly laid out set of points (Sobol 1967) instead of random draws: the same release
always has the same interval, and the ends of it are steadier than those of as many random draws.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from privet.errors import InternalError
from privet.guarantee import Event, spread
from privet.guarantee.mechanisms import GaussianNoise, LaplaceNoise

if TYPE_CHECKING:
    from numpy.typing import NDArray

DRAWS = 2**11


def simulated_noise(events: Sequence[Event]) -> NDArray[np.float64]:
    """Noise as these events draw it, independently: one row for each simulation, one column for each event."""
    places = _laid_out(len(events))
    return np.column_stack([_noise(event, places[:, at]) for at, event in enumerate(events)])


def _noise(event: Event, place: NDArray[np.float64]) -> NDArray[np.float64]:
    """Noise by the inverse of its distribution, with the discrete distribution's own standard deviation."""
    from scipy.special import ndtri

    deviation = spread(event).standard_deviation
    if isinstance(event, GaussianNoise):
        return np.asarray(ndtri(place) * deviation)
    if isinstance(event, LaplaceNoise):
        away = np.log(2 * np.minimum(place, 1 - place)) * (deviation / math.sqrt(2))
        return np.asarray(np.where(place < 0.5, away, -away))
    raise InternalError("noise was simulated that is neither Laplace nor Gaussian.")


@functools.lru_cache(maxsize=16)
def _laid_out(dimensions: int) -> NDArray[np.float64]:
    from scipy.stats import qmc

    points = qmc.Sobol(dimensions, scramble=False).random(DRAWS)
    return np.asarray(points + 0.5 / DRAWS)


def ends(values: NDArray[np.float64], confidence: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The interval that holds the middle share of simulated values (one row each), leaving out those undefined."""
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    # The kind that looks for gaps takes many times as long.
    quantile = np.nanquantile if np.isnan(values).any() else np.quantile
    low, high = quantile(values, tails, axis=0)
    return np.asarray(low), np.asarray(high)
