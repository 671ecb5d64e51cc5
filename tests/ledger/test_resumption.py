"""Going on with an interrupted run: only for its very entry, its very question, and a committed seed."""

from dataclasses import replace

import pytest

from privet.errors import LedgerMismatch, PrivetError
from privet.guarantee import DiscreteLaplace, KAnonymity, PureDP, Row
from privet.ledger import Ledger

TENTH = DiscreteLaplace(10)
RUN = f"seed commitment {'a' * 64} of run {'b' * 64}"


@pytest.fixture
def ledger():
    return Ledger.in_memory(limit=PureDP(1), unit=Row())


def test_the_same_entry_pays_once_more(ledger):
    receipt = ledger.charge(TENTH, why="a fit", question=RUN).receipt
    permit = ledger.resume(receipt, RUN)
    assert permit.event == TENTH
    assert permit.receipt == receipt
    assert ledger.balance().spends == 1
    with pytest.raises(PrivetError):
        permit.use()
    assert ledger.resume(receipt, RUN).use(replaying=True) == TENTH


@pytest.mark.parametrize(
    "question",
    [
        "how many",
        f"x{RUN}",
        f"{RUN}x",
        RUN.upper(),
        RUN.replace("a" * 64, "a" * 63),
        RUN.replace("b" * 64, "g" * 64),
        None,
    ],
)
def test_a_question_that_is_not_exactly_a_commitment_is_refused(ledger, question):
    receipt = ledger.charge(TENTH, why="a fit", question=question or "none").receipt
    with pytest.raises(PrivetError):
        ledger.resume(receipt, question)


@pytest.mark.parametrize("changed", [{"ledger": "another"}, {"entry": 99}, {"entry": 1}, {"head": "0" * 64}])
def test_a_receipt_of_another_book_or_entry_is_refused(ledger, changed):
    receipt = ledger.charge(TENTH, why="a fit", question=RUN).receipt
    with pytest.raises(LedgerMismatch, match="not from this ledger"):
        ledger.resume(replace(receipt, **changed), RUN)


def test_what_is_no_spend_pays_for_nothing(ledger):
    ledger.charge(TENTH, why="a fit", question=RUN)
    spend = ledger.paid(RUN)
    assert spend is not None
    recorded = ledger.record(KAnonymity(5), why="a table")
    entry = list(ledger.history())[-1]
    assert entry.kind != "spend"
    with pytest.raises(LedgerMismatch):
        ledger.resume(replace(spend, entry=entry.number, head=entry.hash), RUN)
    assert recorded


def test_another_run_is_refused(ledger):
    receipt = ledger.charge(TENTH, why="a fit", question=RUN).receipt
    with pytest.raises(LedgerMismatch, match="another run"):
        ledger.resume(receipt, RUN.replace("b" * 64, "c" * 64))


def test_the_first_spend_of_a_question_is_what_was_paid(ledger):
    assert ledger.paid(RUN) is None
    first = ledger.charge(TENTH, why="a fit", question=RUN).receipt
    ledger.charge(TENTH, why="a fit", question=RUN)
    assert ledger.paid(RUN) == first
    ledger.remember(first, RUN, b"model")
    assert ledger.paid(RUN) == first
    assert ledger.paid("another") is None
