"""How attacks on statistics are scored: secrets told right, against the best blind guess and the promise's bound."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

import numpy as np

from privet.artifact import Adversary, AttackCost, RiskEstimate
from privet.attacks._attack_registry import Case
from privet.attacks._attack_scores import lower_rate, rate
from privet.guarantee import ApproxDP, Promise, PureDP, most_true_positives

if TYPE_CHECKING:
    from numpy.typing import NDArray

_GRID = np.linspace(0, 1, 2_001)


def most_right(promise: Promise | None, prior: float) -> float | None:
    """The largest share of a yes-or-no secret told right, where `prior` of the people say yes.

    A secret is changed by taking a person out and putting another in: twice epsilon for a promise that hides
    presence (Dwork and Roth 2014, Theorem 2.2), with (1 + e^epsilon) delta.
    """
    if isinstance(promise, PureDP):
        doubled: Promise = PureDP(2 * promise.epsilon)
    elif isinstance(promise, ApproxDP):
        wide = float(promise.delta) * (1 + math.exp(min(float(promise.epsilon), 700)))
        if wide >= 1:
            return 1.0
        doubled = ApproxDP(2 * promise.epsilon, wide)
    else:
        return None
    found = [
        prior * (most_true_positives(doubled, float(false)) or 0.0) + (1 - prior) * (1 - float(false))
        for false in _GRID
    ]
    # The curve is piecewise linear: between points of the grid the truth is at most one step higher.
    return min(1.0, max(found) + 1 / (len(_GRID) - 1))


def scored(
    name: str,
    guesses: NDArray[np.bool_],
    truth: NDArray[np.bool_],
    case: Case,
    *,
    adversary: Adversary,
    questions: int,
    started: float,
    notes: tuple[str, ...] = (),
    details: dict[str, object] | None = None,
) -> RiskEstimate:
    """The estimate for guesses of everybody's secret; `started` is `time.process_time()` at the beginning."""
    right = int((guesses == truth).sum())
    people = len(truth)
    yes = float(truth.mean())
    bound = most_right(case.promise, yes)
    return RiskEstimate(
        attack=name,
        measure="share of secrets told right",
        success=rate(right, people, case.confidence),
        baseline=max(yes, 1 - yes),
        adversary=adversary,
        cost=AttackCost(time.process_time() - started, records=people, queries=questions),
        bound=bound,
        bound_reason=""
        if bound is None
        else "two-fold epsilon: a secret is exchanged, not a presence hidden",
        promise=case.promise,
        detectable=lower_rate(people, people, (1 - case.confidence) / 2),
        artifact="statistics",
        notes=notes,
        details=dict(details or {}),
    )
