"""The ledger: budgets, spends and receipts, booked before anything is drawn.

A spend is one transaction: read the balances it touches, refuse or append a chained entry, move the balances.
The permit is made after that transaction is on stable storage. So a crash may cost budget, but no noise is
ever drawn without its entry; and since failures can depend on the data, nothing is ever refunded.
"""

from __future__ import annotations

import datetime
import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from privet.artifact.receipt import Receipt
from privet.errors import (
    BadBooking,
    BadUnit,
    BudgetError,
    LedgerMismatch,
    LedgerTampered,
    LedgerUnavailable,
)
from privet.guarantee.amounts import Number
from privet.guarantee.events import Composed, Event, SealedPlan
from privet.guarantee.promises import Promise
from privet.guarantee.units import Change, Unit, unit_from_json, unit_to_json
from privet.ledger import budgets, clock, incidents, memory, resuming, words
from privet.ledger.accounts import DATA_SET, admit, amounts, scope_of, to_text
from privet.ledger.bookings import Note, known_event, without_budget
from privet.ledger.chain import GENESIS, Entry, read
from privet.ledger.filters import Price
from privet.ledger.incidents import Incident
from privet.ledger.journal import UNIT, Journal
from privet.ledger.permit import Permit, issue
from privet.ledger.places import open_store
from privet.ledger.statements import Balance, Quote, Verification, receipt_of
from privet.ledger.store import Store
from privet.ledger.terms import Terms, bound, last_day, unit_words
from privet.ledger.verification import verify

RECORDED = "recorded"


