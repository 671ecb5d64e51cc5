"""Randomised response: a person's own answer, replaced by a random one with a stated probability."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from privet.guarantee._costs import BasicCost, log_up
from privet.guarantee._loss_grid import Priced, mean_loss, require_room
from privet.guarantee._renyi_curves import in_range, pure_curve, response_curve
from privet.guarantee.exact_amounts import Number, float_down, float_up, probability, readable, whole
from privet.guarantee.mechanisms._capsule import Mechanism, Moved, Notation, costlier, safer

if TYPE_CHECKING:
    from privet.guarantee._renyi_curves import Curve


@dataclass(frozen=True)
class RandomizedResponse(Mechanism):
    """A person's own answer among `buckets`, replaced with probability p by a uniformly random bucket."""

    p: Fraction
    buckets: int = 2
    kind: ClassVar[str] = "randomized-response"
    title: ClassVar[str] = "randomised response"
    hides_presence: ClassVar[bool] = False
    notation: ClassVar[Notation] = Notation(
        "randomized_response",
        (safer("p"), costlier("buckets", whole=True, optional=True)),
        "randomized response among {buckets} answers, with probability {p} a uniformly random one",
    )

    def __init__(self, p: Number, buckets: int = 2) -> None:
        self._set(p=probability(p, "p", one=True), buckets=whole(buckets, "buckets", at_least=2))

    def basic_cost(self) -> BasicCost:
        """The odds of the true bucket against another one: 1 + buckets (1 - p) / p.

        It covers what a report says, for any two answers of its person; that there is a report is not hidden.
        """
        return BasicCost(log_up(1 + self.buckets * (1 - self.p) / self.p))

    def renyi_curve(self) -> tuple[Curve, Fraction]:
        """That of the response itself, for any two answers."""
        epsilon = self.basic_cost().epsilon
        if not in_range(epsilon):
            return pure_curve(epsilon), Fraction(0)
        return response_curve(float_down(self.p), self.buckets), Fraction(0)

    def loss_distribution(self, grid: float) -> Priced:
        """That of the response itself, for any two answers."""
        from dp_accounting.pld import privacy_loss_distribution as library

        epsilon = self.basic_cost().epsilon
        if self.p == 1:
            return Priced(distribution=library.identity(grid))
        require_room(float_up(epsilon), grid)
        distribution = library.from_randomized_response(
            float_down(self.p), self.buckets, value_discretization_interval=grid
        )
        # Rounding to the grid lifts the loss of each report by up to one step.
        return Priced(distribution=distribution, mean=mean_loss(epsilon, grid) + grid)

    def expectation(self) -> str:
        """How often the truth comes out, and how well shares can be estimated."""
        true = 1 - self.p + self.p / self.buckets
        if self.p == 1:
            return "Every answer is replaced by a random one: nothing can be learnt from them."
        # A bucket that nobody is in comes out with probability p/buckets; removing that bias divides by 1 - p.
        rare = float(self.p / self.buckets)
        error = math.sqrt(rare * (1 - rare)) / float(1 - self.p)
        return (
            f"An answer comes out as it was with probability {readable(true)}. A rare answer's share, estimated from n "
            f"persons, has a standard error of about {readable(error)}/√n."
        )

    def covers(self, moved: Moved) -> bool:
        """One answer of each person, whatever it is."""
        return moved.coordinates == 1
