"""Stored releases, from inside one transaction."""

import hashlib
from dataclasses import replace

import pytest
from tests.ledger.forgery import Forgery
from tests.ledger.test_ledger_verification import ANSWER, ANSWERED, OTHER, QUESTION, receipt

from privet.errors import BadBooking, LedgerMismatch, LedgerTampered
from privet.guarantee._events import Opaque
from privet.ledger import _stored_answers as memory
from privet.ledger._entry_journal import EntryJournal


def remember(book, paid, key, release):
    with book.store.writing() as transaction:
        return memory.remember(EntryJournal(transaction), paid.ledger, paid, key, release)


def recall(book, key):
    with book.store.reading() as transaction:
        return memory.recall(EntryJournal(transaction), "ledger", key)


def test_a_release_is_bytes():
    book = Forgery()
    paid = receipt(book, book.spend(Opaque("0.1")))
    with pytest.raises(BadBooking):
        remember(book, paid, QUESTION, "42")
    assert remember(book, paid, QUESTION, ANSWER) == (paid, ANSWER)
    assert remember(book, paid, QUESTION, b"43") == (paid, ANSWER)
    book.verify()


def test_only_what_was_paid_for_this_question_is_kept():
    book = Forgery()
    paid = receipt(book, book.spend(Opaque("0.1"), question="how many?"))
    with pytest.raises(LedgerMismatch, match="another question"):
        remember(book, paid, OTHER, ANSWER)
    with book.store.writing() as transaction, pytest.raises(LedgerMismatch, match="not from this ledger"):
        memory.remember(EntryJournal(transaction), "another ledger", paid, QUESTION, ANSWER)
    assert recall(book, QUESTION) is None
    remember(book, paid, QUESTION, ANSWER)
    assert recall(book, QUESTION)[1] == ANSWER


@pytest.mark.parametrize(
    ("paid_by", "digest", "stored"),
    [
        (2, ANSWERED, b"43"),  # altered
        (2, hashlib.sha256(b"43").hexdigest(), ANSWER),
        (1, ANSWERED, ANSWER),  # paid by the opening entry
        (9, ANSWERED, ANSWER),  # by none
        (3, ANSWERED, ANSWER),  # by one for another question
        (2, ANSWERED, None),  # removed
    ],
)
def test_a_stored_release_is_checked_against_the_chain(paid_by, digest, stored):
    book = Forgery()
    book.spend(Opaque("0.1"))
    book.spend(Opaque("0.1"), question="how old?")
    book.release(paid_by, QUESTION, digest, stored)
    with pytest.raises(LedgerTampered):
        recall(book, QUESTION)


def test_a_receipt_is_compared_with_the_entry_it_names():
    book = Forgery()
    paid = receipt(book, book.spend(Opaque("0.1"), question="how many?"))
    other = receipt(book, book.spend(Opaque("0.1"), question="how many?"))
    wrong = [
        replace(paid, head=other.head),  # another entry's hash
        replace(paid, entry=1),  # the opening
        replace(paid, entry=1, head=paid.ledger),  # which pays for nothing, hash and all
        replace(paid, entry=9),  # none
    ]
    for one in wrong:
        with pytest.raises(LedgerMismatch, match="not from this ledger"):
            remember(book, one, QUESTION, ANSWER)
    assert recall(book, QUESTION) is None


def part(book, paid, question, at, release):
    with book.store.writing() as transaction:
        return memory.remember(EntryJournal(transaction), paid.ledger, paid, question, release, part=at)


def test_rounds_are_kept_as_parts_of_what_one_entry_paid_for():
    book = Forgery()
    paid = receipt(book, book.spend(Opaque("0.1"), question="how many?"))
    assert part(book, paid, QUESTION, 0, b"first") == (paid, b"first")
    assert part(book, paid, QUESTION, 1, b"second") == (paid, b"second")
    assert part(book, paid, QUESTION, 0, b"another") == (paid, b"first")
    with book.store.reading() as transaction:
        journal = EntryJournal(transaction)
        assert memory.recall(journal, "ledger", QUESTION, part=1)[1] == b"second"
        assert memory.recall(journal, "ledger", QUESTION, part=2) is None
        assert memory.recall(journal, "ledger", QUESTION) is None
    assert remember(book, paid, QUESTION, ANSWER) == (paid, ANSWER)
    book.verify()


def test_parts_are_of_a_question_that_was_paid_for():
    book = Forgery()
    paid = receipt(book, book.spend(Opaque("0.1"), question="how many?"))
    nameless = receipt(book, book.spend(Opaque("0.1")))
    for given, question in ((paid, OTHER), (nameless, QUESTION)):
        with pytest.raises(LedgerMismatch, match="another question"):
            part(book, given, question, 0, b"first")
    with pytest.raises(BadBooking, match="counted from 0"):
        part(book, paid, QUESTION, -1, b"first")


@pytest.mark.parametrize(
    ("number", "key"),
    [
        (0, memory.part_key(QUESTION, 1)),  # said to be another part than it is
        (0, memory.part_key(OTHER, 0)),  # of another question
        (0, OTHER),
        (True, memory.part_key(QUESTION, 1)),
        (-1, memory.part_key(QUESTION, 1)),
        ("0", memory.part_key(QUESTION, 0)),
    ],
)
def test_a_part_that_nothing_paid_for_is_found(number, key):
    book = Forgery()
    paid = receipt(book, book.spend(Opaque("0.1"), question="how many?"))
    content = {"question": key, "release": ANSWERED, "paid_by": paid.entry, "part": number}
    book.enter("release", content, {})
    with book.store.writing() as transaction:
        transaction.put_release(key, paid.entry + 1, ANSWER)
    with pytest.raises(LedgerTampered, match="no entry, or one for another question"):
        book.verify()


def test_a_part_of_an_entry_without_a_question_is_found():
    book = Forgery()
    paid = receipt(book, book.spend(Opaque("0.1")))
    key = memory.part_key(QUESTION, 0)
    book.enter("release", {"question": key, "release": ANSWERED, "paid_by": paid.entry, "part": 0}, {})
    with book.store.writing() as transaction:
        transaction.put_release(key, paid.entry + 1, ANSWER)
    with pytest.raises(LedgerTampered, match="no entry, or one for another question"):
        book.verify()
