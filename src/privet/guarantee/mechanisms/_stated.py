"""Mechanisms of which nothing is known but the promise that came with them: nothing here draws them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, NoReturn

from privet.errors import UnsupportedEvent
from privet.guarantee._costs import BasicCost, ConcentratedCost
from privet.guarantee.exact_amounts import Number, loss, probability
from privet.guarantee.mechanisms._capsule import Mechanism, Notation, costlier


@dataclass(frozen=True)
class Opaque(Mechanism):
    """Something known only to be (epsilon, delta)-differentially private."""

    epsilon: Fraction
    delta: Fraction = Fraction(0)
    kind: ClassVar[str] = "opaque"
    notation: ClassVar[Notation] = Notation(
        "opaque",
        (costlier("epsilon"), costlier("delta", optional=True)),
        "something known to be differentially private at epsilon {epsilon} and delta {delta}",
    )

    def __init__(self, epsilon: Number, delta: Number = 0) -> None:
        self._set(epsilon=loss(epsilon, "epsilon"), delta=probability(delta, "delta", zero=True))

    def basic_cost(self) -> BasicCost:
        """As stated."""
        return BasicCost(self.epsilon, self.delta)


@dataclass(frozen=True)
class ZeroConcentrated(Mechanism):
    """Something known only to be rho-zero-concentrated differentially private."""

    rho: Fraction
    kind: ClassVar[str] = "zero-concentrated"
    notation: ClassVar[Notation] = Notation(
        "zcdp",
        (costlier("rho"),),
        "something known to be zero-concentrated differentially private at rho {rho}",
    )

    def __init__(self, rho: Number) -> None:
        self._set(rho=loss(rho, "rho"))

    def concentrated_cost(self) -> ConcentratedCost:
        """As stated."""
        return ConcentratedCost(self.rho)

    def loss_distribution(self, grid: float) -> NoReturn:
        """Many distributions keep the promise, and none of them is the worst."""
        del grid
        raise UnsupportedEvent(
            "a zero-concentrated promise does not determine a loss distribution.",
            "Use zCDP or Rényi accounting.",
            kind=self.kind,
        )
