"""What is asked of a ledger, checked and in one shape before the book is touched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypedDict

from privet.errors import BadBooking, EventNotPriced
from privet.guarantee import (
    EVENT_CLASSES,
    ApproxDP,
    Event,
    Promise,
    PureDP,
    RenyiDP,
    Unit,
    ZeroConcentratedDP,
    event_from_json,
    parts,
)
from privet.ledger import _entry_text as entry_text

# A book is read for ever, also by readers whose stack is small.
DEEPEST = 50
# The accounting of what is entered beside the budgets.
RECORDED = "recorded"
# A local promise was paid for by each person, on a device: no budget of whoever collects reports is spent on it.
_NEED_A_BUDGET = (PureDP, ApproxDP, ZeroConcentratedDP, RenyiDP)


class Notes(TypedDict, total=False):
    """What may be said of any booking, beside why it is made; see `Ledger.charge`."""

    unit: Unit | None
    promise: Promise | None
    purpose: str | None
    analyst: str | None
    data: str | None
    question: str | None


@dataclass(frozen=True, slots=True)
class Note:
    """The caller's texts of one booking, checked."""

    why: str
    purpose: str | None
    analyst: str | None
    data: str | None
    question: str | None

    @classmethod
    def of(
        cls,
        why: str,
        purpose: str | None = None,
        analyst: str | None = None,
        data: str | None = None,
        question: str | None = None,
    ) -> Note:
        """The note, with the question reduced to its digest."""
        return cls(
            entry_text.text(why, "why"),
            entry_text.optional(purpose, "purpose"),
            entry_text.optional(analyst, "analyst"),
            entry_text.optional(data, "data"),
            None if question is None else entry_text.digest(question),
        )

    def to_json(self) -> dict[str, Any]:
        """The note as part of an entry."""
        return {
            "why": self.why,
            "purpose": self.purpose,
            "analyst": self.analyst,
            "data": self.data,
            "question": self.question,
        }


def known_event(event: Event) -> Event:
    """The event as it will be read back from the book: of a known class, all parameters checked again."""
    if not isinstance(event, Event):
        raise BadBooking(
            f"a ledger books events, not {type(event).__name__}.", "Use privet.guarantee._events."
        )
    if any(level > DEEPEST for _, level in _nodes(event)):
        raise BadBooking(
            f"this event is nested more than {DEEPEST} levels deep.", "Compose its parts side by side."
        )
    # The very classes: a subclass could state a price of its own.
    if any(type(node) not in EVENT_CLASSES for node, _ in _nodes(event)):
        raise EventNotPriced(
            "this event is of a class that no accountant knows.", "Use the events of Privet."
        )
    return event_from_json(event.to_json())


def without_budget(promise: Promise) -> Promise:
    """A promise that may be recorded without a spend: no part of it is differential privacy that is drawn here."""
    if not isinstance(promise, Promise):
        raise BadBooking("only a promise can be recorded.", "Write KAnonymity(5), for example.")
    if any(isinstance(part, _NEED_A_BUDGET) for part in parts(promise)):
        raise BadBooking(
            "differential privacy is charged to a budget, not recorded beside it.",
            "Use ledger.charge(event, why=…).",
        )
    return promise


def _nodes(event: Event) -> Iterator[tuple[Event, int]]:
    """Every node of the tree with its level, the root's being 1."""
    todo = [(event, 1)]
    while todo:
        node, level = todo.pop()
        yield node, level
        todo.extend((part, level + 1) for part in getattr(node, "events", ()))
        inner = getattr(node, "event", None)
        if isinstance(inner, Event):
            todo.append((inner, level + 1))
