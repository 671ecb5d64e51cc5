"""Booked once: the same question costs nothing more until its answer is stored, and then has no second draw."""

import pytest

from privet.errors import AlreadyReleased, LedgerMismatch
from privet.guarantee import DiscreteLaplace, PureDP, Row
from privet.ledger import Ledger

TENTH, QUESTION = DiscreteLaplace(10), "how many"


@pytest.fixture
def ledger():
    return Ledger.in_memory(limit=PureDP(1), unit=Row())


def charge(ledger, event=TENTH, **more):
    return ledger.charge(event, why="a count", **{"question": QUESTION, "once": True, **more})


def test_asking_again_before_the_answer_is_stored_books_nothing(ledger):
    first, second = charge(ledger), charge(ledger)
    assert first.receipt.entry == second.receipt.entry
    assert first.receipt.head == second.receipt.head
    assert ledger.balance().spends == 1


def test_the_owner_is_told_of_every_draw_under_an_entry_that_is_there(ledger):
    permit = charge(ledger)
    assert ledger.incidents() == []
    charge(ledger)
    charge(ledger)
    assert [(one.entry, one.code) for one in ledger.incidents()] == [
        (permit.receipt.entry, "drawn-again")
    ] * 2


def test_an_answered_question_is_not_drawn_again(ledger):
    permit = charge(ledger)
    ledger.remember(permit.receipt, QUESTION, b"42")
    with pytest.raises(AlreadyReleased):
        charge(ledger)
    assert ledger.balance().spends == 1


def test_also_where_it_was_not_booked_once(ledger):
    permit = charge(ledger, once=False)
    ledger.remember(permit.receipt, QUESTION, b"42")
    with pytest.raises(AlreadyReleased):
        charge(ledger)


def test_an_entry_that_was_not_booked_once_is_never_drawn_under_again(ledger):
    plain = charge(ledger, once=False)
    once = charge(ledger)
    assert plain.receipt.entry != once.receipt.entry
    assert ledger.balance().spends == 2


@pytest.mark.parametrize(
    "other",
    [{"event": DiscreteLaplace(11)}, {"data": "another"}, {"promise": PureDP("0.1")}],
    ids=["event", "data", "promise"],
)
def test_the_same_question_for_something_else_is_refused(ledger, other):
    charge(ledger)
    with pytest.raises(LedgerMismatch):
        charge(ledger, **other)
    assert ledger.balance().spends == 1


def test_another_question_is_booked_anew(ledger):
    assert charge(ledger).receipt.entry != charge(ledger, question="how many more").receipt.entry


def test_settled_is_what_costs_nothing_more(ledger):
    assert not ledger.settled(QUESTION)
    plain = ledger.charge(TENTH, why="a count", question="plain")
    assert not ledger.settled("plain")
    ledger.remember(plain.receipt, "plain", b"1")
    assert ledger.settled("plain")
    charge(ledger)
    assert ledger.settled(QUESTION)
