"""What the values of a column say: every detector is asked, and its share of matches weighed as evidence.

A detector that matches true values with probability `typical` and look-alikes with probability `chance` gives
each tested value a likelihood ratio; their product times prior odds is the confidence. So ten numbers that pass a
one-in-ten check are convincing, one is not, and a tenth of many numbers passing it speaks against. Numbers of persons are
weighed in `national`, where what made-up numbers pass is measured.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from privet.audits.columns import (
    _contact as contact,
)
from privet.audits.columns import (
    _health as health,
)
from privet.audits.columns import (
    _national_numbers as national,
)
from privet.audits.columns import (
    _network_addresses as network,
)
from privet.audits.columns import (
    _payment as payment,
)
from privet.audits.columns import (
    _person_attributes as person_attributes,
)
from privet.audits.columns import (
    _place_values as places,
)
from privet.audits.columns import (
    _registration_numbers as numbers,
)
from privet.audits.columns._column_evidence import Detector, Evidence
from privet.audits.columns._sampled_column import FIRST_LOOK, SampledColumn, spread
from privet.audits.columns._taxonomy import CATEGORIES
from privet.engine import ColumnKind

DETECTORS = (
    *contact.DETECTORS, *payment.DETECTORS, *network.DETECTORS, *national.DETECTORS, *numbers.DETECTORS,
    *health.DETECTORS, *places.DETECTORS, *person_attributes.DETECTORS,
)  # fmt: skip
PRIOR = -3.0  # log-odds that a column is of any one category, before anything is known
WITH_NAME = 2.0  # the same, if its name says so
_COUNTED = 50  # more values than this do not make the evidence stronger
_NAMES_NEED = 15  # distinct values; short lists of words (colours, towns) are full of family names


@dataclass(frozen=True, slots=True)
class DetectorVerdict:
    """One detector's opinion of a column."""

    category: str
    confidence: float
    checked: bool
    needs_name: bool
    evidence: Evidence

    @property
    def rank(self) -> tuple[bool, float]:
        """Check digits first, then by confidence."""
        return (self.checked, self.confidence)


def verdicts(column: SampledColumn, named: str | None = None) -> list[DetectorVerdict]:
    """The opinions of detectors that found something, the best first. `named` is what the column's name says."""
    if column.kind is ColumnKind.BOOLEAN or not column.texts:
        return []
    return sorted(_all(column, named), key=lambda verdict: verdict.rank, reverse=True)


def _all(column: SampledColumn, named: str | None) -> Iterator[DetectorVerdict]:
    first = spread(column.texts, FIRST_LOOK)
    for detector in DETECTORS:
        if _cannot_be(detector, column):
            continue
        if not any(map(detector.matches, first)):
            continue
        share = column.share([detector.matches(text) for text in column.texts])
        yield _weighed(detector, share, column, same(detector.category, named))
    if column.kind is not ColumnKind.REAL:
        yield from _national(column)


def _national(column: SampledColumn) -> Iterator[DetectorVerdict]:
    """Numbers of natural persons that pass their country's check more often than made-up ones would."""
    for claim in national.claims(column.texts):
        says = (
            f"{claim.share:.0%} of {claim.tested} distinct values pass the check of {claim.format.label}, "
            f"and {claim.chance:.1%} of made-up ones of the same form"
        )
        evidence = Evidence("values", says, claim.format.category, claim.share, claim.tested)
        often = claim.chance > national.OFTEN
        yield DetectorVerdict(claim.format.category, 0.99, not often, often, evidence)


def _cannot_be(detector: Detector, column: SampledColumn) -> bool:
    named = detector.category.startswith("user.name")
    number = column.kind is ColumnKind.REAL
    return number or (named and len(column.texts) < 5)


def _weighed(detector: Detector, share: float, column: SampledColumn, agrees: bool) -> DetectorVerdict:  # noqa: FBT001
    tested = len(column.texts)
    many = min(tested, _COUNTED)
    hits, misses = share * many, (1 - share) * many
    ratio = hits * math.log(detector.typical / detector.chance)
    ratio += misses * math.log((1 - detector.typical) / (1 - detector.chance))
    odds = ratio + (WITH_NAME if agrees else PRIOR)
    if detector.category.startswith("user.name") and tested < _NAMES_NEED and not agrees:
        odds = min(odds, -1.0)
    confidence = 1 / (1 + math.exp(-max(min(odds, 30.0), -30.0)))
    label = CATEGORIES[detector.category].label
    says = f"{share:.0%} of {tested} distinct values {detector.says} {label}"
    evidence = Evidence("values", says, detector.category, share, tested)
    return DetectorVerdict(
        detector.category, min(confidence, 0.99), detector.checked, detector.needs_name, evidence
    )


def same(category: str, named: str | None) -> bool:
    """Whether a category and what the name says go together: equal, or one inside the other."""
    if named is None:
        return False
    return category == named or category.startswith(f"{named}.") or named.startswith(f"{category}.")
