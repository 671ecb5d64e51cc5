"""Hadamard response: a column of a Hadamard matrix, more often one in which the value's row holds +1."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from privet.guarantee.oracles._oracle import Oracle
from privet.guarantee.oracles._word_odds import WORD, likely_words


@dataclass(frozen=True)
class HadamardResponse(Oracle):
    """Values are spread over `blocks` of a block-diagonal matrix, more of them for a large epsilon (Acharya, Sun, Zhang 2019).

    A block has `width` columns, a power of two, and serves width - 1 values; its first row is not used.
    """

    blocks: int
    kind: ClassVar[str] = "hadamard"
    title: ClassVar[str] = "Hadamard response"
    settings: ClassVar[dict[str, tuple[int, int]]] = {"blocks": (1, 2**24)}

    @classmethod
    def usual(cls, epsilon: Fraction, size: int) -> dict[str, int]:
        """2^(ceil(log2 min(e^epsilon, 2 size)) - 1)."""
        largest = min(math.exp(float(epsilon)), 2 * size)
        return {"blocks": 2 ** max(0, math.ceil(math.log2(largest)) - 1)}

    @property
    def width(self) -> int:
        """Columns of one block."""
        return int(2 ** math.ceil(math.log2(math.ceil(self.size / self.blocks) + 1)))

    @property
    def outputs(self) -> int:
        """Columns of all blocks."""
        return self.blocks * self.width

    def place(self, value: int) -> tuple[int, int]:
        """The block of a value and its row in it."""
        return value % self.blocks, value // self.blocks + 1

    def columns(self) -> dict[str, tuple[str, int]]:
        """A column of the matrix: block times width and the column in the block."""
        return {"value": ("uint32", self.outputs)}

    def odds(self) -> tuple[int, ...]:
        """The words that lead to one of the width / 2 columns with +1 in the value's row."""
        return (likely_words(self.epsilon, self.outputs, self.width // 2),)

    def chances(self) -> tuple[Fraction, Fraction]:
        """The probability of one likely column, and that of one of the others."""
        likely = self.width // 2
        inside = Fraction(self.odds()[0], WORD)
        return inside / likely, (1 - inside) / (self.outputs - likely)

    def matrix(self) -> list[list[Fraction]]:
        """One column for each column of the Hadamard matrix."""
        high, low = self.chances()
        return [
            [
                high if y // self.width == block and not (row & (y % self.width)).bit_count() % 2 else low
                for y in range(self.outputs)
            ]
            for block, row in map(self.place, range(self.size))
        ]

    def moments(self) -> tuple[float, float, float]:
        """Of (1[likely] - ½·1[own block]): its mean for the value, and its square within the block and outside it."""
        high, low = map(float, self.chances())
        quarter = self.width / 4
        return quarter * (high - low), quarter / 2 * (high + low), quarter * low

    def variance(self, reports: float, count: Any, squares: Any = 0.0, within: Any = None) -> Any:
        """Exact; `within` are the reports of people whose value lies in the same block (all, for one block)."""
        del squares
        mean, same, apart = self.moments()
        if within is None:
            within = reports if self.blocks == 1 else count + (reports - count) / self.blocks
        return (within * same + (reports - within) * apart) / mean**2 - count

    def report_bytes(self) -> float:
        """The bits of a column."""
        return (self.outputs - 1).bit_length() / 8
