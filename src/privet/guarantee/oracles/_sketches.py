"""Apple's sketches: values are hashed into a row of a table, and the row is randomised."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from privet.errors import BadAmount
from privet.guarantee.oracles._local_hashing import MOST_CELLS
from privet.guarantee.oracles._oracle import Oracle
from privet.guarantee.oracles._unary_encoding import chance_of
from privet.guarantee.oracles._word_odds import WORD, flip_words


@dataclass(frozen=True)
class CountMeanSketch(Oracle):
    """A random row of hashed one-hot vectors with every bit turned over alike (CMS; Apple, Learning with Privacy at Scale 2017)."""

    rows: int
    width: int
    kind: ClassVar[str] = "cms"
    title: ClassVar[str] = "count mean sketch"
    settings: ClassVar[dict[str, tuple[int, int]]] = {"rows": (1, 2**20), "width": (2, 2**20)}

    @classmethod
    def usual(cls, epsilon: Fraction, size: int) -> dict[str, int]:
        """2,048 rows of 1,024 places."""
        del epsilon, size
        return {"rows": 2048, "width": 1024}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rows * self.width > MOST_CELLS:
            raise BadAmount(
                f"a server holds rows × width counters, at most {MOST_CELLS:,}.", "Lower rows or width."
            )

    def columns(self) -> dict[str, tuple[str, int]]:
        """The row, and its bits, eight to a byte."""
        return {"row": ("uint32", self.rows), "bits": ("bits", self.width)}

    def odds(self) -> tuple[int, ...]:
        """Words that set the bit of the hash, and words that set another bit: epsilon / 2 each."""
        flip = flip_words(self.epsilon / 2)
        return WORD - flip, flip

    def matrix(self) -> list[list[Fraction]]:
        """One column for each row and vector of bits, for hashes by which `size` values fall on different places."""
        own, other = (Fraction(words, WORD) for words in self.odds())
        return [
            [
                chance_of(
                    [own if place == (x + row) % self.width else other for place in range(self.width)], bits
                )
                / self.rows
                for row in range(self.rows)
                for bits in itertools.product((0, 1), repeat=self.width)
            ]
            for x in range(self.size)
        ]

    def correction(self) -> float:
        """What removes the noise of a bit: (e^(epsilon/2) + 1) / (e^(epsilon/2) - 1)."""
        own, other = (Fraction(words, WORD) for words in self.odds())
        return float(1 / (own - other))

    def variance(self, reports: float, count: Any, squares: Any = 0.0) -> Any:
        """Exact: the noise of the bits, the rows that people choose, and the values that share a place."""
        place = (1 - 1 / self.width) / self.width
        inside = reports * (self.correction() ** 2 - 1) / 4 + (reports - count + squares / self.rows) * place
        return (self.width / (self.width - 1)) ** 2 * inside

    def report_bytes(self) -> float:
        """A row and its bits."""
        return (self.rows - 1).bit_length() / 8 + math.ceil(self.width / 8)


@dataclass(frozen=True)
class HadamardSketch(CountMeanSketch):
    """One entry of the row's Hadamard transform, as one bit (HCMS, the same source). Its width is a power of two."""

    kind: ClassVar[str] = "hcms"
    title: ClassVar[str] = "Hadamard count mean sketch"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.width & (self.width - 1):
            raise BadAmount("the width of a Hadamard sketch is a power of two.", "Write width=1024.")

    def columns(self) -> dict[str, tuple[str, int]]:
        """The row, the entry of its transform, and 1 where that entry is reported as +1."""
        return {"row": ("uint32", self.rows), "column": ("uint32", self.width), "sign": ("uint8", 2)}

    def odds(self) -> tuple[int, ...]:
        """The words that turn the sign over."""
        return (flip_words(self.epsilon),)

    def matrix(self) -> list[list[Fraction]]:
        """One column for each row, entry and sign, for hashes by which `size` values fall on different places."""
        flip = Fraction(self.odds()[0], WORD)
        each = Fraction(1, self.rows * self.width)
        return [
            [
                each * (1 - flip if sign == ((x + row) % self.width & entry).bit_count() % 2 else flip)
                for row in range(self.rows)
                for entry in range(self.width)
                for sign in (0, 1)
            ]
            for x in range(self.size)
        ]

    def correction(self) -> float:
        """What removes the noise of the sign: (e^epsilon + 1) / (e^epsilon - 1)."""
        return float(1 / (1 - 2 * Fraction(self.odds()[0], WORD)))

    def variance(self, reports: float, count: Any, squares: Any = 0.0) -> Any:
        """Exact; it never falls below the number of reports, however large epsilon is."""
        place = (1 - 1 / self.width) / self.width
        inside = (
            reports * self.correction() ** 2
            - count
            - (reports - count) / self.width**2
            + squares / self.rows * place
        )
        return (self.width / (self.width - 1)) ** 2 * inside

    def report_bytes(self) -> float:
        """Two numbers and a bit."""
        return ((self.rows - 1).bit_length() + (self.width - 1).bit_length() + 1) / 8
