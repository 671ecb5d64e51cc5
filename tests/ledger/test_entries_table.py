"""The history as a table: one row for each entry, amounts as numbers."""

from fractions import Fraction

import pytest

from privet.guarantee import ApproxDP, DiscreteLaplace, KAnonymity, Opaque, PureDP, Row
from privet.ledger import Ledger
from privet.ledger._entries_table import as_arrow, shares_left


@pytest.fixture
def ledger():
    book = Ledger.in_memory(limit=ApproxDP(1, "1e-6"), unit=Row(), accounting="basic")
    book.charge(DiscreteLaplace(10), why="a count")
    book.charge(Opaque("0.2", "5e-7"), why="another")
    book.record(KAnonymity(5), why="a table")
    return book


def test_a_row_for_each_entry_in_the_order_of_the_book(ledger):
    table = as_arrow(ledger.history())
    rows = table.to_pylist()
    entries = list(ledger.history())
    assert [row["entry"] for row in rows] == [entry.number for entry in entries]
    assert [row["hash"] for row in rows] == [entry.hash for entry in entries]
    assert [row["kind"] for row in rows] == [entry.kind for entry in entries]
    spends = [row for row in rows if row["kind"] == "spend"]
    assert [row["why"] for row in spends] == ["a count", "another"]
    assert [row["epsilon"] for row in spends] == pytest.approx([0.1, 0.2])
    assert [row["delta"] for row in spends] == pytest.approx([0.0, 5e-7])
    assert rows[0]["epsilon"] is None


def test_columns_have_their_types_also_in_an_empty_table():
    table = as_arrow([])
    types = {field.name: str(field.type) for field in table.schema}
    assert table.num_rows == 0
    assert types["entry"] == "int64"
    assert types["epsilon"] == types["delta"] == types["rho"] == "double"
    assert {types[name] for name in ("at", "kind", "why", "purpose", "analyst", "composition", "hash")} == {
        "string"
    }


def test_what_is_left_begins_whole_and_follows_the_scarcest_coin(ledger):
    caps = ledger.balance().caps
    # After 0.1 of 1 of epsilon nine tenths; then half of the delta is gone, which is scarcer.
    assert shares_left(ledger.history(), caps) == pytest.approx([1.0, 0.9, 0.5])
    assert shares_left([], caps) == pytest.approx([1])


def test_a_coin_that_does_not_exist_counts_for_nothing():
    book = Ledger.in_memory(limit=PureDP(1), unit=Row())
    book.charge(DiscreteLaplace(4), why="a count")
    assert shares_left(book.history(), {"epsilon": Fraction(1), "delta": Fraction(0)}) == pytest.approx(
        [1.0, 0.75]
    )
