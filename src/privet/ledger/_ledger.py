"""The ledger: budgets, spends and receipts, booked before anything is drawn.

A spend is one transaction: read the balances it touches, refuse or append a chained entry, move the balances.
The permit is made after that transaction is on stable storage. So a crash may cost budget, but no noise is
ever drawn without its entry; and since failures can depend on the data, nothing is ever refunded.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack

from privet.artifact import Framed, Pictured, Receipt
from privet.errors import BadBooking, BudgetError, checked, checked_names
from privet.evidence import Signature
from privet.guarantee import (
    Change,
    Composed,
    Event,
    Number,
    PacPrivacy,
    Promise,
    SealedPlan,
    Unit,
    parts,
)
from privet.ledger import (
    _anchors as anchors,
)
from privet.ledger import (
    _approval_demand as approval,
)
from privet.ledger import (
    _budget_lookup as budgets,
)
from privet.ledger import (
    _entries_table as entries_table,
)
from privet.ledger import (
    _entry_text as entry_text,
)
from privet.ledger import _idempotent_booking as idempotent_booking
from privet.ledger import (
    _incidents as incidents,
)
from privet.ledger import (
    _owner_keys as owner,
)
from privet.ledger import (
    _resumption as resumption,
)
from privet.ledger import (
    _stored_answers as stored_answers,
)
from privet.ledger._account_statements import Quote, Verification, receipt_of
from privet.ledger._account_states import DATA_SET, amounts, charged_scopes, to_text
from privet.ledger._anchors import Anchor
from privet.ledger._booking_requests import RECORDED, Note, Notes, known_event, without_budget
from privet.ledger._entry_journal import EntryJournal
from privet.ledger._hash_chain import GENESIS, Entry, read
from privet.ledger._head_witness import HeadWitness
from privet.ledger._in_memory_store import InMemoryStore
from privet.ledger._incidents import Incident
from privet.ledger._ledger_accounts import LedgerAccounts
from privet.ledger._ledger_verification import verify
from privet.ledger._open_book import OpenBook
from privet.ledger._permit import Permit, issue
from privet.ledger._privacy_filters import filter_of
from privet.ledger._spend import Spend, bind, book, of_plan
from privet.ledger._store import Store, WantedRows
from privet.ledger._store_places import open_store

if TYPE_CHECKING:
    import pyarrow as pa


class Ledger(LedgerAccounts, Pictured, Framed):
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
    _plan: str | None = None  # the approved plan that is being carried out

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

    @checked
    def witnessed(self, witness: HeadWitness) -> None:
        """Refuse, now and before each booking, a book older than the head that a witness knows; tell it of each new one."""
        self._book.witnessed(witness)

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
        counted = filter_of(exact, self.accounting)
        price = counted.price(exact, Change(stated["change"]))
        scopes = tuple(charged_scopes(counted.name, self.accounting, note.purpose, note.analyst))
        spend = Spend(exact, promise, stated, counted.name, price, note, once, scopes, self._plan)
        entry = self._book.write(lambda journal: book(journal, spend), spend.wanted)
        return issue(exact, receipt_of(entry, self.id), note.question)

    @checked_names
    def paid(self, question: str) -> Receipt | None:
        """The receipt of the first spend that was booked for this very question, if there is one."""
        wanted = WantedRows(question=entry_text.digest(question))
        return self._book.read(lambda journal: resumption.paid(journal, self.id, question), wanted)

    @checked_names
    def settled(self, question: str) -> bool:
        """Whether asking this question costs nothing more: its release is stored, or booked once and still to be drawn."""
        key = entry_text.digest(question)
        return self._book.read(
            lambda journal: idempotent_booking.settled(journal, key), WantedRows(question=key)
        )

    @checked
    def resume(self, receipt: Receipt, question: str) -> Permit:
        """The permit of an interrupted run once more, at no cost: for its very entry and its very question.

        The question must commit to the run's seed, and the permit is good only for drawing from that seed.
        """
        return self._book.read(lambda journal: resumption.resume(journal, self.id, receipt, question))

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
        """Enter a syntactic promise, or one that people kept on their devices: chained and receipted, at no cost to any budget."""
        note = Note.of(why, purpose, analyst, data, question)
        kept = without_budget(promise)
        if any(isinstance(part, PacPrivacy) for part in parts(kept)):
            raise BadBooking(
                "a PAC promise is charged to the account of nats, not recorded beside it.",
                "Use ledger.charge(PacRelease(…), why=…).",
            )
        stated = self._stated(unit)

        def enter(journal: EntryJournal) -> Entry:
            approval.refuse_unplanned(journal, self._plan)
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
                    **of_plan(self._plan),
                },
                {},
            )

        return receipt_of(self._book.write(enter), self.id)

    @checked_names
    def anchor(self, what: str, digest: str, *, why: str, said: Mapping[str, str] | None = None) -> Anchor:
        """Enter the digest of something that lies outside the book: a journal's head, keys, approvers. It costs nothing."""
        content = anchors.content(what, digest, {} if said is None else said, why)
        if what == anchors.PLAN:
            approval.refuse_spent_plan(self.history(), digest, content["said"].get("ledger", ""))
        older = self._older_keys() if what in (anchors.KEYS, anchors.APPROVERS) else None

        def enter(journal: EntryJournal) -> Entry:
            keys = journal.state(owner.SIGNERS) or older
            after = approval.states_after(content, self._book.id, journal.state(approval.APPROVAL), keys)
            return journal.append(anchors.KIND, content, after)

        return Anchor.of(self._book.write(enter, WantedRows(scopes=(approval.APPROVAL, owner.SIGNERS))))

    def _older_keys(self) -> dict[str, Any] | None:
        """The keys of a book that was begun when their entries left no running state behind."""
        found = self.anchors(anchors.KEYS)
        return {"keys": owner.listed(found[-1].said)} if found else None

    @checked
    def anchors(self, what: str, *, after: int = 0) -> list[Anchor]:
        """All anchors of a kind, oldest first, each checked against the chain; or those after an entry that was seen before."""
        found = (entry for entry in self.history(after) if entry.kind == anchors.KIND)
        return [Anchor.of(entry) for entry in found if entry.body["what"] == str(what)]

    # --- approval by a second person -----------------------------------------------------------

    @property
    def approvals_needed(self) -> int | None:
        """How many people approve a plan before anything is booked; None where nobody ever demanded it."""
        return self._book.read(approval.people_needed, WantedRows(scopes=(approval.APPROVAL,)))

    def refuse_unapproved(self) -> None:
        """Refuse what would be booked outside of an approved plan, before anything is read for it."""
        self._book.read(
            lambda journal: approval.refuse_unplanned(journal, self._plan),
            WantedRows(scopes=(approval.APPROVAL,)),
        )

    @property
    def signing_keys(self) -> list[str]:
        """The public keys that sign for the data set, oldest first, as the book knows them; found without reading it all."""
        wanted = WantedRows(scopes=(owner.SIGNERS,))
        return self._book.read(lambda journal: owner.known(journal.state(owner.SIGNERS)), wanted)

    @property
    def last_demand(self) -> str:
        """The digest of the last word on who approves, which the next one names; zeros where there was none."""
        wanted = WantedRows(scopes=(approval.APPROVAL,))
        return self._book.read(lambda journal: approval.last_demand(journal.state(approval.APPROVAL)), wanted)

    @checked
    def carry_out(self, plan: str, *, made_for: str = GENESIS, approvals: Iterable[Signature] = ()) -> None:
        """What is booked from now on is part of this plan, and its entries say so.

        Args:
            plan: the plan's digest.
            made_for: the head of the ledger that the plan was made for.
            approvals: where approval is demanded, the signatures of the people who approve the plan; they are entered.
        """
        known = approval.plan_digest(plan)
        state = self._book.read(
            lambda journal: journal.state(approval.APPROVAL), WantedRows(scopes=(approval.APPROVAL,))
        )
        if state is not None and state["needed"] and state.get("plan") != known:
            said = approval.plan_anchor(made_for, approvals)
            self.anchor(anchors.PLAN, known, why="a plan that was approved", said=said)
        self._plan = known

    @checked_names
    def quote(self, event: Event, *, purpose: str | None = None, analyst: str | None = None) -> Quote:
        """What an event would cost and leave, and whether it would be admitted now. Books nothing."""
        note = Note.of("a quote", purpose, analyst)
        exact = known_event(event)
        unit = self.unit
        change = Change.ADD_OR_REMOVE if unit is None else unit.change
        cost: dict[str, int] = {}
        reason = ""
        counted = filter_of(exact, self.accounting)
        scopes = charged_scopes(counted.name, self.accounting, note.purpose, note.analyst)
        try:
            cost = counted.price(exact, change).cost
        except BudgetError as refusal:
            reason = refusal.fact
        account, refused = self._book.read(lambda journal: budgets.tried(journal, scopes, cost))
        reason = reason or refused
        before = amounts(account.remaining())
        after = before if reason else amounts(account.after(cost).remaining())
        return Quote(not reason, reason, amounts(cost), before, after)

    # --- the book itself -----------------------------------------------------------------------

    @checked
    def history(self, after: int = 0) -> Iterator[Entry]:
        """Every entry in order, each checked against the one before; or those after an entry that was seen before."""
        return self._entries(after)

    def _entries(self, after: int) -> Iterator[Entry]:
        previous = GENESIS
        if after:
            with self._book.looking() as transaction:
                seen = transaction.entry(after)
            previous = GENESIS if seen is None else seen.hash
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
    def remember(
        self, receipt: Receipt, question: str, release: bytes, *, part: int | None = None
    ) -> tuple[Receipt, bytes]:
        """Keep a release, so that the same question is answered again at no cost; returns what is kept.

        The question's text must name everything the answer depends on, the version of the data included. The first
        release of a question stays; whoever stores a later one is given the first, with the receipt that paid for it.
        A release that is drawn in rounds is kept round by round, as `part` 0, 1, … of its question.
        """
        key = entry_text.digest(question)
        return self._book.write(
            lambda journal: stored_answers.remember(journal, self.id, receipt, key, release, part=part),
            WantedRows(entries=(receipt.entry,), question=stored_answers.part_key(key, part)),
        )

    @checked_names
    def recall(self, question: str, *, part: int | None = None) -> tuple[Receipt, bytes] | None:
        """The stored release of a question with the receipt that paid for it, or None; checked against the chain."""
        key = entry_text.digest(question)
        return self._book.read(
            lambda journal: stored_answers.recall(journal, self.id, key, part=part),
            WantedRows(question=stored_answers.part_key(key, part)),
        )

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
