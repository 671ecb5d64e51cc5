"""How much Gaussian noise hides which world was used: the exact optimum of the log-det bound.

MI(K; v_K + B) ≤ ½ Σ log(1 + λ_j / s_j) for noise that is independent in each coordinate j of any fixed basis, with variances
s_j, where λ_j is the variance of coordinate j over the worlds (Xiao and Devadas 2023, Theorem 3). Papers solve a linearised
form, s_j = √λ_j Σ√λ / 2b. The least total noise under the constraint itself is s_j = (−λ_j + √(λ_j² + 4cλ_j)) / 2 for the one c
that meets it (set the derivative of Σs_j + 2c·(½ Σ log(1 + λ_j / s_j) − b) to zero: s_j² + λ_j s_j = cλ_j).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.errors import BadAmount

# The bound is met from below by this share of it: rounding in doubles must not push it over.
_MARGIN = 1e-9
# Spreads are taken for at least this share of the largest: more spread means more noise, and below it doubles come to an end.
_LEAST = 1e-100


def log_det_information(variances: ArrayLike, noise: ArrayLike) -> float:
    """The bound in nats: ½ Σ log(1 + λ/s); a coordinate that never varies tells nothing, whatever its noise."""
    spread, added = _checked(variances), _checked(noise)
    moves = spread > 0
    if (added[moves] == 0).any():
        return math.inf
    return float(np.log1p(spread[moves] / added[moves]).sum() / 2)


def log_det_noise(variances: ArrayLike, mutual_information: float) -> NDArray[np.float64]:
    """The noise variances of least total under the bound; 0 exactly where the variance is 0."""
    spread = _checked(variances)
    budget = _budget(mutual_information) * (1 - _MARGIN)
    noise = np.zeros_like(spread)
    moves = spread > 0
    if not moves.any():
        return noise
    if int(moves.sum()) == 1:
        return np.asarray(spread / math.expm1(2 * budget))
    # In units of the largest, so that neither squares nor the multiplier leave the range of doubles.
    unit = float(spread.max())
    noise[moves] = _optimum(np.maximum(spread[moves] / unit, _LEAST), budget) * unit
    return noise


def linearised_noise(variances: ArrayLike, mutual_information: float) -> NDArray[np.float64]:
    """What the papers add: √λ_j Σ√λ / 2b (Xiao and Devadas 2023; Sridhar, Xiao and Devadas 2025). For comparison."""
    roots = np.sqrt(_checked(variances))
    return np.asarray(roots * roots.sum() / (2 * _budget(mutual_information)))


def balanced_noise(variances: ArrayLike, mutual_information: float) -> NDArray[np.float64]:
    """The noise that gives every coordinate the same share of the bound: λ_j / (e^(2b/d) − 1).

    Least in total where noise is weighed against each coordinate's own spread: for numbers of unlike units.
    """
    spread = _checked(variances)
    moving = int((spread > 0).sum())
    budget = _budget(mutual_information) * (1 - _MARGIN)
    return np.asarray(spread / math.expm1(2 * budget / max(moving, 1)))


def noise_ratio(mutual_information: float, coordinates: int) -> float:
    """At most so many times the total variance over worlds is added as noise: 1 / (e^(2b/d) − 1), met where all vary alike.

    A function of public numbers: it says nothing of the data.
    """
    return 1 / math.expm1(2 * _budget(mutual_information) / coordinates)


def _optimum(spread: NDArray[np.float64], budget: float) -> NDArray[np.float64]:
    def noise(log_multiplier: float) -> NDArray[np.float64]:
        ratio = np.exp(log_multiplier - np.log(spread))  # c / λ
        return np.asarray(spread * 2 * ratio / (1 + np.sqrt(1 + 4 * ratio)))

    low, high = -60.0, 60.0
    while log_det_information(spread, noise(high)) > budget:
        high += 60.0
    while log_det_information(spread, noise(low)) < budget:
        low -= 60.0
    for _ in range(80):  # halves 120 to below the last digit of a double
        middle = (low + high) / 2
        if log_det_information(spread, noise(middle)) > budget:
            low = middle
        else:
            high = middle
    return noise(high)


def _checked(values: ArrayLike) -> NDArray[np.float64]:
    found = np.asarray(values, dtype=np.float64)
    if found.ndim != 1 or not np.isfinite(found).all() or (found < 0).any():
        raise BadAmount(
            "variances are numbers of 0 or more, in a flat list.", "Give one for each coordinate."
        )
    return found


def _budget(mutual_information: float) -> float:
    budget = float(mutual_information)
    if not 0 < budget < math.inf:
        raise BadAmount("mutual_information must be greater than zero.", "Write 1/16, for example.")
    return budget
