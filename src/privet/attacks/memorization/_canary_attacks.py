"""What an auditor learns from canaries in a language model: recited ones, exposure, and an epsilon from below.

A canary that was planted once stands in one unit, and the promise speaks of it; what is planted more often is shown beside
what group privacy leaves of the promise.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import Adversary, AttackCost, IntervalEstimate, RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks._attack_scores import rate, upper_rate
from privet.attacks.dp_audit import CanaryRun, audit_delta, one_run, promised_at
from privet.attacks.memorization._canary_exposure import (
    REFERENCES,
    exposures,
    mean_exposure,
    recitations,
    secret_scores,
)
from privet.attacks.memorization._causal_model import CausalModel, causal_model
from privet.attacks.memorization._group_promise import group_promise
from privet.attacks.memorization._secret_canaries import Canary, CanaryRecord
from privet.errors import BadAttack, NoPower
from privet.guarantee import Promise, most_true_positives

if TYPE_CHECKING:
    from numpy.typing import NDArray

RECITATION, EXPOSURE, EPSILON = "canary-recitation", "canary-exposure", "canary-epsilon"
NEVER = "never inserted"
_FEWEST = 5
_GUESS = 1e-10  # ten digits
_KNOWS = ("the canaries", "which sentence they stand in")
_AUDITOR = Adversary("an auditor with canaries", _KNOWS, "black box: token probabilities")


def record_in(case: Case) -> CanaryRecord:
    """The record of the canaries, or the file that it is in."""
    found = case.setting("canaries", None)
    if isinstance(found, str | Path):
        return CanaryRecord.load(found)
    if not isinstance(found, CanaryRecord):
        raise BadAttack(
            "canaries is the record of them, or its file.", "Give what pv.plant_canaries gave back."
        )
    return found


@register(name=RECITATION, on="language", needs=("canaries",))
def canary_recitation(target: Any, case: Case) -> RiskEstimate:
    """Show what stands before planted secrets, and see whether the model recites them."""
    started = time.process_time()
    model, canaries = causal_model(target), record_in(case).canaries
    once, never = _sides(canaries)
    found = recitations(model, canaries)
    inside, chance = (
        _share(found[once], case),
        rate(int(found[never].sum()), int(never.sum()), case.confidence),
    )
    bound = _allowed(case.promise, 1)
    return RiskEstimate(
        attack=RECITATION,
        measure="share of once-planted secrets recited",
        success=inside,
        baseline=_GUESS,
        adversary=_AUDITOR,
        cost=AttackCost(time.process_time() - started, len(canaries), queries=len(canaries)),
        control=chance,
        bound=bound,
        bound_reason="" if bound is None else "a guess of the secret's digits, times what the promise allows",
        promise=case.promise,
        detectable=(1 - case.confidence) * 1.0,
        artifact=model.name,
        notes=(
            "The lower end holds however canaries hang together (Markov): that many recited would be expected too rarely.",
        ),
        details={
            "by copies": _by_copies(
                canaries,
                lambda which: _counted(found[which], case),
                lambda many: _allowed(case.promise, many),
            )
        },
    )


@register(name=EXPOSURE, on="language", needs=("canaries",))
def canary_exposure(target: Any, case: Case) -> RiskEstimate:
    """Rank planted secrets among random ones by their probability (Carlini et al. 2019)."""
    started = time.process_time()
    model, record = causal_model(target), record_in(case)
    canaries = record.canaries
    once, never = _sides(canaries)
    found = exposures(model, canaries, record.references(case.whole("references", REFERENCES), case.seed))
    mean = _mean_of(found.by_rank, found.references, case.confidence)
    bound = _most_exposed(case.promise, found.references)
    return RiskEstimate(
        attack=EXPOSURE,
        measure="mean exposure of once-planted secrets, bits",
        success=mean(once),
        baseline=found.chance,
        adversary=_AUDITOR,
        cost=AttackCost(
            time.process_time() - started, len(canaries), queries=len(canaries) + found.references
        ),
        control=mean(never),
        bound=bound,
        bound_reason=""
        if bound is None
        else "ranks among random secrets, moved as far as the promise allows",
        promise=case.promise,
        detectable=mean_exposure(np.full(int(once.sum()), found.most), found.references, case.confidence).low,
        artifact=model.name,
        notes=(
            f"A secret that was never inserted has {found.chance:.2f} bits on average; {found.references:,} references show at "
            f"most {found.most:.1f}. Intervals take canaries as independent.",
        ),
        details={
            "chance": found.chance,
            "most": found.most,
            "by copies": _by_copies(
                canaries,
                lambda which: {
                    "exposure": mean(which).value,
                    "low": mean(which).low,
                    "high": mean(which).high,
                    "tail": float(np.median(found.by_tail[which])) if which.any() else 0.0,
                },
                lambda many: _most_exposed(group_promise(case.promise, many), found.references),
            ),
        },
    )


@register(name=EPSILON, on="language", needs=("canaries",))
def canary_epsilon(target: Any, case: Case) -> RiskEstimate:
    """Guess which once-planted secrets were planted, and bound epsilon from below (Steinke, Nasr and Jagielski 2023)."""
    started = time.process_time()
    model, record = causal_model(target), record_in(case)
    tossed = [one for one in record.canaries if one.group == 1]
    included = np.array([one.copies > 0 for one in tossed], bool)
    if min(included.sum(), (~included).sum()) < _FEWEST:
        raise NoPower("there are too few canaries for one copy.", "Plant some hundreds: copies={1: 500}.")
    scores = secret_scores(model, tossed) - _expected(model, record, case)
    run = CanaryRun(included[None], scores[None], "black box: token probabilities")
    found = one_run(run, case)
    return replace(
        found,
        attack=EPSILON,
        artifact=model.name,
        adversary=_AUDITOR,
        cost=AttackCost(time.process_time() - started, len(tossed), queries=len(tossed)),
    )


def _expected(model: CausalModel, record: CanaryRecord, case: Case) -> float:
    """What a random secret scores on average: nothing that orders canaries, but it makes scores read as bits gained."""
    return float(secret_scores(model, record.references(50, case.seed)).mean())


def _sides(canaries: tuple[Canary, ...]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Those that were planted once, and those that were never."""
    copies = np.array([one.copies for one in canaries], np.int64)
    if min((copies == 1).sum(), (copies == 0).sum()) < _FEWEST:
        raise NoPower(
            "there are too few canaries that were planted once or never.", "Plant a hundred: copies={1: 100}."
        )
    return copies == 1, copies == 0


