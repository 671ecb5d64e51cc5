"""Reading the whole book again: is it the one that was written?

Four layers, each catching what the one before cannot: the hash chain (an entry edited, removed, inserted or
moved), the entries replayed under the rules they were booked under (a chain closed again over content that no ledger
would have entered; see `_replay`), the running states and the head row held against them (a doctored balance, a
cut-off end), and receipts in circulation (a book rewritten or cut back as a ledger might have written it).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

from privet.artifact import IN_MEMORY, Receipt
from privet.errors import LedgerTampered, PrivetError
from privet.ledger._account_statements import Verification, receipt_of
from privet.ledger._entry_journal import state_text
from privet.ledger._hash_chain import GENESIS, Entry, EntryRow, canonical, link, parsed
from privet.ledger._replay import Fault, Replay
from privet.ledger._store import Transaction

MOST_FAULTS = 20


def verify(transaction: Transaction, receipts: Iterable[Receipt]) -> Verification:
    """Check the whole book and the receipts given; raises `LedgerTampered` with everything that was found."""
    held = list(receipts)
    wanted = {receipt.entry for receipt in held}
    faults: list[str] = []
    replay, seen = Replay(), dict[int, Entry]()
    last, identity = EntryRow(0, "", GENESIS), ""
    for row in rows(transaction):
        previous, last = last, row
        entry = _check_link(row, previous, faults)
        identity = identity or row.hash
        # An entry that is not the one that was hashed is not replayed: what it does to balances would be
        # blamed on others.
        if entry is not None:
            faults.extend(_replayed(replay, entry))
            if row.number in wanted:
                seen[row.number] = entry
        # One alteration can put every later balance at odds: a long book would say the same a million times.
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


def rows(transaction: Transaction) -> Iterator[EntryRow]:
    """All entries in order."""
    after = 0
    while page := transaction.page(after):
        yield from page
        after = page[-1].number


def _check_link(row: EntryRow, previous: EntryRow, faults: list[str]) -> Entry | None:
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
    if not _is_canonical(body, row.body):
        faults.append(f"entry {row.number} is not written as entries are")
        return None
    return Entry(row.number, row.hash, previous.hash, body)


def _is_canonical(body: dict[str, Any], text: str) -> bool:
    """Whether a body has its one text: a name that stands twice would be read one way here and another way elsewhere."""
    try:
        return canonical(body) == text
    except ValueError:  # not a number, or none that is finite
        return False


def _replayed(replay: Replay, entry: Entry) -> list[str]:
    try:
        replay.take(entry)
    except Fault as fault:
        return [f"entry {entry.number} {fault}"]
    except (KeyError, TypeError, ValueError, AttributeError, PrivetError):
        return [f"entry {entry.number} is not complete, or not one that a ledger enters"]
    return []


def _head_faults(transaction: Transaction, last: EntryRow) -> list[str]:
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
