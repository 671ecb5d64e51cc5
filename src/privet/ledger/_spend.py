"""A spend inside one transaction: the balances it touches are read, it is refused or appended, the balances move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from privet.errors import LedgerMismatch
from privet.guarantee import Event, Promise, unit_from_json
from privet.ledger import _budget_lookup as budgets
from privet.ledger import _idempotent_booking as idempotent_booking
from privet.ledger._account_states import admit, to_text
from privet.ledger._approval_demand import APPROVAL, refuse_unplanned
from privet.ledger._booking_requests import Note
from privet.ledger._entry_journal import UNIT, EntryJournal
from privet.ledger._hash_chain import Entry
from privet.ledger._ledger_terms import bound, unit_words
from privet.ledger._privacy_filters import Price
from privet.ledger._store import WantedRows


@dataclass(frozen=True, slots=True)
class Spend:
    """All that is booked of one spend; checked and priced before the book is touched."""

    event: Event
    promise: Promise | None
    unit: dict[str, Any]
    accounting: str
    price: Price
    note: Note
    once: bool
    scopes: tuple[str, ...]  # the accounts it is charged to
    plan: str | None = None  # the approved plan that it is part of

    @property
    def wanted(self) -> WantedRows:
        """What booking it reads."""
        return WantedRows(
            scopes=(UNIT, APPROVAL, *self.scopes), question=self.note.question if self.once else None
        )

    def content(self) -> dict[str, Any]:
        """The entry's own part of the body; the amount that remains is added when it is known."""
        return {
            "event": self.event.to_json(),
            "promise": None if self.promise is None else self.promise.to_json(),
            "unit": self.unit,
            "accounting": self.accounting,
            "cost": to_text(self.price.cost),
            "composition": self.price.composition,
            "grid": self.price.grid,
            **self.note.to_json(),
            **({idempotent_booking.MARK: True} if self.once else {}),
        }


def book(journal: EntryJournal, spend: Spend) -> Entry:
    """Append the spend and move the balances, or refuse; what is booked once, is found again."""
    refuse_unplanned(journal, spend.plan)
    # Before anything is priced against a balance: amounts for different units cannot be added.
    bind(journal, spend.unit)
    accounts = budgets.touched(journal, spend.scopes)
    if spend.once and (earlier := idempotent_booking.booked(journal, spend.content())) is not None:
        # It is paid for, but a budget that has ended admits nothing, not even for nothing.
        admit(accounts, dict.fromkeys(spend.price.cost, 0), journal.today)
        idempotent_booking.note_again(journal, earlier)
        return earlier
    # In the writer's transaction: between the check and the entry nobody else can spend what was found.
    admit(accounts, spend.price.cost, journal.today)
    after = [account.after(spend.price.cost) for account in accounts]
    return journal.append(
        "spend",
        {**spend.content(), **of_plan(spend.plan), "remaining": to_text(after[0].remaining())},
        {account.scope: account.to_json() for account in after},
    )


def of_plan(plan: str | None) -> dict[str, str]:
    """What an entry says of the plan that it is part of."""
    return {} if plan is None else {"plan": plan}


def bind(journal: EntryJournal, stated: dict[str, Any]) -> None:
    """Bind the unit, unless it is bound; a unit bound meanwhile by another process must be the same."""
    wanted = bound(unit_from_json(stated))
    own = journal.state(UNIT)
    if own is None:
        journal.append("unit", {"unit": wanted}, {UNIT: wanted})
    else:
        require_unit(own, wanted)


def require_unit(own: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Refuse a booking for another unit than the ledger's."""
    if own != wanted:
        raise LedgerMismatch(
            f"this ledger protects {unit_words(own)}; the booking is for {unit_words(wanted)}.",
            "A ledger keeps one unit and one neighbouring relation for ever: use a ledger for each.",
        )
