"""Linkage: whose row is it? By what an outsider can look up, joined cell by cell or weighed by probability.

The exact join is Sweeney's (2002); where a cell is an interval, a beginning, a set or `*`, it fits everybody it
covers. The weighed one is Fellegi and Sunter's (1969).
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.artifact import Adversary, AttackCost, IntervalEstimate, RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks._attack_scores import lower_rate, rate
from privet.attacks.tables._probabilistic_linkage import claimed
from privet.attacks.tables._released_rows import promise_of, released_of
from privet.attacks.tables._row_owners import Owners, owners_of
from privet.guarantee import most_linked

if TYPE_CHECKING:
    from privet.guarantee import Promise

_REASON = "each row looks like k - 1 others by these columns"


def _neighbour(owners: Owners) -> Adversary:
    return Adversary(
        "somebody who knows that a person is in the table",
        tuple(f"the person's {name}" for name, _ in owners.columns),
        "the released table",
    )


@register(name="linkage-exact", on="table", needs=("members",))
def exact(target: Any, case: Case) -> RiskEstimate:
    """Point at a person's row among all whose cells fit what is known of the person."""
    started = time.process_time()
    released = released_of(target)
    owners = owners_of(released, case)
    chances = owners.chances()
    mean = round(float(chances.mean()), 12)  # sums of 1 / k must not stand above it
    rows = owners.candidates()
    promise = promise_of(released, case)
    return RiskEstimate(
        attack="linkage-exact",
        measure="chance to point at a person's row",
        success=IntervalEstimate(mean, mean, mean, case.confidence),
        baseline=_guessing(owners),
        adversary=_neighbour(owners),
        cost=AttackCost(time.process_time() - started, records=len(chances), queries=len(chances)),
        **_bounded(promise),
        detectable=1.0,
        artifact=released.name,
        notes=(
            "The chance is computed over all the people looked for, not sampled: it has no interval.",
            *owners.notes(),
        ),
        details={**_claims(owners, chances), "rows_that_fit": _quantiles(rows)},
    )


@register(name="linkage-weakest", on="table", needs=("members",))
def weakest(target: Any, case: Case) -> RiskEstimate:
    """Look for the person whose row is easiest to point at."""
    started = time.process_time()
    released = released_of(target)
    owners = owners_of(released, case)
    chances = owners.chances()
    highest = round(float(chances.max()), 12)
    promise = promise_of(released, case)
    bound = None if promise is None else most_linked(promise)
    details: dict[str, Any] = {"people": len(chances)}
    if bound is not None:
        details["people_above_the_bound"] = int((chances > bound + 1e-12).sum())
    return RiskEstimate(
        attack="linkage-weakest",
        measure="highest chance to point at a person's row",
        success=IntervalEstimate(highest, highest, highest, case.confidence),
        baseline=_guessing(owners),
        adversary=_neighbour(owners),
        cost=AttackCost(time.process_time() - started, records=len(chances), queries=len(chances)),
        **_bounded(promise),
        detectable=1.0,
        artifact=released.name,
        notes=owners.notes(),
        details=details,
    )


@register(name="linkage-probable", on="table", needs=("members",))
def probable(target: Any, case: Case) -> RiskEstimate:
    """Weigh how well cells agree, and claim the pairs that are more likely right than wrong (Fellegi and Sunter).

    Settings: `linker` "own" (default) or "splink"; `threshold` of the probability above which a pair is claimed.
    """
    started = time.process_time()
    released = released_of(target)
    owners = owners_of(released, case)
    found = claimed(owners, case)
    right = owners.chance_that(found.rows, found.people)
    people = len(owners.findable)
    promise = promise_of(released, case)
    hits = round(float(right.sum()))
    return RiskEstimate(
        attack="linkage-probable",
        measure="share of people whose row is claimed rightly",
        success=rate(min(hits, people), people, case.confidence),
        baseline=_guessing(owners),
        adversary=Adversary(
            "somebody with a register that may be out of date",
            tuple(f"people's {name}" for name, _ in owners.columns),
            "the released table",
        ),
        cost=AttackCost(time.process_time() - started, records=people, queries=found.pairs),
        **_bounded(promise),
        detectable=lower_rate(people, people, (1 - case.confidence) / 2),
        artifact=released.name,
        notes=(*found.notes, *owners.notes()),
        details={
            "linker": found.linker,
            "claims": len(found.rows),
            "precision": float(right.mean()) if len(right) else None,
            "recall": float(right.sum()) / people,
            "people": people,
        },
    )


def _guessing(owners: Owners) -> float:
    return float(owners.own_rows().mean() / max(len(owners.matched.class_of), 1))


def _bounded(promise: Promise | None) -> dict[str, Any]:
    bound = None if promise is None else most_linked(promise)
    return {"promise": promise, "bound": bound, "bound_reason": "" if bound is None else _REASON}


def _claims(owners: Owners, chances: NDArray[np.float64]) -> dict[str, Any]:
    """Sweeney's claims: people with one row that fits, where it fits nobody else."""
    sure = owners.alone()
    right = float(owners.chances_of_all()[sure].sum())
    return {
        "people": len(chances),
        "claims": int(sure.sum()),
        "precision": right / int(sure.sum()) if sure.any() else None,
        "recall": right / len(chances),
    }


def _quantiles(rows: NDArray[np.int64]) -> dict[str, float]:
    names = {"least": 0.0, "tenth": 0.1, "half": 0.5, "most": 1.0}
    return {name: float(np.quantile(rows, at)) for name, at in names.items()} if len(rows) else {}
