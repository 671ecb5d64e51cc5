"""Trying to disprove a claimed (epsilon, delta) from draws on two neighbouring inputs.

For any set S of outputs, P[S | one input] <= e^epsilon P[S | the other] + delta. The sets tried are those where a
score is high. The threshold is picked on one half of the draws; on the other half both probabilities are bounded by
Clopper–Pearson intervals. So a mechanism that keeps its claim is accused with probability at most `alarm`.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import stats


def epsilon_shown(first: np.ndarray, second: np.ndarray, *, delta: float = 0.0, alarm: float = 1e-7) -> float:
    """A lower bound on epsilon from scores of draws on two inputs, wrong with probability at most `alarm`."""
    half = min(len(first), len(second)) // 2
    best, threshold = -math.inf, 0.0
    for candidate in np.unique(np.quantile(first[:half], np.linspace(0.02, 0.98, 97))):
        p, q = np.mean(first[:half] >= candidate), np.mean(second[:half] >= candidate)
        if q > 0.005 and p > delta and math.log((p - delta) / q) > best:
            best, threshold = math.log((p - delta) / q), float(candidate)
    return _ratio(first[half:] >= threshold, second[half:] >= threshold, delta, alarm)


def _ratio(hits: np.ndarray, others: np.ndarray, delta: float, alarm: float) -> float:
    low = stats.beta.ppf(alarm / 2, hits.sum(), len(hits) - hits.sum() + 1) if hits.any() else 0.0
    high = (
        stats.beta.ppf(1 - alarm / 2, others.sum() + 1, len(others) - others.sum())
        if not others.all()
        else 1.0
    )
    return math.log((low - delta) / high) if low > delta else 0.0


def at_least(hits: np.ndarray, *, alarm: float = 1e-7) -> float:
    """A lower bound on a probability."""
    return float(stats.beta.ppf(alarm, hits.sum(), len(hits) - hits.sum() + 1)) if hits.any() else 0.0


def laplace_score(draws: np.ndarray, here: np.ndarray, there: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """The log-likelihood ratio of integer Laplace noise around two exact answers: the strongest score there is."""
    return ((np.abs(draws - there) - np.abs(draws - here)) / scales).sum(axis=1)
