"""Explaining a PAC release: what it would run, promise and cost; nothing is read or spent."""

from tests.protect.pac.people import book, means, people

import privet as pv


def test_it_says_the_stages_the_promise_and_the_budget() -> None:
    ledger = book(1)
    told = pv.explain(people().apply(means, ["age", "cost"]), pv.PacPrivacy("1/16"), ledger=ledger)
    text = str(told)
    for said in (
        "1. Read age, cost",
        "67.5% of the time",
        "Not promised",
        "nats 1 → 0.9375",
        "never add to an epsilon",
    ):
        assert said in text
    assert ledger.balance(nats=True).spends == 0
    assert told.to_json()["numbers"] == 2


def test_without_an_account_of_nats_it_says_what_to_open() -> None:
    ledger = pv.Ledger.in_memory(limit=pv.PureDP(1))
    told = pv.explain(people().apply(means, ["age"]), pv.PacPrivacy("1/16"), ledger=ledger)
    assert "ledger.open_budget(PacPrivacy(1))" in told.budget


def test_a_budget_that_does_not_cover_it_is_told() -> None:
    told = pv.explain(people().apply(means, ["age"]), pv.PacPrivacy("1/16"), ledger=book("1/32"))
    assert "would be refused" in told.budget


def test_no_row_is_read() -> None:
    """The same words for any rows at all, and none where there are no rows to read."""
    one, other = (
        str(pv.explain(people(seed=seed).apply(means, ["age"]), pv.PacPrivacy("1/16"))) for seed in (1, 2)
    )
    assert one == other
