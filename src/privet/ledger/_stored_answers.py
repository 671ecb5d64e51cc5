"""Stored releases: the same question gets the same answer, at no cost.

A release that was paid for is public; showing it again tells nothing new. Its digest is an entry of the
chain, so a stored release that was altered is noticed when it is recalled, and so is one that was removed. The first
release of a question stays for ever: whoever stores a later one is handed the first (see `once`).

A release that is drawn in rounds, each of which decides what the next one asks, is stored round by round: part 0, part 1
and so on of its question, all paid for by its one entry. So a run that was killed goes on with the rounds that were drawn,
and none of them is ever drawn again.
"""

from __future__ import annotations

import hashlib

from privet.artifact import Receipt
from privet.errors import BadBooking, LedgerMismatch, LedgerTampered
from privet.ledger._account_statements import receipt_of
from privet.ledger._entry_journal import EntryJournal

PAID = ("spend", "promise")


def part_key(question: str, part: int | None) -> str:
    """Under which digest a part of what a question's digest stands for is stored; the whole, under the question's own."""
    if part is None:
        return question
    if part < 0:
        raise BadBooking("parts of a release are counted from 0.", "Give the number of the round.")
    return hashlib.sha256(f"part {part} of {question}".encode()).hexdigest()


def remember(
    journal: EntryJournal,
    ledger: str,
    receipt: Receipt,
    question: str,
    release: object,
    *,
    part: int | None = None,
) -> tuple[Receipt, bytes]:
    """Keep a release under its question's digest, unless there is one already; what is kept, and what paid for it."""
    if not isinstance(release, bytes):
        raise BadBooking("a release is stored as bytes.", "Encode it first, for example as JSON.")
    paid = journal.entry(receipt.entry) if receipt.ledger == ledger else None
    if paid is None or paid.kind not in PAID or paid.hash != receipt.head:
        raise LedgerMismatch("this receipt is not from this ledger.", "Use the ledger that was charged.")
    # A part is of a question: an entry that names none could be given as many parts as anybody likes.
    if paid.body["question"] not in ((None, question) if part is None else (question,)):
        raise LedgerMismatch("this receipt paid for another question.", "Give the question that was charged.")
    key = part_key(question, part)
    # Even where the new answer differs: two answers to one question would average the noise away.
    if (stored := recall(journal, ledger, question, part=part)) is not None:
        return stored
    content = {"question": key, "release": hashlib.sha256(release).hexdigest(), "paid_by": receipt.entry}
    content |= {} if part is None else {"part": part}
    entry = journal.append("release", content, {})
    journal.transaction.put_release(key, entry.number, release)
    return receipt_of(paid, ledger), release


def recall(
    journal: EntryJournal, ledger: str, question: str, *, part: int | None = None
) -> tuple[Receipt, bytes] | None:
    """The release of a question and the receipt that paid for it, both checked against the chain."""
    key = part_key(question, part)
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
    if paid is None or paid.kind not in PAID or paid.body["question"] not in (None, question):
        raise LedgerTampered(
            "the entry that paid for this release is gone, or paid for another.",
            "Run `privet ledger verify`.",
        )
    return receipt_of(paid, ledger), release
