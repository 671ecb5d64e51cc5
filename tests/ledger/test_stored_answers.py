"""Stored releases, from inside one transaction."""

import hashlib

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
