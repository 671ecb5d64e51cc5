"""Guesses about what people have, from their reports, beside the most that the epsilon of these reports allows."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import Adversary, AttackCost, RiskEstimate
from privet.attacks._attack_registry import Case
from privet.attacks._attack_scores import lower_rate, rate
from privet.errors import BadAttack
from privet.guarantee import most_guessed

if TYPE_CHECKING:
    from numpy.typing import NDArray

PEOPLE = 2_000
CANDIDATES = 64
SERVER = Adversary(
    "the server, or whoever reads what it stores",
    ("the public specification", "which reports are of one person"),
    "the reports",
)


def guessed(
    name: str,
    right: NDArray[np.bool_],
    share: float,
    case: Case,
    *,
    measure: str,
    epsilon: float | None,
    reports: int,
    started: float,
    adversary: Adversary = SERVER,
    details: dict[str, Any] | None = None,
) -> RiskEstimate:
    """The estimate of an attack whose guesses were right or not, where the best guess without reports has this share."""
    hits, people = int(right.sum()), len(right)
    return RiskEstimate(
        attack=name,
        measure=measure,
        success=rate(hits, people, case.confidence),
        baseline=share,
        adversary=adversary,
        cost=AttackCost(time.process_time() - started, records=people, queries=people * reports),
        bound=None if epsilon is None else most_guessed(epsilon, share),
        bound_reason="" if epsilon is None else promised_for(reports),
        promise=case.promise,
        detectable=lower_rate(people, people, (1 - case.confidence) / 2),
        artifact="client",
        details={"reports of each person": reports, "epsilon together": epsilon, **(details or {})},
    )


def promised_for(reports: int) -> str:
    """What a bound rests on, in words."""
    if reports == 1:
        return "what one report is promised"
    return f"what {reports:,} reports of one person are promised together"


def best_columns(scores: NDArray[np.float64], ties: NDArray[np.float64]) -> NDArray[np.int64]:
    """The column of the largest score in each row; between equal ones `ties` decides."""
    best = scores.max(axis=1, keepdims=True)
    near = scores >= best - 1e-9 * np.maximum(1.0, np.abs(best))
    return np.asarray(np.where(near, ties, -1.0).argmax(axis=1))


def candidates(many: int, most: int = CANDIDATES) -> NDArray[np.int64]:
    """Values that people have in a trial: all, or so many of them from everywhere in the list."""
    return np.unique(np.linspace(0, many - 1, min(many, most)).round().astype(np.int64))


def known_oracle(client: Any) -> Any:
    """The oracle by which reports are read; refuses a client that states none."""
    if client.oracle is None:
        raise BadAttack(
            "reports are read by the oracle of a question with categories, and this client states none.",
            "Give a Collection that asks OneOf([…]), or a LocalClient with its specification.",
        )
    return client.oracle
