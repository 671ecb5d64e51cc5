"""Before anything is booked: all processes of a run have the same plan, data, weights, settings, software and code.

Two processes with other data would make one sum of two data sets; with other code, a sum that no check has seen. Descriptions
go to nobody but the processes, over the way on which exact sums travel too.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from privet.errors import BadTraining
from privet.guarantee import Row
from privet.protect.train.gradients._grid_sums import most_of
from privet.protect.train.gradients._optimizer import StepSpeed
from privet.protect.train.gradients._process_group import Ranks
from privet.protect.train.gradients._training_plan import TrainingPlan
from privet.protect.train.gradients._trial_weights import is_same
from privet.protect.train.gradients.clipping import LARGEST

_SAID = {
    "data": "the records, their order, or whose they are",
    "initial": "the weights that the model begins with",
    "untrained": "what of the model is not trained",
    "software": "the versions of torch or NumPy, or the kind of machine",
    "model": "the parameters of the model",
}
_SEEDS = "Seed torch alike before the model is made (torch.manual_seed), or load the same weights."


def require_agreement(ranks: Ranks, described: dict[str, Any], probed: list[float]) -> None:
    """Refuse to be part of a run of which the first process has another idea; names what differs."""
    own = {name: _digest(value) for name, value in described.items()}
    if ranks.leads:
        ranks.tell({"described": own, "probed": probed})
        return
    told = ranks.told()
    theirs = told["described"]
    differing = sorted(name for name in {*own, *theirs} if own.get(name) != theirs.get(name))
    if not differing and not is_same(told["probed"], probed):
        differing = ["what the model, the loss or the augmentation computes"]
    if differing:
        named = ", ".join(_SAID.get(name, name) for name in differing)
        raise BadTraining(
            f"this process has something else than the first one: {named}.",
            _SEEDS
            if differing == ["initial"]
            else "Start all processes with the same script on the same data.",
            differing=differing,
        )


def require_room(plan: TrainingPlan, speed: StepSpeed, ranks: Ranks, units: int) -> None:
    """Refuse a batch that has no piece for some process, and more records than sums have room for."""
    size = min(speed.physical, LARGEST)
    if ranks.count > 1 and isinstance(plan.unit, Row) and plan.batch <= size * (ranks.count - 1):
        raise BadTraining(
            f"a batch of {plan.batch} in pieces of {size} leaves some of the {ranks.count} processes without any.",
            f"Use StepSpeed(physical={max(1, plan.batch // ranks.count)}), or fewer processes.",
        )
    if units > most_of(plan.records):
        raise BadTraining(
            "there are far more records or people than the plan says.",
            "Plan with about as many as there are.",
        )


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()
