"""Checks of an implementation's structure: each is a test of one claim, with its own false-alarm rate.

A check gives a p-value: how likely a run that does what it claims looks at least so unusual. It is reported as an
estimate like any attack's: the evidence against the claim is -log10 of the p-value, and the most that a right run may
show is -log10 of the alarm rate. Its ceiling is the evidence that a gross break would have left, and its power is the
smallest break that leaves enough in 99 of 100 runs, where that can be computed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from privet.artifact import Adversary, AttackCost, IntervalEstimate, Power, RiskEstimate
from privet.guarantee import Promise

# Each check of a run that does what it claims raises an alarm at most so often.
ALARM = 1e-4
_MOST = 300.0  # evidence beyond this is proof
_NOTICED = 0.99

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
        unknown = () if self.broken < self.alarm else (self.power,)
        return RiskEstimate(
            attack=self.name,
            measure="evidence against the claim (-log10 p)",
            success=IntervalEstimate(shown, shown, shown, 1 - self.alarm),
            baseline=0.0,
            adversary=OWNER,
            cost=AttackCost(seconds),
            bound=evidence(self.alarm),
            bound_reason=f"a run that keeps the claim shows more in at most {self.alarm:g} of cases",
            promise=promise,
            detectable=evidence(self.broken),
            power=Power(computed=self.power) if self.broken < self.alarm else None,
            artifact="training run",
            notes=(f"Claimed: {self.claim}.", f"Found: {self.found}.", *unknown),
            details={"p_value": self.p_value, **self.details},
        )


def evidence(p_value: float) -> float:
    """-log10 of a p-value, at most 300."""
    return min(_MOST, abs(math.log10(p_value))) if p_value > 0 else _MOST


def scale_noticed(numbers: int, tests: int = 3, alarm: float = ALARM) -> float | None:
    """The smallest share by which Gaussian noise can be too large or too small and be noticed; None for none below 1.

    The squared noise is chi-square distributed, and its two-sided test is one of `tests` that share the alarm rate.
    """
    from scipy.stats import chi2

    error = alarm / (2 * tests)
    low, high = chi2.ppf(error, numbers), chi2.isf(error, numbers)
    return _smallest(
        lambda off: min(chi2.sf(high / (1 + off) ** 2, numbers), chi2.cdf(low / (1 - off) ** 2, numbers))
    )


def rate_noticed(trials: int, rate: float, tests: int, alarm: float = ALARM) -> float | None:
    """The smallest share by which a rate can be too high or too low and be noticed by an exact test of the total."""
    from scipy.stats import binom

    error = alarm / (2 * tests)
    low, high = binom.ppf(error, trials, rate) - 1, binom.isf(error, trials, rate) + 1
    return _smallest(
        lambda off: min(
            binom.sf(high - 1, trials, min(1.0, rate * (1 + off))), binom.cdf(low, trials, rate * (1 - off))
        )
    )


def _smallest(chance: Callable[[float], float]) -> float | None:
    """The smallest share at which something is noticed with a chance of 99 in 100, if there is one below 1."""
    low, high = 0.0, 1 - 1e-9
    if not chance(high) >= _NOTICED:
        return None
    while high - low > 1e-3 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if chance(middle) >= _NOTICED else (middle, high)
    return high


def noticed(what: str, share: float | None) -> str:
    """The power of a check in words."""
    if share is None:
        return f"{what} that is off would not surely have been noticed: too few numbers."
    return f"{what} that is off by {share:.2g} of its size throughout is noticed in 99 of 100 runs."


def two_sided(below: float, above: float) -> float:
    """The p-value of a statistic whose chances to be at most, and at least, this large are given."""
    return min(1.0, 2 * min(below, above))


def any_of(*p_values: float) -> float:
    """The p-value of several tests together (Bonferroni)."""
    return min(1.0, len(p_values) * min(p_values))
