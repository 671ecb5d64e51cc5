"""How well canaries were told apart, and what epsilon that shows from below, in four ways."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import UNLIMITED, Adversary, AttackCost, IntervalEstimate, RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks.dp_audit import _epsilon_estimators as epsilons
from privet.attacks.dp_audit._promised_epsilon import audit_delta, promised_at
from privet.errors import BadAttack

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Guesses are made on the surest of so many canaries; the error is shared between the choices.
_SHARES = (1.0, 0.5, 0.2, 0.05)


@dataclass(frozen=True)
class CanaryRun:
    """Which canaries were used in which run, and how used each looked: a row for each run.

    `gaussian` says that the run claims Gaussian noise on what the adversary sees. Only then do estimates that rest on
    it count against the promise.
    """

    included: NDArray[np.bool_]
    scores: NDArray[np.float64]
    access: str = "black box"
    gaussian: bool = False

    def __post_init__(self) -> None:
        wrong = self.included.ndim != 2 or self.included.shape != self.scores.shape
        if wrong or not self.scores.size or np.isnan(self.scores).any():
            raise BadAttack(
                "an audit has a row for each run with, for each canary, whether it was used and a score.",
                "Give both as tables of the same shape, without gaps.",
            )

    @property
    def adversary(self) -> Adversary:
        """Who looks for the canaries."""
        return Adversary("an auditor with canaries", ("the canaries", "the training algorithm"), self.access)


def guessed(included: NDArray[np.bool_], scores: NDArray[np.float64], guesses: int) -> int:
    """How many guesses are right: the highest scores are said to be in, as many of the lowest to be out."""
    order = np.argsort(scores, kind="stable")
    ins, outs = order[len(order) - (guesses - guesses // 2) :], order[: guesses // 2]
    return int(included[ins].sum() + (~included[outs]).sum())


def _guesses(canaries: int) -> list[int]:
    return sorted({max(1, round(share * canaries)) for share in _SHARES}, reverse=True)


def _one_run(
    target: CanaryRun, case: Case, name: str, bound_of: Callable[..., float], *, certain: bool
) -> RiskEstimate:
    """The best lower bound over the numbers of guesses, with the error shared between them."""
    started = time.process_time()
    included, scores = target.included[0], target.scores[0]
    canaries, delta = len(scores), audited_delta(case)
    tried = _guesses(canaries)
    error = 1 - case.confidence
    lows = []
    for guesses in tried:
        right = guessed(included, scores, guesses)
        lows.append(
            (bound_of(canaries, guesses, right, delta=delta, error=error / len(tried)), guesses, right)
        )
    low, guesses, right = max(lows)
    middle = bound_of(canaries, guesses, right, delta=delta, error=0.5)
    high = bound_of(canaries, guesses, right, delta=delta, error=case.confidence)
    most = max(bound_of(canaries, all_, all_, delta=delta, error=error / len(tried)) for all_ in tried)
    middle = max(low, middle)
    return _estimate(
        target,
        case,
        name,
        IntervalEstimate(middle, low, max(middle, high), case.confidence),
        most=most,
        started=started,
        certain=certain,
        details={"canaries": canaries, "guesses": guesses, "correct": right, "delta": delta},
    )


def _estimate(
    target: CanaryRun,
    case: Case,
    name: str,
    found: IntervalEstimate,
    *,
    most: float,
    started: float,
    certain: bool,
    details: dict[str, Any],
    notes: tuple[str, ...] = (),
) -> RiskEstimate:
    delta = audited_delta(case)
    counts = certain or target.gaussian
    bound = promised_at(case.promise, delta) if counts else None
    if not certain:
        notes += (
            "An estimate: it holds if the noise is Gaussian, as the run claims."
            if target.gaussian
            else "An estimate, and no evidence against the promise: it holds only if the mechanism is Gaussian.",
        )
    return RiskEstimate(
        attack=name,
        measure="epsilon",
        success=found,
        baseline=0.0,
        adversary=target.adversary,
        cost=AttackCost(
            time.process_time() - started, records=target.scores.shape[1], models=len(target.scores)
        ),
        bound=bound,
        bound_reason="" if bound is None else f"the promise's epsilon at delta {delta:g}",
        promise=case.promise,
        detectable=most,
        artifact="training with canaries",
        notes=(f"So many canaries cannot show an epsilon above {most:.4g}, whatever there is.", *notes),
        details=details,
    )


def _apart(ins: int, outs: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The scores of a perfect attack."""
    return np.linspace(2, 3, ins), np.linspace(0, 1, outs)


