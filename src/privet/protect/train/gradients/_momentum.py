"""Gradient descent with momentum, without the machinery of a general optimizer: for small models that was most of a step."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Momentum:
    """speed = momentum · speed + gradient + decay · weight; weight = weight - rate · speed. As `torch.optim.SGD` does it.

    Gradients and speeds of all weights lie one after the other in one vector.
    """

    def __init__(self, weights: list[nn.Parameter], momentum: float, decay: float) -> None:
        self._weights, self._momentum, self._decay = weights, momentum, decay
        self._sizes = [weight.numel() for weight in weights]
        self._speed: Tensor | None = None
        self._parts: list[Tensor] = []

    @property
    def speed(self) -> Tensor | None:
        """How fast each weight moves; nothing before the first step."""
        return self._speed

    @speed.setter
    def speed(self, value: Tensor | None) -> None:
        self._speed, self._parts = value, []
        if value is not None:
            parts = value.split_with_sizes(self._sizes)
            self._parts = [part.view(weight.shape) for weight, part in zip(self._weights, parts, strict=True)]

    def step(self, gradient: Tensor, rate: float) -> None:
        """Move along the gradient, which is used up."""
        with torch.no_grad():
            if self._decay:
                gradient.add_(torch.cat([weight.reshape(-1) for weight in self._weights]), alpha=self._decay)
            if self._speed is None or not self._momentum:
                self.speed = gradient
            else:
                torch.add(gradient, self._speed, alpha=self._momentum, out=self._speed)
            torch._foreach_add_(tuple(self._weights), self._parts, alpha=-rate)
