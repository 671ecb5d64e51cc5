"""dBitFlip: a device looks at a few places of the one-hot vector, the same ones for ever, and keeps what it answered."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from privet.errors import BadAmount
from privet.guarantee.oracles._oracle import Oracle
from privet.guarantee.oracles._unary_encoding import chance_of
from privet.guarantee.oracles._word_odds import WORD, flip_words


@dataclass(frozen=True)
class BitFlip(Oracle):
    """`chosen` places of each device, whose bits are turned over once for a value (dBitFlipPM; Ding, Kulkarni, Yekhanin 2017).

    Values at none of its places share one kept answer, so that a person's epsilon never exceeds (chosen + 1) · epsilon.
    """

    chosen: int
    kind: ClassVar[str] = "dbitflip"
    title: ClassVar[str] = "dBitFlip"
    settings: ClassVar[dict[str, tuple[int, int]]] = {"chosen": (1, 2**12)}

    @classmethod
    def usual(cls, epsilon: Fraction, size: int) -> dict[str, int]:
        """A quarter of the places, between 1 and 16."""
        del epsilon
        return {"chosen": max(1, min(16, size // 4))}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.chosen > self.size:
            raise BadAmount("a device looks at no more places than there are.", "Lower chosen.")

    def columns(self) -> dict[str, tuple[str, int]]:
        """For each place of the device, ascending: twice the place, and one more where its bit is set."""
        return {"values": ("list", 2 * self.size)}

    def odds(self) -> tuple[int, ...]:
        """The words that turn a bit over: two bits differ between two values, so each has half of the epsilon."""
        return (flip_words(self.epsilon / 2),)

    def matrix(self) -> list[list[Fraction]]:
        """One column for each set of places and vector of their bits."""
        flip = Fraction(self.odds()[0], WORD)
        sets = list(itertools.combinations(range(self.size), self.chosen))
        return [
            [
                chance_of([1 - flip if place == x else flip for place in places], bits) / len(sets)
                for places in sets
                for bits in itertools.product((0, 1), repeat=self.chosen)
            ]
            for x in range(self.size)
        ]

    def variance(self, reports: float, count: Any, squares: Any = 0.0) -> Any:
        """Exact: of what each report adds, b/d · (bit - flip)/(1 - 2 flip) where the device looks at the place."""
        del squares
        flip = float(Fraction(self.odds()[0], WORD))
        weight = self.size / self.chosen / (1 - 2 * flip) ** 2
        own = (1 - flip) ** 3 + flip**3
        other = flip * (1 - flip)
        return weight * (count * own + (reports - count) * other) - count

    def report_bytes(self) -> float:
        """The places, each with its bit."""
        return self.chosen * math.ceil(math.log2(2 * self.size)) / 8
