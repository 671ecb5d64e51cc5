"""Per-example gradients by `torch.func`: exact for whatever it can map over, weights used in any way included.

Each example is run through the model as a batch of its own, so nothing can pass between examples. The gradients are
written out, so memory grows with the number of examples times the number of weights: keep physical batches small.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.func import functional_call, grad_and_value, vmap

from privet.protect.train.gradients._per_example_loss import Batch, Objective, each
from privet.protect.train.gradients.clipping._clipping_rule import ClippedSum, ClippingRule
from privet.protect.train.gradients.clipping._outer_products import zero_where_left_out


class Vmapped:
    """The exact fallback."""

    name = "vmapped"

    def __init__(self, model: nn.Module, trained: dict[str, nn.Parameter], objective: Objective) -> None:
        self._model, self._trained, self._objective = model, trained, objective
        self._recurrent = [module for module in model.modules() if isinstance(module, nn.RNNBase)]
        # Where each parameter is kept: torch gives some containers (ParameterDict) another one back than it took out.
        self._places = [
            (module, key, weight)
            for module in model.modules()
            for key, weight in module._parameters.items()  # noqa: SLF001
            if weight is not None
        ]

    def clipped_sum(self, batch: Batch, rule: ClippingRule) -> ClippedSum:
        """The sum of the scaled gradients of a batch."""
        views = batch.views
        inputs = each(batch.inputs, lambda value: value.reshape(batch.examples, views, *value.shape[1:]))
        targets = batch.targets
        if targets is not None:
            targets = targets.reshape(batch.examples, views, *targets.shape[1:])

        shares = None if batch.weights is None else batch.weights.view(batch.examples, views)

        def loss(
            weights: dict[str, Tensor], inputs: object, targets: Tensor | None, shares: Tensor | None
        ) -> Tensor:
            def run(*args: object, **kwargs: object) -> object:
                return functional_call(self._model, weights, args, kwargs)

            return self._objective.losses(run, Batch(inputs, targets, 1, views, shares))[0]

        weights = {name: weight.detach() for name, weight in self._trained.items()}
        mapped = vmap(
            grad_and_value(loss),
            in_dims=(
                None,
                each(inputs, lambda _: 0),
                None if targets is None else 0,
                None if shares is None else 0,
            ),
            randomness="different",
        )
        try:
            grads, losses = mapped(weights, inputs, targets, shares)
        finally:
            for module, key, weight in self._places:
                module._parameters[key] = weight  # noqa: SLF001
            for module in self._recurrent:  # they keep a list of their own of the weights they are lent
                module._init_flat_weights()  # noqa: SLF001
        flat = {name: grad.flatten(1) for name, grad in grads.items()}
        norms = torch.stack([grad.float().square().sum(1) for grad in flat.values()]).sum(0).sqrt()
        factors = rule.factors(norms)
        sums = {
            name: (factors.to(grad.dtype) @ zero_where_left_out(grad, factors)).view(weights[name].shape)
            for name, grad in flat.items()
        }
        return ClippedSum(sums, norms, losses)
