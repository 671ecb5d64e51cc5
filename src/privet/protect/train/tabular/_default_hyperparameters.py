"""The settings of a linear model, by a fixed public rule: no tuning, so nothing about the data is spent on it.

The rule was found on four public or made-up data sets (adult, breast cancer, digits and the bundled hospital; for
numbers diabetes, a made-up smooth function and the hospital's days), so figures on those are a little too good; for any
other table it was fixed beforehand. Fewer steps and fewer terms where the noise is large against the number of records,
more where it is small; and weights that few records speak for are drawn to zero, so that a long way does not end in
chance.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from privet.artifact import Column, NumberColumn
from privet.guarantee import ApproxDP, Change
from privet.protect.train.tabular._feature_basis import Basis
from privet.protect.train.tabular._learner_registry import Task

SMALL = 4_000  # records; up to here every step looks at all of them
QUARTER = Fraction(1, 4)  # of the records are in a batch beyond that
LARGE = 250_000  # records; a batch has no more than that, since noise is no smaller in a larger one
# How far weights may go for each record and unit of epsilon; at least SHORTEST for each output, or SHORTEST_OF_ALL.
TRAVEL, SHORTEST, SHORTEST_OF_ALL, LONGEST = 0.018, 1.5, 3.0, 400.0
WEIGHTS = 120  # with fewer weights to noise the way may be longer, with more it is shorter: by their root
# Bounds of gradients, of the length of a row's terms: towards two classes, more classes, a number.
CLIP, CLIP_OF_SEVERAL, CLIP_OF_NUMBERS = 0.4, 0.1, 0.2
NUMBERS = 0.1  # of the way: numbers are learned between -1 and 1, where log-odds go to 5 and beyond
# Below such a value (of travel; of records · epsilon for each number and output), so many.
STEPS = ((8.0, 50), (40.0, 100), (math.inf, 200))
TERMS = ((15.0, 1), (30.0, 2), (2_000.0, 4), (math.inf, 8))
# How strongly weights are drawn to zero, as if so many records spoke for it: PULL, and more where a category has more
# than one level for CROWDED / PULL records.
PULL, CROWDED, STRONGEST = 1.0, 300.0, 10.0


@dataclass(frozen=True, slots=True)
class LinearSettings:
    """How a linear model is fitted."""

    steps: int
    q: Fraction
    rate: float
    clip: float
    terms: int
    momentum: float = 0.9
    averaged: float = 0.5  # the share of the last iterates whose mean is the result
    pull: float = 1.0  # times what the rule says of each column

    def to_json(self) -> dict[str, Any]:
        """A stable record."""
        return {**asdict(self), "q": float(self.q)}


def settings_for(task: Task, promise: ApproxDP) -> LinearSettings:
    """From epsilon, the public number of records, and the number of columns and outputs.

    What noise does to the weights grows with rate · clip · steps, the most that they can travel; how far they may go
    before it matters grows with records · epsilon. Few records or a small epsilon therefore mean a short way in few
    steps, with few terms to each number. The clipping bound follows the length of rows: one far below it would leave
    only the sign of most residuals, which draws decisions between two classes to the larger one.
    """
    strength = float(promise.epsilon) * task.records
    numbers = sum(isinstance(column, NumberColumn) for column in task.features.columns)
    outputs = task.target.outputs
    terms = next(many for below, many in TERMS if strength / max(1, numbers * outputs) < below)
    others = sum(column.levels for column in task.features.columns if not isinstance(column, NumberColumn))
    weights = (numbers * (terms + 1) + others + 1) * outputs
    room = min(2.0, max(0.6, math.sqrt(WEIGHTS / weights)))
    shortest = min(SHORTEST_OF_ALL, SHORTEST * outputs)
    travel = min(LONGEST, max(shortest, TRAVEL * room * strength))
    steps = next(many for below, many in STEPS if travel < below)
    share = CLIP if outputs == 1 else CLIP_OF_SEVERAL
    if task.target.kind == "number":
        share, travel = CLIP_OF_NUMBERS, NUMBERS * travel
    clip = share * Basis.of(task.features, terms).length
    return LinearSettings(steps, _sampled(task), travel / steps / clip, clip, terms)


def _sampled(task: Task) -> Fraction:
    """The share of units in a batch.

    With so many steps, noise for a promise falls as the share does (Abadi et al. 2016, theorem 1), so that beyond `LARGE` a
    larger batch would cost time and bring nothing.
    """
    if task.records <= SMALL or task.unit.change is Change.REPLACE:
        return Fraction(1)
    return min(QUARTER, Fraction(1, math.ceil(task.records / LARGE)))


def pull_of(column: Column, records: int) -> float:
    """How strongly a column's weights are drawn to zero, in records: the ridge of Hoerl and Kennard (1970).

    Without it a long way fits levels that have a handful of records each to whatever those were; with many records for
    each level it says nothing.
    """
    if isinstance(column, NumberColumn):
        return PULL
    return min(STRONGEST, max(PULL, CROWDED * column.levels / records))
