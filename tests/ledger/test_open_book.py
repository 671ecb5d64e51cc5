"""One book that is open: it is recognised by what was seen of it, and a draft leaves nothing behind."""

import contextlib
import shutil
import sqlite3

import pytest

from privet.errors import (
    BudgetExceeded,
    LedgerMismatch,
    LedgerReplaced,
    LedgerTampered,
    LedgerUnavailable,
    PrivetError,
)
from privet.guarantee import DiscreteLaplace, Person, PureDP, Row
from privet.ledger import Ledger
from privet.ledger._draft_ledger import MemoryStore
from privet.ledger._entry_journal import EntryJournal
from privet.ledger._open_book import OpenBook

TENTH = DiscreteLaplace(10)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.ledger"


def test_there_is_no_book_without_a_limit(path):
    with pytest.raises(LedgerUnavailable) as caught:
        Ledger(path)
    assert str(path) in caught.value.hint
    assert not path.exists()


def test_a_draft_is_made_with_the_first_booking_that_is_admitted(path):
    ledger = Ledger(path, limit=PureDP("0.05"), unit=Row(), lazily=True)
    with pytest.raises(BudgetExceeded):
        ledger.charge(TENTH, why="too much")
    assert not path.exists()
    assert ledger.balance().spends == 0
    ledger.charge(DiscreteLaplace(20), why="enough")
    assert path.exists()
    assert Ledger(path).balance().spends == 1
    assert Ledger(path).id == ledger.id


def test_what_waits_for_the_place_is_called_once_it_is_there(path):
    called = []
    ledger = Ledger(path, limit=PureDP(1), unit=Row(), lazily=True)
    ledger.when_made(lambda: called.append(path.exists()))
    assert called == []
    ledger.charge(TENTH, why="a count")
    assert called == [True]
    ledger.when_made(lambda: called.append("now"))
    ledger.charge(TENTH, why="a count")
    assert called == [True, "now"]


def test_a_draft_takes_what_somebody_else_opened_meanwhile(path):
    late = Ledger(path, limit=PureDP(1), unit=Row(), lazily=True)
    first = Ledger(path, limit=PureDP(1), unit=Row())
    late.charge(TENTH, why="a count")
    assert late.id == first.id
    assert first.balance().spends == 1


@pytest.mark.parametrize(
    "other",
    [{"limit": PureDP(2), "unit": Row()}, {"limit": PureDP(1), "unit": Person("id")}],
    ids=["limit", "unit"],
)
def test_or_is_refused_where_that_has_other_terms(path, other):
    late = Ledger(path, limit=PureDP(1), unit=Row(), lazily=True)
    Ledger(path, **other)
    with pytest.raises(LedgerMismatch):
        late.charge(TENTH, why="a count")


def test_another_book_at_the_same_place_is_refused(path):
    ledger = Ledger(path, limit=PureDP(1), unit=Row())
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink()
    Ledger(path, limit=PureDP(1), unit=Row())
    with pytest.raises(PrivetError):
        ledger.charge(TENTH, why="a count")
    with pytest.raises(PrivetError):
        ledger.balance()


def test_the_same_book_cut_back_is_refused(path, tmp_path):
    ledger = Ledger(path, limit=PureDP(1), unit=Row())
    ledger.close()
    older = tmp_path / "older"
    shutil.copy(path, older)
    again = Ledger(path)
    again.charge(TENTH, why="a count")
    again.close()
    path.write_bytes(older.read_bytes())
    with pytest.raises(LedgerReplaced):
        again.charge(TENTH, why="a count")
    with pytest.raises(LedgerReplaced):
        again.balance()
    assert Ledger(path).balance().spends == 0


def test_what_others_append_is_no_replacement(path):
    one, other = Ledger(path, limit=PureDP(1), unit=Row()), Ledger(path)
    one.charge(TENTH, why="a count")
    other.charge(TENTH, why="a count")
    one.charge(TENTH, why="a count")
    assert other.balance().spends == 3


def test_a_place_without_a_first_entry_holds_no_book():
    book = OpenBook(MemoryStore())
    assert book.load() is False
    book.draft(PureDP(1), Row(), None, None)
    assert book.unit is not None
    book.found()
    book.found()
    assert book.load() is True


def test_the_unit_of_another_process_is_seen(path):
    one = Ledger(path, limit=PureDP(1))
    assert one.unit is None
    Ledger(path).charge(TENTH, why="a count", unit=Row())
    assert one.unit == Row()


def test_a_draft_without_a_unit_takes_that_of_the_book_it_finds(path):
    late = Ledger(path, limit=PureDP(1), lazily=True)
    Ledger(path, limit=PureDP(1), unit=Row())
    late.charge(TENTH, why="a count", unit=Row())
    assert late.unit == Row()


def test_a_book_that_does_not_begin_with_its_opening_is_refused():
    """Every hash fits, but the first entry is another."""
    store = MemoryStore()
    with store.writing() as transaction:
        EntryJournal(transaction).append("unit", {"unit": {"unit": "row"}}, {})
    with pytest.raises(LedgerTampered, match="does not open"):
        OpenBook(store).load()


def test_a_book_without_its_first_entry_is_none(path):
    Ledger(path, limit=PureDP(1), unit=Row()).charge(TENTH, why="a count")
    with contextlib.closing(sqlite3.connect(path)) as raw, raw:
        raw.execute("DROP TRIGGER entries_last")
        raw.execute("DELETE FROM entries WHERE number = 1")
    with pytest.raises(PrivetError):
        Ledger(path)


def test_a_look_at_a_moment_is_at_the_draft_until_the_book_has_its_place(path):
    ledger = Ledger(path, limit=PureDP(1), unit=Row(), lazily=True)
    book = ledger._book
    for entries in (1, 2):
        with book.looking() as transaction:
            assert [row.number for row in transaction.page(0)] == list(range(1, entries + 1))
        assert path.exists() == (entries == 2)
        ledger.charge(TENTH, why="a count")


def test_a_reader_who_comes_late_with_an_older_moment_changes_nothing():
    book = OpenBook(MemoryStore())
    book.draft(PureDP(1), Row(), None, None)
    book.found()
    older = book.read(lambda journal: journal.last)
    book.write(lambda journal: journal.append("unit", {"unit": {"unit": "row"}}, {}))
    newest = book._newest
    assert newest[0] > older.number
    for seen in (older, None):
        book._note(seen)
        assert book._newest == newest


def test_what_was_only_read_must_be_there_next_time():
    store = MemoryStore()
    mine, other = OpenBook(store), OpenBook(store)
    mine.draft(PureDP(1), Row(), None, None)
    mine.found()
    assert other.load()
    added = other.write(lambda journal: journal.append("unit", {"unit": {"unit": "row"}}, {}))
    assert mine._newest[0] < added.number
    assert mine.read(lambda journal: journal.last.number) == added.number
    assert mine._newest == (added.number, added.hash)
