"""Targets that a named loss can take: looked at before anything is booked, so that no step fails on them later."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from privet.errors import BadTraining
from privet.protect.train.gradients._per_example_loss import IGNORED, logits_of

if TYPE_CHECKING:
    from torch import Tensor


def refuse_bad_targets(loss: str, outputs: Any, targets: Tensor | None) -> None:
    """Refuse targets that the loss named `loss` has no value for; says what is wrong, and no target."""
    if loss not in _CHECKS:
        return
    if targets is None:
        raise BadTraining(f"the loss {loss!r} needs targets.", "Give (inputs, targets).")
    scores = logits_of(outputs)
    fault = _CHECKS[loss](scores, targets) if hasattr(scores, "shape") else "the model gives no tensor."
    if fault:
        raise BadTraining(fault, "Correct the targets or the model; nothing was spent.")


def _classes(scores: Tensor, targets: Tensor) -> str:
    if scores.dim() < 2:
        return "cross_entropy needs one score for each class."
    if targets.is_floating_point():
        return (
            ""
            if targets.shape[1:] == scores.shape[1:]
            else "classes are whole numbers, or shares of all of them."
        )
    return _in_range(targets, scores.shape[1], "classes")


def _tokens(scores: Tensor, targets: Tensor) -> str:
    if scores.dim() != 3 or targets.shape[1:] != scores.shape[1:2]:
        return "the model does not give one score for each token of the vocabulary at each position."
    if targets.is_floating_point():
        return "tokens are whole numbers."
    return _in_range(targets, scores.shape[2], "tokens")


def _in_range(targets: Tensor, count: int, what: str) -> str:
    there = (targets >= 0) & (targets < count) | (targets == IGNORED)
    if bool(there.all()):
        return ""
    return f"targets lie outside the {count} {what} that the model has (0 to {count - 1}; {IGNORED} is left out)."


def _binary(scores: Tensor, targets: Tensor) -> str:
    if scores[0].numel() != 1 or targets[0].numel() != 1:
        return "logistic needs one score and one target for each example."
    wrong = (targets < 0) | (targets > 1)
    return "logistic targets are 0 or 1, or shares between." if bool(wrong.any()) else ""


def _numbers(scores: Tensor, targets: Tensor) -> str:
    if scores[0].numel() != targets[0].numel():
        return "squared needs as many targets for each example as the model has outputs."
    return ""


_CHECKS = {"cross_entropy": _classes, "language": _tokens, "logistic": _binary, "squared": _numbers}
