"""Names that files give to files: taken for plain names inside one folder, and never followed through a link.

Plans, journals, records and policies are ordinary files, and whoever writes one can put any text into it. So a name from
a file is a name and nothing else (`checked_name`), leads through no link (`inside`), and a file of ours is opened only if
it is an ordinary one of its own (`opened`). What they name is removed by `privet.artifact._file_removal` alone.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from privet.artifact import _file_calls as calls
from privet.artifact._reserved_names import is_reserved, refuse_reserved
from privet.errors import FileProblem, UnsafePath

_LONGEST, _DEEPEST = 255, 16  # bytes of a name, and names on the way
_FOREIGN = frozenset('/\\:*?"<>|')  # what some system reads as something else than a letter
_MAGIC = bytes.fromhex("d9d505f920a163d7")  # at the end of a journal that names another
_FILE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # a pipe in its place must not hold us up


def checked_name(name: object, *, folders: bool = False) -> str:
    """The name, if every system takes it for a plain name; with `folders`, it may lie in folders below."""
    if not is_plain(name, folders=folders):
        raise UnsafePath(
            "a file names a place that is not a plain name inside its folder.",
            "Such a name has no .., no /, no link and no control character in it. Did somebody change the file?",
        )
    return str(name)


def is_plain(name: object, *, folders: bool = False) -> bool:
    """Whether something is such a name."""
    parts = name.split("/") if isinstance(name, str) and folders else [name]
    return len(parts) <= _DEEPEST and all(isinstance(part, str) and _plain(part) for part in parts)


def _plain(part: str) -> bool:
    return (
        part.isprintable()
        and unicodedata.is_normalized("NFKC", part)  # two spellings of one name are two names on some systems
        and _FOREIGN.isdisjoint(part)
        and part != ""
        and part == part.strip().rstrip(".")  # so neither a dot nor two; and some systems cut these off
        and not is_reserved(part)
        and len(part.encode()) <= _LONGEST
    )


def inside(folder: Path, name: object, *, folders: bool = False) -> Path:
    """The place of a name in a folder, whether something stands there or not; refused if a link is on the way or there."""
    place = folder
    for part in ("", *checked_name(name, folders=folders).split("/")):
        place = place / part
        if place.is_symlink():
            raise _link(place)
    return place


@contextlib.contextmanager
def opened(path: Path, flags: int, mode: int = 0o600) -> Iterator[int]:
    """A file of our own by its handle: neither a link, nor a pipe, nor a file that has another name elsewhere."""
    try:
        if flags & os.O_CREAT:
            refuse_reserved(path.name)
            calls.reached("create")
        handle = os.open(path, flags | _FILE, mode)
    except OSError as problem:
        if problem.errno in (errno.ELOOP, errno.EMLINK, errno.ENXIO):
            raise _link(path) from None
        raise
    try:
        found = os.fstat(handle)
        if found.st_nlink == 0:
            # Removed since it was opened, as SQLite removes its journal while another thread looks: nothing is there.
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path.name)
        if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1:
            raise _link(path)
        yield handle
    finally:
        os.close(handle)


def refuse_planted_journal(database: Path) -> None:
    """Refuse a SQLite file beside which a journal lies that names another file, before SQLite opens it for writing.

    SQLite takes such a journal for what a crash left of a change to several databases, undoes the change, and *deletes*
    the file it names (sqlite.org/fileformat.html, section 3, the super-journal). Databases of ours are changed one by one,
    so no crash leaves one.
    """
    journal = Path(f"{os.path.realpath(database)}-journal")
    try:
        with opened(journal, os.O_RDONLY) as handle:
            size = os.fstat(handle).st_size
            if size >= len(_MAGIC) and os.pread(handle, len(_MAGIC), size - len(_MAGIC)) == _MAGIC:
                raise UnsafePath(
                    f"{journal.name} is not a journal of ours: it would have another file deleted.",
                    "Find out who put it there; then remove it.",
                )
    except FileNotFoundError:
        return
    except OSError as problem:
        raise FileProblem(
            f"{journal.name} could not be read ({(problem.strerror or 'unknown reason').lower()}).",
            "Check its rights.",
        ) from None


def _link(place: Path) -> UnsafePath:
    return UnsafePath(
        f"{place.name} is a link, or not an ordinary file of its own: it could lead anywhere.",
        "Put an ordinary file or folder in its place.",
    )
