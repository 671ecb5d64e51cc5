"""Reports of local randomisers that a shuffler mixed: what everybody who sees them all, without order and sender, may learn."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

from privet.errors import BadAmount
from privet.guarantee._costs import ROUNDING, BasicCost
from privet.guarantee.exact_amounts import Number, float_up, from_float_up, loss, probability, whole
from privet.guarantee.mechanisms._capsule import Mechanism, Notation, Parameter, costlier, safer

_LARGEST, _MOST, _LEAST = 32, 10**9, Fraction(1, 10**10)


@dataclass(frozen=True)
class ShuffledReports(Mechanism):
    """At least `reports` reports, each epsilon-locally differentially private, shuffled together; priced at `delta`.

    It covers what one report says, for any two values of its person; that there is a report is not hidden. Whatever is
    computed from the shuffled reports is covered as well.
    """

    epsilon: Fraction
    reports: int
    delta: Fraction
    kind: ClassVar[str] = "shuffled-reports"
    hides_presence: ClassVar[bool] = False
    notation: ClassVar[Notation] = Notation(
        "shuffled",
        (costlier("epsilon"), safer("reports", whole=True), Parameter("delta", larger_is_safer=None)),
        "{reports} shuffled reports, each locally private at epsilon {epsilon}, at delta {delta}",
    )

    def __init__(self, epsilon: Number, reports: int, delta: Number) -> None:
        self._set(
            epsilon=loss(epsilon, "epsilon"),
            reports=whole(reports, "reports", at_least=2),
            delta=probability(delta, "delta"),
        )
        if self.epsilon > _LARGEST or self.reports > _MOST or self.delta < _LEAST:
            raise BadAmount(
                "the sums of shuffled reports hold for an epsilon of at most 32, at most 1,000,000,000 reports and a delta "
                "of at least 1e-10.",
                "State fewer reports, or a larger delta.",
            )

    def basic_cost(self) -> BasicCost:
        """The exact sums of Feldman, McMillan and Talwar 2021, Theorem 3.1, rounded up; never more than one report costs."""
        amplified = _amplified(float_up(self.epsilon), self.reports, float(self.delta))
        if amplified >= self.epsilon:
            return BasicCost(self.epsilon)
        return BasicCost(amplified, self.delta)


@lru_cache(maxsize=256)
def _amplified(epsilon: float, reports: int, delta: float) -> Fraction:
    from privet.guarantee._shuffle_amplification import shuffled_epsilon

    return from_float_up(shuffled_epsilon(epsilon, reports, delta) * (1 + ROUNDING))
