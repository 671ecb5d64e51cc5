"""Folders in which something is being made or taken away: new, of an unpredictable name, nobody else's, and beside its place.

What a kill leaves of one is known by a mark and by a lock that went with its process, and cleared away by the next who works
under the same name.
"""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from privet.artifact import _file_calls as calls
from privet.artifact._ledger_marks import ledgers_in
from privet.artifact._reserved_names import refuse_reserved

UNFINISHED = ".partial"  # how the name of such a folder ends
_TRIES = 1000  # neighbours that take our folder away before we hold it, one after the other
_DRAWN = 8  # characters that tempfile draws for a name


@contextlib.contextmanager
def work_room(target: Path, around: int) -> Iterator[tuple[Path, int]]:
    """A new folder of our own beside a target, by its path and its handle; it goes with all that is left in it."""
    refuse_reserved(target.name)
    clear_unfinished(target.parent, target.name)
    room, handle = _begun(target, around)
    try:
        yield room, handle
    finally:
        with contextlib.suppress(OSError):
            _cleared(room, handle, around)
        os.close(handle)


@contextlib.contextmanager
def borrowed(made: Path, source: int, name: str, room: int) -> Iterator[None]:
    """Bring something that was made elsewhere into a room, from where it gets its name; it goes back where that fails."""
    own = os.stat(made.name, dir_fd=source, follow_symlinks=False)
    calls.rename(made.name, source, name, room)
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError):
            if os.path.samestat(own, os.stat(name, dir_fd=room, follow_symlinks=False)):
                calls.rename_new(name, room, made.name, source)
        raise


def _begun(target: Path, around: int) -> tuple[Path, int]:
    """The folder, locked for as long as this process is at it. One that a tidy neighbour took away is made anew."""
    for _ in range(_TRIES):
        # The name alone is taken from there: the folder is made by the handle, and only where nothing is.
        name = Path(tempfile.mktemp(prefix=_prefix(target.name), suffix=UNFINISHED, dir=target.parent)).name  # noqa: S306
        handle = -1
        try:
            calls.new_folder(name, around)
            handle = os.open(name, calls.OPEN_FOLDER | calls.NO_LINK, dir_fd=around)
            _lock(handle)
            if stands(name, around):
                os.close(calls.new_file(_mark(handle), handle, 0o600))
                return target.parent / name, handle
        except (FileExistsError, FileNotFoundError, BlockingIOError):
            pass
        except OSError:
            with contextlib.suppress(OSError):
                calls.remove_folder(name, around)
            _close(handle)
            raise
        _close(handle)
    raise OSError(errno.EEXIST, os.strerror(errno.EEXIST), target.name)


def _close(handle: int) -> None:
    if handle >= 0:
        os.close(handle)


def _lock(room: int) -> bool:
    """Hold it until this process ends; raises where another does. Not every system can: there, what a kill left stays."""
    try:
        import fcntl
    except ImportError:
        return False
    fcntl.flock(room, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return True


def _mark(room: int) -> str:
    """The name of an empty file by which a folder of ours is known: nobody else can put one into it."""
    return f".made-here-{os.fstat(room).st_ino}"


def _is_marked(room: int) -> bool:
    return os.fstat(room).st_uid == os.geteuid() and stands(_mark(room), room)


def _cleared(room: Path, handle: int, around: int) -> None:
    """It goes with all that is in it, the mark last; one that holds a ledger stays."""
    if any(ledgers_in(room)):
        return
    for part in sorted(calls.names_in(handle), key=lambda name: name == _mark(handle)):
        calls.remove_tree(part, handle)
    calls.remove_folder(room.name, around)


def _prefix(name: str) -> str:
    return f".{name[:40]}."


def clear_unfinished(folder: Path, *names: str) -> None:
    """Take away what processes that were killed had begun under these names, as far as that can be done.

    Such a folder is the owner's alone, holds the mark that was put in first, and nobody is at it: a lock goes with its
    process. A folder that somebody gave such a name holds no mark, and stays.
    """
    prefixes = {_prefix(name) for name in names}
    with contextlib.suppress(OSError), calls.folder_handle(folder) as around:
        for found in calls.names_in(around):  # once for all names: a folder of outputs holds thousands
            if found.endswith(UNFINISHED) and found[: -_DRAWN - len(UNFINISHED)] in prefixes:
                _clear_left(folder / found, around)


def _clear_left(room: Path, around: int) -> None:
    with contextlib.suppress(OSError), calls.folder_handle(room.name, within=around) as handle:
        if _lock(handle) and (_is_marked(handle) or not calls.names_in(handle)):
            _cleared(room, handle, around)


def stands(name: str, folder: int) -> bool:
    """Whether there is something of this name in a folder."""
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True
