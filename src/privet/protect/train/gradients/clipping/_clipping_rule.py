"""How strongly each example's gradient is scaled down, and what an engine hands back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

if TYPE_CHECKING:
    from privet.protect.train.gradients._per_example_loss import Batch

# The most examples whose gradients are summed in 32 bits: above, the error of the sum would outgrow its share.
LARGEST = 512
# Added to the norm in automatic clipping, in units of the gradient (Bu et al. 2023 use 0.01).
STABILITY = 0.01


@dataclass(frozen=True, slots=True)
class ClippingRule:
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
            factors = (self.bound / norms).clamp_(max=1.0)  # a norm of 0 gives 1, an infinite one 0
        # A gradient that is not a number would make the whole sum one, and tell everybody that its record was
        # in the batch.
        return factors.nan_to_num_(nan=0.0)

    def array_factors(self, norms: NDArray[Any]) -> NDArray[Any]:
        """The same for an array."""
        if self.normalised:
            found = self.bound / (norms + np.float32(STABILITY))
        else:
            found = np.minimum(np.float32(self.bound) / norms, 1)
        factors: NDArray[Any] = np.where(found >= 0, found, 0).astype(norms.dtype, copy=False)
        return factors


@dataclass(frozen=True, slots=True)
class ClippedSum:
    """The sum over the examples of their scaled gradients, by parameter; norms and losses are the owner's to see."""

    sums: dict[str, Tensor]
    norms: Tensor
    losses: Tensor


class Engine(Protocol):
    """A way to clipped sums; `name` says which. One that adds up more than `LARGEST` examples in 64 bits says how many: `most`."""

    name: str

    def clipped_sum(self, batch: Batch, rule: ClippingRule) -> ClippedSum:
        """The sum of the scaled gradients of a batch."""
