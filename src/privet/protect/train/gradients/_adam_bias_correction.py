"""Adam without the bias that noise gives its second moment: DP-AdamBC (Tang, Shpilevskiy, Lécuyer: AAAI 2024, algorithm 1).

The square of a noisy gradient is larger by the variance of the noise, which is public, in every coordinate. Adam divides by it,
and so becomes gradient descent with momentum; here it is subtracted first. What is left may be below zero by chance: the
paper's floor is a twentieth of the variance of the noise, a public number, so that it needs no tuning.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

FIRST, SECOND = 0.9, 0.999
FLOOR = 0.05  # of the variance of the noise
_LEAST = 1e-16


class CorrectedAdam:
    """Moments of all weights lie one after the other in one vector. Decay is decoupled, as in AdamW."""

    def __init__(self, weights: list[nn.Parameter], decay: float) -> None:
        self._weights, self._decay = weights, decay
        self._sizes = [weight.numel() for weight in weights]
        like = torch.cat([weight.detach().reshape(-1) for weight in weights])
        self.first, self.second = torch.zeros_like(like), torch.zeros_like(like)
        self.variance, self.taken = 0.0, 0

    def step(self, gradient: Tensor, rate: float, variance: float) -> None:
        """Move along a gradient whose noise has this variance in every coordinate.

        Where it changes from step to step, as with adaptive clipping, its average is weighted as that of the squares is.
        """
        self.taken += 1
        self.first.lerp_(gradient, 1 - FIRST)
        self.second.mul_(SECOND).addcmul_(gradient, gradient, value=1 - SECOND)
        self.variance = SECOND * self.variance + (1 - SECOND) * variance
        mean = self.first / (1 - FIRST**self.taken)
        share = 1 - SECOND**self.taken
        noise = self.variance / share
        square = (self.second / share - noise).clamp_(min=max(FLOOR * noise, _LEAST))
        moved = mean / square.sqrt_()
        with torch.no_grad():
            for weight, part in zip(self._weights, torch.split(moved, self._sizes), strict=True):
                if self._decay:
                    weight.mul_(1 - rate * self._decay)
                weight.add_(part.view(weight.shape).to(weight.dtype), alpha=-rate)

    def tensors(self) -> dict[str, Tensor]:
        """Everything that moves, by name."""
        counted = torch.tensor([self.variance, self.taken], dtype=torch.float64)
        return {"adam/first": self.first, "adam/second": self.second, "adam/counted": counted}

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Back to what `tensors` says."""
        self.first, self.second = tensors["adam/first"].clone(), tensors["adam/second"].clone()
        self.variance, self.taken = float(tensors["adam/counted"][0]), int(tensors["adam/counted"][1])
