"""A step's folder for work in progress, `.privet/KEY`: it holds a mark that says whose it is, and goes only if it has it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from privet.artifact import inside, opened, remove_inside
from privet.errors import NotMadeHere, PrivetError, UnsafePath

MARK = "key"


def opened_scratch(work: Path, key: str) -> Path:
    """The folder of a step under way: as it was left, or new. One that somebody else put there is refused."""
    place = inside(work, key)
    place.mkdir(mode=0o700, exist_ok=True)
    for part in place.iterdir():
        _refuse_link(part)
    if not _is_marked(place, key):
        if any(place.iterdir()):
            raise NotMadeHere(
                "there is a folder where the work in progress belongs, and no run made it.",
                f"Move {place.parent.name}/{place.name} away.",
            )
        with opened(place / MARK, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as handle:
            os.write(handle, key.encode())
            os.fsync(handle)
    return place


def cleared(scratch: Path, name: str) -> Path:
    """A place in a step's folder, with nothing in it."""
    remove_inside(scratch, name, lambda _: True)
    return scratch / name


def forget_scratch(work: Path, key: str) -> None:
    """Remove the folder of a step that is done."""
    remove_inside(work, key, lambda place: _is_marked(place, key))


def _refuse_link(part: Path) -> None:
    """Seeds in here are overwritten and folders emptied: none of them may be somebody else's, seen through a link."""
    found = part.lstat()
    if not stat.S_ISDIR(found.st_mode) and not (stat.S_ISREG(found.st_mode) and found.st_nlink == 1):
        raise UnsafePath(
            f"{part.name} among the work in progress is a link, or not an ordinary file of its own.",
            "Remove it; nothing was read or spent.",
        )


def _is_marked(place: Path, key: str) -> bool:
    try:
        with opened(place / MARK, os.O_RDONLY) as handle:
            return os.read(handle, len(key) + 1) == key.encode()
    except (OSError, PrivetError):
        return False
