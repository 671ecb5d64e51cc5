"""A spend inside one transaction: what was bound or booked meanwhile by somebody else is honoured."""

import pytest
from tests.ledger.forgery import Forgery

from privet.errors import BudgetExceeded, LedgerMismatch
from privet.guarantee._events import Opaque
from privet.guarantee._privacy_units import Change, Person, Row, unit_to_json
from privet.guarantee._promise_registry import PureDP
from privet.ledger import Ledger
from privet.ledger._entry_journal import UNIT, EntryJournal
from privet.ledger._spend import bind


def test_a_unit_that_another_process_bound_meanwhile_must_be_the_same():
    book = Forgery(unit=None)
    book.bind(Row())
    with book.store.writing() as transaction:
        journal = EntryJournal(transaction)
        bind(journal, unit_to_json(Row()))
        assert journal.last.number == 2
        for other in (Person("id"), Row(Change.REPLACE)):
            with pytest.raises(LedgerMismatch):
                bind(journal, unit_to_json(other))
        assert journal.last.number == 2


def test_the_first_booking_binds_the_unit():
    book = Forgery(unit=None)
    with book.store.writing() as transaction:
        journal = EntryJournal(transaction)
        bind(journal, unit_to_json(Person("id", max_rows=3)))
        assert (journal.last.kind, journal.state(UNIT)) == (
            "unit",
            {"unit": "person", "column": "id", "change": "add-or-remove"},
        )


def test_what_was_booked_once_may_be_drawn_when_nothing_is_left():
    ledger = Ledger.in_memory(limit=PureDP("0.1"), unit=Row())
    first = ledger.charge(Opaque("0.1"), why="a count", question="how many?", once=True)
    again = ledger.charge(Opaque("0.1"), why="a count", question="how many?", once=True)
    assert again.receipt == first.receipt
    assert ledger.balance().remaining == {"epsilon": 0}
    with pytest.raises(BudgetExceeded):
        ledger.charge(Opaque("1e-12"), why="a count", question="how old?", once=True)
