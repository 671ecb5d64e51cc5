"""Accounts in exact units: nothing is lost in adding, writing or reading them."""

import datetime
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import BudgetExceeded, BudgetExpired, LedgerTampered
from privet.guarantee._promise_registry import ApproxDP, PureDP
from privet.ledger._account_states import (
    DATA_SET,
    Account,
    admit,
    amounts,
    from_text,
    scopes_of,
    to_text,
)

TODAY = datetime.date(2026, 6, 1)


def account(cap="3", spent="0", scope=DATA_SET, expires=None):
    return Account(
        scope,
        PureDP(cap).to_json(),
        from_text({"epsilon": cap}),
        from_text({"epsilon": spent}),
        expires=expires,
    )


def test_scopes():
    assert scopes_of(None, None) == ["data set"]
    assert scopes_of("research", "ann") == ["data set", "purpose research", "analyst ann"]


@given(st.dictionaries(st.sampled_from(["epsilon", "rho", "delta"]), st.integers(0, 10**40)))
def test_units_survive_text(units):
    assert from_text(to_text(units)) == units
    assert all(isinstance(text, str) for text in to_text(units).values())


@pytest.mark.parametrize("text", ["1e-13", "-1", "0.0000000000001", "1/3", "1e999999999", "1/0", "a lot"])
def test_what_is_not_a_number_of_units_is_tampering(text):
    with pytest.raises(LedgerTampered):
        from_text({"epsilon": text})
    with pytest.raises(LedgerTampered):
        from_text({"coin": "1"})


@given(st.lists(st.integers(1, 10**15), max_size=30))
def test_spends_add_exactly(costs):
    start = account(cap="1000000")
    end = start
    for units in costs:
        end = end.after({"epsilon": units})
    assert end.spent["epsilon"] == sum(costs)
    assert end.spends == len(costs)
    assert Account.from_json(DATA_SET, end.to_json()) == end


def test_the_refusal_says_spent_asked_short_and_where():
    with pytest.raises(BudgetExceeded) as refusal:
        admit([account("3", "2")], from_text({"epsilon": "1.5"}), TODAY)
    assert refusal.value.fact == "spent 2 of 3, this needs 1.5, 0.5 short (epsilon, data set)."
    assert refusal.value.details["scopes"] == [
        {
            "scope": "data set",
            "limit": {"epsilon": "3"},
            "spent": {"epsilon": "2"},
            "needed": {"epsilon": "1.5"},
        }
    ]


def test_every_scope_and_coin_that_is_short_is_named():
    both = Account(
        "analyst ann",
        ApproxDP(1, "1e-6").to_json(),
        from_text({"epsilon": "1", "delta": "0.000001"}),
        from_text({"epsilon": "1", "delta": "0.000001"}),
    )
    with pytest.raises(BudgetExceeded) as refusal:
        admit([both], from_text({"epsilon": "0.1", "delta": "0.000001"}), TODAY)
    assert "(epsilon, analyst ann)" in refusal.value.fact
    assert "(delta, analyst ann)" in refusal.value.fact


def test_the_last_unit_may_be_spent_and_not_one_more():
    admit([account("1", "0.999999999999")], from_text({"epsilon": "0.000000000001"}), TODAY)
    with pytest.raises(BudgetExceeded):
        admit([account("1", "0.999999999999")], from_text({"epsilon": "0.000000000002"}), TODAY)


def test_a_budget_lasts_through_its_last_day():
    cost = from_text({"epsilon": "1"})
    admit([account(expires=TODAY)], cost, TODAY)
    with pytest.raises(BudgetExpired, match="2026-06-01"):
        admit([account(expires=TODAY)], cost, TODAY + datetime.timedelta(days=1))


def test_ten_tenths_make_one():
    assert amounts({"epsilon": 10 * from_text({"epsilon": "0.1"})["epsilon"]}) == {"epsilon": Fraction(1)}
