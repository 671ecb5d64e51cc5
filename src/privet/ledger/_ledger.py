"""The ledger: budgets, spends and receipts, booked before anything is drawn.

A spend is one transaction: read the balances it touches, refuse or append a chained entry, move the balances.
The permit is made after that transaction is on stable storage. So a crash may cost budget, but no noise is
ever drawn without its entry; and since failures can depend on the data, nothing is ever refunded.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack

from privet.artifact import FORGETS, IN_MEMORY, Framed, Pictured, Receipt
from privet.errors import BadBooking, BadUnit, BudgetError, checked, checked_names
from privet.guarantee import (
    Change,
    Composed,
    Event,
    Number,
    Promise,
    SealedPlan,
    Unit,
    unit_from_json,
    unit_to_json,
)
from privet.ledger import (
    _budget_lookup as budgets,
)
from privet.ledger import (
    _entries_table as entries_table,
)
from privet.ledger import (
    _entry_text as words,
)
from privet.ledger import _idempotent_booking as exactly_once
from privet.ledger import (
    _incidents as incidents,
)
from privet.ledger import (
    _resumption as resuming,
)
from privet.ledger import (
    _stored_answers as memory,
)
from privet.ledger._account_statements import Balance, Quote, Verification, receipt_of
from privet.ledger._account_states import DATA_SET, amounts, scope_of, to_text
from privet.ledger._booking_requests import RECORDED, Note, Notes, known_event, without_budget
from privet.ledger._entry_journal import UNIT, EntryJournal
from privet.ledger._hash_chain import GENESIS, Entry, read
from privet.ledger._in_memory_store import InMemoryStore, identity
from privet.ledger._incidents import Incident
from privet.ledger._ledger_terms import LedgerTerms, bound, last_day
from privet.ledger._ledger_verification import verify
from privet.ledger._open_book import OpenBook
from privet.ledger._permit import Permit, issue
from privet.ledger._spend import Spend, bind, book, require_unit
from privet.ledger._store import Store, WantedRows
from privet.ledger._store_places import open_store

if TYPE_CHECKING:
    import pyarrow as pa


class Ledger(Pictured, Framed):
    """An append-only, hash-chained book of one data set's privacy budget.

    Args:
        where: a file (SQLite), or postgresql://…/database#name (PostgreSQL). For trying out see `in_memory`.
        limit: the data set's budget. Needed to open a new ledger; an existing one keeps its own, and any term
            given that differs from it is refused.
        unit: whose presence is hidden. May be left out; the first booking then binds it for ever.
        accounting: "pure", "basic" or "zcdp" (see `filters`); each kind of limit has its default.
        expires: the last day of the budget, in UTC.
        patience: how many seconds to wait for another writer.
        lazily: make a new ledger only with its first booking, so that what is refused before leaves none behind.

    Guarantee:
        Everything drawn with this ledger's permits together keeps `limit` for `unit`, whatever is asked in
        whatever order and by however many processes, whichever of them crash.

    Assumes:
        Every release from the data set goes through this ledger, and its storage keeps what it acknowledged.
    """

    _drawn_as = "ledger"

    @checked
    def __init__(
        self,
        where: str | Path | Store,
        *,
        limit: Promise | None = None,
        unit: Unit | None = None,
        accounting: str | None = None,
        expires: datetime.date | None = None,
        patience: float = 60.0,
        lazily: bool = False,
    ) -> None:
        self._book = OpenBook(
            open_store(os.fspath(where), timeout=patience) if isinstance(where, str | os.PathLike) else where
        )
        if not self._book.load():
            self._book.draft(limit, unit, accounting, expires)
            if not lazily:
                self._book.found()
        self._terms.require(limit, accounting, expires)
        if unit is not None:
            self._bind_now(unit)

    @checked
    def when_made(self, then: Callable[[], None]) -> None:
        """Call this once the ledger has its place: now, or with the first booking of one that is opened lazily."""
        self._book.when_made(then)

    @classmethod
    @checked_names
    def in_memory(
        cls,
        *,
        limit: Promise,
        unit: Unit | None = None,
        accounting: str | None = None,
        expires: datetime.date | None = None,
    ) -> Self:
        """A ledger for trying out, which forgets everything when the process ends; its receipts and releases say so."""
        return cls(InMemoryStore(), limit=limit, unit=unit, accounting=accounting, expires=expires)

    # --- terms ---------------------------------------------------------------------------------

    @property
    def id(self) -> str:
        """The ledger's public identity: the hash of its first entry."""
        return identity(self._book.store, self._book.id)

    @property
    def place(self) -> str:
        """Where it is kept, or will be with the first booking, without any password."""
        return self._book.store.place

    @property
    def note(self) -> str:
        """What whoever relies on it must know; empty where it is kept."""
        return FORGETS if self.id.startswith(IN_MEMORY) else ""

    @property
    def limit(self) -> Promise:
        """What all releases together promise."""
        return self._terms.limit

    @property
    def accounting(self) -> str:
        """The filter's name."""
        return self._terms.accounting

    @property
    def expires(self) -> datetime.date | None:
        """The last day of the data set's budget."""
        return self._terms.expires

    @property
    def unit(self) -> Unit | None:
        """Whose presence is hidden, or None while nothing was booked and none was stated."""
        stated = self._book.unit
        return None if stated is None else unit_from_json(stated)

    # --- spending ------------------------------------------------------------------------------

    @checked_names
    def charge(
        self,
        event: Event,
        *,
        why: str,
        unit: Unit | None = None,
        promise: Promise | None = None,
        purpose: str | None = None,
        analyst: str | None = None,
        data: str | None = None,
        question: str | None = None,
        once: bool = False,
    ) -> Permit:
        """Book an event, durably, and give leave to draw it once; or refuse and book nothing.

        Args:
            event: what will be drawn; its cost is computed here.
            why: the reason, for auditors.
            unit: whose presence is hidden; needed for the first booking of a ledger opened without one.
            promise: the promise of the release, where it has one of its own.
            purpose: a purpose with a budget of its own (`open_budget`), charged as well.
            analyst: an analyst with a budget of their own, charged as well.
            data: a fingerprint of the data set. Never data.
            question: the canonical text of the question; only its digest is kept.
            once: for `privet.protect._exactly_once` alone. Where this very question is booked once and its release is
                not stored yet, nothing is booked, and the permit is for the entry that is there.
        """
        note = Note.of(why, purpose, analyst, data, question)
        if promise is not None and not isinstance(promise, Promise):
            raise BadBooking("promise must be a promise.", "Leave it out, or give PureDP(0.5), for example.")
        if not isinstance(once, bool):
            raise BadBooking("once is True or False.", "Leave it out.")
        if once and note.question is None:
            raise BadBooking("what is booked once needs a question.", "Give the question's text.")
        exact = known_event(event)
        stated = self._stated(unit)
        price = self._terms.filter.price(exact, Change(stated["change"]))
        spend = Spend(exact, promise, stated, self.accounting, price, note, once)
        entry = self._book.write(lambda journal: book(journal, spend), spend.wanted)
        return issue(exact, receipt_of(entry, self.id), note.question)

    @checked_names
    def paid(self, question: str) -> Receipt | None:
        """The receipt of the first spend that was booked for this very question, if there is one."""
        wanted = WantedRows(question=words.digest(question))
        return self._book.read(lambda journal: resuming.paid(journal, self.id, question), wanted)

    @checked_names
    def settled(self, question: str) -> bool:
        """Whether asking this question costs nothing more: its release is stored, or booked once and still to be drawn."""
        key = words.digest(question)
        return self._book.read(lambda journal: exactly_once.settled(journal, key), WantedRows(question=key))

    @checked
    def resume(self, receipt: Receipt, question: str) -> Permit:
        """The permit of an interrupted run once more, at no cost: for its very entry and its very question.

        The question must commit to the run's seed, and the permit is good only for drawing from that seed.
        """
        return self._book.read(lambda journal: resuming.resume(journal, self.id, receipt, question))

    @checked
    def seal(self, events: Iterable[Event], *, delta: Number, why: str, **note: Unpack[Notes]) -> Permit:
        """Book a plan whole, before its first answer: priced as one by its certificate at `delta`.

        Take the permit's `parts()` for one permit per event. Takes the same notes as `charge`.
        """
        return self.charge(SealedPlan(Composed(events), delta), why=why, **note)

    @checked_names
    def record(
        self,
        promise: Promise,
        *,
        why: str,
        unit: Unit | None = None,
        purpose: str | None = None,
        analyst: str | None = None,
        data: str | None = None,
        question: str | None = None,
    ) -> Receipt:
        """Enter a syntactic or PAC promise: chained and receipted, at no cost to any budget."""
        note = Note.of(why, purpose, analyst, data, question)
        kept = without_budget(promise)
        stated = self._stated(unit)

        def enter(journal: EntryJournal) -> Entry:
            bind(journal, stated)
            account = budgets.account(journal, DATA_SET)
            return journal.append(
                "promise",
                {
                    "event": None,
                    "promise": kept.to_json(),
                    "unit": stated,
                    "accounting": RECORDED,
                    "composition": RECORDED,
                    "cost": {},
                    "grid": None,
                    "remaining": to_text(account.remaining()),
                    **note.to_json(),
                },
                {},
            )

        return receipt_of(self._book.write(enter), self.id)

    @checked_names
    def quote(self, event: Event, *, purpose: str | None = None, analyst: str | None = None) -> Quote:
        """What an event would cost and leave, and whether it would be admitted now. Books nothing."""
        note = Note.of("a quote", purpose, analyst)
        exact = known_event(event)
        unit = self.unit
        change = Change.ADD_OR_REMOVE if unit is None else unit.change
        cost: dict[str, int] = {}
        reason = ""
        try:
            cost = self._terms.filter.price(exact, change).cost
        except BudgetError as refusal:
            reason = refusal.fact
        data_set, refused = self._book.read(lambda journal: budgets.tried(journal, note, cost))
        reason = reason or refused
        before = amounts(data_set.remaining())
        after = before if reason else amounts(data_set.after(cost).remaining())
        return Quote(not reason, reason, amounts(cost), before, after)

    # --- budgets -------------------------------------------------------------------------------

    @checked_names
    def open_budget(
        self,
        limit: Promise,
        *,
        purpose: str | None = None,
        analyst: str | None = None,
        expires: datetime.date | None = None,
    ) -> None:
        """Cap one purpose or one analyst below the data set's cap. Opening the same budget again changes nothing."""
        if (purpose is None) == (analyst is None):
            raise BadBooking("a budget is for one purpose or for one analyst.", 'Write purpose="research".')
        named = {
            "purpose": words.optional(purpose, "purpose"),
            "analyst": words.optional(analyst, "analyst"),
        }
        caps = self._terms.filter.caps(limit)
        ends = last_day(expires)
        self._book.write(lambda journal: budgets.open_below(journal, limit, caps, named=named, expires=ends))

    @checked_names
    def balance(self, purpose: str | None = None, analyst: str | None = None) -> Balance:
        """The data set's balance, or that of one purpose or one analyst."""
        if purpose is not None and analyst is not None:
            raise BadBooking("a balance is that of one purpose or one analyst.", "Ask twice.")
        scope = scope_of(
            purpose=words.optional(purpose, "purpose"), analyst=words.optional(analyst, "analyst")
        )
        return self._book.read(
            lambda journal: Balance.of(budgets.account(journal, scope), self.accounting, journal.today),
            WantedRows(scopes=(scope,)),
        )

    def balances(self) -> list[Balance]:
        """All balances, the data set's first."""

        def each(journal: EntryJournal) -> list[Balance]:
            scopes = sorted(
                set(journal.transaction.states()) - {UNIT}, key=lambda scope: (scope != DATA_SET, scope)
            )
            return [
                Balance.of(budgets.account(journal, scope), self.accounting, journal.today)
                for scope in scopes
            ]

        return self._book.read(each)

    # --- the book itself -----------------------------------------------------------------------

    def history(self) -> Iterator[Entry]:
        """Every entry in order, each checked against the one before."""
        after, previous = 0, GENESIS
        while True:
            with self._book.looking() as transaction:
                page = transaction.page(after)
            if after == 0 and page and page[0].hash != self._book.id:
                raise self._book.replaced()
            if not page:
                return
            for row in page:
                yield read(row, previous)
                after, previous = row.number, row.hash

    def to_arrow(self) -> pa.Table:
        """The history as a table: one row for each entry, amounts as numbers."""
        return entries_table.as_arrow(self.history())

    @checked
    def verify(self, receipts: Iterable[Receipt] = ()) -> Verification:
        """Read the whole book again and hold it against itself and against receipts; raises `LedgerTampered`."""
        with self._book.looking() as transaction:
            found = verify(transaction, receipts)
        if found.ledger != self._book.id:
            raise self._book.replaced()
        return replace(found, ledger=self.id)

    def export(self) -> dict[str, Any]:
        """The whole book as one JSON document, once it verified."""
        verification = self.verify()
        return {
            "schema": 1,
            "ledger": self.id,
            "terms": self._terms.to_json(),
            "unit": self._book.unit,
            "head": verification.head,
            "balances": [balance.to_json() for balance in self.balances()],
            "entries": [entry.to_json() for entry in self.history()],
        }

    # --- stored releases -----------------------------------------------------------------------

    @checked
    def remember(self, receipt: Receipt, question: str, release: bytes) -> tuple[Receipt, bytes]:
        """Keep a release, so that the same question is answered again at no cost; returns what is kept.

        The question's text must name everything the answer depends on, the version of the data included. The first
        release of a question stays; whoever stores a later one is given the first, with the receipt that paid for it.
        """
        key = words.digest(question)
        return self._book.write(
            lambda journal: memory.remember(journal, self.id, receipt, key, release),
            WantedRows(entries=(receipt.entry,), question=key),
        )

    @checked_names
    def recall(self, question: str) -> tuple[Receipt, bytes] | None:
        """The stored release of a question with the receipt that paid for it, or None; checked against the chain."""
        key = words.digest(question)
        return self._book.read(lambda journal: memory.recall(journal, self.id, key), WantedRows(question=key))

    # --- for the owner alone -------------------------------------------------------------------

    @checked_names
    def incident(self, receipt: Receipt, code: str, doing: str) -> None:
        """Log that what this receipt paid for failed after it was booked; see `incidents`. No text may hold a value."""
        self._book.write(lambda journal: incidents.report(journal, self.id, receipt, code, doing))

    def incidents(self) -> list[Incident]:
        """Computations that failed after they were booked, oldest first: for the owner alone."""
        return self._book.read(incidents.reported)

    def close(self) -> None:
        """Let go of the file or the session."""
        self._book.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<ledger {self._book.id[:12]} at {self.place}>"

    # --- inside --------------------------------------------------------------------------------

    @property
    def _terms(self) -> LedgerTerms:
        return self._book.terms

    def _stated(self, unit: Unit | None) -> dict[str, Any]:
        """The unit of a booking: the one given, which must be the ledger's, or the ledger's own."""
        own = self.unit
        if unit is None:
            if own is None:
                raise BadUnit(
                    "this ledger has no privacy unit yet, and this booking states none.",
                    'Give unit=Person("patient_id") with the first booking; it then stays for ever.',
                )
            return unit_to_json(own)
        wanted = bound(unit)
        if own is not None:
            require_unit(bound(own), wanted)
        return unit_to_json(unit)

    def _bind_now(self, unit: Unit) -> None:
        stated = self._stated(unit)
        if self.unit is None:
            self._book.write(lambda journal: bind(journal, stated))
