"""A lower bound on the epsilon that an implementation really has, from how well its canaries were told apart.

Each function answers: how large must epsilon be, at this confidence, for the observed guesses to be possible? They
differ in what they need (two sets of runs, or one run with many canaries) and in what they assume.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from privet.attacks._attack_scores import upper_rate
from privet.errors import BadAttack

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST = 100.0


def from_errors(
    false_negatives: int,
    members: int,
    false_positives: int,
    others: int,
    *,
    delta: float,
    confidence: float = 0.95,
) -> float:
    """From the errors of one test, fixed beforehand, on records that were and were not used.

    Both rates are bounded by Clopper-Pearson at half the error each, and epsilon must let a test be that good
    (Jagielski, Ullman and Oprea 2020; Nasr et al. 2021).
    """
    error = (1 - confidence) / 2
    missed = upper_rate(false_negatives, members, error)
    wrong = upper_rate(false_positives, others, error)
    found = [
        math.log((1 - one - delta) / other)
        for one, other in ((missed, wrong), (wrong, missed))
        if 1 - one - delta > 0 and other > 0
    ]
    return max(0.0, *found) if found else 0.0


def from_scores(
    members: NDArray[np.float64], others: NDArray[np.float64], *, delta: float, confidence: float = 0.95
) -> float:
    """From scores where larger means "used"; the threshold is chosen among the data, and that is paid for.

    The error is shared between as many thresholds as are tried (Bonferroni), which are spread over the ranks.
    """
    tried = np.unique(np.quantile(np.concatenate([members, others]), np.linspace(0.02, 0.98, 25)))
    shared = 1 - (1 - confidence) / len(tried)
    return max(
        from_errors(
            int((members <= t).sum()), len(members), int((others > t).sum()), len(others),
            delta=delta, confidence=shared,
        )
        for t in tried
    )  # fmt: skip


def one_run(canaries: int, guesses: int, correct: int, *, delta: float, error: float = 0.05) -> float:
    """From one run with many canaries, each used with probability one half (Steinke, Nasr and Jagielski 2023).

    With guesses on the surest ones only, the number of correct guesses is stochastically below a binomial with
    success e^epsilon / (1 + e^epsilon), up to 2 · canaries · delta · alpha (their Theorem 5.2 and Appendix D).
    """
    _check(canaries, guesses, correct)

    def probability(epsilon: float) -> float:
        return _one_run_probability(epsilon, canaries, guesses, correct, delta)

    return _largest(lambda epsilon: probability(epsilon) < error)


def _one_run_probability(epsilon: float, canaries: int, guesses: int, correct: int, delta: float) -> float:
    from scipy.stats import binom

    success = 1 / (1 + math.exp(-epsilon))
    above = float(binom.sf(correct - 1, guesses, success))
    if not delta or not correct:
        return min(1.0, above)
    below = binom.cdf(correct - 1, guesses, success) - binom.cdf(
        correct - 1 - np.arange(1, correct + 1), guesses, success
    )
    alpha = float(np.max(below / np.arange(1, correct + 1)))
    return min(1.0, above + 2 * canaries * delta * alpha)


def one_run_tradeoff(
    canaries: int, guesses: int, correct: int, *, delta: float, error: float = 0.05
) -> float:
    """From one run, against the whole trade-off curve of a Gaussian mechanism (Mahloujifar, Melis and Chaudhuri 2024).

    Tighter than `one_run`, since it uses the curve and not one point of it; valid for a mechanism whose curve is
    no worse than some Gaussian's. The epsilon returned is that Gaussian's at delta.
    """
    _check(canaries, guesses, correct)

    def refuted(mu: float) -> bool:
        return _tradeoff_refuted(mu, canaries, guesses, correct, error)

    mu = _largest(refuted, most=50.0)
    return gaussian_epsilon(mu, delta)


def _tradeoff_refuted(mu: float, canaries: int, guesses: int, correct: int, error: float) -> bool:
    # One number at a time: the standard library's normal is ten times as fast here as scipy's.
    normal, half = NormalDist(), math.sqrt(0.5)
    r = error * correct / canaries
    h = error * (guesses - correct) / canaries
    most = guesses / canaries
    for i in range(correct - 1, -1, -1):
        if r + h > most:
            return True
        if r >= 1:
            return False
        below = 0.5 * math.erfc((mu - normal.inv_cdf(r)) * half) if r > 0 else 0.0
        next_h = max(h, below)
        r = min(1.0, r + i / (guesses - i) * (next_h - h))
        h = next_h
    return r + h > most


def from_gaussian(
    members: NDArray[np.float64], others: NDArray[np.float64], *, delta: float, confidence: float = 0.95
) -> float:
    """From scores, if the mechanism is a Gaussian one: mu is bounded below at the best threshold (Nasr et al. 2023).

    An estimate under that assumption, and no certificate without it. A negative separation is no evidence of
    anything and counts as none.
    """
    from scipy.special import ndtri

    tried = np.unique(np.quantile(np.concatenate([members, others]), np.linspace(0.02, 0.98, 25)))
    error = (1 - confidence) / 2 / len(tried)
    best = 0.0
    for t in tried:
        missed = upper_rate(int((members <= t).sum()), len(members), error)
        wrong = upper_rate(int((others > t).sum()), len(others), error)
        if missed < 1 and wrong < 1:
            best = max(best, float(ndtri(1 - wrong) - ndtri(missed)))
    return gaussian_epsilon(best, delta)


def gaussian_epsilon(mu: float, delta: float) -> float:
    """The epsilon of a Gaussian mechanism with separation mu at this delta (Balle and Wang 2018, Theorem 8)."""
    from scipy.special import log_ndtr, ndtr

    if mu <= 0:
        return 0.0
    if not 0 < delta < 1:
        raise BadAttack("a Gaussian estimate needs a delta between 0 and 1.", "Give delta=1e-5.")

    def exceeded(epsilon: float) -> bool:
        loss = ndtr(-epsilon / mu + mu / 2) - math.exp(
            min(epsilon + float(log_ndtr(-epsilon / mu - mu / 2)), 700)
        )
        return bool(loss > delta)

    return _largest(exceeded, most=1_000.0)


def _check(canaries: int, guesses: int, correct: int) -> None:
    if not 0 <= correct <= guesses <= canaries or guesses < 1:
        raise BadAttack(
            "an audit needs guesses: at least one, at most one for each canary, of which some are correct.",
            "Guess on the canaries with the most extreme scores.",
        )


def _largest(holds: Callable[[float], bool], most: float = _MOST) -> float:
    """The largest number up to which a property holds that holds from nought on; 0 if it does not hold there."""
    if not holds(0.0):
        return 0.0
    low, high = 0.0, 1.0
    while high < most and holds(high):
        low, high = high, high * 2
    while high - low > 1e-9 * (1 + low):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
