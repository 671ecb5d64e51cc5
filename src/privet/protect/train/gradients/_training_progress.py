"""What a run says while it runs: to anybody, and to the data's owner alone. Two types, so that they cannot be mixed up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Progress:
    """After one step, from noisy sums only: may be shown to anybody."""

    step: int
    steps: int
    epsilon: float  # so far, at the promise's delta
    rate: float
    bound: float
    signal_to_noise: (
        float  # squared length of the signal over that of the noise, estimated from the noisy sum
    )

    def to_json(self) -> dict[str, Any]:
        """A stable record."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class OwnerView:
    """After one step, exact and without noise: for the data's owner alone, never to be published."""

    step: int
    examples: int
    loss: float
    clipped_share: float
    left_out: int  # examples whose gradient was not finite
