"""White-box checks of a training run: noise, independence, clipping, participation, steps, fresh randomness.

Audits by scores miss some breaks altogether: noise that is the same in every step cancels nothing that a canary's
score could show, and takes all protection away. Looking inside finds them with a handful of steps. All tests are
exact for Gaussian noise and Poisson sampling, except where a docstring says otherwise.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks.dp_audit._run_recorder import Observed
from privet.attacks.dp_audit._structure_tests import (
    ALARM,
    Check,
    any_of,
    noticed,
    rate_noticed,
    scale_noticed,
    two_sided,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SLACK = 2e-3  # norms are computed in 32 bits, and a little room for that is part of the noise
_MOST_STEPS = 2_000  # pairs of steps are compared among at most so many
_UNKNOWN = "Nothing could have been noticed: the run did not write this down."


def noise_scale(run: Observed) -> Check:
    """Whether the noise is as large as claimed: over the whole run, in its worst step and its worst coordinate.

    The squared noise over its claimed variance is chi-square distributed, with a degree of freedom for each number.
    """
    from scipy.stats import chi2

    noise = run.noise
    claimed = f"noise with standard deviation {run.claim.sigma * run.claim.clip:.4g} in every coordinate of every step"
    if noise is None:
        return Check("noise-scale", claimed, "not written down", 1.0, 1.0, _UNKNOWN)
    squares = noise**2
    steps, width = squares.shape

    def worst(sums: NDArray[np.float64], freedom: int) -> float:
        below, above = chi2.cdf(sums, freedom), chi2.sf(sums, freedom)
        return min(1.0, len(sums) * two_sided(float(below.min()), float(above.min())))

    total = float(squares.sum())
    whole = two_sided(float(chi2.cdf(total, noise.size)), float(chi2.sf(total, noise.size)))
    p_value = any_of(whole, worst(squares.sum(1), width), worst(squares.sum(0), steps))
    broken = 3 * two_sided(float(chi2.cdf(noise.size / 100, noise.size)), 1.0)
    spread = math.sqrt(total / noise.size)
    return Check(
        "noise-scale",
        claimed,
        f"{spread:.3g} of it over {noise.size:,} numbers",
        p_value,
        min(1.0, broken),
        noticed("Noise", scale_noticed(noise.size)),
        details={"ratio": spread, "numbers": int(noise.size)},
    )


def noise_independence(run: Observed) -> Check:
    """Whether every step has noise of its own: no two steps alike, no drift over the run, no number used twice.

    The squared cosine of two independent Gaussian vectors is Beta(1/2, (d-1)/2); the share of the squared length of T
    of them that lies in one fixed direction is Beta as well. Both are free of the noise's scale.
    """
    noise = run.noise
    claimed = "independent noise in every step and coordinate"
    if noise is None:
        return Check("noise-independence", claimed, "not written down", 1.0, 1.0, _UNKNOWN)
    steps, width = noise.shape
    closest, pairs = _closest(noise[:_MOST_STEPS], None)
    p_value = any_of(
        _cosine_tail(closest, width, pairs), _drift(noise.sum(0), noise), _drift(noise.sum(1), noise)
    )
    same = np.broadcast_to(np.linspace(1, 2, width), (steps, width))
    broken = any_of(1.0, _drift(same.sum(0), same), 1.0) if steps > 1 else 1.0
    broken = min(broken, any_of(_cosine_tail(1.0, width, pairs), 1.0, 1.0))
    return Check(
        "noise-independence",
        claimed,
        f"the most alike two of {steps:,} steps have a cosine of {closest:.3g}",
        p_value,
        broken,
        f"Noise that is used again in two or more {_looked_at(steps)} would have been noticed."
        if broken < ALARM
        else "Too few steps or numbers to tell.",
        details={"largest_cosine": closest},
    )


def clipping(run: Observed) -> Check:
    """Whether no example added more than the clipping norm to a sum. Says nothing where no example reached it."""
    claim = run.claim
    claimed = f"every example adds at most {claim.clip:.4g} to a sum, in L2 norm"
    if run.norms is None or not len(run.norms):
        return Check("clipping", claimed, "not written down", 1.0, 1.0, _UNKNOWN)
    most = float(np.max(np.nan_to_num(run.norms, nan=np.inf)))
    tested = most >= 0.99 * claim.clip
    return Check(
        "clipping",
        claimed,
        f"the largest of {len(run.norms):,} norms is {most:.4g}",
        0.0 if most > claim.clip * (1 + _SLACK) else 1.0,
        0.0 if tested else 1.0,
        f"Any example more than {_SLACK:.1%} above the norm would have been noticed, of those written down."
        if tested
        else "No example reached the norm, so clipping was not put to the test.",
        details={"largest": most if math.isfinite(most) else 1e308},
    )


def participation(run: Observed) -> Check:
    """Whether records are sampled as claimed: each in each batch with probability q, independently of the others.

    In all, for the record with the most or fewest batches, for the largest and smallest batch, and by the spread of
    both: shuffled or fixed batches spread too little. The spread's tail is that of a gamma with its two moments.
    """
    from scipy.stats import binom

    q, steps = run.claim.q, run.steps
    claimed = f"each record in each batch with probability {q:.4g}, independently"
    counts, sizes = run.participation, run.batches
    if counts is None or not len(counts):
        return Check("participation", claimed, "not written down", 1.0, 1.0, _UNKNOWN)
    trials = len(counts) * steps
    total = int(counts.sum())
    found = f"{total / trials:.4g} on average over {len(counts):,} records"
    if q == 1:
        wrong = bool((counts != steps).any())
        return Check(
            "participation", claimed, found, 0.0 if wrong else 1.0, 0.0, "Any record left out shows."
        )
    tests = [_binomial(np.array([total]), trials, q), _binomial(counts, steps, q), _spread(counts, steps, q)]
    if sizes is not None:
        tests += [_binomial(sizes, len(counts), q), _spread(sizes, len(counts), q)]
    broken = min(1.0, len(tests) * 2 * float(np.exp(binom.logsf(trials - 1, trials, q))))
    return Check(
        "participation",
        claimed,
        found,
        any_of(*tests),
        broken,
        noticed("A rate", rate_noticed(trials, q, len(tests))),
        details={"rate": total / trials},
    )


def steps_taken(run: Observed) -> Check:
    """Whether no more steps were taken than were accounted for."""
    taken, paid = run.steps, run.claim.steps
    return Check(
        "steps",
        f"{paid:,} steps",
        f"{taken:,} steps were taken",
        0.0 if taken > paid else 1.0,
        0.0,
        "A single step too many would have been noticed.",
        details={"taken": taken, "accounted": paid},
    )


def freshness(run: Observed, again: Observed) -> Check:
    """Whether a second run drew noise of its own, so that its randomness is not fixed by a seed in the code."""
    claimed = "fresh randomness in every run"
    first, second = run.noise, again.noise
    if first is None or second is None or first.shape[1] != second.shape[1]:
        if run.noisy.shape != again.noisy.shape:
            return Check("freshness", claimed, "the runs cannot be compared", 1.0, 1.0, _UNKNOWN)
        same = bool(np.array_equal(run.noisy, again.noisy))
        found = "both runs released the very same sums" if same else "the runs released different sums"
        return Check("freshness", claimed, found, float(not same), 0.0, "Equal sums would have been noticed.")
    closest, pairs = _closest(first[:_MOST_STEPS], second[:_MOST_STEPS])
    width = first.shape[1]
    return Check(
        "freshness",
        claimed,
        f"the most alike steps of the two runs have a cosine of {closest:.3g}",
        _cosine_tail(closest, width, pairs),
        _cosine_tail(1.0, width, pairs),
        f"The same noise in {_looked_at(max(len(first), len(second)))} of both runs would have been noticed."
        if _cosine_tail(1.0, width, pairs) < ALARM
        else "Too few numbers to tell.",
        details={"largest_cosine": closest},
    )


def _looked_at(steps: int) -> str:
    return "steps" if steps <= _MOST_STEPS else f"of the first {_MOST_STEPS:,} steps"


def _closest(first: NDArray[np.float64], second: NDArray[np.float64] | None) -> tuple[float, int]:
    """The largest absolute cosine between different steps (or the steps of two runs), and the number of pairs.

    A step without any noise has no direction, and counts as no pair; its scale is another check's concern.
    """
    one = first / np.maximum(np.linalg.norm(first, axis=1, keepdims=True), 1e-300)
    two = (
        one if second is None else second / np.maximum(np.linalg.norm(second, axis=1, keepdims=True), 1e-300)
    )
    if second is None and len(one) < 2:
        return 0.0, 0
    cosines = np.abs(one @ two.T)
    if second is None:
        np.fill_diagonal(cosines, 0.0)
    pairs = len(one) * (len(one) - 1) // 2 if second is None else len(one) * len(two)
    return min(1.0, float(cosines.max())), pairs


def _cosine_tail(cosine: float, width: int, pairs: int) -> float:
    """How likely one of so many pairs of independent Gaussian vectors is at least so alike."""
    from scipy.stats import beta

    if pairs == 0 or width < 2:
        return 1.0
    return min(1.0, pairs * float(beta.sf(cosine**2, 0.5, (width - 1) / 2)))


def _drift(sums: NDArray[np.float64], noise: NDArray[np.float64]) -> float:
    """Two-sided p-value of the share of the noise that lies in the direction that was summed along."""
    from scipy.stats import beta

    along = noise.size // len(sums)
    total = float((noise**2).sum())
    if along < 2 or not noise.any():
        return 1.0
    share = min(1.0, float(sums @ sums) / along / total)
    a, b = len(sums) / 2, (along - 1) * len(sums) / 2
    return two_sided(float(beta.cdf(share, a, b)), float(beta.sf(share, a, b)))


def _binomial(counts: NDArray[np.int64], trials: int, q: float) -> float:
    """The p-value of the most unusual of independent binomial counts."""
    from scipy.stats import binom

    below = float(binom.cdf(counts.min(), trials, q))
    above = float(binom.sf(counts.max() - 1, trials, q))
    return min(1.0, len(counts) * two_sided(below, above))


def _spread(counts: NDArray[np.int64], trials: int, q: float) -> float:
    """Two-sided p-value of the sum of squared deviations of binomial counts, by a gamma with its mean and variance."""
    from scipy.stats import gamma

    if len(counts) < 30:
        return 1.0
    variance = trials * q * (1 - q)
    fourth = variance * (1 + 3 * (trials - 2) * q * (1 - q))
    mean, scatter = len(counts) * variance, len(counts) * (fourth - variance**2)
    squares = float(((counts - trials * q) ** 2).sum())
    shape, scale = mean**2 / scatter, scatter / mean
    return two_sided(
        float(gamma.cdf(squares, shape, scale=scale)), float(gamma.sf(squares, shape, scale=scale))
    )


def _run(check: Any, case: Case, *runs: Observed) -> RiskEstimate:
    started = time.process_time()
    found: Check = check(*runs)
    return found.estimate(case.promise, time.process_time() - started)


@register(name="noise-scale", on="run")
def _noise_scale(target: Observed, case: Case) -> RiskEstimate:
    """See whether the noise is as large as claimed."""
    return _run(noise_scale, case, target)


@register(name="noise-independence", on="run")
def _noise_independence(target: Observed, case: Case) -> RiskEstimate:
    """See whether noise was used more than once."""
    return _run(noise_independence, case, target)


@register(name="clipping", on="run")
def _clipping(target: Observed, case: Case) -> RiskEstimate:
    """See whether an example added more than the clipping norm."""
    return _run(clipping, case, target)


@register(name="participation", on="run")
def _participation(target: Observed, case: Case) -> RiskEstimate:
    """See whether records were sampled as claimed."""
    return _run(participation, case, target)


@register(name="steps", on="run")
def _steps(target: Observed, case: Case) -> RiskEstimate:
    """See whether more steps were taken than accounted for."""
    return _run(steps_taken, case, target)


@register(name="freshness", on="run", needs=("again",))
def _freshness(target: Observed, case: Case) -> RiskEstimate:
    """See whether a second run on the same data drew its own noise."""
    return _run(freshness, case, target, case.settings["again"])
