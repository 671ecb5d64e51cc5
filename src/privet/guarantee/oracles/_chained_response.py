"""Two rounds of randomised response: one that is drawn once for a value and kept, and one that is fresh for each report.

The first round has `epsilon`, and holds for ever: whoever sees any number of reports about one value learns no more than the
kept answer tells. The second makes one report by itself worth `once` thousandths of epsilon. Where round one keeps a value with
p1 and shows a given other one with q1, and a single round at the smaller epsilon would keep it with p, then

    p2 = (p - q1) / (p1 - q1)

keeps the answer in round two so that both rounds together have exactly p: nothing is lost against a single round.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from privet.errors import BadAmount
from privet.guarantee.oracles._generalized_response import GeneralizedResponse
from privet.guarantee.oracles._local_hashing import LARGEST_RANGE, FastLocalHashing
from privet.guarantee.oracles._oracle import Oracle
from privet.guarantee.oracles._unary_encoding import SymmetricUnary
from privet.guarantee.oracles._word_odds import WORD, exp_below, flip_words, likely_words

THOUSANDTHS = 1000
ONCE = (1, 32 * THOUSANDTHS)


def usual_once(epsilon: Fraction) -> int:
    """Half of what holds for ever, in thousandths."""
    return max(1, int(epsilon * THOUSANDTHS / 2))


def once_below(oracle: Oracle, once: int) -> Fraction:
    """The epsilon of one report; refuses one that is not below what holds for ever."""
    found = Fraction(once, THOUSANDTHS)
    if found >= oracle.epsilon:
        raise BadAmount(
            "one report by itself has less epsilon than all reports about a value together.",
            "Write once below 1000 times the epsilon, such as half of it.",
        )
    return found


def chained_words(epsilon: Fraction, once: Fraction, outputs: int) -> tuple[int, int]:
    """The words that keep a value among `outputs` for ever, and those that keep the kept answer in one report."""
    first = likely_words(epsilon, outputs, 1)
    own = Fraction(first, WORD)
    other = (1 - own) / (outputs - 1)
    gain = exp_below(once)
    return first, int(WORD * (gain / (gain + outputs - 1) - other) / (own - other))


def chained_support(words: tuple[int, ...], outputs: int) -> tuple[Fraction, Fraction]:
    """The chances of both rounds together: that a report is the value, and that it is a given other one."""
    own, kept = (Fraction(count, WORD) for count in words)
    other = (1 - own) / (outputs - 1)
    found = other + kept * (own - other)
    return found, (1 - found) / (outputs - 1)


class TwoRounds(Oracle):
    """What has a round for ever and a round for each report: `once` is the epsilon of one report, in thousandths.

    No dataclass itself: `once` comes after the settings that the other parent has, so each class declares it.
    """

    once: int
    settings: ClassVar[Mapping[str, tuple[int, int]]] = {"once": ONCE}

    @classmethod
    def usual(cls, epsilon: Fraction, size: int) -> dict[str, int]:
        """One report has half of the epsilon."""
        del size
        return {"once": usual_once(epsilon)}

    def __post_init__(self) -> None:
        super().__post_init__()
        once_below(self, self.once)


@dataclass(frozen=True)
class ChainedResponse(TwoRounds, GeneralizedResponse):
    """Generalised randomised response in two rounds (L-GRR, Arcolezi et al. 2022, with the exact second round)."""

    once: int
    kind: ClassVar[str] = "l-grr"
    title: ClassVar[str] = "memoised randomised response"

    def odds(self) -> tuple[int, ...]:
        """The words that keep the value for ever, and those that keep the answer in one report."""
        return chained_words(self.epsilon, once_below(self, self.once), self.size)

    def support(self) -> tuple[Fraction, Fraction]:
        """Of both rounds."""
        return chained_support(self.odds(), self.size)

    def matrix(self) -> list[list[Fraction]]:
        """Of the kept answer."""
        own = Fraction(self.odds()[0], WORD)
        return _square(own, (1 - own) / (self.size - 1), self.size)

    def report_matrix(self) -> list[list[Fraction]]:
        """Of one report."""
        return _square(*self.support(), self.size)


@dataclass(frozen=True)
class ChainedUnary(TwoRounds, SymmetricUnary):
    """Symmetric unary encoding in two rounds (L-SUE, the same source): bits are turned over for ever, and once more."""

    once: int
    kind: ClassVar[str] = "l-sue"
    title: ClassVar[str] = "memoised unary encoding"

    def odds(self) -> tuple[int, int]:
        """The words that turn a bit over for ever, and those that turn it over once more in one report."""
        flip = flip_words(self.epsilon / 2)
        kept = 1 - 2 * Fraction(flip, WORD)
        gain = exp_below(once_below(self, self.once) / 2)
        return flip, math.ceil(WORD * (1 - (gain - 1) / (gain + 1) / kept) / 2)

    def permanent(self) -> tuple[Fraction, Fraction]:
        """The chances that the value's own bit and another one are 1 for ever."""
        flip = Fraction(self.odds()[0], WORD)
        return 1 - flip, flip

    def support(self) -> tuple[Fraction, Fraction]:
        """Of both rounds: a bit of a report is wrong when exactly one round turned it over."""
        one, two = (Fraction(words, WORD) for words in self.odds())
        wrong = one * (1 - two) + two * (1 - one)
        return 1 - wrong, wrong

    def matrix(self) -> list[list[Fraction]]:
        """Of the kept bits."""
        return self.matrix_of(self.permanent())

    def report_matrix(self) -> list[list[Fraction]]:
        """Of one report."""
        return self.matrix_of(self.support())


