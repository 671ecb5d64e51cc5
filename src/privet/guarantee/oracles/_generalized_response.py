"""Generalised randomised response: the value itself, or one of the others at random."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from privet.guarantee.oracles._oracle import SupportOracle
from privet.guarantee.oracles._word_odds import WORD, likely_words


@dataclass(frozen=True)
class GeneralizedResponse(SupportOracle):
    """Direct encoding over all values (Warner 1965; Kairouz, Bonawitz and Ramage 2016)."""

    kind: ClassVar[str] = "grr"
    title: ClassVar[str] = "generalised randomised response"

    def columns(self) -> dict[str, tuple[str, int]]:
        """The value that is reported."""
        return {"value": ("uint32", self.size)}

    def odds(self) -> tuple[int, ...]:
        """The words that keep the value."""
        return (likely_words(self.epsilon, self.size, 1),)

    def support(self) -> tuple[Fraction, Fraction]:
        """e^epsilon / (e^epsilon + size - 1), and 1 / (e^epsilon + size - 1)."""
        own = Fraction(self.odds()[0], WORD)
        return own, (1 - own) / (self.size - 1)

    def matrix(self) -> list[list[Fraction]]:
        """One column for each value."""
        own, other = self.support()
        return [[own if x == y else other for y in range(self.size)] for x in range(self.size)]

    def report_bytes(self) -> float:
        """The bits of a value."""
        return (self.size - 1).bit_length() / 8
