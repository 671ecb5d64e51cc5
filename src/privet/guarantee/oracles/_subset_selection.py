"""Subset selection: a random set of values of a fixed size, more often with the value in it than without."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from privet.errors import BadAmount
from privet.guarantee.oracles._oracle import SupportOracle
from privet.guarantee.oracles._word_odds import WORD, exp_below


@dataclass(frozen=True)
class SubsetSelection(SupportOracle):
    """Of least variance among all oracles for its size and epsilon (Ye and Barg 2018; Wang et al. 2016)."""

    chosen: int
    kind: ClassVar[str] = "subset"
    title: ClassVar[str] = "subset selection"
    settings: ClassVar[dict[str, tuple[int, int]]] = {"chosen": (1, 2**15)}

    @classmethod
    def usual(cls, epsilon: Fraction, size: int) -> dict[str, int]:
        """One of the two numbers around size / (e^epsilon + 1): the one of less variance."""
        about = math.floor(size / (math.exp(float(epsilon)) + 1))
        both = {max(1, about), about + 1}
        return {
            "chosen": min(both, key=lambda chosen: (cls(epsilon, size, chosen).variance(1.0, 0.0), chosen))
        }

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.chosen >= self.size:
            raise BadAmount("a set of all values says nothing of any.", "Choose fewer than there are values.")

    def columns(self) -> dict[str, tuple[str, int]]:
        """The values of the set, ascending."""
        return {"values": ("list", self.size)}

    def odds(self) -> tuple[int, ...]:
        """The words that put the value into the set."""
        gain = exp_below(self.epsilon) * self.chosen
        return (int(WORD * gain / (gain + self.size - self.chosen)),)

    def support(self) -> tuple[Fraction, Fraction]:
        """The others share the places that are left, with the value in the set or without."""
        own = Fraction(self.odds()[0], WORD)
        return own, ((self.chosen - 1) * own + self.chosen * (1 - own)) / (self.size - 1)

    def matrix(self) -> list[list[Fraction]]:
        """One column for each set."""
        own = Fraction(self.odds()[0], WORD)
        inside = own / math.comb(self.size - 1, self.chosen - 1)
        outside = (1 - own) / math.comb(self.size - 1, self.chosen)
        sets = list(itertools.combinations(range(self.size), self.chosen))
        return [[inside if x in chosen else outside for chosen in sets] for x in range(self.size)]

    def report_bytes(self) -> float:
        """The values, each with its bits."""
        return self.chosen * (self.size - 1).bit_length() / 8
