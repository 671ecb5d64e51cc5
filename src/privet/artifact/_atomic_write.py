"""Writing files and folders: whole or not at all, for those they are for, and on disk before anybody is told.

Something new is made in a folder of its own: unpredictable name, nobody else's, beside its target. It is synced, renamed to
its name in one step, and the folder around it is synced. A kill leaves such a folder at most, which the next writer of the
same name clears away. What is for the owner alone is readable by nobody else (`privet.artifact._audience`).
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from privet.artifact import _file_calls as calls
from privet.artifact._audience import Content, For, OwnerOnly, Publishable
from privet.artifact._confined_paths import opened
from privet.artifact._ledger_marks import refuse_ledgers
from privet.artifact._work_rooms import borrowed, stands, work_room
from privet.errors import FileProblem, UnsafePath

# What is published may be read by anybody, and written by its owner alone, whatever the umask lets through.
_PRIVATE, _SHARED = 0o600, 0o644
_ROOM = "Check that the folder exists, is writable and has room."


def is_there(path: Path) -> bool:
    """Whether there is a file or folder; a name that no system would keep names nothing."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def written_whole(target: Path, what: For[Content]) -> Path:
    """Write a file, or leave what was there before; a link in its place is replaced, not followed."""
    refuse_ledgers(target)
    with (
        _said(target),
        calls.folder_handle(target.parent) as around,
        work_room(target, around) as (room, handle),
    ):
        _filled(room, handle, target.name, what)
        calls.rename(target.name, handle, target.name, around)
        calls.sync(around)
    return target


def rewritten(path: Path, content: Content) -> Path:
    """Put something else into a file that is there: it is for those that the file was for."""
    shared = path.stat().st_mode & 0o077
    return written_whole(
        path, Publishable(content, "released under a promise") if shared else OwnerOnly(content)
    )


def new_file(path: Path, content: bytes) -> Path:
    """A file for its owner alone, where nothing was; a kill leaves all of it or nothing."""
    with _said(path):
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path.name)
    return written_whole(path, OwnerOnly(content))


def empty_file(path: Path) -> None:
    """An empty file for its owner alone, for a library that fills it; raises where something is there already."""
    with calls.folder_handle(path.parent) as around:
        os.close(calls.new_file(path.name, around, _PRIVATE))
        calls.sync(around)


def private_file(path: Path) -> None:
    """An ordinary file of its own, new or there already, closed to everybody but its owner."""
    with opened(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, _PRIVATE) as handle:
        calls.close_to_others(handle, _PRIVATE)


def append_line(path: Path, line: bytes) -> None:
    """Add a line to a file for its owner alone, and wait until it is on disk.

    A line that a crash cut short is ended first, so that this one stands by itself. Where this one cannot be written
    whole, none of it stays.
    """
    begun = os.path.lexists(path)
    with opened(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, _PRIVATE) as handle:
        size = os.fstat(handle).st_size
        cut = b"\n" if size and os.pread(handle, 1, size - 1) != b"\n" else b""
        try:
            calls.write_all(handle, cut + line + b"\n")
            calls.sync(handle)
        except OSError:
            with contextlib.suppress(OSError):
                calls.truncate(handle, size)
            raise
    if not begun:
        with calls.folder_handle(path.parent) as around:
            calls.sync(around)


def written_folder(target: Path, files: For[Mapping[str, Content]]) -> Path:
    """Write a folder with these files whole; one that stands in its place goes. Of several at once, the last one stays."""
    refuse_ledgers(target)
    with (
        _said(target),
        calls.folder_handle(target.parent) as around,
        work_room(target, around) as (room, handle),
    ):
        calls.new_folder(target.name, handle, 0o755 if isinstance(files, Publishable) else 0o700)
        with calls.folder_handle(target.name, within=handle) as inner:
            for name, content in files.content.items():
                _filled(room / target.name, inner, name, files.becoming(content))
            calls.sync(inner)
        _in_place(target.name, handle, around)
        calls.sync(around)
    return target


