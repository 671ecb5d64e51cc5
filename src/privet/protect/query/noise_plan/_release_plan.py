"""The plan of a release: everything that must agree, fixed before the data is touched.

A plan names the exact vectors the engine will compute, the noise each will get, how answers are read off the
noisy vectors, and the one event that says what all of it costs. `explain` prints it; `release` runs it. Several
questions are planned together: one budget split over all their vectors, one event for all of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from privet.engine import CellMeasure, Contribution, Measure
from privet.guarantee import Event, Promise
from privet.guarantee.mechanisms import PartitionSelection
from privet.protect.query.estimators import Reading, settled
from privet.protect.query.noise_plan._budget_split import Stake
from privet.protect.query.noise_plan._error_weights import Goals, stakes
from privet.protect.query.noise_plan._mechanism_choice import MechanismChoice, choose
from privet.protect.query.noise_plan._vector_candidates import Sketch, sketched
from privet.source import Query

_LEAST_GAIN = 1e-3
# A promise so weak that no noise is left has an error of nothing, which has no logarithm.
_NO_ERROR = 1e-300


@dataclass(frozen=True)
class ReleasePlan:
    """A release in full, with no data in it. Questions planned together have one `event` in common."""

    query: Query
    promise: Promise
    contribution: Contribution
    measures: Mapping[str, Measure | CellMeasure]
    noise: Mapping[str, Event]  # by vector, in the order they are drawn
    readings: tuple[Reading, ...]
    event: Event  # what the ledger books: covers all of `noise`
    confidence: float
    why: str = ""  # this noise and no other

    @property
    def unknown_keys(self) -> bool:
        """Whether the keys themselves are private and must be selected."""
        return any(isinstance(event, PartitionSelection) for event in self.noise.values())


def make_plan(
    query: Query,
    promise: Promise,
    *,
    accounting: str,
    confidence: float = 0.95,
    goals: Goals | None = None,
    selection: str | None = None,
) -> ReleasePlan:
    """The plan of a single question; see `make_plans`."""
    (plan,) = make_plans(
        (query,), promise, accounting=accounting, confidence=confidence, goals=goals, selection=selection
    )
    return plan


def make_plans(
    queries: Sequence[Query],
    promise: Promise,
    *,
    accounting: str,
    confidence: float = 0.95,
    goals: Goals | None = None,
    selection: str | None = None,
) -> tuple[ReleasePlan, ...]:
    """Choose vectors and noise for questions under one promise for all of them; reads no private row.

    `accounting` is the ledger's (see `choose`), `goals` says what errors matter, and `selection` how unknown keys are
    selected.
    """
    wishes = goals or Goals()
    ways = []
    for sketches in sketched(queries, selection):
        vectors = [vector for sketch in sketches for vector in sketch.vectors()]
        at_stake = stakes([(one.readings, one.sensitivities) for one in sketches], wishes, confidence)
        choice = choose(vectors, at_stake, promise, accounting=accounting, selection=selection)
        ways.append(_Way(sketches, tuple(at_stake), choice))
    return _best(ways, wishes).plans(promise, confidence)


@dataclass(frozen=True)
class _Way:
    """One way to answer the questions: their vectors, and the noise that is best for these."""

    sketches: tuple[Sketch, ...]
    stakes: tuple[Stake, ...]
    choice: MechanismChoice

    def plans(self, promise: Promise, confidence: float) -> tuple[ReleasePlan, ...]:
        drawn = iter(self.choice.noise)
        plans = []
        for sketch in self.sketches:
            noise = {name: next(drawn) for name in sketch.measures}
            measures = settled(sketch.readings, sketch.measures, noise, confidence)
            plans.append(
                ReleasePlan(
                    sketch.query,
                    promise,
                    sketch.contribution,
                    measures,
                    noise,
                    sketch.readings,
                    self.choice.event,
                    confidence,
                    self.choice.why,
                )
            )
        return tuple(plans)

    def shown_from(self) -> list[float | None]:
        """For each question with unknown keys, the persons from which a group is shown; None if it has none.

        Where keys are selected by rows, persons are taken to bring halfway between one and all that may count.
        """
        drawn = iter(self.choice.noise)
        found: list[float | None] = []
        for sketch in self.sketches:
            noise = {name: next(drawn) for name in sketch.measures}
            event = noise.get(sketch.selecting or "")
            if isinstance(event, PartitionSelection):
                found.append(event.shown_above / sketch.per_person())
            else:
                found.append(None)
        return found

    def error(self, goals: Goals) -> float:
        """Least is best: the largest error relative to its target, or the weighted mean of the errors' logarithms."""
        both = list(zip(self.choice.errors, self.stakes, strict=True))
        if goals.error is not None:
            return max(math.log(max(error, _NO_ERROR) / (stake.target or 1.0)) for error, stake in both)
        weights = sum(stake.weight for _, stake in both)
        return sum(stake.weight * math.log(max(error, _NO_ERROR)) for error, stake in both) / weights


def _best(ways: Sequence[_Way], goals: Goals) -> _Way:
    """The way that errs least among those that show no group later than the first does; the first is the simplest."""
    first = ways[0].shown_from()
    fair = [
        way
        for way in ways
        if all(
            here is None or there is None or here <= there
            for here, there in zip(way.shown_from(), first, strict=True)
        )
    ]
    # Only what is better by more than rounding is worth another vector.
    return min(fair, key=lambda way: way.error(goals) - (_LEAST_GAIN if way is ways[0] else 0.0))
