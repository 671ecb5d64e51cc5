"""Stored releases: the same question gets the same answer, at no cost.

A release that was paid for is public; showing it again tells nothing new. Its digest is an entry of the
chain, so a stored release that was altered is noticed when it is recalled.
"""

from __future__ import annotations

import hashlib

from privet.artifact.receipt import Receipt
from privet.errors import BadBooking, LedgerMismatch, LedgerTampered
from privet.ledger.journal import Journal
from privet.ledger.statements import receipt_of
from privet.ledger.store import Transaction

PAID = ("spend", "promise")


def remember(transaction: Transaction, ledger: str, receipt: Receipt, key: str, release: object) -> None:
    """Keep a release under its question's digest, unless there is one already."""
    if not isinstance(release, bytes):
        raise BadBooking("a release is stored as bytes.", "Encode it first, for example as JSON.")
    journal = Journal(transaction)
    paid = journal.entry(receipt.entry) if receipt.ledger == ledger else None
    if paid is None or paid.kind not in PAID or paid.hash != receipt.head:
        raise LedgerMismatch("this receipt is not from this ledger.", "Use the ledger that was charged.")
    if paid.body["question"] not in (None, key):
        raise LedgerMismatch("this receipt paid for another question.", "Give the question that was charged.")
    if transaction.release(key) is not None:
        return
    content = {"question": key, "release": hashlib.sha256(release).hexdigest(), "paid_by": receipt.entry}
    entry = journal.append("release", content, {})
    transaction.put_release(key, entry.number, release)


def recall(transaction: Transaction, ledger: str, key: str) -> tuple[Receipt, bytes] | None:
    """The release of a question and the receipt that paid for it, both checked against the chain."""
    found = transaction.release(key)
    if found is None:
        return None
    number, release = found
    journal = Journal(transaction)
    entry = journal.entry(number)
    stated = {"kind": "release", "question": key, "release": hashlib.sha256(release).hexdigest()}
    if entry is None or any(entry.body.get(name) != value for name, value in stated.items()):
        raise LedgerTampered(
            "the stored release of this question is not the one that was entered.",
            "Run `privet ledger verify`; do not show the release.",
        )
    paid = journal.entry(int(entry.body["paid_by"]))
    if paid is None or paid.kind not in PAID:
        raise LedgerTampered("the entry that paid for this release is gone.", "Run `privet ledger verify`.")
    return receipt_of(paid, ledger), release
