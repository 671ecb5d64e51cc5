"""A book that is held against the newest entry that somebody else knows of."""

import shutil

import pytest

from privet.errors import LedgerRolledBack
from privet.guarantee import DiscreteLaplace, PureDP, Row
from privet.ledger import Head, Ledger

TENTH = DiscreteLaplace(10)


class Witness:
    """One that remembers in memory."""

    def __init__(self):
        self.told = []

    def newest(self):
        return self.told[-1] if self.told else None

    def note(self, head):
        self.told.append(head)


@pytest.fixture
def path(tmp_path):
    with Ledger(tmp_path / "a.ledger", limit=PureDP(1), unit=Row()):
        return tmp_path / "a.ledger"


def copied(path, name):
    """A copy of a ledger that nobody holds open."""
    return shutil.copy(path, path.with_name(name))


def spend(path, witness):
    with Ledger(path) as book:
        book.witnessed(witness)
        return book.charge(TENTH, why="a count").receipt


def test_each_new_head_is_told_after_it_is_booked(path):
    witness = Witness()
    first, second = spend(path, witness), spend(path, witness)
    assert [head.number for head in witness.told] == [1, first.entry, second.entry]
    with Ledger(path) as book:
        assert witness.newest() == Head(second.entry, list(book.history())[-1].hash)


def test_an_older_copy_is_refused_when_it_is_opened_and_before_each_booking(path):
    witness = Witness()
    spend(path, witness)
    old = copied(path, "old")
    spend(path, witness)
    path.unlink()
    shutil.copy(old, path)
    with Ledger(path) as book, pytest.raises(LedgerRolledBack):
        book.witnessed(witness)
    # Somebody else booked in a newer one while this one was open.
    known, witness.told = witness.told, []
    with Ledger(path) as book:
        book.witnessed(witness)
        witness.told = known
        with pytest.raises(LedgerRolledBack):
            book.charge(TENTH, why="a count")
        assert len(list(book.history())) == 2


def test_another_way_from_the_same_beginning_is_refused(path):
    fork, witness = copied(path, "fork.ledger"), Witness()
    spend(path, witness)
    with Ledger(fork) as book:
        book.charge(TENTH, why="another count")
        book.charge(TENTH, why="another count")
        with pytest.raises(LedgerRolledBack):
            book.witnessed(witness)


def test_a_witness_that_lags_is_told_the_rest(path):
    witness = Witness()
    spend(path, witness)
    with Ledger(path) as book:
        book.charge(TENTH, why="not told")
    last = spend(path, witness)
    assert witness.newest().number == last.entry == 4


def test_what_enters_nothing_is_not_told(path):
    witness = Witness()
    with Ledger(path) as book:
        book.witnessed(witness)
        receipt = book.charge(TENTH, why="a count", question="how many").receipt
        book.remember(receipt, "how many", b"7")  # an entry of its own
        told = len(witness.told)
        book.remember(receipt, "how many", b"7")
        book.incident(receipt, "E-LEDGER-006", "a trial")
        assert len(witness.told) == told
