"""One training run with canaries in it, audited from outside and, where it lets itself be looked into, from inside."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import RiskEstimate
from privet.attacks._attack_registry import Case, fitting
from privet.attacks._attack_report import AttackReport
from privet.attacks.dp_audit import (
    _accounting_check as accounting,
)
from privet.attacks.dp_audit import (
    _epsilon_lower_bounds as epsilon_lower_bounds,
)
from privet.attacks.dp_audit import (
    _white_box_checks as white_box_checks,
)
from privet.attacks.dp_audit._canaries import Canaries, toss
from privet.attacks.dp_audit._epsilon_lower_bounds import CanaryRun
from privet.attacks.dp_audit._run_recorder import Observed
from privet.errors import BadAttack
from privet.guarantee import Promise

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["audit_one_run"]

Trainer = Callable[["NDArray[np.bool_]"], Any]
_ROOMS = (accounting, white_box_checks, epsilon_lower_bounds)  # imported for what they register


def audit_one_run(
    trainer: Trainer,
    canaries: Canaries,
    promise: Promise,
    *,
    delta: float | None = None,
    runs: int = 1,
    seed: int = 0,
    confidence: float = 0.95,
    progress: Callable[[str, int, int], None] | None = None,
) -> AttackReport:
    """Train once with canaries, look for them, and say what epsilon that shows; look inside where that is possible.

    Args:
        trainer: trains with the canaries whose flag is set, and returns what `canaries.scores` understands: an
            `Observed` run for gradient canaries, a model for records. Any other randomness is its own.
        canaries: `GradientCanaries`, `mislabelled(…)`, or anything with `__len__`, `scores`, `access`, `gaussian`.
        promise: what the training claims.
        delta: at which delta to audit [default: the promise's own].
        runs: more than one also gives the Clopper-Pearson bound, and compares the noise of two runs.
        seed: for the coins of the canaries.
        confidence: of all bounds on epsilon from below together: a run that keeps its promise is accused by any of
            them with a probability of at most what is left, and by each look inside once in ten thousand times.
        progress: called with what begins, how many are done, and how many there are.

    Each verdict has its ceiling beside it: an audit with few canaries cannot contradict a large epsilon, and says so
    instead of passing it.
    """
    if runs < 1 or len(canaries) < 1:
        raise BadAttack(
            "an audit takes at least one canary and one run.", "Use a thousand canaries if you can."
        )
    flags, scores = [], []
    seen: list[Observed] = []
    for run in range(runs):
        if progress:
            progress("training with canaries", run, runs)
        included = toss(len(canaries), f"{seed} run {run}")
        trained = trainer(included)
        flags.append(included)
        scores.append(np.asarray(canaries.scores(trained), float))
        if isinstance(trained, Observed) and len(seen) < 2:
            seen.append(trained)
    told = CanaryRun(np.stack(flags), np.stack(scores), canaries.access, canaries.gaussian)
    settings: dict[str, Any] = {} if delta is None else {"delta": delta}
    case = Case(promise=promise, seed=seed, confidence=confidence, settings=settings)
    found = _canaries(told, case)
    if seen:
        again = {"again": seen[1]} if len(seen) > 1 else {}
        looked = Case(promise=promise, seed=seed, confidence=confidence, settings=again)
        found += [attack.run(seen[0], looked) for attack in fitting("run", looked)]
    return AttackReport(tuple(found), attacked="training", confidence=confidence)


def _canaries(told: CanaryRun, case: Case) -> list[RiskEstimate]:
    """Every estimate that the run allows; they share the error."""
    tried = [epsilon_lower_bounds.one_run]
    if epsilon_lower_bounds.audited_delta(case) > 0:
        tried.append(epsilon_lower_bounds.one_run_tradeoff)
        if min(told.included.sum(), (~told.included).sum()) > 1:
            tried.append(epsilon_lower_bounds.gaussian)
    if len(told.scores) > 1:
        tried.append(epsilon_lower_bounds.clopper_pearson)
    shared = replace(case, confidence=1 - (1 - case.confidence) / len(tried))
    return [one(told, shared) for one in tried]
