"""Coefficients of strategies that are fitted to a run: the least noise on its running sums at the same privacy.

What is minimised is the squared sensitivity for the stated participation times the variance of the noise on running sums of the
steps, as McKenna 2025 does for banded and McMahan, Xu, Zhang 2024 for buffered Toeplitz strategies. Nothing of it is private, and no
promise depends on how good the fit is: coefficients are made falling and are rounded first, and priced as they then are.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from privet.errors import BadAmount
from privet.guarantee._noise_strategies import (
    BandedStrategy,
    BufferedStrategy,
    Participation,
    buffered_inverse,
    error_weights,
    squared_error,
    workload_response,
)
from privet.guarantee._toeplitz_strategy import UNIT, root_coefficients
from privet.guarantee.exact_amounts import whole

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ErrorMeasure = Literal["mean", "max"]
_MOST_STEPS, _MOST_BANDS, _MOST_BUFFERS = 20_000, 4_096, 8
_ROUNDS = 300  # of the minimiser


@lru_cache(maxsize=64)
def fitted_bands(
    pattern: Participation, bands: int, *, momentum: float = 0.0, error: ErrorMeasure = "mean"
) -> BandedStrategy:
    """The banded Toeplitz strategy of least error; each coefficient is rounded to a multiple of 2^-31."""
    import numpy as np
    from scipy.optimize import minimize
    from scipy.signal import lfilter

    _require(pattern, momentum, error)
    if whole(bands, "bands") > min(pattern.steps, _MOST_BANDS):
        raise BadAmount(
            f"a fitted strategy has at most {_MOST_BANDS:,} bands, and no more than there are steps.",
            "Use fewer bands.",
        )
    steps, weights = pattern.steps, error_weights(pattern.steps, error)
    pulse = np.zeros(steps)
    pulse[0] = 1.0

    def loss(free: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        column = np.concatenate([[1.0], free])
        response = workload_response(lfilter([1.0], column, pulse), momentum)
        variance = float(response**2 @ weights)
        # d C⁻¹ / d c_j is -C⁻¹ C⁻¹ shifted by j.
        twice, weighed = lfilter([1.0], column, response), weights * response
        by_variance = np.array([-2 * (weighed[j:] @ twice[: steps - j]) for j in range(1, bands)])
        sums = _moved(column, pattern)
        squares = float(sums @ sums)
        starts = np.arange(pattern.participations) * pattern.separation
        by_squares = np.array(
            [2 * sums[(at := starts + j)[at < steps]].sum() for j in range(1, bands)], dtype=np.float64
        )
        return float(np.log(squares) + np.log(variance)), by_squares / squares + by_variance / variance

    first = np.array(root_coefficients(bands)[1:], dtype=np.float64) / UNIT
    if bands > 1:
        found = minimize(
            loss,
            first,
            jac=True,
            method="L-BFGS-B",
            bounds=[(0.0, 1.0)] * len(first),
            options={"maxiter": _ROUNDS},
        ).x
        first = np.minimum.accumulate(np.clip(found, 0.0, 1.0))
    return BandedStrategy(pattern, (UNIT, *(int(c) for c in np.rint(first * UNIT))))


@lru_cache(maxsize=64)
def fitted_buffers(
    pattern: Participation, buffers: int, *, momentum: float = 0.0, error: ErrorMeasure = "mean"
) -> BufferedStrategy:
    """The buffered strategy of least error; decays and weights are rounded to multiples of 2^-31."""
    import numpy as np
    from scipy.optimize import minimize
    from scipy.special import expit, logit

    _require(pattern, momentum, error)
    if whole(buffers, "buffers") > _MOST_BUFFERS:
        raise BadAmount(f"a fitted strategy has at most {_MOST_BUFFERS} buffers.", "2 to 4 do.")
    powers = np.arange(pattern.steps - 1)

    def loss(free: NDArray[np.float64]) -> float:
        decays, weights = expit(free[:buffers]), np.exp(free[buffers:])
        column = np.ones(pattern.steps)
        column[1:] = weights @ np.exp(np.log(decays)[:, None] * powers)
        sums = _moved(column, pattern)
        variance = squared_error(buffered_inverse(decays, weights, pattern.steps), momentum, error)
        return float(np.log(sums @ sums) + np.log(variance))

    # Decays up to 1 - 1 / (20 steps): slower ones are constant over the run. There are several local minima.
    bounds = [(-4.0, float(np.log(20 * pattern.steps)))] * buffers
    bounds += [(-14.0, -math.log(buffers))] * buffers  # together 1 at most
    scales = np.log(np.full(buffers, 0.5 / buffers))
    found = [
        minimize(
            loss,
            np.concatenate([logit(1 - np.logspace(-0.3, -np.log10(longest), buffers)), scales]),
            method="L-BFGS-B",
            bounds=bounds,
            options={"maxiter": _ROUNDS},
        )
        for longest in sorted({4 * pattern.steps, pattern.steps, max(4, pattern.separation)})
    ]
    free = min(found, key=lambda each: (each.fun, tuple(each.x))).x
    decays, weights = expit(free[:buffers]), np.exp(free[buffers:])
    kept: dict[int, int] = {}  # what the fit could not tell apart is one
    for decay, weight in zip(
        np.floor(decays * UNIT).tolist(), np.floor(weights * UNIT).tolist(), strict=True
    ):
        kept[int(decay)] = kept.get(int(decay), 0) + int(weight)
    order = sorted((decay, weight) for decay, weight in kept.items() if weight)
    return BufferedStrategy(pattern, tuple(d for d, _ in order), tuple(w for _, w in order))


def _moved(column: NDArray[np.float64], pattern: Participation) -> NDArray[np.float64]:
    """The sum of the columns 0, separation, 2 separation, …, as in `moved_squares`, in floats."""
    import numpy as np

    sums = np.zeros(pattern.steps)
    for start in range(0, pattern.participations * pattern.separation, pattern.separation):
        few = min(len(column), pattern.steps - start)
        sums[start : start + few] += column[:few]
    return sums


def _require(pattern: Participation, momentum: float, error: str) -> None:
    if pattern.steps > _MOST_STEPS:
        raise BadAmount(f"strategies are fitted to at most {_MOST_STEPS:,} steps.", "Use a banded inverse.")
    if not 0 <= momentum < 1:
        raise BadAmount("momentum lies between 0 and 1.", "Write momentum=0.9.")
    if error not in ("mean", "max"):
        raise BadAmount("the error of a fit is its mean or its max.", 'Write error="mean".')
