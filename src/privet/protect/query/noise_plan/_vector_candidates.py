"""Which vectors could answer a question: the ways to ask for the same answers, before any noise is chosen.

Counts, sums and means can be read off vectors of their own or off distances to bounds, and unknown keys selected by
their number of persons, which then is one vector more, or by a number of rows that is asked for anyway.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from privet.engine import SUM_KINDS, CellMeasure, Contribution, Measure, Ranked
from privet.errors import BadUsage
from privet.protect.query.estimators import Reading, measures_and_readings
from privet.protect.query.noise_plan._mechanism_choice import Vector
from privet.sealed import Sensitivity
from privet.source import Query

# The vector of numbers of persons, by which unknown keys can be selected; answers are read off it too.
PERSONS = "persons"


@dataclass(frozen=True)
class Sketch:
    """A question with its vectors; `selecting` names the one that decides which unknown keys are shown."""

    query: Query
    contribution: Contribution
    measures: Mapping[str, Measure | CellMeasure]
    sensitivities: Mapping[str, Sensitivity]
    readings: tuple[Reading, ...]
    selecting: str | None = None

    def vectors(self) -> list[Vector]:
        """What noise must be chosen for, in the order of the measures."""
        return [
            Vector(
                self.sensitivities[name],
                selects=name == self.selecting,
                chooses=isinstance(measure, Ranked),
            )
            for name, measure in self.measures.items()
        ]

    def per_person(self) -> float:
        """What the selecting vector counts for a person halfway between one row in a group and all that may count."""
        measure = self.measures[self.selecting or PERSONS]
        if not isinstance(measure, Measure) or measure.kind == "persons":
            return 1.0
        return (1 + self.contribution.most_rows) / 2 * measure.span


def sketched(queries: Sequence[Query], selection: str | None) -> list[tuple[Sketch, ...]]:
    """Every way to answer all questions, the simplest first; the same way twice is left out.

    `selection` is how unknown keys are to be selected: by "rows", else by persons; without it, either.
    """
    # The simplest first: where ways err alike, the one that is easier to explain is taken.
    ways = [] if selection == "rows" else [(False, False), (True, False)]
    if selection in (None, "rows"):
        ways.append((True, True))
    found: list[tuple[Sketch, ...]] = []
    for distances, rows in ways:
        sketches = tuple(sketch(query, distances=distances, rows=rows) for query in queries)
        if selection == "rows" and any(one.selecting == PERSONS for one in sketches):
            raise BadUsage(
                "keys are to be selected by numbers of rows, and a question asks for none, or for persons as well, or "
                "its unit does not say how many rows of a person may count in one group.",
                "Ask for count(), or leave selection out.",
            )
        named = [list(one.measures) for one in sketches]
        if all(named != [list(one.measures) for one in other] for other in found):
            found.append(sketches)
    return found


def sketch(query: Query, *, distances: bool = False, rows: bool = False) -> Sketch:
    """One way to answer a question. With `rows`, unknown keys are selected by a number of rows where one is asked."""
    contribution = Contribution.for_unit(query.table.unit_or_refuse(), grouped=bool(query.keys))
    public = query.public_keys()
    hidden = bool(query.keys) and public is None
    known = None if hidden else 1 if public is None else public.num_rows
    measures, readings = measures_and_readings(query, distances=distances, selecting=rows and hidden)
    selecting = None
    if hidden:
        selecting = (_by_rows(measures, contribution) if rows else None) or PERSONS
        first = {selecting: measures.get(selecting, Measure("persons"))}
        measures = first | {name: measure for name, measure in measures.items() if name != selecting}
    sensitivities = {name: _sensitivity(contribution, measure, known) for name, measure in measures.items()}
    return Sketch(query, contribution, measures, sensitivities, readings, selecting)


def _by_rows(measures: Mapping[str, Measure | CellMeasure], contribution: Contribution) -> str | None:
    """The vector of numbers of rows that unknown keys can be selected by; none where persons are asked for anyway.

    What a person may add to each group must be stated: where only the rows altogether are, one group may hold all.
    """
    if PERSONS in measures or contribution.total_rows is not None:
        return None
    for kind in ("rows", "distances", "valid"):
        for name, measure in measures.items():
            if isinstance(measure, Measure) and measure.kind == kind:
                return name
    return None


def _sensitivity(
    contribution: Contribution, measure: Measure | CellMeasure, known: int | None
) -> Sensitivity:
    """What the engine will seal the vector with: the mechanism checks that the two agree."""
    if not isinstance(measure, Measure):
        return measure.sensitivity(contribution, known)
    if measure.kind == "persons":
        return contribution.persons_sensitivity(known)
    if measure.kind == "distances":
        return contribution.distances_sensitivity(known, measure.span)
    if measure.kind in SUM_KINDS:
        return contribution.sum_sensitivity(known, measure.reach)
    return contribution.rows_sensitivity(known)
