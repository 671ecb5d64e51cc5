"""Where the embedded engine puts what does not fit into memory: a folder of this process, which nobody else may enter.

It holds rows as they are. A process that is killed cannot remove it; so whoever makes one locks it, and clears away those of his
own that nobody holds any more: a lock goes with its process.
"""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from privet.artifact import discard
from privet.errors import PrivetError

_PREFIX = "privet-spill-"
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)


@dataclass(frozen=True)
class _Held:
    folder: TemporaryDirectory[str]
    lock: int | None  # a handle that holds it for as long as the process lives


_folders: dict[int, _Held] = {}


def spill_folder() -> Path:
    """The folder of this process (0700); it is made when it is first asked for, and goes with the process."""
    mine = _folders.get(os.getpid())
    if mine is None or not Path(mine.folder.name).is_dir():
        _clear_abandoned(Path(tempfile.gettempdir()))
        mine = _folders[os.getpid()] = _made()
    return Path(mine.folder.name)


def _made() -> _Held:
    """A new one, locked; one that a neighbour cleared away before it was locked is made anew."""
    while True:
        folder = tempfile.TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True)
        lock = _locked(Path(folder.name))
        if Path(folder.name).is_dir():
            return _Held(folder, lock)


def _clear_abandoned(around: Path) -> None:
    """Remove the folders of our own processes that were killed, as far as that can be done."""
    with suppress(OSError):
        for place in around.glob(f"{_PREFIX}*"):
            with suppress(OSError, PrivetError):
                found = place.lstat()
                if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
                    continue
                lock = _locked(place)
                if lock is not None:
                    discard(place)
                    os.close(lock)


def _locked(folder: Path) -> int | None:
    """A handle that holds a folder until it is closed; None where another process does, or where the system has no such locks."""
    try:
        import fcntl
    except ImportError:
        return None
    handle = -1
    try:
        handle = os.open(folder, _FOLDER)
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        if handle >= 0:
            os.close(handle)
        return None
    return handle


def _in_child() -> None:
    """A forked child does not remove its parent's folder."""
    for held in _folders.values():
        held.folder._finalizer.detach()  # type: ignore[attr-defined]  # noqa: SLF001  it has no public way to let go


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
