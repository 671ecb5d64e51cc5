"""What errors matter: weights and targets of the answers, turned into what each vector's noise is worth.

How far the noise of a vector moves an answer is probed: the answer's own error bar is asked for with noise on that
vector alone. So every kind of answer is weighed by its own formula.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from privet.errors import BadUsage
from privet.guarantee import DiscreteGaussian, Event, Number, positive
from privet.protect.query.estimators import Reading
from privet.protect.query.noise_plan._budget_split import Stake
from privet.sealed import Sensitivity

# Group size for which errors are compared where they depend on it.
ROWS = 1_000
_LOUD, _QUIET = 1_000, DiscreteGaussian("1e-6")
Question = tuple[Sequence[Reading], Mapping[str, Sensitivity]]


@dataclass(frozen=True)
class Goals:
    """Weights or targets, one item for each question.

    Args:
        weights: a number for a whole question, or numbers by the names of its answers: how much their squared
            errors, in units of what one privacy unit can do, count in the sum that is made least.
        error: half-widths by the names of all answers, in their own units: errors are made equal in proportion
            to them.
        rows: the size of a group for which the errors of means and the like are meant.
    """

    weights: Sequence[Number | Mapping[str, Number]] | None = None
    error: Sequence[Mapping[str, Number]] | None = None
    rows: int = ROWS


def stakes(questions: Sequence[Question], goals: Goals, confidence: float) -> list[Stake]:
    """What is at stake with each answer; refuses goals that do not fit the questions, all faults at once."""
    faults = list(_faults(questions, goals))
    if faults:
        raise BadUsage(" ".join(faults), "Give one item for each question, by the names of its answers.")
    quantile = DiscreteGaussian(10**6)
    unit = quantile_of(quantile, confidence)
    found: list[Stake] = []
    first = 0
    for number, (readings, sensitivities) in enumerate(questions):
        places = {name: first + i for i, name in enumerate(sensitivities)}
        for reading in readings:
            moves = {
                places[vector]: _move(reading, vector, sensitivities, confidence, goals.rows)
                for vector in reading.vectors()
            }
            target = (
                None if goals.error is None else float(positive(goals.error[number][reading.name], "error"))
            )
            found.append(
                Stake(moves, _weight(goals, number, reading.name), None if target is None else target / unit)
            )
        first += len(sensitivities)
    return found


def quantile_of(event: Event, confidence: float) -> float:
    """How many standard deviations an error bar is wide, roughly: that of Gaussian noise."""
    from privet.guarantee import half_width, spread

    return half_width(event, confidence) / spread(event).standard_deviation


def _move(
    reading: Reading, vector: str, sensitivities: Mapping[str, Sensitivity], confidence: float, rows: int
) -> float:
    """How many of the answer's units one step of noise on this vector is worth, from the answer's own error bar."""
    stated = reading.worth(vector, rows)
    if stated is not None:
        return stated
    # Loud enough that rounding to whole steps does not show in the width.
    loud = DiscreteGaussian(_LOUD * sensitivities[vector].largest)
    noise: dict[str, Event] = {name: loud if name == vector else _QUIET for name in sensitivities}
    width = reading.width(noise, confidence, rows)
    move = width / quantile_of(loud, confidence) / float(loud.sigma)
    # An answer whose error bar says nothing without data weighs its vectors alike.
    return move if math.isfinite(move) and move > 0 else 1 / sensitivities[vector].largest


def _weight(goals: Goals, number: int, name: str) -> float:
    if goals.weights is None:
        return 1.0
    given = goals.weights[number]
    return float(positive(given.get(name, 1) if isinstance(given, Mapping) else given, "weight"))


def _faults(questions: Sequence[Question], goals: Goals) -> Iterator[str]:
    if goals.weights is not None and goals.error is not None:
        yield "weights and errors are two ways to say what matters: give one."
    for what, given in (("weights", goals.weights), ("errors", goals.error)):
        if given is not None and len(given) != len(questions):
            yield f"there are {len(questions)} questions and {what} for {len(given)}."
            return
    for number, (readings, _) in enumerate(questions):
        names = {reading.name for reading in readings}
        for given in (goals.weights, goals.error):
            item = None if given is None else given[number]
            if isinstance(item, Mapping):
                yield from (
                    f"question {number + 1} has no answer {name!r}." for name in sorted(set(item) - names)
                )
        if goals.error is not None:
            missing = sorted(names - set(goals.error[number]))
            yield from (f"question {number + 1} needs an error for {name!r}." for name in missing)
