"""Other weights for a moment: to see what parts of a model do that begin at zero, and to know a model again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from privet.protect.train.gradients.clipping import ClippingRule

if TYPE_CHECKING:
    from privet.protect.train.gradients._per_example_loss import Batch
    from privet.protect.train.gradients.clipping import Engine

# Numbers that a model gives at fixed weights are the same computation's if they agree so far.
_SAME = 1e-3


@contextmanager
def moved(trained: dict[str, nn.Parameter]) -> Iterator[None]:
    """Every weight a little elsewhere. What is behind a gate or a layer that begins at zero has a gradient then."""
    with _replaced(trained, lambda weight, noise: weight + noise * _stir(weight)):
        yield


def _stir(weight: Tensor) -> float:
    """A tenth of the weights' size; for weights that are all zero, what keeps a layer's output of the size of its input."""
    size = float(weight.square().mean().sqrt())
    return 0.1 * size if size > 0 else 0.5 * (weight.shape[-1] if weight.dim() else 1) ** -0.5


def probe(engine: Engine, sample: Batch, trained: dict[str, nn.Parameter]) -> list[float]:
    """Losses and gradient norms of the sample at weights that are always the same: another model or loss has others.

    Exact figures of private records: to be kept like the seed, and destroyed with it.
    """
    with fixed(trained):
        found = engine.clipped_sum(sample, ClippingRule(float("inf")))
    return [float(value) for value in torch.cat([found.losses.double(), found.norms.double()])]


@contextmanager
def fixed(trained: dict[str, nn.Parameter]) -> Iterator[None]:
    """The same weights always, whatever was trained."""
    with _replaced(trained, lambda _, noise: 0.1 * noise):
        yield


def is_same(probed: list[float], now: list[float]) -> bool:
    """Whether two probes are of one computation."""
    one, other = torch.tensor(probed, dtype=torch.float64), torch.tensor(now, dtype=torch.float64)
    return one.shape == other.shape and torch.allclose(one, other, rtol=_SAME, atol=1e-6, equal_nan=True)


def _stirred(count: int, place: int) -> Tensor:
    """Numbers of mean 0 and deviation 1 without order, always the same, drawn from no generator: chance may be held fixed."""
    waves = torch.sin(torch.arange(1, count + 1, dtype=torch.float64) * 12.9898 + place) * 43758.5453
    return (waves - waves.floor() - 0.5) * 12**0.5


@contextmanager
def _replaced(trained: dict[str, nn.Parameter], change: Callable[[Tensor, Tensor], Tensor]) -> Iterator[None]:
    kept = [weight.detach().clone() for weight in trained.values()]
    try:
        with torch.no_grad():
            for place, weight in enumerate(trained.values()):
                noise = _stirred(weight.numel(), place).view(weight.shape)
                weight.copy_(change(weight, noise.to(weight.device, weight.dtype)))
        yield
    finally:
        with torch.no_grad():
            for weight, before in zip(trained.values(), kept, strict=True):
                weight.copy_(before)
