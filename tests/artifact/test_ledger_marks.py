"""Nothing removes a ledger or writes over one, and looking for one takes no locks away."""

import multiprocessing
import sqlite3

import pytest

from privet.artifact._atomic_write import written_whole
from privet.artifact._audience import OwnerOnly
from privet.artifact._file_removal import remove
from privet.artifact._ledger_marks import is_ledger, ledgers_in, refuse_ledgers
from privet.errors import FileProblem, LedgerBusy
from privet.guarantee._events import DiscreteLaplace
from privet.guarantee._privacy_units import Row
from privet.guarantee._promise_registry import PureDP
from privet.ledger import Ledger
from privet.mechanism import SecretSeed


@pytest.fixture
def book(tmp_path):
    path = tmp_path / "kept" / "book.ledger"
    path.parent.mkdir()
    with Ledger(path, limit=PureDP(1), unit=Row()) as ledger:
        ledger.charge(DiscreteLaplace(10), why="x")
        yield path


def test_a_ledger_is_known_with_the_files_beside_it_and_nothing_else_is(book, tmp_path):
    assert sorted(found.name for found in ledgers_in(book.parent)) == [
        "book.ledger", "book.ledger-shm", "book.ledger-wal",
    ]  # fmt: skip
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as database:
        database.execute("CREATE TABLE t (x)")
    database.close()
    text = tmp_path / "notes-wal"
    text.write_text("not a database " * 100)
    for path in (other, text, tmp_path / "nothing", tmp_path):
        assert not is_ledger(path)
    assert list(ledgers_in(other)) == []


def test_a_ledger_that_is_just_being_made_is_known(tmp_path):
    """Before the first checkpoint its mark stands in the log alone."""
    path = tmp_path / "new.ledger"
    with Ledger(path, limit=PureDP(1)):
        assert is_ledger(path)
        assert is_ledger(path.with_name("new.ledger-wal"))


@pytest.mark.parametrize("name", ["book.ledger", "book.ledger-wal", "book.ledger-shm", ""])
def test_it_is_not_removed_nor_written_over(book, name):
    place = book.with_name(name) if name else book.parent
    before = sorted(path.name for path in book.parent.iterdir())
    with pytest.raises(FileProblem, match="ledger"):
        remove(place)
    with pytest.raises(FileProblem, match="ledger"):
        refuse_ledgers(place)
    if name:
        with pytest.raises(FileProblem, match="ledger"):
            written_whole(place, OwnerOnly("x"))
        with pytest.raises(FileProblem, match="ledger"):
            SecretSeed.destroy(place)
    assert sorted(path.name for path in book.parent.iterdir()) == before
    with Ledger(book) as ledger:
        assert ledger.verify().spends == 1


def test_everything_else_goes(tmp_path):
    folder = tmp_path / "folder"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "file").touch()
    (tmp_path / "link").symlink_to(folder)
    remove(tmp_path / "link")
    assert folder.exists()
    remove(folder)
    remove(folder)
    assert list(tmp_path.iterdir()) == []


def test_looking_for_ledgers_lets_no_other_writer_in(book):
    """Opening and closing the file in any other way would drop this process's locks on it."""

    def attempt():
        try:
            Ledger(book, patience=0.2).charge(DiscreteLaplace(10), why="second writer")
        except LedgerBusy:
            return
        raise SystemExit(1)

    with Ledger(book) as ledger, ledger._book.store.writing():
        assert is_ledger(book)
        child = multiprocessing.get_context("fork").Process(target=attempt)
        child.start()
        child.join(60)
        assert child.exitcode == 0
