"""Failures after a booking: told to the owner, under the entry that paid, never with a value."""

from dataclasses import replace

import pytest

from privet.errors import BadBooking, LedgerMismatch
from privet.guarantee import DiscreteLaplace, PureDP, Row
from privet.ledger import Incident, Ledger


@pytest.fixture
def ledger():
    return Ledger.in_memory(limit=PureDP(1), unit=Row())


@pytest.fixture
def receipt(ledger):
    return ledger.charge(DiscreteLaplace(10), why="a count").receipt


def test_they_come_in_their_order_with_code_and_words(ledger, receipt):
    ledger.incident(receipt, "E-ENGINE-003", "counting")
    ledger.incident(receipt, "MemoryError", "noising")
    first, second = ledger.incidents()
    assert first == Incident(receipt.entry, first.at, "E-ENGINE-003", "counting")
    assert second.code == "MemoryError"
    assert first.at <= second.at
    assert first.to_json() == {
        "entry": receipt.entry,
        "at": first.at,
        "code": "E-ENGINE-003",
        "doing": "counting",
    }


@pytest.mark.parametrize("code", ["", "3E", "E 3", "E-ü", "E" * 81, None, 7, "E\n"])
def test_a_code_is_a_short_name(ledger, receipt, code):
    with pytest.raises(BadBooking):
        ledger.incident(receipt, code, "counting")
    assert ledger.incidents() == []


def test_a_code_of_eighty_characters_is_the_longest(ledger, receipt):
    ledger.incident(receipt, "E" * 80, "counting")
    assert len(ledger.incidents()) == 1


@pytest.mark.parametrize("changed", [{"ledger": "another"}, {"entry": 99}, {"head": "0" * 64}, {"entry": 1}])
def test_a_receipt_of_another_book_or_entry_is_refused(ledger, receipt, changed):
    with pytest.raises(LedgerMismatch):
        ledger.incident(replace(receipt, **changed), "E-ENGINE-003", "counting")
    assert ledger.incidents() == []


def test_they_are_no_part_of_the_book(ledger, receipt):
    before = ledger.verify()
    ledger.incident(receipt, "E-ENGINE-003", "counting")
    assert ledger.verify() == before
    assert "E-ENGINE-003" not in str(ledger.export())
