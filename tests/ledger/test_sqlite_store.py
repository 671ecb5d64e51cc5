"""The file: private, synced, and never mistaken for something else."""

import contextlib
import datetime
import sqlite3
import stat
import subprocess
import sys

import pytest

from privet.errors import BadBooking, LedgerReplaced, LedgerTampered, LedgerUnavailable
from privet.guarantee._events import DiscreteLaplace
from privet.guarantee._privacy_units import Row
from privet.guarantee._promise_registry import PureDP
from privet.ledger import Ledger
from privet.ledger._sqlite_store import APPLICATION, SqliteStore


def test_only_its_owner_reads_it_and_every_commit_is_synced(tmp_path):
    path = tmp_path / "book.ledger"
    with Ledger(path, limit=PureDP(1), unit=Row()) as ledger:
        ledger.charge(DiscreteLaplace(10), why="x")
        for file in tmp_path.iterdir():
            assert stat.S_IMODE(file.stat().st_mode) == 0o600, file.name
        with ledger._book.store._turn() as connection:
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
            assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
    assert [file.name for file in tmp_path.iterdir()] == ["book.ledger"]


def test_what_is_not_a_ledger_is_refused_and_left_alone(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("not a database, and long enough to be looked at " * 50)
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as database:
        database.execute("CREATE TABLE t (x)")
    database.close()
    for path in (text, other):
        before = path.read_bytes()
        with pytest.raises(LedgerUnavailable) as refusal:
            Ledger(path, limit=PureDP(1))
        assert refusal.value.hint
        assert path.read_bytes() == before


@pytest.mark.parametrize("place", ["", "/proc/nobody/may/write.ledger", "missing/folder/book.ledger"])
def test_a_place_that_cannot_be_written_is_refused(tmp_path, place):
    where = tmp_path if place == "" else place if place.startswith("/") else tmp_path / place
    with pytest.raises(LedgerUnavailable) as refusal:
        Ledger(where, limit=PureDP(1))
    assert refusal.value.hint


@pytest.mark.parametrize("place", [":memory:", "file:x?mode=memory"])
def test_a_ledger_that_would_forget_is_refused(place):
    with pytest.raises(LedgerUnavailable):
        Ledger(place, limit=PureDP(1))


def test_an_empty_file_becomes_a_ledger_only_with_a_limit(tmp_path):
    path = tmp_path / "empty"
    path.touch()
    with pytest.raises(LedgerUnavailable):
        Ledger(path)
    with Ledger(path, limit=PureDP(1), unit=Row()) as ledger:
        ledger.verify()


def test_an_empty_file_with_a_second_name_stays_empty(tmp_path):
    (tmp_path / "notes.txt").touch()
    (tmp_path / "a.ledger").hardlink_to(tmp_path / "notes.txt")
    with pytest.raises(LedgerReplaced):
        Ledger(tmp_path / "a.ledger", limit=PureDP(1), unit=Row())
    assert (tmp_path / "notes.txt").read_bytes() == b""


def test_tables_without_entries_take_a_limit(tmp_path):
    """As after a crash between making the tables and writing the first entry."""
    path = tmp_path / "half"
    store = SqliteStore(str(path), timeout=1)
    store.create()
    store.create()
    store.close()
    with pytest.raises(LedgerUnavailable):
        Ledger(path)
    with Ledger(path, limit=PureDP(1), unit=Row()) as ledger:
        ledger.verify()


def test_refused_terms_leave_no_file(tmp_path):
    with pytest.raises(BadBooking):
        Ledger(tmp_path / "book.ledger", limit=PureDP(1), expires=datetime.date(2020, 1, 1))
    assert not list(tmp_path.iterdir())


def test_names_with_special_characters(tmp_path):
    path = tmp_path / "a b?c#d%20é.ledger"
    Ledger(path, limit=PureDP(1)).close()
    assert path.exists()
    Ledger(str(path)).close()


def test_a_damaged_file_is_no_traceback(tmp_path):
    path = tmp_path / "book.ledger"
    with Ledger(path, limit=PureDP(1), unit=Row()) as ledger:
        for _ in range(5):
            ledger.charge(DiscreteLaplace(100), why="x")
    content = bytearray(path.read_bytes())
    content[4096 : 4096 * 4] = b"\xff" * (4096 * 3)
    path.write_bytes(content)
    with pytest.raises((LedgerUnavailable, LedgerTampered)):
        Ledger(path).verify()


@pytest.mark.parametrize("forged", ["a text", 10**12, 0.5])
def test_a_release_of_another_type_is_refused_and_not_unfolded(tmp_path, forged):
    """SQLite keeps any type in any column; `bytes(10**12)` would ask for a terabyte."""
    path = tmp_path / "book.ledger"
    with Ledger(path, limit=PureDP(1), unit=Row()) as ledger:
        ledger.remember(ledger.charge(DiscreteLaplace(10), why="x").receipt, "how many", b"noisy")
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE releases SET release = ?", (forged,))
    with Ledger(path) as ledger, pytest.raises(LedgerTampered):
        ledger.recall("how many")
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE releases SET release = ?, entry = ?", (b"noisy", "first"))
        database.execute("UPDATE states SET content = ?", (b"{}",))
        ((key,),) = database.execute("SELECT question FROM releases")
    store = SqliteStore(str(path), timeout=5)
    with store.reading() as book:
        for read in (lambda: book.release(key), lambda: list(book.releases()), book.states):
            with pytest.raises(LedgerTampered):
                read()


def test_the_mark_is_where_file_managers_look(tmp_path):
    path = tmp_path / "book.ledger"
    Ledger(path, limit=PureDP(1)).close()
    assert int.from_bytes(path.read_bytes()[68:72], "big") == APPLICATION


def test_the_ledger_loads_no_heavy_library():
    """Many short-lived processes open ledgers."""
    heavy = ("numpy", "scipy", "dp_accounting", "opendp", "rich", "psycopg", "typer", "ibis", "pandas")
    script = (
        "import sys, tempfile, pathlib, privet as pv\n"
        "from privet.guarantee._events import DiscreteLaplace\n"
        "place = pathlib.Path(tempfile.mkdtemp()) / 'l'\n"
        "pv.Ledger(place, limit=pv.PureDP(1), unit=pv.Row()).charge(DiscreteLaplace(10), why='x')\n"
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_ledger_that_another_is_making_is_no_foreign_database(tmp_path):
    path = tmp_path / "book.ledger"
    path.touch()
    mine, other = SqliteStore(str(path), timeout=5), SqliteStore(str(path), timeout=0.1)

    def meanwhile(statement):
        if statement == "PRAGMA user_version":
            with contextlib.suppress(LedgerUnavailable):  # it has to wait until we have looked
                other.create()

    with mine._turn() as connection:
        connection.set_trace_callback(meanwhile)
        assert mine._holds_ledger(connection) in (True, False)
        connection.set_trace_callback(None)
    other.create()
    assert mine.exists()
    mine.close()
    other.close()
