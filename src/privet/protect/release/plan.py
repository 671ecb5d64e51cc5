"""The plan of a release: everything that must agree, fixed before the data is touched.

A plan names the exact vectors the engine will compute, the noise each will get, how answers are read off the
noisy vectors, and the one event that says what all of it costs. `explain` prints it; `release` runs it. Several
questions are planned together: one budget split over all their vectors, one event for all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from privet.engine.binning import CellMeasure
from privet.engine.contribution import Contribution
from privet.engine.measures import SUM_KINDS, Measure
from privet.guarantee.events import Event, ThresholdedKeys, TruncatedKeys
from privet.guarantee.promises import Promise
from privet.protect.release.choosing import Vector, choose
from privet.protect.release.readers import measures_and_readings
from privet.protect.release.reading import Reading
from privet.protect.release.reading_bins import settled
from privet.protect.release.weighing import Goals, stakes
from privet.sealed import Sensitivity
from privet.source.query import Query

# The vector that decides which unknown keys are shown; noisy numbers of persons are read off it too.
KEYS = "persons"


@dataclass(frozen=True)
class Plan:
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
        return any(isinstance(event, ThresholdedKeys | TruncatedKeys) for event in self.noise.values())


def make_plan(
    query: Query,
    promise: Promise,
    *,
    accounting: str,
    confidence: float = 0.95,
    goals: Goals | None = None,
    selection: str | None = None,
) -> Plan:
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
) -> tuple[Plan, ...]:
    """Choose vectors and noise for questions under one promise for all of them; reads no private row.

    `accounting` is the ledger's (see `choosing.choose`), `goals` says what errors matter (see `weighing`), and
    `selection` how unknown keys are selected.
    """
    sketches = [_Sketch.of(query) for query in queries]
    vectors = [
        Vector(sensitivity, selects=sketch.hidden and name == KEYS)
        for sketch in sketches
        for name, sensitivity in sketch.sensitivities.items()
    ]
    at_stake = stakes(
        [(sketch.readings, sketch.sensitivities) for sketch in sketches], goals or Goals(), confidence
    )
    choice = choose(vectors, at_stake, promise, accounting=accounting, selection=selection)
    drawn = iter(choice.noise)
    plans = []
    for sketch in sketches:
        noise = {name: next(drawn) for name in sketch.measures}
        measures = settled(sketch.readings, sketch.measures, noise, confidence)
        plans.append(
            Plan(
                sketch.query,
                promise,
                sketch.contribution,
                measures,
                noise,
                sketch.readings,
                choice.event,
                confidence,
                choice.why,
            )
        )
    return tuple(plans)


@dataclass(frozen=True)
class _Sketch:
    """A question with its vectors, before noise is chosen."""

    query: Query
    contribution: Contribution
    measures: Mapping[str, Measure | CellMeasure]
    sensitivities: Mapping[str, Sensitivity]
    readings: tuple[Reading, ...]
    hidden: bool

    @classmethod
    def of(cls, query: Query) -> _Sketch:
        contribution = Contribution.for_unit(query.table.unit_or_refuse(), grouped=bool(query.keys))
        measures, readings = measures_and_readings(query)
        public = query.public_keys()
        hidden = bool(query.keys) and public is None
        known = None if hidden else 1 if public is None else public.num_rows
        if hidden:
            rest = {name: measure for name, measure in measures.items() if name != KEYS}
            measures = {KEYS: Measure("persons"), **rest}
        sensitivities = {
            name: _sensitivity(contribution, measure, known) for name, measure in measures.items()
        }
        return cls(query, contribution, measures, sensitivities, readings, hidden)


def _sensitivity(
    contribution: Contribution, measure: Measure | CellMeasure, known: int | None
) -> Sensitivity:
    """What the engine will seal the vector with: the mechanism checks that the two agree."""
    if not isinstance(measure, Measure):
        return measure.sensitivity(contribution, known)
    if measure.kind == "persons":
        return contribution.persons_sensitivity(known)
    if measure.kind in SUM_KINDS:
        return contribution.sum_sensitivity(known, measure.reach)
    return contribution.rows_sensitivity(known)
