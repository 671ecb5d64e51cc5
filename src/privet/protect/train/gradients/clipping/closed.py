"""A generalised-linear head has its clipped sum in closed form: no backward pass at all.

For outputs XW' + b and the gradient r of an example's loss in its outputs, the gradient in (W, b) is r (x, 1)', whose
norm is |r| sqrt(|x|² + 1); the scaled sum is one product.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from privet.protect.train.gradients.clipping.pairs import zero_where_left_out
from privet.protect.train.gradients.clipping.rule import ClippedSum, Rule
from privet.protect.train.gradients.objectives import IGNORED, Batch, Objective

_PASSIVE = (nn.Flatten, nn.Identity)


def head_of(model: nn.Module) -> nn.Linear | None:
    """The one dense layer of a model that has nothing else in it."""
    if type(model) is nn.Sequential and len(model):
        *before, last = model.children()
        if all(type(module) in _PASSIVE for module in before):
            return head_of(last)
        return None
    return model if type(model) is nn.Linear and not _touched(model) else None


def _touched(model: nn.Module) -> bool:
    """Whether somebody else has a say in the layer: hooks, or a weight that is computed from others."""
    held = vars(model)
    return bool(held["_forward_hooks"] or held["_forward_pre_hooks"] or len(held["_parameters"]) != 2)


class Closed:
    """The engine for generalised-linear heads."""

    name = "closed"

    def __init__(self, model: nn.Module, trained: dict[str, nn.Parameter], objective: Objective) -> None:
        head = head_of(model)
        assert head is not None
        self._head, self._objective = head, objective
        self._weight = next((name for name, value in trained.items() if value is head.weight), None)
        self._bias = next((name for name, value in trained.items() if value is head.bias), None)

    def clipped_sum(self, batch: Batch, rule: Rule) -> ClippedSum:
        """The sum of the scaled gradients of a batch of one view."""
        head = self._head
        x = batch.inputs.flatten(1)
        with torch.no_grad():
            outputs = nn.functional.linear(x, head.weight, head.bias)
        losses, residual = self._residual(outputs, batch)
        with torch.no_grad():
            size = torch.zeros_like(losses)
            if self._weight:
                size = size + x.square().sum(1)
            if self._bias:
                size = size + 1
            norms = (residual.square().sum(1) * size).sqrt()
            factors = rule.factors(norms)
            scaled = zero_where_left_out(residual, factors) * factors.unsqueeze(1)
            sums = {}
            if self._weight:
                sums[self._weight] = scaled.T @ zero_where_left_out(x, factors)
            if self._bias:
                sums[self._bias] = scaled.sum(0)
        return ClippedSum(sums, norms, losses)

    def _residual(self, outputs: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """Each example's loss, and its gradient in the outputs."""
        targets = batch.targets
        if self._objective.name == "logistic" and targets is not None:
            with torch.no_grad():
                residual = torch.sigmoid(outputs) - targets.reshape(outputs.shape)
                return self._objective.loss(outputs, targets), residual
        if self._objective.name == "cross_entropy" and targets is not None and targets.dtype == torch.int64:
            with torch.no_grad():
                return _softmax_residual(outputs, targets)
        outputs.requires_grad_()
        with torch.enable_grad():
            losses = self._objective.losses(lambda _: outputs, batch)
            (residual,) = torch.autograd.grad(losses.sum(), outputs)
        return losses.detach(), residual


def _softmax_residual(outputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """Of the cross-entropy: shares less the class that is there; nothing for targets that do not count."""
    logs = torch.log_softmax(outputs, 1)
    classes = targets.clamp_min(0).unsqueeze(1)
    losses = logs.gather(1, classes).squeeze(1).neg_()
    residual = logs.exp_().scatter_add_(1, classes, torch.full_like(losses, -1.0).unsqueeze(1))
    left_out = targets == IGNORED
    if bool(left_out.any()):
        losses, residual = losses.masked_fill(left_out, 0), residual.masked_fill(left_out.unsqueeze(1), 0)
    return losses, residual
