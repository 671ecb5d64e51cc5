"""Stored releases: the same question gets the same answer, at no cost.

A release that was paid for is public; showing it again tells nothing new. Its digest is an entry of the
chain, so a stored release that was altered is noticed when it is recalled, and so is one that was removed. The first
release of a question stays for ever: whoever stores a later one is handed the first (see `once`).
"""

from __future__ import annotations

import hashlib

from privet.artifact import Receipt
from privet.errors import BadBooking, LedgerMismatch, LedgerTampered
from privet.ledger._account_statements import receipt_of
from privet.ledger._entry_journal import EntryJournal

PAID = ("spend", "promise")


def remember(
    journal: EntryJournal, ledger: str, receipt: Receipt, key: str, release: object
) -> tuple[Receipt, bytes]:
    """Keep a release under its question's digest, unless there is one already; what is kept, and what paid for it."""
    if not isinstance(release, bytes):
        raise BadBooking("a release is stored as bytes.", "Encode it first, for example as JSON.")
    paid = journal.entry(receipt.entry) if receipt.ledger == ledger else None
    if paid is None or paid.kind not in PAID or paid.hash != receipt.head:
        raise LedgerMismatch("this receipt is not from this ledger.", "Use the ledger that was charged.")
    if paid.body["question"] not in (None, key):
        raise LedgerMismatch("this receipt paid for another question.", "Give the question that was charged.")
    # Even where the new answer differs: two answers to one question would average the noise away.
    if (stored := recall(journal, ledger, key)) is not None:
        return stored
    content = {"question": key, "release": hashlib.sha256(release).hexdigest(), "paid_by": receipt.entry}
    entry = journal.append("release", content, {})
    journal.transaction.put_release(key, entry.number, release)
    return receipt_of(paid, ledger), release


def recall(journal: EntryJournal, ledger: str, key: str) -> tuple[Receipt, bytes] | None:
    """The release of a question and the receipt that paid for it, both checked against the chain."""
    found = journal.transaction.release(key)
    if found is None:
        if any(entry.kind == "release" for entry in journal.asked(key)):
            raise LedgerTampered(
                "the release of this question was entered, and is not stored any more.",
                "Run `privet ledger verify`, and restore a copy that verifies.",
            )
        return None
    number, release = found
    entry = journal.entry(number)
    stated = {"kind": "release", "question": key, "release": hashlib.sha256(release).hexdigest()}
    if entry is None or any(entry.body.get(name) != value for name, value in stated.items()):
        raise LedgerTampered(
            "the stored release of this question is not the one that was entered.",
            "Run `privet ledger verify`; do not show the release.",
        )
    paid = journal.entry(int(entry.body["paid_by"]))
    if paid is None or paid.kind not in PAID or paid.body["question"] not in (None, key):
        raise LedgerTampered(
            "the entry that paid for this release is gone, or paid for another.",
            "Run `privet ledger verify`.",
        )
    return receipt_of(paid, ledger), release
