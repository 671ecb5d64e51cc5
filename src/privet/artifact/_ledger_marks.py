"""How a ledger is known, so that nothing removes one or writes over it.

A ledger is the only witness of what was spent. Whoever holds it open goes on booking when its file is deleted, where
nobody will ever look; so nothing in the house removes a ledger, moves it away or puts another file in its place. One is
known by the mark in its first page, which SQLite is asked for: a file that is opened and closed in any other way loses
the locks that this process holds on it.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from privet.errors import FileProblem

# "PRVL", where SQLite keeps the mark of the program that a file belongs to.
LEDGER_MARK = 0x5052564C
# SQLite's own files beside a database: the newest entries may stand there alone.
_BESIDE = ("-wal", "-shm", "-journal")


def refuse_ledgers(path: Path) -> None:
    """Refuse a place that is about to be replaced or removed and is, or holds, a ledger."""
    for found in ledgers_in(path):
        raise FileProblem(
            f"{found.name} is a ledger, and nothing writes over a ledger or removes one.",
            "Name another place, or move the ledger to where it can stay.",
        )


def ledgers_in(path: Path) -> Iterator[Path]:
    """The ledgers that a file or a folder is or holds, with SQLite's files beside them."""
    if path.is_dir() and not path.is_symlink():
        for folder, _, names in os.walk(path):
            yield from (Path(folder, name) for name in names if is_ledger(Path(folder, name)))
    elif is_ledger(path):
        yield path


def is_ledger(path: Path) -> bool:
    """Whether a file is a ledger, or one of SQLite's files beside one."""
    bases = [path] + [
        path.with_name(path.name.removesuffix(suffix)) for suffix in _BESIDE if path.name.endswith(suffix)
    ]
    return any(base.is_file() and _marked(base) for base in bases)


def _marked(path: Path) -> bool:
    try:
        with contextlib.closing(
            sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        ) as asked:
            mark = asked.execute("PRAGMA application_id").fetchone()[0]
    except sqlite3.Error:
        return False
    # A database whose first commit stands in its log alone has no mark yet, and is somebody's.
    return bool(mark == LEDGER_MARK) or (mark == 0 and path.with_name(path.name + "-wal").exists())
