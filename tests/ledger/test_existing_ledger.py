"""What a process that is killed while it makes a ledger leaves is begun anew; what holds an entry is the ledger, for ever."""

import sqlite3
import sys
from pathlib import Path

import pytest
from tests.ledger.lost_writes import Change, Disk, can_record, recorded

from privet.dataset import DataSet
from privet.errors import LedgerMismatch, LedgerTampered, PrivetError
from privet.guarantee._events import DiscreteLaplace
from privet.guarantee._privacy_units import Row
from privet.guarantee._promise_registry import PureDP
from privet.ledger import Ledger, existing_ledger

EVENT = DiscreteLaplace(10)  # epsilon 0.1
LIMIT, OTHER = PureDP(1), PureDP(2)
BOOK = "stays.csv.ledger"
MAKES = """
import sqlite3
import sys
from pathlib import Path
from privet import PureDP, Row
from privet.dataset import DataSet
from privet.guarantee._events import DiscreteLaplace
file = Path(sys.argv[1], "stays.csv")
with DataSet.bare(file).ledger(limit=PureDP(1)) as book:
    Path(sys.argv[2]).open("ab", 0).write(b"x")
    book.charge(DiscreteLaplace(10), why="x", unit=Row())
"""
traced = pytest.mark.skipif(not can_record(), reason="strace(1) is needed, and leave to trace")


def left_by_kills(changes: list[Change]) -> list[dict[str, bytes]]:
    """The files after each thing that the process asked the system for: a kill loses nothing of what was done before it."""
    disk, found = Disk(), []
    for change in changes:
        disk.take(change)
        files = disk.image(disk.open, disk.moves)
        if BOOK in files and (not found or found[-1] != files):
            found.append(files)
    return found


def laid_out(folder: Path, files: dict[str, bytes]) -> Path:
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    (folder / "stays.csv").write_text("days\n1\n")
    return folder / "stays.csv"


@traced
def test_whatever_a_kill_left_before_the_first_entry_is_begun_anew_and_after_it_nothing_is(
    tmp_path: Path,
) -> None:
    room = tmp_path / "made"
    file = laid_out(room, {})
    command = [sys.executable, "-c", MAKES, str(room), str(tmp_path / "marks")]
    states = left_by_kills(recorded(command, room, tmp_path / "marks", tmp_path / "trace"))
    assert states[0] == {BOOK: b""}
    begun = []
    for number, files in enumerate(states):
        file = laid_out(tmp_path / str(number), files)
        data = DataSet.bare(file)
        found = data.existing_ledger()
        begun.append(found is not None)
        if found is not None:
            found.close()
            with pytest.raises(LedgerMismatch):
                data.ledger(limit=OTHER)
        with data.ledger(limit=LIMIT) as book:  # as the command would be given once more
            book.charge(EVENT, why="x", unit=Row())
            book.verify()
            assert book.limit == LIMIT
            assert 1 <= book.balance().spends <= 2
    assert begun == sorted(begun)  # never a ledger that is none later on
    assert len(states) > 8
    assert not begun[0]
    assert begun[-1]


def test_a_file_without_an_entry_is_no_ledger_and_takes_whatever_budget_is_stated_first(
    tmp_path: Path,
) -> None:
    file = laid_out(tmp_path / "here", {BOOK: b""})
    data = DataSet.bare(file)
    assert data.existing_ledger() is None
    assert existing_ledger(file.with_name(BOOK)) is None
    assert file.with_name(BOOK).read_bytes() == b""  # nothing is written
    with data.ledger(limit=OTHER) as book:
        book.charge(EVENT, why="x", unit=Row())
    with pytest.raises(LedgerMismatch):
        data.ledger(limit=LIMIT)
    again = existing_ledger(file.with_name(BOOK))
    assert again is not None
    with again:
        assert again.balance().spends == 1


def test_where_no_budget_is_stated_an_empty_file_is_said_to_be_none(tmp_path: Path) -> None:
    file = laid_out(tmp_path / "here", {BOOK: b""})
    with pytest.raises(PrivetError, match="--budget"):
        DataSet.bare(file).ledger()


def test_a_ledger_whose_entries_were_taken_away_is_not_begun_anew(tmp_path: Path) -> None:
    place = tmp_path / "book.ledger"
    Ledger(place, limit=LIMIT).close()

    with sqlite3.connect(place) as made:
        made.execute("DROP TRIGGER entries_last")
        made.execute("DELETE FROM entries")
    made.close()
    with pytest.raises(LedgerTampered):
        existing_ledger(place)
    with pytest.raises(LedgerTampered):
        Ledger(place, limit=OTHER)


def test_a_file_that_was_emptied_beside_its_log_is_not_begun_anew(tmp_path: Path) -> None:
    place = tmp_path / "book.ledger"
    ledger = Ledger(place, limit=LIMIT, unit=Row())
    ledger.charge(EVENT, why="x")
    log = place.with_name("book.ledger-wal").read_bytes()
    ledger.close()
    place.write_bytes(b"")
    place.with_name("book.ledger-wal").write_bytes(log)
    for opening in (lambda: existing_ledger(place), lambda: Ledger(place, limit=OTHER)):
        with pytest.raises(LedgerTampered, match="log"):
            opening()
    assert place.with_name("book.ledger-wal").read_bytes() == log
