"""Going on with a release that was booked and interrupted: the same draw again costs nothing more.

A release whose randomness comes from a secret seed is a function of the data and that seed. When its entry
commits to the seed, a second pass after a crash can only give the same release, so the entry that is there pays
for it. The commitment is part of the entry's question; a permit that is issued again is good only for a mechanism
that holds its own seed against it (`Permit.use(replaying=True)`).
"""

from __future__ import annotations

import re

from privet.artifact import Receipt
from privet.errors import LedgerMismatch
from privet.guarantee import event_from_json
from privet.ledger import _entry_text as entry_text
from privet.ledger._account_statements import receipt_of
from privet.ledger._entry_journal import EntryJournal
from privet.ledger._permit import Permit, issue

COMMITTED = re.compile(r"seed commitment [0-9a-f]{64} of run [0-9a-f]{64}")


def paid(journal: EntryJournal, ledger: str, question: str) -> Receipt | None:
    """The receipt of the first spend that was booked for this very question, if there is one."""
    spends = (entry for entry in journal.asked(entry_text.digest(question)) if entry.kind == "spend")
    first = next(spends, None)
    return None if first is None else receipt_of(first, ledger)


def resume(journal: EntryJournal, ledger: str, receipt: Receipt, question: object) -> Permit:
    """The permit of an existing entry, once more; refuses other receipts, questions, and any without a commitment."""
    # The whole text must be the commitment: around it, two different questions could carry the same one.
    if not isinstance(question, str) or not COMMITTED.fullmatch(question):
        raise LedgerMismatch(
            "this question commits to no seed, so a second draw would be a second release.",
            "Charge the ledger again.",
        )
    key = entry_text.digest(question)
    paid = journal.entry(receipt.entry) if receipt.ledger == ledger else None
    # The number alone would also fit a book that was rewritten since; the hash names this very entry.
    if paid is None or paid.kind != "spend" or paid.hash != receipt.head:
        raise LedgerMismatch("this receipt is not from this ledger.", "Use the ledger that was charged.")
    if paid.body["question"] != key:
        raise LedgerMismatch(
            "this receipt paid for another run: its data, plan, seed or software differ from what was booked.",
            "Go on with exactly what was started, or start again and pay again.",
        )
    return issue(event_from_json(paid.body["event"]), receipt_of(paid, ledger), key, resumed=True)
