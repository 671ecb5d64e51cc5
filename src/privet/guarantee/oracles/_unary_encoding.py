"""Unary encodings: one bit for each value, each turned over on its own."""

from __future__ import annotations

import itertools
import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from privet.guarantee.oracles._oracle import SupportOracle
from privet.guarantee.oracles._word_odds import WORD, flip_words


def chance_of(chances: Sequence[Fraction], bits: Sequence[int]) -> Fraction:
    """The probability of a vector of bits that are set on their own, each with its chance."""
    found = Fraction(1)
    for chance, bit in zip(chances, bits, strict=True):
        found *= chance if bit else 1 - chance
    return found


@dataclass(frozen=True)
class UnaryEncoding(SupportOracle):
    """A one-hot vector of bits; `odds` are the words that set the value's own bit, and those that set another one."""

    @abstractmethod
    def odds(self) -> tuple[int, int]:
        """Words that set the value's own bit, and words that set another bit."""

    def support(self) -> tuple[Fraction, Fraction]:
        """The probabilities of the two kinds of bits."""
        own, other = self.odds()
        return Fraction(own, WORD), Fraction(other, WORD)

    def matrix(self) -> list[list[Fraction]]:
        """One column for each vector of bits."""
        return self.matrix_of(self.support())

    def matrix_of(self, chances: tuple[Fraction, Fraction]) -> list[list[Fraction]]:
        """The matrix for these chances of the value's own bit and of another one."""
        own, other = chances
        return [
            [
                chance_of([own if place == x else other for place in range(self.size)], bits)
                for bits in itertools.product((0, 1), repeat=self.size)
            ]
            for x in range(self.size)
        ]


@dataclass(frozen=True)
class SymmetricUnary(UnaryEncoding):
    """Both kinds of bits are turned over alike, at epsilon / 2 each (basic RAPPOR, Erlingsson, Pihur and Korolova 2014)."""

    kind: ClassVar[str] = "sue"
    title: ClassVar[str] = "symmetric unary encoding"

    def columns(self) -> dict[str, tuple[str, int]]:
        """The bits, eight to a byte."""
        return {"bits": ("bits", self.size)}

    def odds(self) -> tuple[int, int]:
        """Two bits differ between two values, so each has half of the epsilon."""
        flip = flip_words(self.epsilon / 2)
        return WORD - flip, flip

    def report_bytes(self) -> float:
        """The bits."""
        return math.ceil(self.size / 8)


@dataclass(frozen=True)
class OptimizedUnary(UnaryEncoding):
    """The value's own bit is a fair coin, so that the many others can be quiet (Wang, Blocki, Li and Jha 2017)."""

    kind: ClassVar[str] = "oue"
    title: ClassVar[str] = "optimised unary encoding"

    def columns(self) -> dict[str, tuple[str, int]]:
        """The places of the bits that are set, ascending."""
        return {"ones": ("list", self.size)}

    def odds(self) -> tuple[int, int]:
        """One half, and 1 / (e^epsilon + 1)."""
        return WORD // 2, flip_words(self.epsilon)

    def expected_ones(self) -> float:
        """How many bits are set in one report."""
        own, other = self.support()
        return float(own + (self.size - 1) * other)

    def report_bytes(self) -> float:
        """The expected number of places, each with the bits of a value."""
        return self.expected_ones() * (self.size - 1).bit_length() / 8
