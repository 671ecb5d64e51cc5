"""The public grid that a function's outputs are put on before noise is added: bounds and steps that say nothing of the data.

Noise on floating-point numbers leaks through the gaps between them (Mironov 2012), and a step that followed the noise would
show how much of it there is. So each coordinate has public bounds, a step that is the power of two at or above the larger
bound over 2^47, and only whole steps are noised.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.errors import BadAmount

LEVELS = 47  # powers of two on each side of zero
MOST_COORDINATES = 10_000


@dataclass(frozen=True)
class OutputGrid:
    """One pair of public bounds for each coordinate; outputs are clipped to them and rounded to whole steps."""

    lower: tuple[float, ...]
    upper: tuple[float, ...]

    def __post_init__(self) -> None:
        if not 0 < len(self.lower) == len(self.upper) <= MOST_COORDINATES:
            raise BadAmount(
                f"an output has between 1 and {MOST_COORDINATES:,} coordinates, each with two bounds.",
                "Release fewer numbers at once.",
            )
        for low, high in zip(self.lower, self.upper, strict=True):
            if not (math.isfinite(low) and math.isfinite(high) and low < high):
                raise BadAmount(
                    "the lower bound of an output must lie below the upper.", "Write clip=(-1, 1)."
                )
            if not 2.0**-200 < max(abs(low), abs(high)) < 2.0**200:
                raise BadAmount("the bounds of an output are out of all proportion.", "Write clip=(-1, 1).")

    @classmethod
    def alike(cls, lower: float, upper: float, coordinates: int) -> OutputGrid:
        """The same bounds for every coordinate."""
        return cls((float(lower),) * coordinates, (float(upper),) * coordinates)

    def __len__(self) -> int:
        return len(self.lower)

    @property
    def steps(self) -> NDArray[np.float64]:
        """The step of each coordinate: a power of two."""
        largest = np.maximum(np.abs(self.lower), np.abs(self.upper))
        return np.asarray(np.exp2(np.ceil(np.log2(largest)) - LEVELS))

    def encode(self, outputs: ArrayLike) -> NDArray[np.int64]:
        """Outputs, one in each row, as whole steps from zero: clipped to the bounds, zero (clipped) where not a number."""
        numbers = np.nan_to_num(np.asarray(outputs, np.float64), nan=0.0, posinf=np.inf, neginf=-np.inf)
        inside = np.clip(numbers, self.lower, self.upper)
        return np.rint(inside / self.steps).astype(np.int64)

    def decode(self, steps: ArrayLike) -> NDArray[np.float64]:
        """Steps back in the function's units."""
        return np.asarray(np.asarray(steps, np.float64) * self.steps)
