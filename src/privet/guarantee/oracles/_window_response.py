"""Numbers within bounds: an output near the number is more likely, by a window that slides over a row of outputs.

The number is first rounded at random, without bias, to one of `steps` + 1 positions. Position s makes the outputs
s … s + window - 1 likely, out of steps + window. That is Duchi's mechanism for one step and a window of one, and the
piecewise mechanism and the square wave for fine steps: they differ in how wide the window is. Outputs are whole numbers,
so that the odds are exact where floating-point outputs would leak.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

from privet.errors import BadAmount
from privet.guarantee.oracles._oracle import Oracle
from privet.guarantee.oracles._word_odds import WORD, admitted, likely_words

FINE = 2**16


@dataclass(frozen=True)
class WindowResponse(Oracle):
    """One number; `size` is steps + 1, the number of positions."""

    window: int
    settings: ClassVar[dict[str, tuple[int, int]]] = {"window": (1, 2**24)}

    @classmethod
    def made(cls, epsilon: Fraction, size: int, settings: Any) -> Self:
        """The mechanism of this kind; `size` of 0 stands for the usual number of positions."""
        admitted(epsilon)
        if set(settings) - {"window"}:
            raise BadAmount(f"{cls.kind} has no such setting.", "Its width follows from epsilon.")
        usual = cls.usual(epsilon, size)
        return cls(epsilon, usual.pop("size"), **{**usual, **settings})

    @property
    def steps(self) -> int:
        """The likely window starts at one of the numbers from 0 to this."""
        return self.size - 1

    @property
    def outputs(self) -> int:
        """How many outputs there are."""
        return self.steps + self.window

    def columns(self) -> dict[str, tuple[str, int]]:
        """The output."""
        return {"value": ("uint32", self.outputs)}

    def odds(self) -> tuple[int, ...]:
        """The words that lead into the window."""
        return (likely_words(self.epsilon, self.outputs, self.window),)

    def chances(self) -> tuple[Fraction, Fraction]:
        """The probability of one output in the window, and of one outside it."""
        inside = Fraction(self.odds()[0], WORD)
        return inside / self.window, (1 - inside) / self.steps

    def matrix(self) -> list[list[Fraction]]:
        """One row for each position, one column for each output."""
        high, low = self.chances()
        return [
            [high if s <= y < s + self.window else low for y in range(self.outputs)] for s in range(self.size)
        ]

    def line(self) -> tuple[float, float]:
        """Slope and start of the mean output as a function of the position: what an unbiased estimate inverts."""
        high, low = self.chances()
        everything = Fraction(self.outputs * (self.outputs - 1), 2)
        slope = (high - low) * self.window
        start = (high - low) * Fraction(self.window * (self.window - 1), 2) + low * everything
        return float(slope), float(start)

    def share_variance(self, share: float) -> float:
        """Of one report's estimate of a number that lies at this share of its bounds, with the random rounding."""
        high, low = map(float, self.chances())
        slope, start = self.line()
        below = min(math.floor(share * self.steps), self.steps - 1)
        rest = share * self.steps - below
        total = 0.0
        for position, chance in ((below, 1 - rest), (below + 1, rest)):
            second = low * _squares(0, self.outputs) + (high - low) * _squares(position, self.window)
            total += chance * second
        mean = slope * share * self.steps + start
        return (total - mean**2) / (slope * self.steps) ** 2

    def variance(self, reports: float, count: Any, squares: Any = 0.0) -> Any:
        """Of the sum over all reports, in units of the bounds' width, at worst; `count` is not used."""
        del count, squares
        return reports * max(self.share_variance(share) for share in (0.0, 0.5, 1.0))

    def report_bytes(self) -> float:
        """The bits of an output."""
        return (self.outputs - 1).bit_length() / 8


def _squares(first: int, many: int) -> float:
    """The sum of the squares of so many numbers from the first on."""
    last = first + many - 1
    return (last * (last + 1) * (2 * last + 1) - (first - 1) * first * (2 * first - 1)) / 6


@dataclass(frozen=True)
class Duchi(WindowResponse):
    """One bit, whose mean is the number (Duchi, Jordan and Wainwright 2018)."""

    kind: ClassVar[str] = "duchi"
    title: ClassVar[str] = "Duchi's mechanism"

    @classmethod
    def usual(cls, epsilon: Fraction, size: int) -> dict[str, int]:
        """Two positions and two outputs."""
        del epsilon, size
        return {"size": 2, "window": 1}


@dataclass(frozen=True)
class Piecewise(WindowResponse):
    """A window of e^(-epsilon/2) steps (Wang et al., ICDE 2019)."""

    kind: ClassVar[str] = "piecewise"
    title: ClassVar[str] = "piecewise mechanism"

    @classmethod
    def usual(cls, epsilon: Fraction, size: int) -> dict[str, int]:
        """65,536 steps."""
        del size
        return {"size": FINE + 1, "window": max(1, round(FINE * math.exp(-float(epsilon) / 2)))}


@dataclass(frozen=True)
class SquareWave(WindowResponse):
    """A window for which most is learnt of how numbers are distributed (Li et al., SIGMOD 2020)."""

    kind: ClassVar[str] = "square-wave"
    title: ClassVar[str] = "square wave"

    @classmethod
    def usual(cls, epsilon: Fraction, size: int) -> dict[str, int]:
        """2b of 65,536 steps, b = (ε e^ε - e^ε + 1) / (2 e^ε (e^ε - 1 - ε))."""
        del size
        e = float(epsilon)
        # The same in negative powers: e^16 - e^16 would lose the digits.
        width = (e - 1 + math.exp(-e)) / (math.expm1(e) - e)
        return {"size": FINE + 1, "window": max(1, round(FINE * width))}


@dataclass(frozen=True)
class Hybrid(Piecewise):
    """The piecewise mechanism, or Duchi's with probability e^(-epsilon/2), always for small epsilon (the same source).

    Outputs steps + window and steps + window + 1 are Duchi's two.
    """

    kind: ClassVar[str] = "hybrid"
    title: ClassVar[str] = "hybrid mechanism"

    @property
    def mixed(self) -> int:
        """The words that lead to Duchi's mechanism; whether they do is not secret."""
        if self.epsilon <= Fraction(61, 100):
            return WORD
        return int(WORD * Fraction(math.exp(-float(self.epsilon) / 2)))

    @property
    def coin(self) -> Duchi:
        """Duchi's mechanism at the same epsilon."""
        return Duchi(self.epsilon, 2, 1)

    def columns(self) -> dict[str, tuple[str, int]]:
        """The output."""
        return {"value": ("uint32", self.outputs + 2)}

    def matrix(self) -> list[list[Fraction]]:
        """One row for each position: at a position between, Duchi's rounding is part of the rule."""
        share, coin = Fraction(self.mixed, WORD), self.coin.matrix()
        return [
            [(1 - share) * chance for chance in row]
            + [
                share * (coin[0][y] * (1 - Fraction(s, self.steps)) + coin[1][y] * Fraction(s, self.steps))
                for y in (0, 1)
            ]
            for s, row in enumerate(super().matrix())
        ]

    def share_variance(self, share: float) -> float:
        """The mixture of the two: both are unbiased."""
        mixed = self.mixed / WORD
        return (1 - mixed) * super().share_variance(share) + mixed * self.coin.share_variance(share)
