"""A stack of dense layers has its clipped sum by a few products of arrays: no graph, no hooks, no second pass.

The model is not run at all: what its layers compute is written down here, for layers of torch's own and nothing else. So
records cannot meet on the way, and a small network's step, which is nearly all calls, has few of them. Norms as in
`_outer_products` for one position: of a layer with inputs a and output gradients g, |g| sqrt(|a|² + 1).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from privet.protect.train.gradients._per_example_loss import IGNORED, Batch, Objective
from privet.protect.train.gradients.clipping import _linear_head_arrays as arrays
from privet.protect.train.gradients.clipping._clipping_rule import ClippedSum, ClippingRule
from privet.protect.train.gradients.clipping._linear_head import is_touched
from privet.protect.train.gradients.clipping._weight_hooks import NotSeen

Array = NDArray[Any]
_PASSIVE = (nn.Flatten, nn.Identity)
_MOST = 2**18  # weights; products of larger layers are torch's to make, with as many threads as it was given


def _rectified(values: Array) -> None:
    np.maximum(values, 0, out=values)


def _bent(values: Array) -> None:
    np.tanh(values, out=values)


def _squashed(values: Array) -> None:
    # The logistic function by the hyperbolic tangent, which overflows nowhere.
    values *= np.float32(0.5)
    np.tanh(values, out=values)
    values *= np.float32(0.5)
    values += np.float32(0.5)


# In place: what an activation makes of its input, and what its output makes of the gradient that comes back.
_ACTIVATIONS: dict[type[nn.Module], tuple[Callable[[Array], None], Callable[[Array], Array]]] = {
    nn.ReLU: (_rectified, lambda made: made > 0),
    nn.Tanh: (_bent, lambda made: 1 - made * made),
    nn.Sigmoid: (_squashed, lambda made: made * (1 - made)),
}


def stack_of(model: nn.Module) -> list[nn.Module]:
    """Dense layers and activations in their order, of a model that has nothing else; empty for others."""
    if type(model) is not nn.Sequential or is_touched(model, 0):
        return []
    found: list[nn.Module] = []
    for module in model.children():
        if type(module) is nn.Sequential:
            inner = stack_of(module)
            if not inner:
                return []
            found += inner
        elif type(module) is nn.Linear or (type(module) in _ACTIVATIONS and found):
            found.append(module)
        elif type(module) not in _PASSIVE or found:
            return []
        if is_touched(module, 2 if type(module) is nn.Linear else 0):
            return []
    return found


class DenseStack:
    """The engine for stacks of dense layers."""

    name = "closed"

    def __init__(self, model: nn.Module, trained: dict[str, nn.Parameter], objective: Objective) -> None:
        self._objective = objective
        names = {id(weight): name for name, weight in trained.items()}
        self._layers: list[nn.Linear] = []
        self._names: list[tuple[str, str]] = []
        self._after: list[type[nn.Module] | None] = []  # the activation behind a layer
        for module in stack_of(model):
            if isinstance(module, nn.Linear):
                self._layers.append(module)
                self._names.append((names[id(module.weight)], names[id(module.bias)]))
                self._after.append(None)
            else:
                self._after[-1] = type(module)

    @staticmethod
    def takes(model: nn.Module, trained: dict[str, nn.Parameter], objective: Objective, batch: Batch) -> bool:
        """Whether it is a stack of small layers in memory, all of it trained, with a loss that has a formula."""
        modules = stack_of(model)
        layers = [module for module in modules if isinstance(module, nn.Linear)]
        weights = [weight for layer in layers for weight in (layer.weight, layer.bias)]
        own = {id(weight) for weight in trained.values()}
        if len(layers) < 2 or not isinstance(modules[-1], nn.Linear) or batch.targets is None:
            return False
        if {id(weight) for weight in weights} != own or len(weights) != len(trained):
            return False  # some are left as they are, or are used twice
        twice = itertools.pairwise(modules)
        if any(not isinstance(one, nn.Linear) and not isinstance(other, nn.Linear) for one, other in twice):
            return False
        if sum(weight.numel() for weight in weights) > _MOST:
            return False
        if any(weight.dtype != torch.float32 or weight.device.type != "cpu" for weight in weights):
            return False
        x, targets = batch.inputs, batch.targets
        if not isinstance(x, Tensor) or x.dtype != torch.float32 or x.dim() < 2 or x.device.type != "cpu":
            return False
        if objective.name == "cross_entropy":
            return targets.dtype == torch.int64 and targets.dim() == 1 and layers[-1].out_features > 1
        return objective.name == "logistic" and layers[-1].out_features == 1

    def clipped_sum(self, batch: Batch, rule: ClippingRule) -> ClippedSum:
        """The sum of the scaled gradients of a batch of one view."""
        if batch.targets is None or batch.views != 1 or batch.weights is not None:
            raise NotSeen("records have several rows")
        x, targets = batch.inputs.flatten(1).numpy(), batch.targets.numpy()
        with np.errstate(all="ignore"):  # what is not finite is left out below
            inputs, outputs = self._forward(x)
            losses, residual = (
                arrays.softmax_residual(outputs.T, targets, IGNORED)
                if self._objective.name == "cross_entropy"
                else arrays.logistic_residual(outputs.T, targets)
            )
            grads = self._backward(residual.T, inputs)
            squares = np.zeros(len(x), np.float32)
            for own, grad in zip(inputs, grads, strict=True):
                part = np.einsum("ij,ij->i", own, own)
                part += 1
                part *= np.einsum("ij,ij->i", grad, grad)
                squares += part
            norms = np.sqrt(squares, out=squares)
            sums = self._sums(inputs, grads, rule.array_factors(norms))
        return ClippedSum(sums, torch.from_numpy(norms), torch.from_numpy(losses))

    def _forward(self, x: Array) -> tuple[list[Array], Array]:
        """The inputs of every layer, and what the last one makes of its."""
        inputs = []
        for layer, after in zip(self._layers, self._after, strict=True):
            inputs.append(x)
            x = x @ layer.weight.detach().numpy().T
            x += layer.bias.detach().numpy()
            if after is not None:
                _ACTIVATIONS[after][0](x)
        return inputs, x

    def _backward(self, grad: Array, inputs: list[Array]) -> list[Array]:
        """The gradients of the loss in every layer's outputs."""
        grads = [grad]
        for place in range(len(self._layers) - 1, 0, -1):
            grad = grad @ self._layers[place].weight.detach().numpy()
            after = self._after[place - 1]
            if after is not None:
                grad *= _ACTIVATIONS[after][1](inputs[place])
            grads.insert(0, grad)
        return grads

    def _sums(self, inputs: list[Array], grads: list[Array], factors: Array) -> dict[str, Tensor]:
        """The scaled sums of all weights; an example of factor 0 has no say."""
        left_out = None if factors.all() else factors == 0
        scale = factors[:, None]
        sums: dict[str, Tensor] = {}
        for (weight, bias), own, grad in zip(self._names, inputs, grads, strict=True):
            if left_out is not None:
                # Not a product with zero: infinity times zero is not a number.
                own, grad = own.copy(), grad.copy()  # noqa: PLW2901
                own[left_out] = grad[left_out] = 0
            scaled = grad * scale
            sums[weight] = torch.from_numpy(scaled.T @ own)
            sums[bias] = torch.from_numpy(scaled.sum(axis=0))
        return sums
