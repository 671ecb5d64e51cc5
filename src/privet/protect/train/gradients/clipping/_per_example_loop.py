"""One example after the other: exact for every model, and the yardstick for the engines that are faster."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from privet.protect.train.gradients._per_example_loss import Batch, Objective
from privet.protect.train.gradients.clipping._clipping_rule import ClippedSum, ClippingRule


class Looped:
    """The engine of last resort."""

    name = "looped"

    def __init__(self, model: nn.Module, trained: dict[str, nn.Parameter], objective: Objective) -> None:
        self._model, self._trained, self._objective = model, trained, objective

    def gradient(self, batch: Batch, index: int) -> tuple[dict[str, Tensor], Tensor]:
        """One example's gradient and loss, computed with nobody else in the batch."""
        with torch.enable_grad():
            loss = self._objective.losses(self._model, batch.alone(index))[0]
            weights = list(self._trained.values())
            found: tuple[Tensor | None, ...] = (
                torch.autograd.grad(loss, weights, allow_unused=True)
                if loss.requires_grad
                else (None,) * len(weights)
            )
        grads = {
            name: torch.zeros_like(weight) if grad is None else grad
            for (name, weight), grad in zip(self._trained.items(), found, strict=True)
        }
        return grads, loss.detach()

    def clipped_sum(self, batch: Batch, rule: ClippingRule) -> ClippedSum:
        """The sum of the scaled gradients of a batch."""
        sums = {name: torch.zeros_like(weight.detach()) for name, weight in self._trained.items()}
        norms, losses = [], []
        for index in range(batch.examples):
            grads, loss = self.gradient(batch, index)
            norm = torch.stack([grad.float().square().sum() for grad in grads.values()]).sum().sqrt()
            factor = rule.factors(norm.reshape(1))[0]
            # Left out and not multiplied: zero times infinity is not a number.
            if factor > 0:
                for name, grad in grads.items():
                    sums[name] += factor * grad
            norms.append(norm)
            losses.append(loss)
        return ClippedSum(sums, torch.stack(norms), torch.stack(losses))
