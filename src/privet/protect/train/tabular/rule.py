"""The settings of a linear model, by a fixed public rule: no tuning, so nothing about the data is spent on it.

The rule was found on other data than yours: fewer steps and fewer terms where the noise is large against the number
of records, more where it is small.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from privet.guarantee.promises import ApproxDP
from privet.guarantee.units import Change
from privet.protect.train.tabular.learners import Task

SMALL = 4_000  # records; up to here every step looks at all of them
BINS = 32  # of a number


@dataclass(frozen=True, slots=True)
class Settings:
    """How a linear model is fitted."""

    steps: int
    q: Fraction
    rate: float
    clip: float
    terms: int
    momentum: float = 0.9
    averaged: float = 0.5  # the share of the last iterates whose mean is the result
    decay: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """A stable record."""
        return {**asdict(self), "q": float(self.q)}


def settings_for(task: Task, promise: ApproxDP) -> Settings:
    """From epsilon, the public number of records and the number of columns."""
    epsilon, records = float(promise.epsilon), task.records
    small = records <= SMALL or task.unit.change is Change.REPLACE
    if small:
        steps, q, rate, clip = (20 if epsilon < 2 else 50), Fraction(1), 1.0, 0.5
    else:
        steps = 50 if epsilon < 0.3 else 200 if epsilon < 1.5 else 400
        q, rate, clip = Fraction(1, 4), 1.0, 1.0
    return Settings(steps, q, rate, clip, terms=4)
