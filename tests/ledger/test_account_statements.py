"""Balances, quotes, verifications and receipts: what they say comes from the book, amounts exact."""

import datetime
from fractions import Fraction

import pytest

from privet.guarantee import ApproxDP, DiscreteLaplace, PureDP, Row
from privet.ledger import Account, Ledger
from privet.ledger._account_statements import Balance, Quote, Verification, receipt_of

TENTH = DiscreteLaplace(10)  # costs 0.1


@pytest.fixture
def ledger():
    book = Ledger.in_memory(limit=PureDP(1), unit=Row(), expires=datetime.date(2999, 12, 31))
    book.charge(TENTH, why="a count", data="fingerprint", question="how many")
    book.charge(DiscreteLaplace(5), why="another")
    return book


def test_a_balance_is_what_was_spent_and_what_is_left(ledger):
    balance = ledger.balance()
    assert balance.caps == {"epsilon": Fraction(1)}
    assert balance.spent == {"epsilon": Fraction(3, 10)}
    assert balance.remaining == {"epsilon": Fraction(7, 10)}
    assert balance.spends == 2
    assert balance.expired is False
    assert balance.share_left == pytest.approx(0.7)
    assert str(balance).endswith("spent epsilon 0.3 of 1, 70% left")


def test_a_balance_is_written_in_exact_decimals(ledger):
    assert ledger.balance().to_json() == {
        "scope": ledger.balance().scope,
        "limit": PureDP(1).to_json(),
        "accounting": "pure",
        "caps": {"epsilon": "1"},
        "spent": {"epsilon": "0.3"},
        "remaining": {"epsilon": "0.7"},
        "spends": 2,
        "expires": "2999-12-31",
        "expired": False,
    }
    assert Ledger.in_memory(limit=PureDP(1)).balance().to_json()["expires"] is None


def balance_of(caps, remaining):
    spent = {coin: caps[coin] - remaining[coin] for coin in caps}
    return Balance("data set", ApproxDP(1, "1e-6"), "basic", caps, spent, remaining, 1, None, expired=False)


def test_the_scarcest_coin_decides_and_one_that_does_not_exist_counts_for_nothing():
    one, half, tenth = Fraction(1), Fraction(1, 2), Fraction(1, 10)
    assert balance_of({"epsilon": Fraction(4)}, {"epsilon": Fraction(1)}).share_left == pytest.approx(0.25)
    assert balance_of(
        {"epsilon": one, "delta": one}, {"epsilon": half, "delta": tenth}
    ).share_left == pytest.approx(0.1)
    assert balance_of(
        {"epsilon": one, "delta": Fraction(0)}, {"epsilon": half, "delta": Fraction(0)}
    ).share_left == (pytest.approx(0.5))
    assert balance_of({"delta": Fraction(0)}, {"delta": Fraction(0)}).share_left == pytest.approx(0.0)


def test_a_balance_says_whether_its_budget_has_ended():
    end = datetime.date(2030, 6, 30)
    account = Account("data set", PureDP(1).to_json(), {"epsilon": 10**12}, {"epsilon": 0}, 0, end)
    assert Balance.of(account, "pure", end).expired is False
    assert Balance.of(account, "pure", end + datetime.timedelta(days=1)).expired is True


def test_quotes_and_verifications_are_records(ledger):
    quote = ledger.quote(TENTH)
    assert quote.to_json() == {
        "admitted": True,
        "reason": "",
        "cost": {"epsilon": "0.1"},
        "before": {"epsilon": "0.7"},
        "after": {"epsilon": "0.6"},
    }
    refused = ledger.quote(DiscreteLaplace(1))
    assert isinstance(refused, Quote)
    assert refused.to_json()["admitted"] is False
    assert refused.reason
    found = ledger.verify()
    assert isinstance(found, Verification)
    assert found.to_json() == {
        "verified": True,
        "ledger": ledger.id,
        "entries": found.entries,
        "spends": 2,
        "head": list(ledger.history())[-1].hash,
        "receipts": 0,
    }


def test_everything_in_a_receipt_comes_from_the_chain(ledger):
    entry = next(entry for entry in ledger.history() if entry.kind == "spend")
    receipt = receipt_of(entry, "the-ledger")
    assert (receipt.ledger, receipt.entry, receipt.head, receipt.at) == (
        "the-ledger",
        entry.number,
        entry.hash,
        entry.at,
    )
    for name in (
        "event", "promise", "unit", "accounting", "composition", "cost", "remaining", "why", "purpose", "analyst",
        "data", "grid",
    ):  # fmt: skip
        assert getattr(receipt, name) == entry.body[name], name
    assert receipt.why == "a count"
    assert receipt.data == "fingerprint"
