"""Sub-caps: below the data set's in every coin, and not opened after their end."""

import datetime

import pytest

from privet.errors import BadBooking, LedgerMismatch
from privet.guarantee._privacy_units import Row
from privet.guarantee._promise_registry import ApproxDP, PureDP
from privet.ledger import Ledger, clock


@pytest.mark.parametrize("limit", [ApproxDP(2, "1e-7"), ApproxDP("0.5", "1e-5")])
def test_a_sub_cap_is_below_the_data_sets_in_every_coin(limit):
    ledger = Ledger.in_memory(limit=ApproxDP(1, "1e-6"), unit=Row())
    with pytest.raises(BadBooking, match="larger than the data set's own"):
        ledger.open_budget(limit, purpose="research")
    ledger.open_budget(ApproxDP(1, "1e-6"), purpose="research")


def test_a_budget_may_end_today_and_not_have_ended_yesterday(monkeypatch):
    today = datetime.date(2026, 6, 30)
    noon = datetime.datetime(2026, 6, 30, 12, tzinfo=datetime.UTC)
    monkeypatch.setattr(clock, "now", lambda: noon)
    ledger = Ledger.in_memory(limit=PureDP(1), unit=Row(), expires=today)
    ledger.open_budget(PureDP(1), purpose="research", expires=today)
    yesterday = today - datetime.timedelta(1)
    with pytest.raises(BadBooking, match="the end date has passed"):
        ledger.open_budget(PureDP(1), analyst="ann", expires=yesterday)
    with pytest.raises(BadBooking, match="the end date has passed"):
        Ledger.in_memory(limit=PureDP(1), unit=Row(), expires=yesterday)


def test_a_budget_that_is_open_keeps_its_terms():
    book, day = Ledger.in_memory(limit=PureDP(1), unit=Row()), datetime.date(2999, 1, 1)
    book.open_budget(PureDP("0.5"), purpose="beds", expires=day)
    book.open_budget(PureDP("0.5"), purpose="beds", expires=day)
    for limit, expires in (
        (PureDP("0.4"), day),
        (PureDP("0.5"), None),
        (PureDP("0.5"), datetime.date(2999, 1, 2)),
    ):
        with pytest.raises(LedgerMismatch):
            book.open_budget(limit, purpose="beds", expires=expires)
    assert sum(entry.kind == "budget" for entry in book.history()) == 1
