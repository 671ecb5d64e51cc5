"""Shuffled reports: the price is that of the exact sums, in the ledgers that may book it."""

from fractions import Fraction

import pytest

from privet.errors import BadAmount, EventNotPriced
from privet.guarantee import ApproxDP, Change, Row, ShuffledReports, event_from_json, shuffled_epsilon
from privet.ledger import Ledger


def test_the_price_is_that_of_the_exact_sums_rounded_up() -> None:
    """Golden: within .16754 and .17279 (apple/ml-shuffling-amplification, numerical bounds)."""
    cost = ShuffledReports(4, 100_000, "1e-6").basic_cost()
    assert 0.16754 <= cost.epsilon <= 0.17279
    assert 0 <= float(cost.epsilon) - shuffled_epsilon(4, 100_000, 1e-6) < 1e-9
    assert cost.delta == Fraction(1, 10**6)


def test_few_reports_cost_what_one_report_costs_and_no_delta() -> None:
    cost = ShuffledReports(16, 2, "1e-10").basic_cost()
    assert (cost.epsilon, cost.delta) == (16, 0)


@pytest.mark.parametrize(
    "wrong",
    [(0, 10, "1e-6"), (33, 10, "1e-6"), (1, 1, "1e-6"), (1, 10**9 + 1, "1e-6"), (1, 10, "1e-11"), (1, 10, 1)],
)
def test_what_the_sums_do_not_hold_for_is_refused(wrong) -> None:
    with pytest.raises(BadAmount):
        ShuffledReports(*wrong)


def test_the_least_delta_is_priced() -> None:
    assert ShuffledReports(1, 1_000, "1e-10").basic_cost().epsilon <= 1


def test_it_is_read_back_as_it_was_written() -> None:
    event = ShuffledReports("1.5", 1_000, "1e-8")
    assert event_from_json(event.to_json()) == event


def test_a_ledger_that_hides_presence_books_none() -> None:
    with (
        Ledger.in_memory(limit=ApproxDP(1, 1e-5), unit=Row()) as book,
        pytest.raises(EventNotPriced, match="hides"),
    ):
        book.charge(ShuffledReports(1, 10_000, "1e-6"), why="t")
    with Ledger.in_memory(limit=ApproxDP(1, 1e-5), unit=Row(Change.REPLACE)) as book:
        receipt = book.charge(ShuffledReports(1, 10_000, "1e-6"), why="t").receipt
    assert 0.0528 <= float(receipt.cost["epsilon"]) <= 0.0535
