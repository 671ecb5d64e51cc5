"""One booking, one answer: the one place that draws under entries booked once.

Whatever a protection releases by a question goes through `released`: recalled if it is stored, else prepared, booked,
drawn and stored; and what is stored is what leaves, never what was drawn. So ten who ask at once share one booking and
see one answer, and one who was killed after the booking is answered at no further cost. Why that keeps the promise, and
under which condition, is proved in `privet.ledger._idempotent_booking`.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from privet.artifact import Receipt
from privet.errors import AlreadyReleased, LedgerTampered, PrivetError, ReleaseFailed
from privet.ledger import Ledger, Permit

# Draws with a permit, and gives all of what may leave as bytes.
Draw = Callable[[Permit], bytes]


class Unfinished(Exception):
    """Work on public things stopped: a model's address that is down, say. What it was is the cause.

    No private value bears on it, so what was drawn and stored stays good, and the same booking pays for going on.
    """


# Stored in place of an answer that was drawn and could not be finished; with fact and hint where noise alone decided it.
FAILED = b'{"artifact": "failed release", "schema": 1'


@dataclass(frozen=True)
class Booking:
    """What the ledger is told about a release."""

    ledger: Ledger
    why: str
    purpose: str | None = None
    analyst: str | None = None
    again: bool = False


def released(
    booking: Booking, question: str, *, spend: Mapping[str, Any], prepared: Callable[[], Draw]
) -> bytes:
    """The release of a question, as it is stored.

    Args:
        booking: where, why and for whom it is booked. With `again`, it is booked and drawn anew in any case.
        question: all that the answer depends on, the version of the data included, as one text.
        spend: the event, unit, promise and data of the spend, as `Ledger.charge` takes them.
        prepared: refuses all that can be refused, before anything is booked, and gives what draws. It may be called
            although another process is about to answer; what it draws is then thrown away.
    """
    ledger = booking.ledger
    if not booking.again and (stored := ledger.recall(question)) is not None:
        return _opened(stored)
    draw = prepared()
    note: dict[str, Any] = {
        "why": booking.why,
        "purpose": booking.purpose,
        "analyst": booking.analyst,
        "question": question,
    }
    if booking.again:
        # An entry of its own, under which nobody draws again: its answer may leave whatever is stored.
        permit = ledger.charge(**spend, **note)
        release = draw(permit)
        ledger.remember(permit.receipt, question, release)
        return release
    try:
        permit = ledger.charge(**spend, **note, once=True)
    except AlreadyReleased:
        return _opened(ledger.recall(question))
    return _opened(ledger.remember(permit.receipt, question, _drawn(draw, permit, ledger)))


def _drawn(draw: Draw, permit: Permit, ledger: Ledger) -> bytes:
    """What was drawn; or, stored in its place, that nothing could be made of it.

    Whether noisy numbers can be finished may depend on them. Were they then drawn anew, the answer that is seen would be
    one that was chosen by its value; so a failure is an outcome like any other, and is everybody's. What a `ReleaseFailed`
    says was read off noisy numbers alone, and is told; of anything else the owner's log has the code.
    """
    try:
        return draw(permit)
    except Unfinished as stopped:
        raise stopped.__cause__ or stopped from None
    except Exception as problem:  # noqa: BLE001  whatever it was, there is no second draw
        code = problem.code if isinstance(problem, PrivetError) else type(problem).__name__
        with contextlib.suppress(PrivetError):  # the asker is told no more if the owner's log is out of reach
            ledger.incident(permit.receipt, code, "finishing an answer that was drawn")
        if isinstance(problem, ReleaseFailed):
            told = json.dumps({"fact": problem.fact, "hint": problem.hint})
            return FAILED + b", " + told[1:].encode()
        return FAILED + b"}"


def _opened(stored: tuple[Receipt, bytes] | None) -> bytes:
    if stored is None:
        raise LedgerTampered("the stored release of this question is gone.", "Run `privet ledger verify`.")
    if stored[1].startswith(FAILED):
        told = json.loads(stored[1])
        if "fact" in told:
            raise ReleaseFailed(told["fact"], told["hint"])
        raise ReleaseFailed(
            "this answer was booked and drawn, and could not be finished.",
            "It is not drawn again under the same booking. Ask with again=True (--again) for a fresh one, at its price.",
        )
    return stored[1]