class Ledger:
    """An append-only, hash-chained book of one data set's privacy budget.

    Args:
        where: a file (SQLite), or postgresql://…/database#name (PostgreSQL).
        limit: the data set's budget. Needed to open a new ledger; an existing one keeps its own, and any term
            given that differs from it is refused.
        unit: whose presence is hidden. May be left out; the first booking then binds it for ever.
        accounting: "pure", "basic" or "zcdp" (see `filters`); each kind of limit has its default.
        expires: the last day of the budget, in UTC.
        patience: how many seconds to wait for another writer.

    Guarantee:
        Everything drawn with this ledger's permits together keeps `limit` for `unit`, whatever is asked in
        whatever order and by however many processes, whichever of them crash.

    Assumes:
        Every release from the data set goes through this ledger, and its storage keeps what it acknowledged.
    """

    def __init__(
        self,
        where: str | Path,
        *,
        limit: Promise | None = None,
        unit: Unit | None = None,
        accounting: str | None = None,
        expires: datetime.date | None = None,
        patience: float = 60.0,
    ) -> None:
        self._store: Store = open_store(os.fspath(where), timeout=patience)
        self._unit: dict[str, Any] | None = None
        there = self._store.exists() and self._load()
        if not there:
            self._open(limit, unit, accounting, expires)
            self._load()
        self._terms.require(limit, accounting, expires)
        if unit is not None:
            self._bind_now(unit)

    # --- terms ---------------------------------------------------------------------------------

    @property
    def id(self) -> str:
        """The ledger's public identity: the hash of its first entry."""
        return self._id

    @property
    def place(self) -> str:
        """Where it is kept, without any password."""
        return self._store.place

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
        if self._unit is None:
            with self._store.reading() as transaction:
                self._unit = Journal(transaction).state(UNIT)
        return None if self._unit is None else unit_from_json(self._unit)

    # --- spending ------------------------------------------------------------------------------

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
        """
        note = Note.of(why, purpose, analyst, data, question)
        if promise is not None and not isinstance(promise, Promise):
            raise BadBooking("promise must be a promise.", "Leave it out, or give PureDP(0.5), for example.")
        exact = known_event(event)
        stated = self._stated(unit)
        price = self._terms.filter.price(exact, Change(stated["change"]))
        with self._store.writing() as transaction:
            journal = Journal(transaction)
            self._bind(journal, stated)
            accounts = budgets.touched(journal, note.purpose, note.analyst)
            admit(accounts, price.cost, journal.today)
            after = [account.after(price.cost) for account in accounts]
            entry = journal.append(
                "spend",
                {
                    "event": exact.to_json(),
                    "promise": None if promise is None else promise.to_json(),
                    "unit": stated,
                    "accounting": self.accounting,
                    **_priced(price),
                    "remaining": to_text(after[0].remaining()),
                    **note.to_json(),
                },
                {account.scope: account.to_json() for account in after},
            )
        return issue(exact, receipt_of(entry, self._id), note.question)

    def paid(self, question: str) -> Receipt | None:
        """The receipt of the first spend that was booked for this very question, if there is one."""
        with self._store.reading() as transaction:
            return resuming.paid(transaction, self._id, question)

    def resume(self, receipt: Receipt, question: str) -> Permit:
        """The permit of an interrupted run once more, at no cost: for its very entry and its very question.

        The question must commit to the run's seed, and the permit is good only for drawing from that seed.
        """
        with self._store.reading() as transaction:
            return resuming.resume(transaction, self._id, receipt, question)

    def seal(self, events: Iterable[Event], *, delta: Number, why: str, **note: Any) -> Permit:
        """Book a plan whole, before its first answer: priced as one by its certificate at `delta`.

        Take the permit's `parts()` for one permit per event. Takes the same notes as `charge`.
        """
        return self.charge(SealedPlan(Composed(events), delta), why=why, **note)

    def record(
        self, promise: Promise, *, why: str, unit: Unit | None = None, data: str | None = None, **note: Any
    ) -> Receipt:
        """Enter a syntactic or PAC promise: chained and receipted, at no cost to any budget."""
        checked = Note.of(why, data=data, **note)
        kept = without_budget(promise)
        stated = self._stated(unit)
        with self._store.writing() as transaction:
            journal = Journal(transaction)
            self._bind(journal, stated)
            account = budgets.account(journal, DATA_SET)
            entry = journal.append(
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
                    **checked.to_json(),
                },
                {},
            )
        return receipt_of(entry, self._id)

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
        with self._store.reading() as transaction:
            journal = Journal(transaction)
            data_set = budgets.account(journal, DATA_SET)
            try:
                if not reason:
                    admit(budgets.touched(journal, note.purpose, note.analyst), cost, journal.today)
            except BudgetError as refusal:
                reason = refusal.fact
        before = amounts(data_set.remaining())
        after = before if reason else amounts(data_set.after(cost).remaining())
        return Quote(not reason, reason, amounts(cost), before, after)

    # --- budgets -------------------------------------------------------------------------------

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
        with self._store.writing() as transaction:
            budgets.open_below(Journal(transaction), limit, caps, named=named, expires=last_day(expires))

    def balance(self, purpose: str | None = None, analyst: str | None = None) -> Balance:
        """The data set's balance, or that of one purpose or one analyst."""
        if purpose is not None and analyst is not None:
            raise BadBooking("a balance is that of one purpose or one analyst.", "Ask twice.")
        scope = scope_of(
            purpose=words.optional(purpose, "purpose"), analyst=words.optional(analyst, "analyst")
        )
        with self._store.reading() as transaction:
            journal = Journal(transaction)
            return Balance.of(budgets.account(journal, scope), self.accounting, journal.today)

    def balances(self) -> list[Balance]:
        """All balances, the data set's first."""
        with self._store.reading() as transaction:
            journal = Journal(transaction)
            scopes = sorted(set(transaction.states()) - {UNIT}, key=lambda scope: (scope != DATA_SET, scope))
            return [
                Balance.of(budgets.account(journal, scope), self.accounting, journal.today)
                for scope in scopes
            ]

    # --- the book itself -----------------------------------------------------------------------

    def history(self) -> Iterator[Entry]:
        """Every entry in order, each checked against the one before."""
        after, previous = 0, GENESIS
        while True:
            with self._store.reading() as transaction:
                page = transaction.page(after)
            if not page:
                return
            for row in page:
                yield read(row, previous)
                after, previous = row.number, row.hash

    def verify(self, receipts: Iterable[Receipt] = ()) -> Verification:
        """Read the whole book again and hold it against itself and against receipts; raises `LedgerTampered`."""
        with self._store.reading() as transaction:
            return verify(transaction, receipts)

    def export(self) -> dict[str, Any]:
        """The whole book as one JSON document, once it verified."""
        verification = self.verify()
        return {
            "schema": 1,
            "ledger": self._id,
            "terms": self._terms.to_json(),
            "unit": self._unit if self.unit is not None else None,
            "head": verification.head,
            "balances": [balance.to_json() for balance in self.balances()],
            "entries": [entry.to_json() for entry in self.history()],
        }

    # --- stored releases -----------------------------------------------------------------------

    def remember(self, receipt: Receipt, question: str, release: bytes) -> None:
        """Keep a release, so that the same question is answered again at no cost.

        The question's text must name everything the answer depends on, the version of the data included. The
        first release of a question stays; a later one of the same question is not kept.
        """
        key = words.digest(question)
        with self._store.writing() as transaction:
            memory.remember(transaction, self._id, receipt, key, release)

    def recall(self, question: str) -> tuple[Receipt, bytes] | None:
        """The stored release of a question with the receipt that paid for it, or None; checked against the chain."""
        key = words.digest(question)
        with self._store.reading() as transaction:
            return memory.recall(transaction, self._id, key)

    # --- for the owner alone -------------------------------------------------------------------

    def incident(self, receipt: Receipt, code: str, doing: str) -> None:
        """Log that what this receipt paid for failed after it was booked; see `incidents`. No text may hold a value."""
        with self._store.writing() as transaction:
            incidents.report(transaction, self._id, receipt, code, doing)

    def incidents(self) -> list[Incident]:
        """Computations that failed after they were booked, oldest first: for the owner alone."""
        with self._store.reading() as transaction:
            return incidents.reported(transaction)

    def close(self) -> None:
        """Let go of the file or the session."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<ledger {self._id[:12]} at {self.place}>"

    # --- opening -------------------------------------------------------------------------------

    def _load(self) -> bool:
        """Read the terms; False where the first entry was not written yet."""
        with self._store.reading() as transaction:
            journal = Journal(transaction)
            first = journal.entry(1)
            if first is None:
                return False
            if first.kind != "open":
                raise LedgerTampered(
                    "the first entry does not open the ledger.", "Run `privet ledger verify`."
                )
            self._id = first.hash
            self._terms = Terms.from_json(first.body)
            self._unit = journal.state(UNIT)
            return True

    def _open(
        self, limit: Promise | None, unit: Unit | None, accounting: str | None, expires: datetime.date | None
    ) -> None:
        if limit is None:
            raise LedgerUnavailable(
                f"there is no ledger at {self.place}.",
                "Open one: Ledger(…, limit=ApproxDP(3, 1e-7)), or `privet ledger open`.",
            )
        terms = Terms.of(limit, accounting, expires)
        caps = terms.filter.caps(limit)
        stated = None if unit is None else bound(unit)
        # Whatever can be refused is refused before there is a file.
        budgets.require_ahead(terms.expires, clock.now().date())
        self._store.create()
        with self._store.writing() as transaction:
            journal = Journal(transaction)
            if not journal.empty:
                return
            account = budgets.fresh(DATA_SET, caps, limit, terms.expires)
            content = {
                **terms.to_json(),
                **budgets.terms_of(account),
                "unit": stated,
                "nonce": f"{time.time_ns()}-{time.perf_counter_ns()}-{os.getpid()}",
            }
            after: dict[str, dict[str, Any]] = {DATA_SET: account.to_json()}
            journal.append("open", content, after if stated is None else {**after, UNIT: stated})

    # --- inside a transaction ------------------------------------------------------------------

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
            _require_unit(bound(own), wanted)
        return unit_to_json(unit)

    def _bind(self, journal: Journal, stated: dict[str, Any]) -> None:
        """Bind the unit, unless it is bound; a unit bound meanwhile by another process must be the same."""
        wanted = bound(unit_from_json(stated))
        own = journal.state(UNIT)
        if own is None:
            journal.append("unit", {"unit": wanted}, {UNIT: wanted})
        else:
            _require_unit(own, wanted)

    def _bind_now(self, unit: Unit) -> None:
        stated = self._stated(unit)
        if self._unit is None:
            with self._store.writing() as transaction:
                self._bind(Journal(transaction), stated)


def _priced(price: Price) -> dict[str, Any]:
    return {"cost": to_text(price.cost), "composition": price.composition, "grid": price.grid}


def _require_unit(own: dict[str, Any], wanted: dict[str, Any]) -> None:
    if own != wanted:
        raise LedgerMismatch(
            f"this ledger protects {unit_words(own)}; the booking is for {unit_words(wanted)}.",
            "A ledger keeps one unit and one neighbouring relation for ever: use a ledger for each.",
        )
