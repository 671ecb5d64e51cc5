"""Choosing one candidate by its score: the exponential mechanism and permute-and-flip, pure by construction.

Both are scaled to what one unit moves a score by, so their epsilon holds whatever that is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from privet.guarantee._costs import BasicCost, ConcentratedCost
from privet.guarantee._renyi_curves import concentrated_curve, pure_curve
from privet.guarantee.exact_amounts import Number, loss, readable
from privet.guarantee.mechanisms._capsule import (
    CONFIDENCE,
    CandidateSelection,
    Moved,
    Notation,
    costlier,
)

if TYPE_CHECKING:
    from privet.guarantee._renyi_curves import Curve


@dataclass(frozen=True)
class _ScaledSelection(CandidateSelection):
    """What both have in common."""

    article: ClassVar[str] = ""

    def __init__(self, epsilon: Number) -> None:
        self._set(epsilon=loss(epsilon, "epsilon"))

    def basic_cost(self) -> BasicCost:
        """Epsilon, at the scale of `noise_scale`."""
        return BasicCost(self.epsilon)

    def expectation(self) -> str:
        """By the tail of the exponential mechanism, than which permute-and-flip is never worse."""
        tail = 2 * math.log(1 / (1 - CONFIDENCE)) / float(self.epsilon)
        return (
            "One candidate is chosen. With probability 0.95 its score falls short of the best by at most "
            f"{readable(tail)} + {readable(2 / self.epsilon)}·ln(candidates) times what one privacy unit can move a score."
        )

    def stage(self, what: str) -> str:
        """Which mechanism chooses, and by what."""
        return f"Choose one bin in each group by {self.article}{self.title} of epsilon {readable(self.epsilon)}, by: {what}"

    def covers(self, moved: Moved) -> bool:
        """Any: `noise_scale` is made from what one unit moves a score by."""
        del moved
        return True

    def noise_scale(self, moved: Moved) -> Fraction:
        """Twice what one unit moves a score by, over epsilon."""
        return 2 * moved.largest / self.epsilon


@dataclass(frozen=True, init=False)
class Exponential(_ScaledSelection):
    """The exponential mechanism (or Gumbel noisy max) at pure level epsilon: it has bounded range epsilon."""

    kind: ClassVar[str] = "exponential"
    title: ClassVar[str] = "exponential mechanism"
    article: ClassVar[str] = "the "
    notation: ClassVar[Notation] = Notation(
        "exponential", (costlier("epsilon"),), "the exponential mechanism at epsilon {epsilon}"
    )

    def concentrated_cost(self) -> ConcentratedCost:
        """epsilon²/8, by the bounded range of the exponential mechanism (Cesar and Rogers 2021)."""
        return ConcentratedCost(self.epsilon**2 / 8)

    def renyi_curve(self) -> tuple[Curve, Fraction]:
        """The lower, order by order, of the bounded-range bound and any pure mechanism's curve."""
        import numpy

        bounded_range = concentrated_curve(self.concentrated_cost().rho)
        return numpy.minimum(bounded_range, pure_curve(self.epsilon)), Fraction(0)


@dataclass(frozen=True, init=False)
class PermuteAndFlip(_ScaledSelection):
    """Permute-and-flip selection (McKenna and Sheldon 2020) at pure level epsilon."""

    kind: ClassVar[str] = "permute-and-flip"
    title: ClassVar[str] = "permute-and-flip"
    notation: ClassVar[Notation] = Notation(
        "permute_and_flip", (costlier("epsilon"),), "permute-and-flip selection at epsilon {epsilon}"
    )
