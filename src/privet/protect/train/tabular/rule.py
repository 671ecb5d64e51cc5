"""The settings of a linear model, by a fixed public rule: no tuning, so nothing about the data is spent on it.

The rule was found on four public or made-up data sets (adult, breast cancer, digits and the bundled hospital), so
figures on those are a little too good; for any other table it was fixed beforehand. Fewer steps and fewer terms where
the noise is large against the number of records, more where it is small.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from privet.artifact.features import NumberColumn
from privet.guarantee.promises import ApproxDP
from privet.guarantee.units import Change
from privet.protect.train.tabular.learners import Task

SMALL = 4_000  # records; up to here every step looks at all of them
TRAVEL = 0.018  # for each record and unit of epsilon; and never below SHORTEST
SHORTEST, LONGEST = 3.0, 400.0
WEIGHTS = 120  # with fewer weights to noise the way may be longer, with more it is shorter: by their root
# Below such a value (of travel; of records · epsilon; of that for each number and output), so many or so much.
STEPS = ((8.0, 50), (40.0, 100), (math.inf, 200))
CLIPS = ((1_500.0, 0.25), (10_000.0, 0.5), (math.inf, 1.0))
TERMS = ((15.0, 1), (30.0, 2), (300.0, 4), (math.inf, 8))


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
    """From epsilon, the public number of records, and the number of columns and outputs.

    What noise does to the weights grows with rate · clip · steps, the most that they can travel; how far they may go
    before it matters grows with records · epsilon. Few records or a small epsilon therefore mean a short way in few
    steps, at a low clipping bound, with few terms to each number.
    """
    strength = float(promise.epsilon) * task.records
    numbers = sum(isinstance(column, NumberColumn) for column in task.features.columns)
    outputs = task.target.outputs
    terms = next(many for below, many in TERMS if strength / max(1, numbers * outputs) < below)
    others = sum(column.levels for column in task.features.columns if not isinstance(column, NumberColumn))
    weights = (numbers * (terms + 1) + others + 1) * outputs
    room = min(2.0, max(0.6, math.sqrt(WEIGHTS / weights)))
    travel = min(LONGEST, max(SHORTEST, TRAVEL * room * strength))
    steps = next(many for below, many in STEPS if travel < below)
    clip = next(bound for below, bound in CLIPS if strength < below)
    all_of_them = task.records <= SMALL or task.unit.change is Change.REPLACE
    return Settings(steps, Fraction(1) if all_of_them else Fraction(1, 4), travel / steps / clip, clip, terms)
