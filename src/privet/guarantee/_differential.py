"""Promises about what an answer gives away, whatever an attacker knows: differential privacy in its forms."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from privet.errors import BadAmount
from privet.guarantee._privacy_units import Unit, odds, secret
from privet.guarantee._promise import Promise, store, times
from privet.guarantee.exact_amounts import (
    DELTA_UNIT,
    LOSS_UNIT,
    Number,
    delta,
    exact,
    loss,
    positive,
    readable,
)


@dataclass(frozen=True)
class _HidingUnits(Promise):
    """A promise about two data sets that differ in one unit, which is a person only where it was said to be one."""

    def sentence(self) -> str:
        """The promise in one plain sentence, where nothing is known of the unit."""
        return self.sentence_about(None)

    @abstractmethod
    def sentence_about(self, unit: Unit | None) -> str:
        """The promise in one plain sentence."""


@dataclass(frozen=True)
class PureDP(_HidingUnits):
    """epsilon-differential privacy (Dwork, McSherry, Nissim, Smith 2006)."""

    epsilon: Fraction
    kind: ClassVar[str] = "pure-dp"
    additive: ClassVar[dict[str, Fraction]] = {"epsilon": LOSS_UNIT}

    def __init__(self, epsilon: Number) -> None:
        store(self, epsilon=loss(epsilon, "epsilon"))

    def sentence_about(self, unit: Unit | None) -> str:
        """The promise in one plain sentence."""
        return (
            f"Whatever an attacker already knows and whatever is published, their {odds(unit)} "
            f"change by at most a factor of {times(self.epsilon)} (epsilon = {readable(self.epsilon)})."
        )


@dataclass(frozen=True)
class ApproxDP(_HidingUnits):
    """(epsilon, delta)-differential privacy (Dwork et al. 2006)."""

    epsilon: Fraction
    delta: Fraction
    kind: ClassVar[str] = "approx-dp"
    additive: ClassVar[dict[str, Fraction]] = {"epsilon": LOSS_UNIT, "delta": DELTA_UNIT}

    def __init__(self, epsilon: Number, delta: Number) -> None:
        store(self, epsilon=loss(epsilon, "epsilon"), delta=_delta(delta))

    def sentence_about(self, unit: Unit | None) -> str:
        """The promise in one plain sentence."""
        return (
            f"Whatever an attacker already knows, their {odds(unit)} change by at most a "
            f"factor of {times(self.epsilon)} (epsilon = {readable(self.epsilon)}), except with a probability of "
            f"at most {readable(self.delta)} (delta)."
        )


_delta = delta


@dataclass(frozen=True)
class ZeroConcentratedDP(_HidingUnits):
    """rho-zero-concentrated differential privacy (Bun and Steinke 2016)."""

    rho: Fraction
    kind: ClassVar[str] = "zero-concentrated-dp"
    additive: ClassVar[dict[str, Fraction]] = {"rho": LOSS_UNIT}

    def __init__(self, rho: Number) -> None:
        store(self, rho=loss(rho, "rho"))

    def sentence_about(self, unit: Unit | None) -> str:
        """The promise in one plain sentence."""
        return (
            f"What an attacker learns about {secret(unit)} is, in every Rényi order, no more "
            f"than one Gaussian-noised answer would tell (rho = {readable(self.rho)})."
        )


@dataclass(frozen=True)
class RenyiDP(_HidingUnits):
    """(order, epsilon)-Rényi differential privacy (Mironov 2017). Epsilons add at one fixed order."""

    order: Fraction
    epsilon: Fraction
    kind: ClassVar[str] = "renyi-dp"
    additive: ClassVar[dict[str, Fraction]] = {"epsilon": LOSS_UNIT}

    def __init__(self, order: Number, epsilon: Number) -> None:
        if exact(order, "order") <= 1:
            raise BadAmount("order must be greater than 1.", "Write RenyiDP(order=8, epsilon=0.5).")
        store(self, order=positive(order, "order"), epsilon=loss(epsilon, "epsilon"))

    def sentence_about(self, unit: Unit | None) -> str:
        """The promise in one plain sentence."""
        return (
            f"The typical evidence about {secret(unit)}, measured by the Rényi divergence of "
            f"order {readable(self.order)}, is at most {readable(self.epsilon)}."
        )


@dataclass(frozen=True)
class LocalDP(Promise):
    """epsilon-local differential privacy: each report is noised before it leaves its person (Kasiviswanathan et al. 2008)."""

    epsilon: Fraction
    kind: ClassVar[str] = "local-dp"
    additive: ClassVar[dict[str, Fraction]] = {"epsilon": LOSS_UNIT}

    def __init__(self, epsilon: Number) -> None:
        store(self, epsilon=loss(epsilon, "epsilon"))

    def sentence(self) -> str:
        """The promise in one plain sentence."""
        return (
            "Even the collector cannot tell: the odds between any two true values of a person change by at most a "
            f"factor of {times(self.epsilon)} after seeing that person's report (epsilon = {readable(self.epsilon)})."
        )