@dataclass(frozen=True)
class ChainedHashing(TwoRounds, FastLocalHashing):
    """LOLOHA (Arcolezi et al. 2023): a device keeps one hash function, and answers about the hash in two rounds.

    All values with one hash share one kept answer, so that a person's epsilon never exceeds range · epsilon, however often
    their value changes. The function comes from a public pool, shared with many, so that it does not name the device.
    """

    once: int
    kind: ClassVar[str] = "loloha"
    title: ClassVar[str] = "longitudinal local hashing"
    settings: ClassVar[dict[str, tuple[int, int]]] = {
        "range": (2, LARGEST_RANGE), "pool": (2, 2**20), "once": ONCE,
    }  # fmt: skip

    @classmethod
    def usual(cls, epsilon: Fraction, size: int) -> dict[str, int]:
        """The range of least variance for one report, 4,096 functions, and half of the epsilon for one report."""
        once = usual_once(epsilon)
        return {**FastLocalHashing.usual(Fraction(once, THOUSANDTHS), size), "once": once}

    def odds(self) -> tuple[int, ...]:
        """The words that keep the hash for ever, and those that keep the answer in one report."""
        return chained_words(self.epsilon, once_below(self, self.once), self.range)

    def support(self) -> tuple[Fraction, Fraction]:
        """Of both rounds; another value has the same hash with probability 1 / range."""
        return chained_support(self.odds(), self.range)[0], Fraction(1, self.range)

    def matrix(self) -> list[list[Fraction]]:
        """Of the kept answers, over all functions."""
        return self.matrix_of(Fraction(self.odds()[0], WORD))

    def report_matrix(self) -> list[list[Fraction]]:
        """Of one report, over all functions."""
        return self.matrix_of(self.support()[0])

    def variance(self, reports: float, count: Any, squares: Any = 0.0) -> Any:
        """As for fast local hashing with the chances of both rounds: each person's function is drawn once."""
        return super().variance(reports, count, squares)


def _square(own: Fraction, other: Fraction, size: int) -> list[list[Fraction]]:
    return [[own if x == y else other for y in range(size)] for x in range(size)]
