"""A ledger that is deleted, moved or replaced under a process that holds it open: that process is refused, and draws nothing.

Each case is two real processes: one opens the ledger, the other does the mischief, then the first tries every verb.
"""

import multiprocessing
import shutil
from pathlib import Path

import pytest

from privet.errors import LedgerReplaced, PrivetError
from privet.guarantee._events import DiscreteLaplace
from privet.guarantee._privacy_units import Row
from privet.guarantee._promise_registry import KAnonymity, PureDP
from privet.ledger import Ledger
from privet.ledger._permit import Permit

FORK = multiprocessing.get_context("fork")
TENTH = DiscreteLaplace(10)


def _opened(path):
    with Ledger(path, limit=PureDP(3), unit=Row()) as ledger:
        return [ledger.charge(TENTH, why=f"spend {i}", question=f"q{i}").receipt for i in range(3)]


VERBS = {
    "charge": lambda ledger, receipt: ledger.charge(TENTH, why="x"),
    "charge once": lambda ledger, receipt: ledger.charge(TENTH, why="x", question="q9", once=True),
    "seal": lambda ledger, receipt: ledger.record(KAnonymity(5), why="x"),
    "budget": lambda ledger, receipt: ledger.open_budget(PureDP("0.1"), purpose="research"),
    "remember": lambda ledger, receipt: ledger.remember(receipt, "q0", b"x"),
    "incident": lambda ledger, receipt: ledger.incident(receipt, "E-X", "x"),
    "incidents": lambda ledger, receipt: ledger.incidents(),
    "recall": lambda ledger, receipt: ledger.recall("q0"),
    "paid": lambda ledger, receipt: ledger.paid("q0"),
    "settled": lambda ledger, receipt: ledger.settled("q0"),
    "resume": lambda ledger, receipt: ledger.resume(receipt, f"seed commitment {'0' * 64} of run {'0' * 64}"),
    "quote": lambda ledger, receipt: ledger.quote(TENTH),
    "balance": lambda ledger, receipt: ledger.balance(),
    "balances": lambda ledger, receipt: ledger.balances(),
    "history": lambda ledger, receipt: list(ledger.history()),
    "verify": lambda ledger, receipt: ledger.verify(),
    "export": lambda ledger, receipt: ledger.export(),
}


def _holder(path, receipt, pipe):
    """Hold the ledger open, wait for the mischief, then try everything; says the error of each verb."""
    with Ledger(path) as ledger:
        ledger.charge(TENTH, why="before")
        pipe.send("open")
        pipe.recv()
        said = {}
        for name, verb in VERBS.items():
            try:
                found = verb(ledger, receipt)
            except PrivetError as error:
                said[name] = error.code
            else:
                said[name] = "a permit" if isinstance(found, Permit) else "done"
        pipe.send(said)


def _after(path, mischief):
    """What each verb of a process says that held the ledger open meanwhile."""
    (receipt, *_) = _opened(path)
    ours, theirs = FORK.Pipe()
    child = FORK.Process(target=_holder, args=(path, receipt, theirs))
    child.start()
    assert ours.poll(60)
    assert ours.recv() == "open"
    mischief(path)
    ours.send("go")
    assert ours.poll(120)
    said = ours.recv()
    child.join(60)
    return said


def _deleted(path):
    for name in ("", "-wal", "-shm"):
        Path(f"{path}{name}").unlink()


def _replaced_by_copy(path):
    shutil.copy(path, f"{path}.copy")
    Path(f"{path}.copy").replace(path)


def _replaced_by_another(path):
    other = path.with_name("other.ledger")
    Ledger(other, limit=PureDP(3), unit=Row()).close()
    other.replace(path)


def _folder_replaced(path):
    path.parent.rename(path.parent.with_name("moved"))
    path.parent.mkdir()
    shutil.copy(path.parent.with_name("moved") / path.name, path)