def audited_delta(case: Case) -> float:
    """The delta that is audited at: as set, or the promise's own."""
    return case.number("delta", audit_delta(case.promise))


def _delta_above_nought(case: Case) -> float:
    delta = audited_delta(case)
    if not 0 < delta < 1:
        raise BadAttack(
            "an estimate against a Gaussian mechanism needs a delta above 0, and this promise has none.",
            "Leave it out, or give delta=1e-5.",
        )
    return delta


@register(name="canaries-one-run", on="canaries")
def one_run(target: CanaryRun, case: Case) -> RiskEstimate:
    """Guess which canaries were used in one run (Steinke, Nasr and Jagielski 2023); holds for any mechanism."""
    return _one_run(target, case, "canaries-one-run", epsilons.one_run, certain=True)


@register(name="canaries-one-run-tradeoff", on="canaries")
def one_run_tradeoff(target: CanaryRun, case: Case) -> RiskEstimate:
    """Guess which canaries were used, against a whole Gaussian trade-off curve (Mahloujifar et al. 2024)."""
    _delta_above_nought(case)
    return _one_run(target, case, "canaries-one-run-tradeoff", epsilons.one_run_tradeoff, certain=False)


@register(name="canaries-gaussian", on="canaries")
def gaussian(target: CanaryRun, case: Case) -> RiskEstimate:
    """Measure how far the scores of used and unused canaries lie apart, as if noise were Gaussian (Nasr et al. 2023)."""
    started = time.process_time()
    delta = _delta_above_nought(case)
    ins, outs = target.scores[target.included], target.scores[~target.included]
    if len(ins) < 2 or len(outs) < 2:
        raise BadAttack("there are too few canaries on one side.", "Use more canaries.")
    low = epsilons.from_gaussian(ins, outs, delta=delta, confidence=case.confidence)
    spread = float(np.sqrt((ins.var(ddof=1) + outs.var(ddof=1)) / 2))
    mu = float(ins.mean() - outs.mean()) / spread if spread > 0 else 0.0
    sure = 2 * float(np.sqrt(1 / len(ins) + 1 / len(outs) + mu**2 / (2 * len(ins) + 2 * len(outs))))
    middle = max(low, epsilons.gaussian_epsilon(min(mu, 30.0), delta))
    high = max(middle, epsilons.gaussian_epsilon(min(mu + sure, 30.0), delta))
    most = epsilons.from_gaussian(*_apart(len(ins), len(outs)), delta=delta, confidence=case.confidence)
    return _estimate(
        target,
        case,
        "canaries-gaussian",
        IntervalEstimate(middle, low, high, case.confidence),
        most=max(most, low),
        started=started,
        certain=False,
        details={"mu": mu, "delta": delta},
    )


@register(name="canaries-clopper-pearson", on="canaries")
def clopper_pearson(target: CanaryRun, case: Case) -> RiskEstimate:
    """Tell runs with a canary from runs without it (Jagielski, Ullman and Oprea 2020); needs many runs.

    The canaries of one run are not independent of each other, so each run counts once: with one canary.
    """
    started = time.process_time()
    delta = audited_delta(case)
    runs, canaries = target.scores.shape
    rows, columns = np.arange(runs), np.arange(runs) % canaries
    included, scores = target.included[rows, columns], target.scores[rows, columns]
    ins, outs = scores[included], scores[~included]
    low = most = 0.0
    if len(ins) and len(outs):
        low = epsilons.from_scores(ins, outs, delta=delta, confidence=case.confidence)
        most = epsilons.from_scores(*_apart(len(ins), len(outs)), delta=delta, confidence=case.confidence)
    return _estimate(
        target,
        case,
        "canaries-clopper-pearson",
        IntervalEstimate(low, low, UNLIMITED, case.confidence),  # bounded from below alone
        most=max(low, most),
        started=started,
        certain=True,
        details={"runs": runs, "delta": delta},
        notes=(f"From {runs:,} runs, each with one canary.",),
    )
