"""One book that is open: which one it is, and turns at reading and writing it.

It remembers the book's first entry and the newest one that was seen: a place that holds another book by now, or the same
one cut back, is refused before anything is booked there. A new book is a draft until its first booking is admitted, or
until it is founded on purpose.
"""

from __future__ import annotations

import datetime
import shlex
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, TypeVar

from privet.errors import LedgerReplaced, LedgerTampered, LedgerUnavailable
from privet.guarantee import Promise, Unit
from privet.ledger._draft_ledger import MemoryStore, drafted, fair_copy
from privet.ledger._entry_journal import UNIT, EntryJournal
from privet.ledger._hash_chain import Entry
from privet.ledger._head_witness import Head, HeadWitness, refuse_older
from privet.ledger._ledger_terms import LedgerTerms, bound
from privet.ledger._spend import require_unit
from privet.ledger._store import NOTHING, Store, Transaction, WantedRows

Found = TypeVar("Found")


class OpenBook:
    """A store with a book in it, or the draft of one; for any number of threads."""

    id: str
    terms: LedgerTerms

    def __init__(self, store: Store) -> None:
        self.store = store
        self._draft: MemoryStore | None = None
        self._founding = threading.Lock()
        self._when_made: list[Callable[[], None]] = []
        self._unit: dict[str, Any] | None = None
        self._newest = (0, "")
        self._witness: HeadWitness | None = None

    # --- opening -------------------------------------------------------------------------------

    def load(self) -> bool:
        """Read the terms of the book that is there; False where there is none, or one without a first entry."""
        return self.store.exists() and self._read_terms(self.store)

    def draft(
        self, limit: Promise | None, unit: Unit | None, accounting: str | None, expires: datetime.date | None
    ) -> None:
        """Begin a new book in memory; whatever its terms can be refused for is refused here."""
        if limit is None:
            raise LedgerUnavailable(
                f"there is no ledger at {self.store.place}.",
                f"Open one: `privet ledger open {shlex.quote(self.store.place)} --epsilon 3 --delta 1e-5`, or in Python "
                "Ledger(…, limit=ApproxDP(3, 1e-5)).",
            )
        self._draft = drafted(
            LedgerTerms.of(limit, accounting, expires), None if unit is None else bound(unit)
        )
        self._read_terms(self._draft)

    def found(self) -> None:
        """Make the place and write the draft's first entry there, or take what somebody else opened meanwhile."""
        with self._founding:
            if self._draft is None:
                return
            wanted, unit = self.terms, self._unit
            self.store.create()
            with self.store.writing() as transaction:
                fair_copy(self._draft, transaction)
            self._read_terms(self.store)
            self._draft = None
            made, self._when_made = self._when_made, []
        self.terms.require(wanted.limit, wanted.accounting, wanted.expires)
        if unit is not None and self._unit is not None:
            require_unit(self._unit, unit)
        for then in made:
            then()

    def when_made(self, then: Callable[[], None]) -> None:
        """Call this once the book has its place: now, or when it is founded."""
        with self._founding:
            if self._draft is not None:
                self._when_made.append(then)
                return
        then()

    def _read_terms(self, store: Store) -> bool:
        with store.reading(WantedRows(scopes=(UNIT,), entries=(1,))) as transaction:
            journal = EntryJournal(transaction)
            first = journal.entry(1)
            if first is None or journal.last is None:
                return False
            if first.kind != "open":
                raise LedgerTampered(
                    "the first entry does not open the ledger.", "Run `privet ledger verify`."
                )
            self.id = first.hash
            self.terms = LedgerTerms.from_json(first.body)
            self._unit = journal.state(UNIT)
            self._newest = journal.last.number, journal.last.hash
            return True

    @property
    def unit(self) -> dict[str, Any] | None:
        """The unit that is bound; None while there is none."""
        if self._unit is None:
            self._unit = self.read(lambda journal: journal.state(UNIT), WantedRows(scopes=(UNIT,)))
        return self._unit

    def close(self) -> None:
        """Let go of the place."""
        self.store.close()

    # --- turns ---------------------------------------------------------------------------------

    def write(self, body: Callable[[EntryJournal], Found], wanted: WantedRows = NOTHING) -> Found:
        """Do something in the one writer's turn. On a draft it is tried first: what is refused makes no ledger."""
        draft = self._draft
        if draft is not None:
            with draft.trying() as transaction:
                body(EntryJournal(transaction))
            self.found()
        seen, witness = self._newest, self._witness
        known = None if witness is None else witness.newest()
        with self.store.writing(_with(wanted, seen, known)) as transaction:
            journal = self._recognised(transaction, seen)
            if known is not None:
                refuse_older(journal, known)
            done = body(journal)
            last = journal.last
        self._note(last)
        if witness is not None and last is not None and (known is None or last.number > known.number):
            self._tell(witness)
        return done

    def read(self, body: Callable[[EntryJournal], Found], wanted: WantedRows = NOTHING) -> Found:
        """Look at one consistent moment."""
        draft = self._draft
        if draft is not None:
            with draft.reading() as transaction:
                return body(EntryJournal(transaction))
        seen = self._newest
        with self.store.reading(_with(wanted, seen)) as transaction:
            journal = self._recognised(transaction, seen)
            done = body(journal)
            last = journal.last
        self._note(last)
        return done

    def witnessed(self, witness: HeadWitness) -> None:
        """Hold the book, now and before each write, against the head that a witness knows, and tell it of each new one."""
        known = witness.newest()
        if known is None:
            self._tell(witness)
        else:
            self.read(lambda journal: refuse_older(journal, known), WantedRows(entries=(known.number,)))
        self._witness = witness

    def _tell(self, witness: HeadWitness) -> None:
        """In a writer's turn of its own: of several who wrote at once, none tells of an older head than was told before."""
        with self.store.writing() as transaction:
            head = transaction.head()
            if head is not None:
                witness.note(Head(head.count, head.hash))

    def looking(self) -> AbstractContextManager[Transaction]:
        """The store's own view of a moment, for whoever checks all of it."""
        return (self._draft or self.store).reading()

    def replaced(self) -> LedgerReplaced:
        """What is said of a place that holds something else by now."""
        return LedgerReplaced(
            f"{self.store.place} holds another book than the one that was opened, or an older copy of it.",
            "Nothing was drawn. Find out what became of the ledger, put it back, and open it anew.",
        )

    def _recognised(self, transaction: Transaction, seen: tuple[int, str]) -> EntryJournal:
        """The book that was opened, with the newest entry that was seen of it; any other is refused."""
        journal = EntryJournal(transaction)
        for number, digest in ((1, self.id), seen):
            entry = journal.entry(number)
            if entry is None or entry.hash != digest:
                raise self.replaced()
        return journal

    def _note(self, last: Entry | None) -> None:
        if last is not None and last.number > self._newest[0]:
            self._newest = last.number, last.hash


def _with(wanted: WantedRows, seen: tuple[int, str], known: Head | None = None) -> WantedRows:
    """What every transaction reads besides: the first entry, and the newest that was seen, here or by a witness."""
    noted = () if known is None else (known.number,)
    return replace(wanted, entries=(1, seen[0], *noted, *wanted.entries))
