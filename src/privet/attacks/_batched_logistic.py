"""Many logistic regressions at once, each on its own subset of the same records.

All subsets are halves of one pool, so half of the pool's curvature at the pool's optimum is close to every model's own.
It is factored once, and all models take steps with it together (the chord form of Newton's method: Ortega and
Rheinboldt 1970, section 7.3): two matrix products a step instead of a Hessian for each model. Models that do not get
there by it are finished one by one with their own Hessians.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_STEPS = 60
_CHUNK = 8_000_000  # numbers in one array of scores: bounds memory


def logistic_scores(
    features: NDArray[np.float64],
    yes: NDArray[np.bool_],
    inside: NDArray[np.bool_],
    inverse_penalty: float,
    tolerance: float = 1e-5,
) -> NDArray[np.float64]:
    """The log odds of "yes" for every record by every model, a row for each model.

    Model k minimises inverse_penalty * (sum of the log losses of the records in inside[k]) + |w|^2 / 2 with a free
    intercept, until no part of its gradient, divided by the weight of its records, exceeds the tolerance.
    """
    scaled, wide = np.hstack([features, np.ones((len(features), 1))]), max(1, _CHUNK // len(features))
    start = _newton(
        scaled, yes.astype(float), np.full(len(yes), inverse_penalty * inside.mean()), None, tolerance
    )
    rows = [
        _together(
            scaled,
            yes.astype(float),
            inside[at : at + wide],
            inverse_penalty=inverse_penalty,
            start=start,
            tolerance=tolerance,
        )
        for at in range(0, len(inside), wide)
    ]
    return np.concatenate([scaled @ weights for weights in rows], axis=1).T


def _together(
    features: NDArray[np.float64],
    yes: NDArray[np.float64],
    inside: NDArray[np.bool_],
    *,
    inverse_penalty: float,
    start: NDArray[np.float64],
    tolerance: float,
) -> NDArray[np.float64]:
    """The weights of some models, a column each."""
    from scipy.linalg import cho_solve
    from scipy.special import expit

    mask = np.ascontiguousarray(inside.T, float) * inverse_penalty
    enough = tolerance * mask.sum(axis=0)
    chord = _curvature(features, start, np.full(len(yes), inverse_penalty * float(inside.mean())))
    penalty = _penalty(features.shape[1])[:, None]
    weights = np.repeat(start[:, None], len(inside), axis=1)
    pace, before = np.ones(len(inside)), np.full(len(inside), np.inf)
    done = np.zeros(len(inside), bool)
    for _ in range(_STEPS):
        gradient = features.T @ (mask * (expit(features @ weights) - yes[:, None])) + penalty * weights
        done = np.abs(gradient).max(axis=0) <= enough
        if done.all():
            return weights
        step = cho_solve(chord, gradient)
        length = (step * gradient).sum(axis=0)
        pace = np.where(length > before, pace / 2, pace)  # overshot: shorter steps for that model
        before = length
        weights = weights - np.where(done, 0, pace) * step
    for k in np.flatnonzero(~done).tolist():
        weights[:, k] = _newton(features, yes, np.ascontiguousarray(mask[:, k]), start, tolerance)
    return weights


def _newton(
    features: NDArray[np.float64],
    yes: NDArray[np.float64],
    counts: NDArray[np.float64],
    start: NDArray[np.float64] | None,
    tolerance: float,
) -> NDArray[np.float64]:
    """One model by Newton's method with halved steps."""
    from scipy.linalg import cho_solve
    from scipy.special import expit

    weights = np.zeros(features.shape[1]) if start is None else start.copy()
    penalty, enough = _penalty(features.shape[1]), tolerance * float(counts.sum())

    def loss(at: NDArray[np.float64]) -> float:
        scores = features @ at
        return float(counts @ (np.logaddexp(0, scores) - yes * scores) + (penalty * at) @ at / 2)

    for _ in range(_STEPS):
        gradient = features.T @ (counts * (expit(features @ weights) - yes)) + penalty * weights
        if np.abs(gradient).max() <= enough:
            break
        step = cho_solve(_curvature(features, weights, counts), gradient)
        now, pace = loss(weights), 1.0
        while loss(weights - pace * step) > now and pace > 1e-6:
            pace /= 2
        weights = weights - pace * step
    return weights


def _penalty(width: int) -> NDArray[np.float64]:
    """One for every weight, nought for the intercept."""
    found = np.ones(width)
    found[-1] = 0
    return found


def _curvature(
    features: NDArray[np.float64], weights: NDArray[np.float64], counts: NDArray[np.float64]
) -> Any:
    """The factored Hessian; a little on the diagonal keeps it positive where answers are saturated."""
    from scipy.linalg import cho_factor
    from scipy.special import expit

    chance = expit(features @ weights)
    hessian = features.T @ (features * (counts * chance * (1 - chance))[:, None])
    return cho_factor(hessian + np.diag(_penalty(len(weights)) + 1e-9 * (1 + np.trace(hessian))))
