"""Fixed point: bounded real values as whole steps, so that sums are exact and noise is whole too.

Sums of floats depend on order and rounding, and their noise leaks through the gaps between floats
(Mironov 2012; Casacuberta et al. 2022). So values are clamped to public bounds, counted in whole steps from
the lower bound, shifted so that a chosen *anchor* counts as zero, and only integers are added up and noised.
Rounding happens *before* the sensitivity is taken: one row adds between -reach and +reach steps, whatever
its value was.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.errors import BadAmount
from privet.guarantee import Number, exact, positive

# Sums stay inside 64-bit integers for 2^31 contributions of this size.
LARGEST_REACH = 2**31


@dataclass(frozen=True, slots=True)
class FixedPoint:
    """The range [lower, upper] in steps of `step`; `offset` steps above the lower bound count as zero.

    Anchored in the middle (the default) one row moves a sum least, which suits means; anchored at zero the
    sum needs no count to be read, which suits sums.
    """

    lower: Fraction
    upper: Fraction
    step: Fraction
    offset: int

    def __init__(
        self, lower: Number, upper: Number, step: Number | None = None, *, anchor: str = "middle"
    ) -> None:
        """`step` defaults to the range over 2^20, rounded up to a power of two: finer than noise that hides a person."""
        low, high = exact(lower, "lower"), exact(upper, "upper")
        if low >= high:
            raise BadAmount("the lower bound must lie below the upper bound.", "Write bounds=(0, 60).")
        if anchor not in ("middle", "zero"):
            raise BadAmount(f"unknown anchor {anchor!r}.", "Use middle or zero.")
        size = (
            _power_of_two((high - low) / 2**20)
            if step is None
            else positive(step, "step", at_most=high - low)
        )
        if anchor == "zero":
            if step is None:
                # Far from zero a row moves the sum by its whole magnitude, and so does the noise: finer steps are idle.
                size = max(size, _power_of_two(max(abs(low), abs(high)) / 2**30))
            # On the grid, at most one step lower than asked: then zero itself is a whole number of steps away.
            low = math.floor(low / size) * size
        offset = math.ceil((high - low) / 2 / size) if anchor == "middle" else -(low / size).numerator
        object.__setattr__(self, "lower", low)
        object.__setattr__(self, "upper", high)
        object.__setattr__(self, "step", size)
        object.__setattr__(self, "offset", offset)
        if self.reach > LARGEST_REACH:
            raise BadAmount(
                "the step is too fine for the range: sums would not fit 64-bit integers.",
                "Use a coarser step.",
            )

    @property
    def span(self) -> int:
        """The most steps a value can lie above the lower bound."""
        return math.ceil((self.upper - self.lower) / self.step)

    @property
    def reach(self) -> int:
        """The most steps one row can move a sum, up or down."""
        return max(abs(self.offset), abs(self.span - self.offset), 1)

    @property
    def base(self) -> Fraction:
        """The value that counts as zero steps."""
        return self.lower + self.offset * self.step

    def encode(self, values: ArrayLike) -> NDArray[np.int64]:
        """Values as steps from the anchor, those outside the bounds at the bounds; missing ones count as zero steps."""
        numbers = np.asarray(values, dtype=np.float64)
        inside = np.clip(numbers, float(self.lower), float(self.upper))
        steps = np.floor((inside - float(self.lower)) / float(self.step) + 0.5)
        whole = np.clip(np.where(np.isnan(steps), self.offset, steps), 0, self.span) - self.offset
        return np.where(np.isnan(numbers), 0, whole).astype(np.int64)

    def decode(self, steps: ArrayLike, rows: ArrayLike) -> NDArray[np.float64]:
        """A sum of steps over `rows` rows, back in people's units."""
        return np.asarray(steps, dtype=np.float64) * float(self.step) + np.asarray(
            rows, dtype=np.float64
        ) * float(self.base)


def _power_of_two(amount: Fraction) -> Fraction:
    """The smallest power of two not below `amount`."""
    exponent = amount.numerator.bit_length() - amount.denominator.bit_length()
    power = Fraction(2) ** (exponent - 1)
    while power < amount:
        power *= 2
    return power
