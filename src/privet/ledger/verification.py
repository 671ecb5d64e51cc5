"""Reading the whole book again: is it the one that was written?

Three layers, each catching what the one before cannot: the hash chain (an entry edited, removed, inserted or
moved), the running states and the head row replayed from the entries (a doctored balance, a cut-off end), and
receipts in circulation (a book rewritten or cut back together with its head row).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from privet.artifact.receipt import IN_MEMORY, Receipt
from privet.errors import LedgerTampered, PrivetError
from privet.ledger import clock
from privet.ledger.accounts import DATA_SET, Account, from_text, scope_of, scopes_of, to_text
from privet.ledger.chain import GENESIS, Entry, Row, link, parsed
from privet.ledger.journal import SCHEMA, UNIT, state_text
from privet.ledger.statements import Verification, receipt_of
from privet.ledger.store import Transaction

MOST_FAULTS = 20


class _Fault(Exception):
    """One finding, in words."""


class Replay:
    """The running states, computed from the entries alone."""

    def __init__(self) -> None:
        self.states: dict[str, tuple[int, dict[str, Any]]] = {}
        self.releases: dict[str, tuple[int, str]] = {}
        self.paid: dict[int, str | None] = {}
        self.spends = 0
        self.pointing = False

    def take(self, entry: Entry) -> None:
        """Apply one entry, and compare what it says it leaves behind with what it does leave."""
        kinds: dict[str, Callable[[Entry], dict[str, dict[str, Any]]]] = {
            "open": self._open,
            "unit": self._unit,
            "budget": self._budget,
            "spend": self._spend,
            "promise": self._promise,
            "release": self._release,
        }
        if entry.body.get("schema") != SCHEMA or entry.kind not in kinds:
            raise _Fault("is of a kind or version that is not known here")
        if (entry.kind == "open") != (entry.number == 1):
            raise _Fault("opens the book in the wrong place, or fails to")
        after = kinds[entry.kind](entry)
        if entry.body["after"] != after:
            raise _Fault("leaves other balances behind than its amounts give")
        self.states.update({scope: (entry.number, state) for scope, state in after.items()})
        # The oldest entries point at none; after one that does, all do.
        self.pointing = self.pointing or "balance" in entry.body
        if self.pointing and entry.body.get("balance") != self.states[DATA_SET][0]:
            raise _Fault("points at another entry than the one that wrote the newest balance")

    def account(self, scope: str) -> Account:
        """One budget as replayed."""
        if scope not in self.states:
            raise _Fault(f"names a budget that was never opened ({scope})")
        return Account.from_json(scope, self.states[scope][1])

    def _open(self, entry: Entry) -> dict[str, dict[str, Any]]:
        after: dict[str, dict[str, Any]] = {DATA_SET: self._fresh(entry, DATA_SET)}
        if entry.body["unit"] is not None:
            after[UNIT] = entry.body["unit"]
        return after

    def _unit(self, entry: Entry) -> dict[str, dict[str, Any]]:
        if UNIT in self.states:
            raise _Fault("binds the unit a second time")
        return {UNIT: entry.body["unit"]}

    def _budget(self, entry: Entry) -> dict[str, dict[str, Any]]:
        scope = scope_of(purpose=entry.body["purpose"], analyst=entry.body["analyst"])
        if scope in self.states:
            raise _Fault("opens a budget a second time")
        return {scope: self._fresh(entry, scope)}

    def _fresh(self, entry: Entry, scope: str) -> dict[str, Any]:
        caps = from_text(entry.body["caps"])
        return Account.from_json(
            scope,
            {
                "limit": entry.body["limit"],
                "caps": to_text(caps),
                "spent": to_text(dict.fromkeys(caps, 0)),
                "spends": 0,
                "expires": entry.body["expires"],
            },
        ).to_json()

    def _spend(self, entry: Entry) -> dict[str, dict[str, Any]]:
        self._check_unit(entry)
        cost = from_text(entry.body["cost"])
        scopes = scopes_of(entry.body["purpose"], entry.body["analyst"])
        accounts = [self.account(scope) for scope in scopes]
        if any(account.shortages(cost) for account in accounts):
            raise _Fault("spends more than its budget held")
        if any(account.expired(clock.day(entry.at)) for account in accounts):
            raise _Fault("spends from a budget that had ended")
        self.spends += 1
        self.paid[entry.number] = entry.body["question"]
        after = [account.after(cost) for account in accounts]
        if entry.body["remaining"] != to_text(after[0].remaining()):
            raise _Fault("states another remainder than its amounts give")
        return {account.scope: account.to_json() for account in after}

    def _promise(self, entry: Entry) -> dict[str, dict[str, Any]]:
        self._check_unit(entry)
        if entry.body["cost"]:
            raise _Fault("is a promise without a budget, and has a cost")
        self.paid[entry.number] = entry.body["question"]
        return {}

    def _release(self, entry: Entry) -> dict[str, dict[str, Any]]:
        if self.paid.get(entry.body["paid_by"], "") not in (None, entry.body["question"]):
            raise _Fault("is a release that no entry, or one for another question, paid for")
        self.releases.setdefault(entry.body["question"], (entry.number, entry.body["release"]))
        return {}

    def _check_unit(self, entry: Entry) -> None:
        bound = self.states.get(UNIT, (0, {}))[1]
        if not bound or any(entry.body["unit"].get(name) != value for name, value in bound.items()):
            raise _Fault("is for another unit than the ledger's")


def verify(transaction: Transaction, receipts: Iterable[Receipt]) -> Verification:
    """Check the whole book and the receipts given; raises `LedgerTampered` with everything that was found."""
    held = list(receipts)
    wanted = {receipt.entry for receipt in held}
    faults: list[str] = []
    replay, seen = Replay(), dict[int, Entry]()
    last, identity = Row(0, "", GENESIS), ""
    for row in rows(transaction):
        previous, last = last, row
        entry = _check_link(row, previous, faults)
        identity = identity or row.hash
        if entry is not None:
            faults.extend(_replayed(replay, entry))
            if row.number in wanted:
                seen[row.number] = entry
        if len(faults) >= MOST_FAULTS:
            break
    else:
        faults.extend(_head_faults(transaction, last))
        faults.extend(_state_faults(transaction, replay))
        faults.extend(_release_faults(transaction, replay))
    faults.extend(words for receipt in held for words in _receipt_faults(receipt, seen, identity))
    if faults:
        raise LedgerTampered(
            f"the ledger does not verify: {'; '.join(faults)}.",
            "Keep the file as evidence, restore a copy that verifies, and treat what was spent since as unknown.",
            faults=faults,
        )
    return Verification(identity, last.number, replay.spends, last.hash, len(held))


def rows(transaction: Transaction) -> Iterator[Row]:
    """All entries in order."""
    after = 0
    while page := transaction.page(after):
        yield from page
        after = page[-1].number


def _check_link(row: Row, previous: Row, faults: list[str]) -> Entry | None:
    if row.number != previous.number + 1:
        missing = f"{previous.number + 1}" + (
            f" to {row.number - 1}" if row.number - previous.number > 2 else ""
        )
        faults.append(f"entry {missing} is missing")
        return None
    if link(previous.hash, row.body) != row.hash:
        faults.append(f"entry {row.number} does not match its hash")
        return None
    try:
        body = parsed(row)
    except LedgerTampered as error:
        faults.append(error.fact.rstrip("."))
        return None
    return Entry(row.number, row.hash, previous.hash, body)


def _replayed(replay: Replay, entry: Entry) -> list[str]:
    try:
        replay.take(entry)
    except _Fault as fault:
        return [f"entry {entry.number} {fault}"]
    except (KeyError, TypeError, ValueError, AttributeError, PrivetError):
        return [f"entry {entry.number} is not complete"]
    return []


def _head_faults(transaction: Transaction, last: Row) -> list[str]:
    head = transaction.head()
    if last.number == 0:
        return ["there are no entries"]
    if head is None:
        return ["the head row is gone"]
    if head.count > last.number:
        return [f"the head row counts {head.count} entries and {last.number} are there: the end was cut off"]
    if head.count < last.number:
        return [f"{last.number - head.count} entries follow the last one that the head row counts"]
    return [] if head.hash == last.hash else ["the head row names another last entry"]


def _state_faults(transaction: Transaction, replay: Replay) -> list[str]:
    stored = transaction.states()
    expected = {scope: state_text(number, state) for scope, (number, state) in replay.states.items()}
    return [
        f"the running balance of {scope} is not what the entries give"
        for scope in sorted(stored.keys() | expected.keys())
        if stored.get(scope) != expected.get(scope)
    ]


def _release_faults(transaction: Transaction, replay: Replay) -> list[str]:
    stored = {
        question: (entry, hashlib.sha256(release).hexdigest())
        for question, entry, release in transaction.releases()
    }
    return [
        f"the stored release {question[:12]}… is not the one that was entered"
        for question in sorted(stored.keys() | replay.releases.keys())
        if stored.get(question) != replay.releases.get(question)
    ]


def _receipt_faults(receipt: Receipt, seen: dict[int, Entry], identity: str) -> list[str]:
    if receipt.ledger.removeprefix(IN_MEMORY) != identity:
        return [f"the receipt of entry {receipt.entry} belongs to another ledger, or this one was replaced"]
    entry = seen.get(receipt.entry)
    if entry is None:
        return [f"entry {receipt.entry}, for which there is a receipt, is not in the book"]
    if entry.hash != receipt.head:
        return [f"entry {receipt.entry} is not the one its receipt names: the book was rewritten"]
    if entry.kind not in ("spend", "promise") or receipt_of(entry, receipt.ledger) != receipt:
        return [f"the receipt of entry {receipt.entry} says something else than the entry"]
    return []
