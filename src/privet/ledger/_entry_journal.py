"""Writing and reading entries inside one transaction, with the checks that every step of the chain allows.

Every entry states the running states it leaves behind (`after`), so each state row can be compared with the
entry that wrote it. A row with made-up numbers is noticed at the next spend; so is an earlier row of the data
set put back, which would hide what was spent since. (Of a sub-cap only a full verification notices the latter.)
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from typing import Any

from privet.errors import LedgerTampered
from privet.ledger import clock
from privet.ledger._account_states import DATA_SET
from privet.ledger._hash_chain import GENESIS, Entry, EntryRow, canonical, link, read
from privet.ledger._store import Transaction

SCHEMA = 1
UNIT = "unit"


class EntryJournal:
    """One transaction's view of a book."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction
        head = transaction.head()
        self._last = None if head is None else self.entry(head.count)
        orphaned = head is None and transaction.entry(1) is not None
        if orphaned or (head is not None and (self._last is None or self._last.hash != head.hash)):
            raise LedgerTampered(
                "the last entry is not the one the ledger's head row names: the end was cut off or replaced.",
                "Run `privet ledger verify` and compare with a copy or an export.",
            )
        self.at = clock.stamp(clock.now(), not_before=self._last.at if self._last else "")

    @property
    def transaction(self) -> Transaction:
        """The store's own view, for what is kept beside the entries."""
        return self._transaction

    @property
    def last(self) -> Entry | None:
        """The newest entry."""
        return self._last

    @property
    def empty(self) -> bool:
        """Whether nothing was entered yet."""
        return self._last is None

    @property
    def today(self) -> datetime.date:
        """The day, by the book's clock."""
        return clock.day(self.at)

    def entry(self, number: int) -> Entry | None:
        """The entry at this place, checked against its hash and its predecessor's."""
        row = self._transaction.entry(number)
        if row is None:
            return None
        before = self._transaction.entry(number - 1) if number > 1 else None
        return read(row, before.hash if before else GENESIS)

    def asked(self, question: str) -> list[Entry]:
        """The entries that bear this question's digest, in order, each checked as `entry` does."""
        numbers = [row.number for row in self._transaction.asked(question)]
        found = [entry for number in numbers if (entry := self.entry(number)) is not None]
        return [entry for entry in found if entry.body.get("question") == question]

    def append(self, kind: str, content: Mapping[str, Any], after: Mapping[str, dict[str, Any]]) -> Entry:
        """Add an entry, and the running states it leaves behind."""
        number = self._last.number + 1 if self._last else 1
        previous = self._last.hash if self._last else GENESIS
        body = {
            "schema": SCHEMA,
            "number": number,
            "at": self.at,
            "kind": kind,
            **content,
            # Points at the entry that wrote the balance, so that one cannot be rolled back to an older state
            # that was true once.
            "balance": number if DATA_SET in after or self._last is None else self._newest().number,
            "after": dict(after),
        }
        text = canonical(body)
        row = EntryRow(number, text, link(previous, text))
        self._transaction.append(row)
        for scope, state in after.items():
            self._transaction.put_state(scope, state_text(number, state))
        self._last = read(row, previous)
        return self._last

    def balance(self) -> dict[str, Any]:
        """The data set's running state, which must be the one that the chain's last entry says is the newest."""
        state = self.state(DATA_SET)
        if state is None or self._newest().body["after"].get(DATA_SET) != state:
            raise _doctored(DATA_SET)
        return state

    def _newest(self) -> Entry:
        """The entry that wrote the newest balance. Old entries do not point at it: it is among those before them."""
        entry = self._last
        while entry is not None and "balance" not in entry.body and DATA_SET not in entry.body["after"]:
            entry = self.entry(entry.number - 1)
        if entry is not None:
            entry = self.entry(entry.body.get("balance", entry.number))
        if entry is None:
            raise _doctored(DATA_SET)
        return entry

    def state(self, scope: str) -> dict[str, Any] | None:
        """The running state of a scope, compared with the entry that wrote it."""
        text = self._transaction.state(scope)
        if text is None:
            return None
        try:
            record = json.loads(text)
            number, state = int(record["entry"]), dict(record["state"])
        except (ValueError, KeyError, TypeError, RecursionError):
            raise _doctored(scope) from None
        wrote = self.entry(number)
        if wrote is None or wrote.body.get("after", {}).get(scope) != state:
            raise _doctored(scope)
        return state


def state_text(number: int, state: Mapping[str, Any]) -> str:
    """The row of a running state: the state and the entry that wrote it."""
    return canonical({"entry": number, "state": dict(state)})


def _doctored(scope: str) -> LedgerTampered:
    return LedgerTampered(
        f"the running balance of {scope} is not the one its last entry wrote.",
        "Run `privet ledger verify` and compare with a copy or an export.",
        scope=scope,
    )
