"""Per-example gradients by Opacus' hooks, for those who want to compare: held to the same self-check as the others."""

from __future__ import annotations

import torch
from torch import nn

from privet.errors import MissingExtra
from privet.protect.train.gradients._per_example_loss import Batch, Objective
from privet.protect.train.gradients.clipping._clipping_rule import ClippedSum, ClippingRule
from privet.protect.train.gradients.clipping._outer_products import zero_where_left_out

# What Opacus leaves on modules, activations of records among it.
_LEFT = ("activations", "_is_full_backward_hook")


class Opacus:
    """The optional engine."""

    name = "opacus"

    def __init__(self, model: nn.Module, trained: dict[str, nn.Parameter], objective: Objective) -> None:
        self._model, self._trained, self._objective = model, trained, objective

    def clipped_sum(self, batch: Batch, rule: ClippingRule) -> ClippedSum:
        """The sum of the scaled gradients of a batch of one view."""
        try:
            from opacus.grad_sample import GradSampleModule
        except ImportError:
            raise MissingExtra("this needs Opacus.", "pip install 'privet[opacus]'") from None
        kept = [
            (module, {name: vars(module)[name] for name in _LEFT if name in vars(module)})
            for module in self._model.modules()
        ]
        wrapped = GradSampleModule(self._model, batch_first=True, loss_reduction="sum")
        try:
            with torch.enable_grad():
                losses = self._objective.losses(wrapped, batch)
                torch.autograd.backward(losses.sum())
            grads = {name: weight.grad_sample.flatten(1) for name, weight in self._trained.items()}  # type: ignore[attr-defined]
        finally:
            wrapped.to_standard_module()
            for module, was in kept:
                vars(module).update(was)
                for name in [name for name in _LEFT if name not in was]:
                    vars(module).pop(name, None)
            for weight in self._trained.values():
                weight.grad = None
        norms = torch.stack([grad.square().sum(1) for grad in grads.values()]).sum(0).sqrt()
        factors = rule.factors(norms)
        sums = {
            name: (factors @ zero_where_left_out(grad, factors)).view(self._trained[name].shape)
            for name, grad in grads.items()
        }
        return ClippedSum(sums, norms, losses.detach())
