"""What error to expect before anybody is asked, which oracle errs least, and the epsilon for a wanted error: by formulas."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import Any

from privet.errors import BadUsage, NoSolution, checked
from privet.guarantee.oracles import LARGEST_EPSILON, WindowResponse
from privet.protect.collect._collection import Collection
from privet.protect.collect._oracle_choice import KINDS, LARGEST_REPORT, candidates
from privet.protect.collect._protocols import FragmentPuzzle, PrefixExtension, Sampled, Single, protocol_for
from privet.protect.collect._questions import NumberIn, OneOf, Several, TextOf

_STEPS = 60


@dataclass(frozen=True)
class Forecast:
    """One oracle: the half-width of the interval to expect, of a rare value's share or of a mean, and the size of a report.

    `error` is in shares of people for categories and words, and in the number's own unit for numbers.
    """

    oracle: str
    error: float
    report_bytes: float
    fits: bool  # whether "auto" would take it: it chooses among these, by variance

    def to_json(self) -> dict[str, Any]:
        """A record."""
        return {
            "oracle": self.oracle,
            "error": self.error,
            "report_bytes": self.report_bytes,
            "auto": self.fits,
        }


@checked
def expected_error(
    collection: Collection, people: int, *, share: float = 0.0, confidence: float = 0.95
) -> float:
    """The half-width of the interval of a value that this share of people have, or of a mean at worst."""
    _checked(people, confidence)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    return z * _deviation(collection.protocol, collection.question, people, share)


@checked
def forecasts(
    question: OneOf | NumberIn, epsilon: float, people: int, *, confidence: float = 0.95
) -> list[Forecast]:
    """All oracles for a question, the best first."""
    _checked(people, confidence)
    exact = Fraction(str(epsilon))
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    usual = {one.oracle.kind for one in candidates(question, exact)}
    found = [
        Forecast(
            one.oracle.kind,
            z * _deviation(Single(one.oracle), question, people, 0.0),
            one.report_bytes,
            one.oracle.kind in usual and one.report_bytes <= LARGEST_REPORT,
        )
        for one in candidates(question, exact, KINDS[type(question)])
    ]
    return sorted(found, key=lambda one: (one.error, one.report_bytes))


@checked
def epsilon_for_error(
    question: OneOf | NumberIn | TextOf | Several,
    people: int,
    error: float,
    *,
    oracle: str = "auto",
    confidence: float = 0.95,
) -> float:
    """The least epsilon, to three digits, at which the interval's half-width is at most `error`; refuses if there is none."""
    _checked(people, confidence)
    if not (error > 0 and math.isfinite(error)):
        raise BadUsage("a wanted error is a positive number.", "Write error=0.001.")
    z = NormalDist().inv_cdf((1 + confidence) / 2)

    def reached(epsilon: float) -> bool:
        protocol = protocol_for(question, Fraction(str(round(epsilon, 6))), oracle, {})
        return z * _deviation(protocol, question, people, 0.0) <= error

    low, high = 0.001, float(LARGEST_EPSILON) / 2
    if not reached(high):
        raise NoSolution(
            "no epsilon up to 16 reaches this error with so many people.",
            "Ask more people, or accept a larger error.",
        )
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return math.ceil(high * 1000) / 1000


def _deviation(protocol: Any, question: Any, people: int, share: float) -> float:
    """The standard error of a share, or of a mean in its own unit."""
    if isinstance(protocol, Single):
        if isinstance(protocol.oracle, WindowResponse):
            spread = math.sqrt(float(protocol.oracle.variance(people, 0.0))) / people
            return float(spread * (question.high - question.low))
        return protocol.oracle.standard_error(people, share)
    if isinstance(protocol, Sampled):
        answered = protocol.answered / len(protocol.oracles)
        each = [
            _deviation(Single(oracle), question.questions[name], max(1, round(people * answered)), share)
            for name, oracle in protocol.oracles.items()
            if isinstance(question.questions[name], OneOf)
        ]
        return max(each, default=math.nan)
    if isinstance(protocol, PrefixExtension):
        return protocol.oracle.standard_error(max(1, people // len(protocol.prefix_lengths)), share)
    assert isinstance(protocol, FragmentPuzzle)
    return protocol.oracle.standard_error(people, share)


def _checked(people: int, confidence: float) -> None:
    if isinstance(people, bool) or not 1 <= people <= 10**12:
        raise BadUsage("people is a whole number, 1 or more.", "Write people=100_000.")
    if not 0.5 <= confidence < 1:
        raise BadUsage("confidence lies between 0.5 and 1.", "Write confidence=0.95.")