def _share(found: NDArray[np.bool_], case: Case) -> IntervalEstimate:
    """The share that was recited. From below, Markov's inequality: canaries of one model are not independent."""
    exact = rate(int(found.sum()), len(found), case.confidence)
    low = min(exact.low, (1 - case.confidence) * exact.value)
    return IntervalEstimate(exact.value, low, exact.high, case.confidence)


def _counted(found: NDArray[np.bool_], case: Case) -> dict[str, Any]:
    return {
        "recited": int(found.sum()),
        "recited at most": upper_rate(int(found.sum()), len(found), 1 - case.confidence),
    }


def _mean_of(
    values: NDArray[np.float64], references: int, confidence: float
) -> Callable[[NDArray[np.bool_]], IntervalEstimate]:
    return lambda which: mean_exposure(values[which], references, confidence)


def _by_copies(
    canaries: tuple[Canary, ...],
    said: Callable[[NDArray[np.bool_]], dict[str, Any]],
    allowed: Callable[[int], float | None],
) -> list[dict[str, Any]]:
    copies = np.array([one.copies for one in canaries], np.int64)
    return [
        {
            "copies": str(many) if many else NEVER,
            "canaries": int((copies == many).sum()),
            **said(copies == many),
            "allowed": allowed(many) if many else None,
        }
        for many in (*sorted(set(copies[copies > 0].tolist())), 0)
        if (copies == many).any()
    ]


def _allowed(promise: Promise | None, copies: int) -> float | None:
    grouped = group_promise(promise, copies)
    return None if grouped is None else most_true_positives(grouped, _GUESS)


def _most_exposed(promise: Promise | None, references: int) -> float | None:
    """The largest mean exposure: the chance of t bits or more is at most e^epsilon 2^-t + delta, integrated over t."""
    delta = audit_delta(promise)
    epsilon = promised_at(promise, delta)
    if epsilon is None:
        return None
    most = math.log2(references + 1)
    return min(most, (epsilon + 1) / math.log(2) + delta * most)