MISCHIEF = {
    "deleted": _deleted,
    "only the file deleted": lambda path: path.unlink(),
    "only the log deleted": lambda path: Path(f"{path}-wal").unlink(),
    "only the index of the log deleted": lambda path: Path(f"{path}-shm").unlink(),
    "the log replaced": lambda path: (Path(f"{path}-wal").unlink(), Path(f"{path}-wal").touch()),
    "replaced by a copy": _replaced_by_copy,
    "replaced by another": _replaced_by_another,
    "renamed": lambda path: path.rename(path.with_name("renamed.ledger")),
    "given a second name": lambda path: path.with_name("second.ledger").hardlink_to(path),
    "its folder replaced": _folder_replaced,
    "its folder moved": lambda path: path.parent.rename(path.parent.with_name("moved")),
}


@pytest.mark.parametrize("how", MISCHIEF)
def test_every_verb_is_refused(tmp_path, how):
    path = tmp_path / "here" / "book.ledger"
    path.parent.mkdir()
    said = _after(path, MISCHIEF[how])
    assert set(said.values()) == {LedgerReplaced.code}, said


def test_a_folder_that_is_pointed_elsewhere_is_refused(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        _opened(tmp_path / name / "book.ledger")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "one")

    def swap(path):
        path.parent.unlink()
        path.parent.symlink_to(tmp_path / "two")

    said = _after(link / "book.ledger", swap)
    assert set(said.values()) == {LedgerReplaced.code}, said


def test_an_older_copy_written_over_the_file_is_noticed(tmp_path):
    """In place: the file is the same by its number, and SQLite itself does not notice."""
    path, older = tmp_path / "book.ledger", tmp_path / "older"
    _opened(path)
    shutil.copy(path, older)
    ours, theirs = FORK.Pipe()

    def holder():
        with Ledger(path) as ledger:
            for i in range(5):
                ledger.charge(TENTH, why=f"later {i}")
            with ledger._book.store._turn() as connection:  # nothing of it is left in the log
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            ledger.balance()
            theirs.send("open")
            theirs.recv()
            try:
                ledger.charge(TENTH, why="x")
            except PrivetError as error:
                theirs.send(error.code)
            else:
                theirs.send("a permit")

    child = FORK.Process(target=holder)
    child.start()
    assert ours.poll(60)
    ours.recv()
    path.write_bytes(older.read_bytes())
    ours.send("go")
    assert ours.poll(60)
    assert ours.recv() == LedgerReplaced.code
    child.join(60)


def test_a_file_that_goes_while_a_booking_is_written_gives_no_permit(tmp_path, monkeypatch):
    """Between the last look and the commit: the booking is lost with its file, and so is the permit."""
    path = tmp_path / "book.ledger"
    _opened(path)
    with Ledger(path) as ledger:
        monkeypatch.setattr("privet.ledger._open_book.EntryJournal.append", _then(path.unlink))
        with pytest.raises(LedgerReplaced):
            ledger.charge(TENTH, why="x")


def _then(mischief):
    from privet.ledger._entry_journal import EntryJournal

    honest = EntryJournal.append

    def append(self, *given):
        done = honest(self, *given)
        mischief()
        return done

    return append


def test_a_child_that_opens_the_place_anew_is_not_fooled(tmp_path):
    """A forked process connects by name, and what it finds there must be its parent's book."""
    path = tmp_path / "book.ledger"
    _opened(path)
    with Ledger(path) as ledger:

        def child():
            try:
                ledger.charge(TENTH, why="x")
            except LedgerReplaced:
                raise SystemExit(0) from None
            raise SystemExit(1)

        _replaced_by_another(path)
        forked = FORK.Process(target=child)
        forked.start()
        forked.join(60)
        assert forked.exitcode == 0


def test_after_it_was_put_back_a_ledger_opens_again(tmp_path):
    path = tmp_path / "book.ledger"
    _opened(path)
    with Ledger(path) as ledger:
        path.rename(tmp_path / "aside")
        with pytest.raises(LedgerReplaced):
            ledger.balance()
        (tmp_path / "aside").rename(path)
        assert ledger.balance().spends == 3  # the very same file again


def test_changing_the_folder_changes_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Ledger("book.ledger", limit=PureDP(1), unit=Row()) as ledger:
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        ledger.charge(TENTH, why="x")
        assert ledger.place == "book.ledger"
