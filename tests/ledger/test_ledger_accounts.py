"""Accounts of an open ledger: terms, units, budgets of others below the data set's, and nats beside them."""

import datetime

import pytest

import privet as pv
from privet.artifact import FORGETS
from privet.errors import BadBooking, BadUnit, LedgerMismatch
from privet.ledger import Ledger

DAY = datetime.date(2200, 1, 1)


@pytest.fixture
def ledger():
    with Ledger.in_memory(limit=pv.ApproxDP(3, "1e-6"), unit=pv.Person("who"), expires=DAY) as opened:
        yield opened


def test_terms_are_those_it_was_opened_with(ledger):
    assert (ledger.limit, ledger.expires, ledger.accounting) == (pv.ApproxDP(3, "1e-6"), DAY, "basic")
    assert ledger.unit == pv.Person("who")
    assert ledger.note == FORGETS


def test_another_unit_is_refused(ledger):
    ledger.refuse_other_unit(pv.Person("who"))
    with pytest.raises(LedgerMismatch):
        ledger.refuse_other_unit(pv.Row())
    with Ledger.in_memory(limit=pv.PureDP(1)) as unbound, pytest.raises(BadUnit, match="no privacy unit yet"):
        unbound.record(pv.KAnonymity(5), why="a test")


def test_budgets_of_purposes_and_analysts_stand_below(ledger):
    ledger.open_budget(pv.ApproxDP(1, "1e-7"), purpose="care")
    ledger.open_budget(pv.ApproxDP(2, "1e-7"), analyst="Ada")
    ledger.open_budget(pv.ApproxDP(1, "1e-7"), purpose="care")  # once more changes nothing
    first, *others = ledger.balances()
    assert first == ledger.balance()
    assert len(others) == 2
    assert ledger.balance(purpose="care") in others
    assert ledger.balance(analyst="Ada") in others
    with pytest.raises(BadBooking, match="one purpose or for one analyst"):
        ledger.open_budget(pv.ApproxDP(1, "1e-7"), purpose="care", analyst="Ada")
    with pytest.raises(BadBooking, match="one purpose or one analyst"):
        ledger.balance(purpose="care", analyst="Ada")
    with pytest.raises(BadBooking, match="True or False"):
        ledger.balance(nats=1)


def test_nats_are_an_account_of_their_own(ledger):
    before = ledger.balance()
    ledger.open_budget(pv.PacPrivacy("0.5"))
    assert ledger.balance() == before
    assert ledger.balance(nats=True) != before
    with pytest.raises(BadBooking, match="have no share"):
        ledger.open_budget(pv.PacPrivacy("0.5"), purpose="care")
