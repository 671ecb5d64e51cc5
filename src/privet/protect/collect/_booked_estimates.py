"""Estimates in a ledger: what people paid on their devices is recorded, and what a shuffler leaves of it is booked.

A report was paid for by its person before it was sent, so an estimate from reports costs no budget; that it was made, under
which promise and from which reports, is entered. Where the specification declares a shuffler, whoever publishes may instead
promise what holds for all who see the shuffled reports alone: an epsilon that is smaller, with a delta, charged to the budget.
Nothing is drawn for it. The same reports under the same specification are entered once, whatever is then read off them.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from privet.artifact import Receipt
from privet.errors import BadUnit, BadUsage, ForeignReports
from privet.evidence import canonical
from privet.guarantee import ApproxDP, Change, Number, Promise, PureDP, Row, ShuffledReports, Unit, readable
from privet.ledger import Ledger, Permit
from privet.protect._exactly_once import Booking, released
from privet.source import Table

if TYPE_CHECKING:
    from privet.protect.collect._collected import Collected
    from privet.protect.collect._collection import Collection

# What one report says is hidden; that there is one is not.
REPORT = Row(Change.REPLACE)
FREE = "Recorded at no cost to any budget: each report was paid for on its device, and the promise holds against everybody."


@dataclass(frozen=True)
class ReportBooking:
    """Where an estimate is entered, why and for whom; with a delta, as what the declared shuffler makes of the reports."""

    ledger: Ledger
    why: str
    purpose: str | None = None
    analyst: str | None = None
    delta: Number | None = None


@dataclass(frozen=True)
class Entered:
    """What is promised of an estimate, the receipt of its entry, and what to say of it."""

    promise: Promise
    receipt: Receipt
    note: str


def shuffled_promise(event: ShuffledReports) -> Promise:
    """What an event of shuffled reports promises: the amounts that the ledger books for it."""
    cost = event.basic_cost()
    return ApproxDP(cost.epsilon, cost.delta) if cost.delta else PureDP(cost.epsilon)


def report_question(collection: Collection, data: str, delta: Number | None) -> str:
    """The text that an estimate is entered under: specification, reports, and the delta of what is promised."""
    event = None if delta is None else collection.shuffled_event(delta).to_json()
    said = {"estimate": collection.fingerprint, "reports": data, "shuffled": event}
    return canonical(said).decode()


def refuse_unbookable(collection: Collection, booking: ReportBooking | None, reports: Any) -> None:
    """Refuse what can be refused before a report is read."""
    if booking is None or booking.delta is None:
        return
    collection.shuffled_event(booking.delta)
    refuse_other_unit(_unit(reports, booking.ledger))


def entered(found: Collected, collection: Collection, reports: Any, booking: ReportBooking) -> Entered:
    """Enter the estimate, or find the entry of the same reports; refuses reports that no promise holds for."""
    if found.seeded:
        raise BadUsage(
            "some of these reports were drawn from a stated seed: no promise holds for them, so nothing is entered.",
            "Estimate them without a ledger; the answer says that it is not private.",
        )
    data = reports.fingerprint if isinstance(reports, Table) else tally_digest(found)
    question = report_question(collection, data, booking.delta)
    about = {"unit": _unit(reports, booking.ledger), "data": data}
    if booking.delta is None:
        return Entered(collection.promise, _recorded(collection.promise, booking, question, about), FREE)
    if found.reports < collection.shuffler:
        raise ForeignReports(
            f"the specification's shuffler mixes at least {collection.shuffler:,} reports, and fewer fit here.",
            "Nothing was booked. Wait for more, or estimate without delta: the local promise holds for any number.",
        )
    event = collection.shuffled_event(booking.delta)
    promise = shuffled_promise(event)
    receipt = _charged(booking, question, {"event": event, "promise": promise, **about})
    note = (
        f"Booked as {collection.shuffler:,} shuffled reports at delta {readable(event.delta)}: epsilon "
        f"{readable(event.basic_cost().epsilon)} for one report, against all who see the shuffled reports alone. It rests on the "
        f"declared shuffler; without it each report has epsilon {readable(collection.epsilon)}."
    )
    return Entered(promise, receipt, note)


def _recorded(promise: Promise, booking: ReportBooking, question: str, about: dict[str, Any]) -> Receipt:
    ledger = booking.ledger
    stored = ledger.recall(question)
    if stored is None:
        note: dict[str, Any] = {"purpose": booking.purpose, "analyst": booking.analyst, "question": question}
        receipt = ledger.record(promise, why=booking.why, **note, **about)
        stored = ledger.remember(receipt, question, b"{}")
    return stored[0]


def _charged(booking: ReportBooking, question: str, spend: dict[str, Any]) -> Receipt:
    """The receipt of the one spend for these reports. What is stored is the receipt: nothing was drawn that could differ."""

    def kept(permit: Permit) -> bytes:
        return json.dumps(permit.receipt.to_json()).encode()

    once = Booking(booking.ledger, booking.why, booking.purpose, booking.analyst)
    return Receipt.from_json(json.loads(released(once, question, spend=spend, prepared=lambda: kept)))


def _unit(reports: Any, ledger: Ledger) -> Unit:
    """Whose data is hidden, as the table or else the ledger says; one report where nobody has said."""
    stated = reports.unit if isinstance(reports, Table) else None
    return stated or ledger.unit or REPORT


def refuse_other_unit(unit: Unit) -> None:
    """Amplification is proved for what one report says."""
    if unit != REPORT:
        raise BadUnit(
            "a shuffler hides what one report says, and this ledger protects something else.",
            "Declare unit: {column: row, change: replace}, or open the ledger with unit=Row(Change.REPLACE).",
        )


def tally_digest(found: Collected) -> str:
    """The identity of reports wherever they lie: a digest of their tallies, which are all that is used of them."""
    digest = hashlib.sha256(f"{found.reports} {sorted(found.counts.items())}".encode())
    for name, cells in sorted(found.cells.items()):
        digest.update(name.encode())
        for part in (cells,) if hasattr(cells, "tobytes") else (cells.places, cells.counts):
            digest.update(str(part.shape).encode() + part.tobytes())
    return f"reports:{digest.hexdigest()[:32]}"
