"""Removing files and folders, and writing over them: by one door, what is ours, and anything but a ledger.

What a function made itself it takes away with `remove` or `discard`, and a secret with `shred`. What a file names (a plan,
a journal, a policy) is removed with `remove_inside`, which follows no link and asks whether it is ours.

A ledger is the only witness of what was spent. Whoever holds it open goes on booking when its file is deleted, where
nobody will ever look; so nothing in the house removes a ledger, moves it away or puts another file in its place. One is
known by the mark in its first page, which SQLite is asked for: a file that is opened and closed in any other way loses
the locks that this process holds on it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from privet.artifact._confined_paths import inside, opened
from privet.errors import FileProblem, NotMadeHere

# "PRVL", where SQLite keeps the mark of the program that a file belongs to.
LEDGER_MARK = 0x5052564C
# SQLite's own files beside a database: the newest entries may stand there alone.
_BESIDE = ("-wal", "-shm", "-journal")
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)


def remove(path: Path) -> None:
    """Remove a file or a folder with all that is in it, if it is there; refuses where a ledger would go with it."""
    refuse_ledgers(path)
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def discard(path: Path) -> None:
    """Take away what the caller made a moment ago, as far as that can be done."""
    with contextlib.suppress(OSError):
        remove(path)


def discard_empty(folder: Path) -> None:
    """Take away a folder that holds nothing; any other stays."""
    with contextlib.suppress(OSError):
        folder.rmdir()


def shred(path: Path) -> None:
    """Overwrite a file and remove it; a link, or a file with other names, is refused and stays as it is.

    A journaling or flash disk may keep an old copy of the block.
    """
    refuse_ledgers(path)
    try:
        with opened(path, os.O_RDWR) as handle:
            os.pwrite(handle, bytes(os.fstat(handle).st_size), 0)
            os.fsync(handle)
        path.unlink()
    except FileNotFoundError:
        return
    except OSError as problem:
        raise _failed(path, "destroyed", problem) from None


def remove_inside(
    folder: Path, name: object, recognised: Callable[[Path], bool], *, folders: bool = False
) -> None:
    """Remove what stands under a name in a folder, if it is `recognised` as ours; what is not there is gone already.

    The way down is walked by handles that follow no link, and what is removed is what was recognised: if something else
    has taken its place since, it stays.
    """
    place = inside(folder, name, folders=folders)
    with _parent(folder, place) as parent:
        before = _standing(place, parent)
        if before is None:
            return
        if not _is_ordinary(before) or not recognised(place):
            raise _strange(place)
        refuse_ledgers(place)
        now = _standing(place, parent)
        if now is None or not os.path.samestat(before, now):
            raise _strange(place)
        try:
            if stat.S_ISDIR(now.st_mode):
                shutil.rmtree(place.name, dir_fd=parent)
            else:
                os.unlink(place.name, dir_fd=parent)
        except OSError as problem:
            raise _failed(place, "removed", problem) from None


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


@contextlib.contextmanager
def _parent(folder: Path, place: Path) -> Iterator[int]:
    """A handle of the folder in which a place lies, reached without following a link."""
    handles: list[int] = []
    try:
        handles.append(os.open(folder, _FOLDER))
        for part in place.relative_to(folder).parts[:-1]:
            handles.append(os.open(part, _FOLDER, dir_fd=handles[-1]))
        yield handles[-1]
    except OSError as problem:
        raise _failed(place, "reached", problem) from None
    finally:
        for handle in handles:
            os.close(handle)


def _standing(place: Path, parent: int) -> os.stat_result | None:
    try:
        return os.stat(place.name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _is_ordinary(found: os.stat_result) -> bool:
    return stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)


def _strange(place: Path) -> NotMadeHere:
    return NotMadeHere(
        f"{place.name} is not what a run made, or was changed since: it stays.",
        "Look at it, and remove it or move it away yourself.",
    )


def _failed(place: Path, what: str, problem: OSError) -> FileProblem:
    return FileProblem(
        f"{place.name} could not be {what} ({(problem.strerror or 'unknown reason').lower()}).",
        "Check the rights of the folder it stands in.",
    )