def move_into(made: Path, target: Path) -> None:
    """Give something that is complete its name, in one step; what stands there goes."""
    refuse_ledgers(target)
    with (
        _said(target),
        calls.folder_handle(made.parent) as before,
        calls.folder_handle(target.parent) as around,
    ):
        if (made.is_dir() or target.is_dir()) and os.path.lexists(target):
            with work_room(target, around) as (_, handle), borrowed(made, before, target.name, handle):
                _in_place(target.name, handle, around)
        else:
            calls.rename(made.name, before, target.name, around)
        calls.sync(around)
        calls.sync(before)


def own_folder(path: Path, *, parents: bool = False, shared: bool = False) -> Path:
    """A folder, new or there already: for its owner alone unless shared. A link, or a file, is refused."""
    whole = path.absolute()  # the folder here has no name otherwise
    if parents and not whole.parent.exists():
        own_folder(whole.parent, parents=True, shared=shared)
    with _said(path), calls.folder_handle(whole.parent) as around:
        with contextlib.suppress(FileExistsError):
            calls.new_folder(whole.name, around, 0o755 if shared else 0o700)
            calls.sync(around)
        if not stat.S_ISDIR(os.stat(whole.name, dir_fd=around, follow_symlinks=False).st_mode):
            raise UnsafePath(
                f"{path.name} is a link, or not a folder: it could lead anywhere.",
                "Put an ordinary folder in its place.",
            )
    return path


def private_folder(path: Path) -> Path:
    """A folder for its owner's eyes alone, new or there already; one of somebody else is refused."""
    own_folder(path)
    with (
        _said(path),
        calls.folder_handle(path.parent) as around,
        calls.folder_handle(path.name, within=around) as it,
    ):
        found = os.fstat(it)
        if os.geteuid() not in (0, found.st_uid):
            raise UnsafePath(
                f"{path.name} belongs to somebody else, who can read and change what is put into it.",
                "Find out who put it there; then move it away.",
            )
        if stat.S_IMODE(found.st_mode) & 0o077:
            calls.close_to_others(it, 0o700)
    return path


@contextlib.contextmanager
def room_beside(target: Path) -> Iterator[Path]:
    """A folder of our own beside a target; it goes with all that is left in it, but for ledgers."""
    with _said(target), calls.folder_handle(target.parent) as around, work_room(target, around) as (room, _):
        yield room


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder for the owner alone in the system's place for such things; it goes with all that is in it."""
    with tempfile.TemporaryDirectory(prefix="privet-") as room:
        yield Path(room)


def refuse_unwritable(target: Path) -> None:
    """Begin what will be written at the end, and take it away, before the work starts."""
    around = target.resolve().parent
    with _said(target), calls.folder_handle(around) as handle, work_room(target, handle):
        pass


def _filled(room: Path, handle: int, name: str, what: For[Content]) -> None:
    """A new file in a folder of our own: written, closed to those it is not for, and synced."""
    mode = _SHARED if isinstance(what, Publishable) else _PRIVATE
    content = what.content
    if callable(content):
        calls.reached("create")
        content(room / name)
        part = os.open(name, os.O_RDWR | calls.NO_LINK, dir_fd=handle)
    else:
        part = calls.new_file(name, handle, mode)
    try:
        if not callable(content):
            calls.write_all(part, content.encode() if isinstance(content, str) else content)
        else:  # a library made it, with whatever rights the umask let through
            calls.close_to_others(part, stat.S_IMODE(os.fstat(part).st_mode) & mode)
        calls.sync(part)
    finally:
        os.close(part)


def _in_place(name: str, room: int, around: int) -> None:
    """From the room to its name. What stood there comes into the room, in the same step where the system can do that."""
    while True:
        try:
            if stands(name, around):
                if calls.exchange(name, room, name, around):
                    return
                calls.rename(name, around, f"{name}.replaced", room)
            calls.rename(name, room, name, around)
        except FileNotFoundError:
            if stands(name, room):  # another one was just putting its own there
                continue
            raise
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            continue
        except OSError as problem:
            if problem.errno == errno.ENOTEMPTY:  # another one has put its own there since
                continue
            if stands(f"{name}.replaced", room) and not stands(name, around):
                calls.rename(f"{name}.replaced", room, name, around)
            raise
        return


@contextlib.contextmanager
def _said(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        reason = problem.strerror or type(problem).__name__
        raise FileProblem(f"{target.name} could not be written ({reason}).", _ROOM) from None
