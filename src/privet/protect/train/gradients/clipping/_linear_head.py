"""A generalised-linear head has its clipped sum in closed form: no backward pass at all.

For outputs XW' + b and the gradient r of an example's loss in its outputs, the gradient in (W, b) is r (x, 1)', whose
norm is |r| sqrt(|x|² + 1); the scaled sum is one product.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from privet.protect.train.gradients._per_example_loss import IGNORED, Batch, Objective
from privet.protect.train.gradients.clipping import _linear_head_arrays as arrays
from privet.protect.train.gradients.clipping._clipping_rule import LARGEST, ClippedSum, ClippingRule
from privet.protect.train.gradients.clipping._outer_products import zero_where_left_out

_PASSIVE = (nn.Flatten, nn.Identity)
_SMALL = 2**21  # products above are torch's to make, with as many threads as it was given


def head_of(model: nn.Module) -> nn.Linear | None:
    """The one dense layer of a model that has nothing else in it."""
    if type(model) is nn.Sequential and len(model):
        *before, last = model.children()
        if all(type(module) in _PASSIVE for module in before):
            return head_of(last)
        return None
    return model if type(model) is nn.Linear and not is_touched(model, 2) else None


def is_touched(model: nn.Module, weights: int) -> bool:
    """Whether somebody else has a say in a layer: hooks, a way of its own to run, or a weight that is computed from others."""
    held = vars(model)
    own = "forward" in held or len(held["_parameters"]) != weights
    return bool(own or held["_forward_hooks"] or held["_forward_pre_hooks"] or held["_backward_hooks"])


class Closed:
    """The engine for generalised-linear heads."""

    name = "closed"
    most = 8192  # examples in one call

    def __init__(self, model: nn.Module, trained: dict[str, nn.Parameter], objective: Objective) -> None:
        head = head_of(model)
        assert head is not None
        self._head, self._objective = head, objective
        self._weight = next((name for name, value in trained.items() if value is head.weight), None)
        self._bias = next((name for name, value in trained.items() if value is head.bias), None)

    def clipped_sum(self, batch: Batch, rule: ClippingRule) -> ClippedSum:
        """The sum of the scaled gradients of a batch of one view."""
        if self._takes_arrays(batch):
            return self._by_arrays(batch, rule)
        head = self._head
        x = batch.inputs.flatten(1)
        with torch.no_grad():
            outputs = nn.functional.linear(x, head.weight, head.bias)
        losses, residual = self._residual(outputs, batch)
        with torch.no_grad():
            norms = torch.linalg.vector_norm(residual, dim=1).mul_(self._input_norms(x))
            factors = rule.factors(norms)
            scaled = zero_where_left_out(residual, factors) * factors.unsqueeze(1)
            sums = {}
            if self._weight:
                sums[self._weight] = _product(scaled, zero_where_left_out(x, factors))
            if self._bias:
                sums[self._bias] = scaled.sum(0, dtype=_precision(scaled))
        return ClippedSum(sums, norms, losses)

    def _takes_arrays(self, batch: Batch) -> bool:
        """Whether it is small, all of it trained, in memory and of a loss with a formula."""
        head, x, targets = self._head, batch.inputs, batch.targets
        if not (self._weight and self._bias) or targets is None or x.numel() * head.out_features > _SMALL:
            return False
        if head.weight.device.type != "cpu" or not x.dtype == head.weight.dtype == torch.float32:
            return False
        classes = self._objective.name == "cross_entropy" and targets.dtype == torch.int64
        return classes or (self._objective.name == "logistic" and head.out_features == 1)

    def _by_arrays(self, batch: Batch, rule: ClippingRule) -> ClippedSum:
        assert self._weight
        assert self._bias
        assert batch.targets is not None
        x, targets = batch.inputs.flatten(1).numpy(), batch.targets.numpy()
        weight, bias = self._head.weight.detach().numpy(), self._head.bias.detach().numpy()
        with np.errstate(all="ignore"):  # what is not finite is left out below
            outputs = weight @ x.T
            outputs += bias[:, None]
            losses, residual = (
                arrays.softmax_residual(outputs, targets, IGNORED)
                if self._objective.name == "cross_entropy"
                else arrays.logistic_residual(outputs, targets)
            )
            squares = np.einsum("ij,ij->i", x, x)
            squares += 1
            squares *= np.einsum("ij,ij->j", residual, residual)
            norms = np.sqrt(squares, out=squares)
            weights, biases = arrays.scaled_sums(x, residual, rule.array_factors(norms))
        sums = {self._weight: torch.from_numpy(weights), self._bias: torch.from_numpy(biases)}
        return ClippedSum(sums, torch.from_numpy(norms), torch.from_numpy(losses))

    def _input_norms(self, x: Tensor) -> Tensor:
        """The length of (x, 1), or of the part of it whose weights are trained."""
        if not self._weight:
            return x.new_ones(len(x))
        norms: Tensor = torch.linalg.vector_norm(x, dim=1)
        return norms.square_().add_(1).sqrt_() if self._bias else norms

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


def _precision(scaled: Tensor) -> torch.dtype:
    return scaled.dtype if len(scaled) <= LARGEST else torch.float64


def _product(scaled: Tensor, x: Tensor) -> Tensor:
    """The sum over examples of scaled gradients and inputs; of many examples, the sums of some are added up in 64 bits."""
    if len(x) <= LARGEST:
        return scaled.T @ x
    total = scaled.new_zeros((scaled.shape[1], x.shape[1]), dtype=torch.float64)
    for some, inputs in zip(torch.split(scaled, LARGEST), torch.split(x, LARGEST), strict=True):
        total += some.T @ inputs
    return total


def _softmax_residual(outputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """Of the cross-entropy: shares less the class that is there; nothing for targets that do not count."""
    logs = torch.log_softmax(outputs, 1)
    losses = nn.functional.nll_loss(logs, targets, reduction="none", ignore_index=IGNORED)
    classes = targets.clamp_min(0).unsqueeze(1)
    residual = logs.exp_().scatter_add_(1, classes, logs.new_full((1, 1), -1.0).expand(len(logs), 1))
    if int(targets.min()) < 0:
        residual = residual.masked_fill_((targets == IGNORED).unsqueeze(1), 0)
    return losses, residual
