"""A ledger on a machine whose power is cut at any moment: what it had promised by then, and whether the book still holds it.

A workload books in a process under strace(1), and marks each charge whose permit was returned and each answer that was
kept. For every moment of the recording the folder is laid out as a power cut could have left it (`lost_writes`), and opened
with Privet. Weakened on purpose, the same must find what is lost:

    python -m tests.ledger.power_loss FOLDER MARKS LONG [WEAKENED …]     the workload alone
"""

import hashlib
import json
import os
import random
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.ledger.lost_writes import Change, Disk, recorded

from privet.artifact import Receipt
from privet.errors import PrivetError
from privet.guarantee._events import DiscreteLaplace
from privet.guarantee._privacy_units import Row
from privet.guarantee._promise_registry import PureDP
from privet.ledger import Ledger, _sqlite_store

BOOK = "book.ledger"
LIMIT = PureDP(100)
EVENT = DiscreteLaplace(10)  # epsilon 0.1
WEAKENED = ("synchronous=OFF", "synchronous=NORMAL")


# --- the workload ------------------------------------------------------------------------------


def booking(folder: Path, marks: Path, long: bool) -> None:
    """Three processes, one after the other: one that dies with the log open, one that fills the log, one that finds all."""
    _session(folder, marks, range(3), 10, dies=True)
    _session(folder, marks, range(3, 18 if long else 5), 320_000 if long else 5_000, dies=False)
    _session(folder, marks, range(18, 20), 10, dies=False)


def _session(folder: Path, marks: Path, numbers: range, size: int, *, dies: bool) -> None:
    child = os.fork()
    if child == 0:
        said = os.open(marks, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        ledger = Ledger(folder / BOOK, limit=LIMIT, unit=Row())
        for number in numbers:
            permit = ledger.charge(EVENT, why="x", question=str(number), once=True)
            _mark(said, {"paid": permit.receipt.to_json()})
            answer = random.Random(number).randbytes(size)
            ledger.remember(permit.receipt, str(number), answer)
            _mark(said, {"kept": str(number), "digest": hashlib.sha256(answer).hexdigest()})
        if not dies:
            ledger.close()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status == 0


def _mark(handle: int, said: dict[str, Any]) -> None:
    os.write(handle, json.dumps(said).encode() + b"\n")


def weaken(how: str) -> None:
    """Take a guard away, in this process."""
    connect = _sqlite_store.SqliteStore._connect

    def weakly(self: _sqlite_store.SqliteStore) -> Any:
        held = connect(self)
        held.connection.execute(f"PRAGMA {how}")
        return held

    _sqlite_store.SqliteStore._connect = weakly  # type: ignore[method-assign]


# --- what is left of it ------------------------------------------------------------------------


def recording(room: Path, *, long: bool, weakened: tuple[str, ...] = ()) -> list[Change]:
    """What the workload did to its folder."""
    (room / "book").mkdir(parents=True)
    words = [str(room / "book"), str(room / "marks"), "long" if long else "short", *weakened]
    command = [sys.executable, "-m", "tests.ledger.power_loss", *words]
    return recorded(command, room / "book", room / "marks", room / "trace")


def cuts(
    changes: list[Change], draws: int, seed: int, stride: int = 1
) -> Iterator[tuple[str, dict[str, bytes], list[dict[str, Any]]]]:
    """Every moment, each way in which the power may be cut there, the files that are left, and what had been promised.

    With a stride, of moments amid writes only every so many-th; those around anything else are never left out.
    """
    disk, rng = Disk(), random.Random(seed)
    promised: list[dict[str, Any]] = []
    seen: set[tuple[int, bytes]] = set()
    for moment, change in enumerate(changes):
        if change.kind == "mark":
            promised.append(json.loads(change.content))
        disk.take(change)
        amid = {"write"} == {one.kind for one in changes[max(moment - 1, 0) : moment + 2]}
        if amid and moment % stride:
            continue
        for how, files in disk.after_a_cut(draws, rng):
            digest = hashlib.sha256()
            for name, content in sorted(files.items()):
                digest.update(f"{name} {len(content)} ".encode() + content)
            if (len(promised), digest.digest()) not in seen:
                seen.add((len(promised), digest.digest()))
                yield how, files, promised


def wrong_with(folder: Path, files: dict[str, bytes], promised: list[dict[str, Any]]) -> str:
    """What the book lacks that was promised, or what else is the matter with it; empty where all is well."""
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    paid = [Receipt.from_json(one["paid"]) for one in promised if "paid" in one]
    try:
        # Without a limit only a book that is there is opened.
        with Ledger(folder / BOOK) if paid else Ledger(folder / BOOK, limit=LIMIT, unit=Row()) as ledger:
            ledger.verify(paid)
            if ledger.balance().spends < len(paid):
                return "a booking is lost"
            for one in promised:
                found = ledger.recall(one["kept"]) if "kept" in one else None
                if "kept" in one and (found is None or hashlib.sha256(found[1]).hexdigest() != one["digest"]):
                    return "an answer is lost"
            ledger.charge(EVENT, why="it goes on", unit=Row())
            ledger.verify(paid)
    except PrivetError as refusal:
        return f"refused: {refusal.code}"
    finally:
        shutil.rmtree(folder)
    return ""


def tally(
    room: Path, changes: list[Change], draws: int, seed: int, stride: int = 1
) -> tuple[Counter[str], Counter[str]]:
    """How many disks of each kind were tried, and what was wrong with how many."""
    tried: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for how, files, promised in cuts(changes, draws, seed, stride):
        tried[how] += 1
        said = wrong_with(room / "left", files, promised)
        if said:
            wrong[f"{how}: {said}"] += 1
    return tried, wrong


if __name__ == "__main__":
    for one in sys.argv[4:]:
        weaken(one)
    booking(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] == "long")
