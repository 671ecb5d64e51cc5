"""Gradient inversion as an attack: whose records can be read off a recorded update."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import Adversary, AttackCost, RiskEstimate
from privet.attacks._attack_records import records_of
from privet.attacks._attack_registry import Case, register
from privet.attacks._attack_scores import lower_rate, rate
from privet.attacks.updates._dense_inversion import candidates, one_record
from privet.attacks.updates._federated_update import Nearness, Update, matched
from privet.attacks.updates._gradient_matching import searched
from privet.errors import BadAttack

if TYPE_CHECKING:
    from numpy.typing import NDArray

RECOVERED = 0.95  # the cosine from which a record counts as recovered
_SERVER = Adversary(
    "a server that is curious", ("the model's layers", "how many records an update is made of"), "the update"
)
_HOLDER = Adversary(
    "a server that is curious", ("the model's weights", "how many records an update is made of"), "the update"
)


@register(name="gradient-inversion-dense", on="update", needs=("members",))
def dense(target: Update | Sequence[Update], case: Case) -> RiskEstimate:
    """Read records off the gradient of a first dense layer with a bias, in closed form."""

    def guess(update: Update) -> NDArray[np.float64]:
        if update.records == 1:
            return one_record(update.gradients)[None, :]
        return candidates(update.gradients, 4 * update.records)

    return _scored("gradient-inversion-dense", target, case, guess, _SERVER)


@register(name="gradient-inversion", on="update", needs=("members", "model"))
def search(target: Update | Sequence[Update], case: Case) -> RiskEstimate:
    """Look for records whose gradient is the recorded one."""
    shape = tuple(records_of(case.members, case.setting("label", None)).features.shape[1:])

    def guess(update: Update) -> NDArray[np.float64]:
        return searched(
            replace(update, model=case.setting("model", update.model), shape=update.shape or shape),
            by=case.setting("by", "cosine"),
            steps=case.whole("steps", 600),
            restarts=case.whole("restarts", 2),
            smooth=case.number("smooth", 0.0),
            seed=case.seed,
        )

    return _scored("gradient-inversion", target, case, guess, _HOLDER)


def _scored(
    name: str,
    target: Update | Sequence[Update],
    case: Case,
    guess: Callable[[Update], NDArray[np.float64]],
    adversary: Adversary,
) -> RiskEstimate:
    """Members are the records behind the updates, in their order; the baseline is one guess for everybody: the mean."""
    started = time.process_time()
    updates = [target] if isinstance(target, Update) else list(target)
    given = records_of(case.members, case.setting("label", None))
    truth = np.asarray(given.features, float).reshape(len(given), -1)
    if sum(update.records for update in updates) != len(truth):
        raise BadAttack(
            "members are not the records behind the updates.", "Give them in the order of the updates."
        )
    near: list[Nearness] = []
    for update in updates:
        own = truth[len(near) : len(near) + update.records]
        near += matched(guess(update), own)
        if case.progress is not None:
            case.progress("updates", len(near), len(truth))
    cosines = np.array([one.cosine for one in near])
    blind = _blind(truth, case)
    hits = int((cosines >= RECOVERED).sum())
    return RiskEstimate(
        attack=name,
        measure="share of records recovered",
        success=rate(hits, len(truth), case.confidence),
        baseline=blind,
        adversary=adversary,
        cost=AttackCost(time.process_time() - started, records=len(truth), queries=len(updates)),
        promise=case.promise,
        detectable=lower_rate(len(truth), len(truth), (1 - case.confidence) / 2),
        artifact="update",
        notes=(f"A record counts as recovered from a cosine of {RECOVERED} with the truth.",),
        details={
            "mean cosine": float(cosines.mean()),
            "median psnr": float(np.clip(np.median([one.psnr for one in near]), -300, 400)),
        },
    )


def _blind(truth: NDArray[np.float64], case: Case) -> float:
    """How many would be recovered by guessing the mean of other records for everybody; nought without any."""
    other: Any = case.control if case.control is not None else case.auxiliary
    if other is None:
        return 0.0
    records = records_of(other, case.setting("label", None))
    mean = np.asarray(records.features, float).reshape(len(records), -1).mean(axis=0)
    near = [matched(mean[None, :], record[None, :])[0].cosine for record in truth]
    return float((np.array(near) >= RECOVERED).mean())
