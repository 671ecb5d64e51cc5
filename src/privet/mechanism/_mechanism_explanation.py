"""What a mechanism will do to an answer, from formulas alone: nothing is read, drawn or spent."""

from __future__ import annotations

from dataclasses import dataclass, replace

from privet.errors import UnsupportedEvent
from privet.guarantee import Event, Repeated
from privet.guarantee.mechanisms import CONFIDENCE, CandidateSelection, Mechanism


@dataclass(frozen=True, slots=True)
class MechanismExplanation:
    """The error to expect of one event, for each entry and in the answer's own steps.

    The three numbers are None for mechanisms that add no noise to a number (selection, randomised response);
    the sentence then says what to expect instead.
    """

    mechanism: str
    standard_deviation: float | None
    mean_absolute: float | None
    half_width: float | None  # at 95 %
    sentence: str


def explain(event: Event) -> MechanismExplanation:
    """What to expect of the event's mechanism."""
    if isinstance(event, Repeated) and isinstance(event.event, CandidateSelection):
        one = explain(event.event)
        return replace(one, sentence=f"In each group: {one.sentence}")
    if not isinstance(event, Mechanism) or not event.title:
        raise UnsupportedEvent(
            f"a {event.kind} event is not drawn by one mechanism.", "Explain each of its parts on its own."
        )
    try:
        spread = event.spread()
    except UnsupportedEvent:
        return MechanismExplanation(event.title, None, None, None, event.expectation())
    return MechanismExplanation(
        event.title,
        spread.standard_deviation,
        spread.mean_absolute,
        spread.half_width(CONFIDENCE),
        event.expectation(),
    )
