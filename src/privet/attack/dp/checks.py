"""Checks of an implementation's structure: each is a test of one claim, with its own false-alarm rate.

A check gives a p-value: how likely a run that does what it claims looks at least so unusual. It is reported as an
estimate like any attack's: the evidence against the claim is -log10 of the p-value, and the most that a right run may
show is -log10 of the alarm rate. Its power is the evidence that a gross break would have left.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from privet.artifact.risk import Adversary, Cost, Estimate, RiskEstimate
from privet.guarantee.promises import Promise

# Each check of a run that does what it claims raises an alarm at most so often.
ALARM = 1e-4
_MOST = 300.0  # evidence beyond this is proof

OWNER = Adversary(
    "the owner, looking inside",
    ("the exact sums", "who was in each batch", "what was claimed"),
    "white box: every step of the run",
)


@dataclass(frozen=True)
class Check:
    """One claim tested: how unusual the run looks if it holds, and how unusual a gross break of it would."""

    name: str
    claim: str
    found: str
    p_value: float
    broken: float  # the p-value that a gross break would have; 1 where it could not have been told
    power: str  # what would have been noticed, in words
    alarm: float = ALARM
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        """Whether the run contradicts the claim."""
        return self.p_value < self.alarm

    def estimate(self, promise: Promise | None = None, seconds: float = 0.0) -> RiskEstimate:
        """The check as every attack's result."""
        shown = evidence(self.p_value)
        return RiskEstimate(
            attack=self.name,
            measure="evidence against the claim (-log10 p)",
            success=Estimate(shown, shown, shown, 1 - self.alarm),
            baseline=0.0,
            adversary=OWNER,
            cost=Cost(seconds),
            bound=evidence(self.alarm),
            bound_reason=f"a run that keeps the claim shows more in at most {self.alarm:g} of cases",
            promise=promise,
            detectable=evidence(self.broken),
            artifact="training run",
            notes=(f"Claimed: {self.claim}.", f"Found: {self.found}.", self.power),
            details={"p_value": self.p_value, **self.details},
        )


def evidence(p_value: float) -> float:
    """-log10 of a p-value, at most 300."""
    return min(_MOST, abs(math.log10(p_value))) if p_value > 0 else _MOST


def two_sided(below: float, above: float) -> float:
    """The p-value of a statistic whose chances to be at most, and at least, this large are given."""
    return min(1.0, 2 * min(below, above))


def any_of(*p_values: float) -> float:
    """The p-value of several tests together (Bonferroni)."""
    return min(1.0, len(p_values) * min(p_values))
