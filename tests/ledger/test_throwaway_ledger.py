"""A book that ends with the process: it keeps its limit while it lasts, and leaves no file."""

import pytest

from privet.errors import BudgetExceeded
from privet.guarantee import DiscreteLaplace, PureDP, Row
from privet.ledger import Throwaway, throwaway

TENTH = DiscreteLaplace(10)


def test_it_holds_its_promise_to_its_word():
    book = throwaway(PureDP("0.2"))
    assert isinstance(book, Throwaway)
    for _ in range(2):
        book.charge(TENTH, why="a fit", unit=Row())
    with pytest.raises(BudgetExceeded):
        book.charge(TENTH, why="a fit", unit=Row())
    assert book.verify().spends == 2


def test_it_has_no_place_and_the_next_knows_nothing_of_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one, other = throwaway(PureDP(1)), throwaway(PureDP(1))
    one.charge(TENTH, why="a fit", unit=Row())
    assert other.balance().spends == 0
    assert one.id != other.id
    assert one.place == "memory"
    assert list(tmp_path.iterdir()) == []
    assert one.unit == Row()
    assert other.unit is None
