"""What every frequency oracle and number oracle is: a public rule that turns one value into one random report.

An oracle holds its exact probabilities, the variance of what is estimated from its reports, and the matrix of all its
probabilities on small domains, from which its epsilon can be computed instead of believed. It draws nothing.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

from privet.errors import BadAmount
from privet.guarantee.exact_amounts import whole
from privet.guarantee.oracles._word_odds import admitted

# What a report is made of, by name: each column holds one of these kinds.
COLUMN_KINDS = ("uint8", "uint32", "uint64", "bits", "list")
MOST_VALUES = 2**24


@dataclass(frozen=True)
class Oracle(ABC):
    """One way to randomise a value among `size`, at `epsilon` for each report."""

    epsilon: Fraction
    size: int
    kind: ClassVar[str] = ""
    title: ClassVar[str] = ""
    # Settings of its own, each with the least and the largest number it may be.
    settings: ClassVar[Mapping[str, tuple[int, int]]] = {}

    def __post_init__(self) -> None:
        admitted(self.epsilon)
        whole(self.size, "size", at_least=2)
        if self.size > MOST_VALUES:
            raise BadAmount(f"an oracle counts at most {MOST_VALUES:,} values.", "Group the values.")
        for name, (least, largest) in self.settings.items():
            if not least <= whole(getattr(self, name), name, at_least=least) <= largest:
                raise BadAmount(f"{name} lies between {least:,} and {largest:,}.", f"Give {name} within.")

    @classmethod
    def made(cls, epsilon: Fraction, size: int, settings: Mapping[str, int]) -> Self:
        """The oracle with its usual settings, or with those stated."""
        unknown = sorted(set(settings) - set(cls.settings))
        if unknown:
            known = ", ".join(cls.settings) or "none"
            raise BadAmount(f"{cls.kind} has no setting {unknown[0]!r}.", f"Its settings: {known}.")
        admitted(epsilon)
        return cls(epsilon, size, **{**cls.usual(epsilon, size), **settings})

    @classmethod
    def usual(cls, epsilon: Fraction, size: int) -> dict[str, int]:
        """The settings of least variance."""
        del epsilon, size
        return {}

    def stated(self) -> dict[str, Any]:
        """The record of a specification: the kind and all settings. Epsilon and size stand beside it."""
        return {"kind": self.kind, **{name: getattr(self, name) for name in self.settings}}

    @abstractmethod
    def columns(self) -> dict[str, tuple[str, int]]:
        """What a report holds: names of columns, each with its kind and the bound that its numbers stay below."""

    @abstractmethod
    def odds(self) -> tuple[int, ...]:
        """The whole numbers that random words are compared with."""

    @abstractmethod
    def matrix(self) -> list[list[Fraction]]:
        """The probability of every report (columns) given every value (rows); for small domains."""

    @abstractmethod
    def variance(self, reports: float, count: Any, squares: Any = 0.0) -> Any:
        """Of the estimated count of a value that `count` people have; `squares` is the sum of the other squared counts."""

    @abstractmethod
    def report_bytes(self) -> float:
        """The expected size of one report, written densely."""

    def exact_epsilon(self) -> float:
        """The largest log ratio of probabilities in the matrix: what a report really gives away."""
        return largest_log_ratio(self.matrix())

    def standard_error(self, reports: float, share: float = 0.0) -> float:
        """Of an estimated share among so many reports."""
        return math.sqrt(float(self.variance(reports, share * reports))) / reports


@dataclass(frozen=True)
class SupportOracle(Oracle):
    """An oracle whose report supports a set of values: each other value with the same probability (Wang et al. 2017)."""

    @abstractmethod
    def support(self) -> tuple[Fraction, Fraction]:
        """The probability that a report supports its own value, and that it supports a given other one."""

    def variance(self, reports: float, count: Any, squares: Any = 0.0) -> Any:
        """Exact (Wang, Blocki, Li and Jha 2017, Theorem 2 with the term of the count kept)."""
        del squares
        own, other = map(float, self.support())
        gap = own - other
        return reports * other * (1 - other) / gap**2 + count * (1 - own - other) / gap


def largest_log_ratio(matrix: Sequence[Sequence[Fraction]]) -> float:
    """The largest log ratio within a column; infinite where a report is possible for one value alone."""
    worst = Fraction(1)
    for column in zip(*matrix, strict=True):
        low, high = min(column), max(column)
        if high and not low:
            return math.inf
        worst = max(worst, high / low) if high else worst
    return math.log(worst.numerator) - math.log(worst.denominator)
