"""One-shot leave to draw noise for one event.

A permit exists only after its entry is durable in a ledger, so holding one proves that the loss is booked.
It is good for one draw, in the process that charged for it: a copy, a pickle or a forked child would turn
one booking into two releases, so all three are refused. A permit that is never used stays paid for.
A permit that was issued again for an interrupted run (`Ledger.resume`) is good only for a mechanism that repeats
its draw from the seed that the booking committed to.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import NoReturn

from privet.artifact import Receipt
from privet.errors import PermitMismatch, PermitSpent
from privet.guarantee import Composed, Event, Repeated, SealedPlan, Selected


class Permit:
    """Leave to draw once what `event` describes. Only a ledger makes one."""

    __slots__ = ("_event", "_lock", "_process", "_question", "_receipt", "_resumed", "_used")

    _event: Event
    _receipt: Receipt
    _question: str | None
    _resumed: bool
    _used: bool
    _process: int
    _lock: threading.Lock

    def __init__(self, *_: object, **__: object) -> None:
        raise PermitMismatch(
            "a permit cannot be made by hand: it is the proof that a loss was booked.",
            "Get one from ledger.charge(event, why=…).",
        )

    @property
    def event(self) -> Event:
        """What may be drawn."""
        return self._event

    @property
    def receipt(self) -> Receipt:
        """The ledger entry that paid for it; goes with the release."""
        return self._receipt

    @property
    def question(self) -> str | None:
        """The digest of the question that was booked, where there was one."""
        return self._question

    def use(self, *, replaying: bool = False) -> Event:
        """Use the permit up and say what may be drawn; a second call is refused, whatever became of the first.

        `replaying` is for mechanisms that draw from a seed which the booking commits to, and check that it does:
        only they may use a permit that was issued again.
        """
        if self._resumed and not replaying:
            raise PermitMismatch(
                "this permit goes on with an interrupted run, and a fresh draw would be a second release.",
                "Charge the ledger for the new draw.",
            )
        # A fork copies the flag below too, so parent and child would each draw once for one booking.
        if os.getpid() != self._process:
            raise PermitSpent(
                "this permit belongs to another process.", "Charge the ledger in the process that draws."
            )
        # Two threads that look before either marks it would both draw.
        with self._lock:
            if self._used:
                raise PermitSpent(
                    "this permit was used before: it is good for one draw.",
                    "Charge the ledger again, or charge for all draws at once and use permit.parts().",
                )
            self._used = True
        return self._event

    def parts(self) -> tuple[Permit, ...]:
        """One permit for each part of a composed, repeated or sealed event, with the same receipt; uses this one up."""
        # What cannot be taken apart is refused first: the permit is still good then.
        events = _parts(self._event)
        self.use()
        return tuple(issue(event, self._receipt, self._question) for event in events)

    def trials(self, picks: Sequence[int], questions: Sequence[str]) -> tuple[Permit, ...]:
        """One permit for each trial of a selection, for the candidate it picked; uses this one up.

        For `privet.mechanism._private_trials` alone, which draws how many trials there are and what each of them picks: a
        number chosen otherwise would not be what was booked. `questions` are what the trials commit to.
        """
        selection = selection_of(self._event)
        self.use()
        return tuple(
            issue(selection.events[pick], self._receipt, question)
            for pick, question in zip(picks, questions, strict=True)
        )

    def __repr__(self) -> str:
        state = "used" if self._used else "unused"
        return f"<permit for {self._event.kind}, entry {self._receipt.entry}, {state}>"

    def __reduce_ex__(self, *_: object) -> NoReturn:
        raise PermitSpent(
            "a permit cannot be copied or pickled: one booking pays for one release.",
            "Charge the ledger once for each draw.",
        )

    __copy__ = __deepcopy__ = __reduce__ = __reduce_ex__


def issue(event: Event, receipt: Receipt, question: str | None = None, *, resumed: bool = False) -> Permit:
    """A fresh permit for a booked event. For the ledger alone: nothing here checks that the entry exists."""
    # Not by calling the class: whoever holds `Permit` must not be able to make one.
    permit = object.__new__(Permit)
    permit._event = event
    permit._receipt = receipt
    permit._question = question
    permit._resumed = resumed
    permit._used = False
    permit._process = os.getpid()
    permit._lock = threading.Lock()
    return permit


def selection_of(event: Event) -> Selected:
    """The selection that an event is, sealed or not."""
    inner = event.event if isinstance(event, SealedPlan) else event
    if not isinstance(inner, Selected):
        raise PermitMismatch(
            f"a {event.kind} event is not a selection.", "Charge Selected(candidates, mean)."
        )
    return inner


def _parts(event: Event) -> tuple[Event, ...]:
    if isinstance(event, SealedPlan):
        inner = event.event
        return _parts(inner) if isinstance(inner, Composed | Repeated) else (inner,)
    if isinstance(event, Composed):
        return event.events
    if isinstance(event, Repeated):
        return (event.event,) * event.count
    raise PermitMismatch(
        f"a {event.kind} event has no parts.", "Use the permit itself, or charge a composition."
    )
