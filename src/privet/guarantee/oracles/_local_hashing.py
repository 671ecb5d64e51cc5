"""Local hashing: the value is hashed to a small range by a public function, and the hash is randomised."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from privet.errors import BadAmount
from privet.guarantee.oracles._oracle import SupportOracle
from privet.guarantee.oracles._word_odds import WORD, likely_words

LARGEST_RANGE = 2**25
MOST_CELLS = 2**27


@dataclass(frozen=True)
class LocalHashing(SupportOracle):
    """Each report comes with a hash function of its own (optimised local hashing, Wang, Blocki, Li and Jha 2017)."""

    range: int
    kind: ClassVar[str] = "olh"
    title: ClassVar[str] = "optimised local hashing"
    settings: ClassVar[dict[str, tuple[int, int]]] = {"range": (2, LARGEST_RANGE)}

    @classmethod
    def usual(cls, epsilon: Fraction, size: int) -> dict[str, int]:
        """e^epsilon + 1 hashes, which is where the variance is least."""
        del size
        return {"range": min(LARGEST_RANGE, round(math.exp(float(epsilon))) + 1)}

    def columns(self) -> dict[str, tuple[str, int]]:
        """The seed of the hash function, and the hash that is reported."""
        return {"seed": ("uint64", WORD), "value": ("uint32", self.range)}

    def odds(self) -> tuple[int, ...]:
        """The words that keep the hash."""
        return (likely_words(self.epsilon, self.range, 1),)

    def support(self) -> tuple[Fraction, Fraction]:
        """Another value has the same hash with probability 1 / range, whatever is reported."""
        return Fraction(self.odds()[0], WORD), Fraction(1, self.range)

    def matrix(self) -> list[list[Fraction]]:
        """One column for each function from the values to the hashes, and each hash; functions are equally likely."""
        return self.matrix_of(self.support()[0])

    def matrix_of(self, own: Fraction) -> list[list[Fraction]]:
        """The matrix for this chance that the hash is reported."""
        other = (1 - own) / (self.range - 1)
        functions = list(itertools.product(range(self.range), repeat=self.size))
        return [
            [
                (own if function[x] == y else other) / len(functions)
                for function in functions
                for y in range(self.range)
            ]
            for x in range(self.size)
        ]

    def report_bytes(self) -> float:
        """A seed and a hash."""
        return 8 + (self.range - 1).bit_length() / 8


@dataclass(frozen=True)
class FastLocalHashing(LocalHashing):
    """Hash functions come from a public pool, so that the server counts once for each (Cormode, Maddock, Maple 2021)."""

    pool: int
    kind: ClassVar[str] = "flh"
    title: ClassVar[str] = "fast local hashing"
    settings: ClassVar[dict[str, tuple[int, int]]] = {"range": (2, LARGEST_RANGE), "pool": (2, 2**20)}

    @classmethod
    def usual(cls, epsilon: Fraction, size: int) -> dict[str, int]:
        """The range of optimised local hashing up to 8,192, and 4,096 functions: what a server holds in memory."""
        return {"range": min(2**13, super().usual(epsilon, size)["range"]), "pool": 4096}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.pool * self.range > MOST_CELLS:
            raise BadAmount(
                f"a server holds pool × range counters, at most {MOST_CELLS:,}.", "Lower pool or range."
            )

    def columns(self) -> dict[str, tuple[str, int]]:
        """The number of the hash function in the pool, and the hash that is reported."""
        return {"hash": ("uint32", self.pool), "value": ("uint32", self.range)}

    def variance(self, reports: float, count: Any, squares: Any = 0.0) -> Any:
        """That of optimised local hashing, and what values add that share a function and a hash: squares / (pool (range - 1))."""
        return super().variance(reports, count) + squares / (self.pool * (self.range - 1))

    def report_bytes(self) -> float:
        """Two numbers."""
        return ((self.pool - 1).bit_length() + (self.range - 1).bit_length()) / 8
