"""Model inversion: what does a class look like to the model (Fredrikson, Jha and Ristenpart 2015)?

An inversion that resembles a class is what the model was made for; one that resembles a person of the training data is
a leak. So every inversion is set against the class's mean and against the nearest record, and counts only where a
training record is nearer than any of as many others.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import Adversary, AttackCost, RiskEstimate
from privet.attacks._attack_records import AttackRecords, records_of
from privet.attacks._attack_registry import Case, register
from privet.attacks._attack_scores import rate
from privet.attacks._attack_target import AttackTarget, label_of, target_of
from privet.attacks._seeded_generator import repeatable_generator
from privet.errors import BadAttack

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LEVELS = 9  # values tried for each feature: evenly spread over its public range
_SWEEPS = 4
_STEPS = 300
_QUESTIONS = ("the ranges of features", "the classes")
_ASKS = Adversary("somebody who may ask the model", _QUESTIONS, "black box: probabilities")
_HOLDS = Adversary("somebody who holds the model", _QUESTIONS, "white box: gradients")


def by_search(
    target: AttackTarget, classes: int, low: NDArray[np.float64], high: NDArray[np.float64]
) -> NDArray[np.float64]:
    """For each class the record with the highest probability, by one feature at a time from the middle of the ranges."""
    found = np.tile((low + high) / 2, (classes, 1))
    levels = np.linspace(low, high, _LEVELS)
    for _ in range(_SWEEPS):
        before = found.copy()
        for j in range(len(low)):
            trials = np.repeat(found, _LEVELS, axis=0)
            trials[:, j] = np.tile(levels[:, j], classes)
            chance = target.probabilities(AttackRecords(trials))
            own = chance[np.arange(len(trials)), np.repeat(np.arange(classes), _LEVELS)].reshape(classes, -1)
            found[:, j] = levels[own.argmax(axis=1), j]
        if (before == found).all():
            break
    return found


def by_gradient(
    module: Any,
    classes: int,
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    shape: tuple[int, ...] = (),
) -> NDArray[np.float64]:
    """For each class the input that lowers 1 - p by gradients, kept inside the ranges (MIFace), from the middle."""
    import torch

    first = next(module.parameters())
    bottom, top = (torch.as_tensor(edge, dtype=first.dtype, device=first.device) for edge in (low, high))
    guess = torch.zeros(classes, len(bottom), dtype=first.dtype, device=first.device, requires_grad=True)
    optimiser = torch.optim.Adam([guess], lr=0.05)
    span, training = (top - bottom), module.training
    module.eval()
    try:
        for _ in range(_STEPS):
            optimiser.zero_grad()
            inside = bottom + span * torch.sigmoid(guess)  # stays inside without a hard edge
            logits = module(inside.reshape(classes, *shape) if shape else inside)
            (-torch.log_softmax(logits, dim=1).diagonal().sum()).backward()  # type: ignore[no-untyped-call]
            optimiser.step()
        with torch.no_grad():
            found = bottom + span * torch.sigmoid(guess)
    finally:
        module.train(training)
        module.zero_grad(set_to_none=True)
    return np.asarray(found.cpu(), float)


@register(name="inversion-search", on="model", needs=("members", "control"))
def search(target: Any, case: Case) -> RiskEstimate:
    """Look for the record of each class that the model is surest of, by asking."""
    started = time.process_time()
    members, control, low, high = _given(target, case)
    adapted = target_of(target)
    classes = adapted.probabilities(members.take(np.arange(1))).shape[1]
    found = by_search(adapted, classes, low, high)
    return _scored(
        "inversion-search", adapted, found, (members, control), case, adversary=_ASKS, started=started
    )


@register(name="inversion-gradient", on="model", needs=("members", "control", "differentiable"))
def gradient(target: Any, case: Case) -> RiskEstimate:
    """Find the input of each class that the model is surest of, by its gradients."""
    started = time.process_time()
    torch = sys.modules.get("torch")
    module = getattr(target, "module", target)
    if torch is None or not isinstance(module, torch.nn.Module):
        raise BadAttack("gradients need a PyTorch module.", "Use inversion-search for other models.")
    members, control, low, high = _given(target, case)
    adapted = target_of(target)
    classes = adapted.probabilities(members.take(np.arange(1))).shape[1]
    shape = tuple(members.features.shape[1:])
    found = by_gradient(module, classes, low, high, shape if len(shape) > 1 else ())
    return _scored(
        "inversion-gradient", adapted, found, (members, control), case, adversary=_HOLDS, started=started
    )


def _given(
    thing: Any, case: Case
) -> tuple[AttackRecords, AttackRecords, NDArray[np.float64], NDArray[np.float64]]:
    label = label_of(thing, case.setting("label", None))
    members, control = records_of(case.members, label), records_of(case.control, label)
    if members.kind != "array" or members.features.dtype.kind not in "fiub":
        raise BadAttack("inversion works on numbers.", "Give the features as an array of numbers.")
    if members.labels is None or control.labels is None:
        raise BadAttack("inversion is scored class by class and needs labels.", "Give (features, labels).")
    flat = control.features.reshape(len(control), -1).astype(float)
    low, high = case.setting("ranges", (flat.min(axis=0), flat.max(axis=0)))
    wide = np.ones(flat.shape[1])
    return members, control, np.asarray(low, float) * wide, np.asarray(high, float) * wide


def _scored(
    name: str,
    target: AttackTarget,
    found: NDArray[np.float64],
    shown: tuple[AttackRecords, AttackRecords],
    case: Case,
    *,
    adversary: Adversary,
    started: float,
) -> RiskEstimate:
    """One trial for each class: is a training record nearer than any of as many others?"""
    rows, hits = [], 0
    members, control = shown
    draw = repeatable_generator(case.seed, "inversion control")
    everybody = control.features.reshape(len(control), -1).astype(float)
    middle, spread = everybody.mean(axis=0), everybody.std(axis=0)
    scale = np.where(spread > 0, spread, 1)
    for c, guess in enumerate(found):
        own, others = (_class(part, target, c) for part in (members, control))
        size = min(len(own), len(others))
        if size < 2:
            continue
        own, others = draw.permutation(own)[:size], draw.permutation(others)[:size]
        standard = (guess - middle) / scale
        near, far = (
            float(np.sqrt((((part - guess) / scale) ** 2).mean(axis=1)).min()) for part in (own, others)
        )
        hits += near < far
        rows.append(
            {
                "class": c,
                "probability": float(
                    target.probabilities(AttackRecords(guess.reshape(1, *members.features.shape[1:])))[0, c]
                ),
                "correlation with the class mean": _correlation(
                    standard, (own.mean(axis=0) - middle) / scale
                ),
                "correlation with the mean of others": _correlation(
                    standard, (others.mean(axis=0) - middle) / scale
                ),
                "distance to the nearest training record": near,
                "distance to the nearest other record": far,
            }
        )
    if not rows:
        raise BadAttack("no class has records of both kinds.", "Are the labels the model's classes?")
    return RiskEstimate(
        attack=name,
        measure="share of classes whose inversion is nearest to a training record",
        success=rate(hits, len(rows), case.confidence),
        baseline=0.5,
        adversary=adversary,
        cost=AttackCost(time.process_time() - started, records=len(rows)),
        promise=case.promise,
        artifact=target.name,
        notes=("A promise about presence says nothing about what a class looks like.",),
        details={"classes": rows},
    )


def _class(records: AttackRecords, target: AttackTarget, c: int) -> NDArray[np.float64]:
    flat = records.features.reshape(len(records), -1)
    return np.asarray(flat[target.codes(np.asarray(records.labels)) == c], float)


def _correlation(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    if not np.ptp(first) or not np.ptp(second):  # where all are equal, a deviation would be rounding alone
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])
