"""A book in memory: the draft of a ledger that has no place yet, or the book of something that nobody will see.

A ledger that is opened lazily is a draft until its first booking is admitted: whatever is refused before that leaves
nothing behind. The draft's first entry then becomes the ledger's, unless somebody else opened one there meanwhile.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from privet.errors import LedgerUnavailable
from privet.ledger import _budget_lookup as budgets
from privet.ledger import clock
from privet.ledger._account_states import DATA_SET
from privet.ledger._entry_journal import UNIT, EntryJournal
from privet.ledger._ledger_terms import LedgerTerms
from privet.ledger._sqlite_store import TABLES, SqliteTransaction
from privet.ledger._store import NOTHING, Transaction, WantedRows


class _Undone(Exception):
    """Nothing of this turn stays."""


class MemoryStore:
    """Tables that end with the process, for the process that made them."""

    def __init__(self) -> None:
        self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        for statement in TABLES:
            self._connection.execute(statement)
        self._process = os.getpid()
        self._lock = threading.Lock()

    @property
    def place(self) -> str:
        """Nowhere."""
        return "memory"

    def exists(self) -> bool:
        """Always, while the process lasts."""
        return True

    def create(self) -> None:
        """Made with the object."""

    @contextmanager
    def writing(self, wanted: WantedRows = NOTHING) -> Iterator[Transaction]:  # noqa: ARG002
        """One writer's turn."""
        if os.getpid() != self._process:
            raise LedgerUnavailable(
                "this book is in the memory of another process.", "Open a ledger of its own in each process."
            )
        with self._lock:
            self._connection.execute("BEGIN")
            try:
                yield SqliteTransaction(self._connection)
                self._connection.execute("COMMIT")
            finally:
                if self._connection.in_transaction:
                    self._connection.rollback()

    reading = writing

    @contextmanager
    def trying(self) -> Iterator[Transaction]:
        """A writer's turn of which nothing stays."""
        with suppress(_Undone), self.writing() as transaction:
            yield transaction
            raise _Undone

    def close(self) -> None:
        """Forget everything."""
        with self._lock:
            self._connection.close()


def drafted(terms: LedgerTerms, unit: dict[str, Any] | None) -> MemoryStore:
    """The draft of a ledger with these terms: its first entry. Whatever can be refused is refused here."""
    caps = terms.filter.caps(terms.limit)
    budgets.require_ahead(terms.expires, clock.now().date())
    account = budgets.fresh(DATA_SET, caps, terms.limit, terms.expires)
    content = {
        **terms.to_json(),
        **budgets.terms_of(account),
        "unit": unit,
        "nonce": f"{time.time_ns()}-{time.perf_counter_ns()}-{os.getpid()}",
    }
    after: dict[str, dict[str, Any]] = {DATA_SET: account.to_json()}
    draft = MemoryStore()
    with draft.writing() as transaction:
        EntryJournal(transaction).append("open", content, after if unit is None else {**after, UNIT: unit})
    return draft


def fair_copy(draft: MemoryStore, transaction: Transaction) -> None:
    """Write the draft's first entry into an empty ledger; one that somebody else opened first stays as it is."""
    if not EntryJournal(transaction).empty:
        return
    with draft.reading() as drafted_there:
        first = drafted_there.entry(1)
        assert first is not None
        transaction.append(first)
        for scope, content in drafted_there.states().items():
            transaction.put_state(scope, content)
