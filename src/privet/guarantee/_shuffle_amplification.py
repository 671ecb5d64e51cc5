"""What a shuffler adds: the central epsilon of n shuffled reports, each epsilon-locally private, by exact sums.

Every other report is, with probability e^(-epsilon0), a clone that hides which of two values the one report came from
(Feldman, McMillan and Talwar 2021, Theorem 3.1). What is left to tell apart is the pair (A + D, C - A + 1 - D) from its mirror
image, with C ~ Bin(n - 1, e^(-epsilon0)), A ~ Bin(C, 1/2), D ~ Bernoulli(e^epsilon0 / (e^epsilon0 + 1)). Its divergence is summed
here over C instead of bounded by a closed form, which is three to four times as large.
"""

from __future__ import annotations

import math

import numpy as np

from privet.errors import BadAmount

LEAST_DELTA = 1e-10
_SLACK = 1e-13  # of the sums, in double precision
_TAIL = 40.0  # minus the logarithm of what is left out of C, and added to delta
_MOST = 10**9
_STEPS = 60


def shuffled_delta(local: float, reports: int, epsilon: float) -> float:
    """The delta of so many shuffled reports at a central epsilon, from above."""
    from scipy.stats import binom

    if epsilon >= local:
        return 0.0
    likely = 1 / (1 + math.exp(-local))
    chance = math.exp(-local)
    spread = math.sqrt(2 * _TAIL * reports * chance) + 2 * _TAIL
    middle = (reports - 1) * chance
    clones = np.arange(max(0, math.floor(middle - spread)), min(reports - 1, math.ceil(middle + spread)) + 1)
    weights = binom.pmf(clones, reports - 1, chance)
    gain = math.exp(epsilon)
    # Outputs from `first` on are more than e^epsilon times as likely under one value as under the other.
    ratio = (gain * likely - (1 - likely)) / (likely - gain * (1 - likely))
    first = np.floor(ratio * (clones + 1) / (1 + ratio)) + 1
    more, less = binom.sf(first - 2, clones, 0.5), binom.sf(first - 1, clones, 0.5)
    inside = likely * more + (1 - likely) * less - gain * (likely * less + (1 - likely) * more)
    left_out = binom.sf(clones[-1], reports - 1, chance) + binom.cdf(clones[0] - 1, reports - 1, chance)
    return float((weights * np.maximum(inside, 0.0)).sum() + left_out + _SLACK)


def shuffled_epsilon(local: float, reports: int, delta: float) -> float:
    """The central epsilon of so many shuffled reports at a delta, from above; never more than that of one report.

    Guarantee:
        All reports together, without their order and their senders, are (epsilon, delta)-differentially private for one
        person's report.
    Assumes:
        A shuffler that the server does not control removes order and sender, at least so many people report, and each
        report is drawn independently by the same rule.
    """
    if not 0 < local <= 32 or not math.isfinite(local):
        raise BadAmount("a report has an epsilon between 0 and 32.", "Give that of one report.")
    if isinstance(reports, bool) or not 2 <= reports <= _MOST:
        raise BadAmount("a shuffler mixes between 2 and 1,000,000,000 reports.", "Give their number.")
    if not LEAST_DELTA <= delta < 1:
        raise BadAmount(
            "the sums are exact enough for a delta of at least 1e-10, below 1.", "Write delta=1e-8."
        )
    low, high = 0.0, local
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if shuffled_delta(local, reports, middle) <= delta:
            high = middle
        else:
            low = middle
        if high - low < 1e-9:
            break
    return high
