"""Fixed point: bounded real values as whole steps from the middle of their public range.

Sums of floats depend on order and rounding, and their noise leaks through the gaps between floats
(Mironov 2012; Casacuberta et al. 2022). So values are clamped to public bounds, counted in whole steps from
the midpoint, and only integers are added up and noised. Rounding happens *before* the sensitivity is taken:
an entry lies in [-reach, reach] after rounding, whatever the value was.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.errors import BadAmount
from privet.guarantee.amounts import Number, exact, positive

# Sums stay inside 64-bit integers for 2^31 contributions of this size.
LARGEST_REACH = 2**31


@dataclass(frozen=True, slots=True)
class FixedPoint:
    """The range [lower, upper], counted in steps of `step` from its midpoint."""

    lower: Fraction
    upper: Fraction
    step: Fraction

    def __init__(self, lower: Number, upper: Number, step: Number | None = None) -> None:
        """`step` defaults to the range over 2^20, rounded up to a power of two: finer than any noise that hides a person."""
        low, high = exact(lower, "lower"), exact(upper, "upper")
        if low >= high:
            raise BadAmount("the lower bound must lie below the upper bound.", "Write bounds=(0, 60).")
        size = (
            _power_of_two((high - low) / 2**20)
            if step is None
            else positive(step, "step", at_most=high - low)
        )
        object.__setattr__(self, "lower", low)
        object.__setattr__(self, "upper", high)
        object.__setattr__(self, "step", size)
        if self.reach > LARGEST_REACH:
            raise BadAmount(
                "the step is too fine for the range: sums would not fit 64-bit integers.",
                "Use a coarser step.",
            )

    @property
    def middle(self) -> Fraction:
        """The value that counts as zero steps; missing values count as this."""
        return (self.lower + self.upper) / 2

    @property
    def reach(self) -> int:
        """The most steps any value can be from the middle: what one row adds to a sum at most."""
        return max(1, math.ceil((self.upper - self.lower) / 2 / self.step))

    def encode(self, values: ArrayLike) -> NDArray[np.int64]:
        """Values as steps: missing ones in the middle, those outside the bounds at the bounds."""
        numbers = np.asarray(values, dtype=np.float64)
        numbers = np.where(np.isnan(numbers), float(self.middle), numbers)
        numbers = np.clip(numbers, float(self.lower), float(self.upper))
        steps = np.rint((numbers - float(self.middle)) / float(self.step))
        return np.clip(steps, -self.reach, self.reach).astype(np.int64)

    def decode(self, steps: ArrayLike, rows: ArrayLike) -> NDArray[np.float64]:
        """A sum of steps over `rows` rows, back in people's units."""
        return np.asarray(steps, dtype=np.float64) * float(self.step) + np.asarray(
            rows, dtype=np.float64
        ) * float(self.middle)


def _power_of_two(amount: Fraction) -> Fraction:
    """The smallest power of two not below `amount`."""
    exponent = amount.numerator.bit_length() - amount.denominator.bit_length()
    power = Fraction(2) ** (exponent - 1)
    while power < amount:
        power *= 2
    return power
