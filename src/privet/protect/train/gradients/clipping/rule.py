"""How strongly each example's gradient is scaled down, and what an engine hands back."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

# Added to the norm in automatic clipping, in units of the gradient (Bu et al. 2023 use 0.01).
STABILITY = 0.01


@dataclass(frozen=True, slots=True)
class Rule:
    """Scale factors: every scaled gradient has a norm of at most `bound`.

    Flat: min(1, bound / norm) (Abadi et al. 2016). Normalised ("automatic"): bound / (norm + 0.01), so that the
    bound is only a unit of the learning rate (Bu, Wang, Zha, Karypis: Automatic Clipping, NeurIPS 2023).
    """

    bound: float
    normalised: bool = False

    def factors(self, norms: Tensor) -> Tensor:
        """One factor for each example; 0 for a gradient that is not finite, which is thereby left out."""
        if self.normalised:
            factors = self.bound / (norms + STABILITY)
        else:
            factors = (self.bound / norms.clamp_min(torch.finfo(norms.dtype).tiny)).clamp_max(1.0)
        return torch.where(torch.isfinite(norms), factors, torch.zeros_like(factors))


@dataclass(frozen=True, slots=True)
class ClippedSum:
    """The sum over the examples of their scaled gradients, by parameter; norms and losses are the owner's to see."""

    sums: dict[str, Tensor]
    norms: Tensor
    losses: Tensor
