"""RAPPOR: a Bloom filter, turned over once for ever and once more for each report."""

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

_PARTS = 256


@dataclass(frozen=True)
class BloomResponse(Oracle):
    """`hashes` of `bits` are set in one of `cohorts` (Erlingsson, Pihur and Korolova 2014).

    Epsilon is that of the permanent response, which a device draws once for each value and keeps: it holds for ever.
    `quiet` and `loud`, in 256ths, are the chances with which a report shows 1 for a permanent 0 and for a permanent 1.
    """

    bits: int
    hashes: int
    cohorts: int
    quiet: int
    loud: int
    kind: ClassVar[str] = "rappor"
    title: ClassVar[str] = "RAPPOR"
    settings: ClassVar[dict[str, tuple[int, int]]] = {
        "bits": (2, 4096), "hashes": (1, 16), "cohorts": (1, 4096), "quiet": (1, 255), "loud": (1, 255),
    }  # fmt: skip

    @classmethod
    def usual(cls, epsilon: Fraction, size: int) -> dict[str, int]:
        """Those of the published client, with more bits: 64 bits, 2 hashes, 64 cohorts, chances of 1/2 and 3/4."""
        del epsilon, size
        return {"bits": 64, "hashes": 2, "cohorts": 64, "quiet": 128, "loud": 192}

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.quiet < self.loud or self.hashes > self.bits // 2:
            raise BadAmount(
                "RAPPOR needs a chance for permanent ones above that for zeros, and two bits for each hash.",
                "Write quiet=128, loud=192, hashes=2, bits=64.",
            )

    def columns(self) -> dict[str, tuple[str, int]]:
        """The cohort, and the bits, eight to a byte."""
        return {"row": ("uint32", self.cohorts), "bits": ("bits", self.bits)}

    def odds(self) -> tuple[int, ...]:
        """The words that turn a bit over for ever: 2 hashes bits differ, so each has epsilon / (2 hashes)."""
        return (flip_words(self.epsilon / (2 * self.hashes)),)

    def permanent(self) -> tuple[Fraction, Fraction]:
        """The chances that a bit of the filter and another bit are permanently 1."""
        flip = Fraction(self.odds()[0], WORD)
        return 1 - flip, flip

    def instantaneous(self) -> tuple[Fraction, Fraction]:
        """The chances that a report shows 1 for a bit of the filter, and for another bit."""
        quiet, loud = Fraction(self.quiet, _PARTS), Fraction(self.loud, _PARTS)
        return tuple(one * loud + (1 - one) * quiet for one in self.permanent())  # type: ignore[return-value]

    def report_epsilon(self) -> float:
        """What one report gives away to who never sees another one of its person."""
        own, other = self.instantaneous()
        return self.hashes * math.log(own * (1 - other) / (other * (1 - own)))

    def matrix(self) -> list[list[Fraction]]:
        """Of the permanent response, for filters that share no bit."""
        return self._filters(*self.permanent())

    def report_matrix(self) -> list[list[Fraction]]:
        """Of one report, for filters that share no bit."""
        return self._filters(*self.instantaneous())

    def _filters(self, own: Fraction, other: Fraction) -> list[list[Fraction]]:
        return [
            [
                chance_of([own if place // self.hashes == x else other for place in range(self.bits)], bits)
                for bits in itertools.product((0, 1), repeat=self.bits)
            ]
            for x in range(min(self.size, self.bits // self.hashes))
        ]

    def variance(self, reports: float, count: Any, squares: Any = 0.0) -> Any:
        """About: of the least-squares estimate of a value whose bits nobody shares; decoding reports its own errors."""
        del squares
        own, other = map(float, self.instantaneous())
        shown = (other * (reports - count) + own * count) / reports
        return reports * shown * (1 - shown) / ((own - other) ** 2 * self.hashes)

    def report_bytes(self) -> float:
        """A cohort and the bits."""
        return (self.cohorts - 1).bit_length() / 8 + math.ceil(self.bits / 8)
