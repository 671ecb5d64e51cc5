"""A step's folder for work in progress, `owner/.privet/KEY`: it holds a mark that says whose it is, and goes only if it has it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from privet.artifact import OwnerOnly, inside, opened, remove_inside, written_folder
from privet.errors import NotMadeHere, PrivetError, UnsafePath

MARK = "key"


def opened_scratch(work: Path, key: str) -> Path:
    """The folder of a step under way: as it was left, or new. One that somebody else put there is refused."""
    place = inside(work, key)
    parts = list(place.iterdir()) if place.is_dir() else []
    for part in parts:
        _refuse_link(part)
    if not _is_marked(place, key):
        if parts or (os.path.lexists(place) and not place.is_dir()):
            raise NotMadeHere(
                "there is a folder where the work in progress belongs, and no run made it.",
                f"Move {place.parent.name}/{place.name} away.",
            )
        written_folder(place, OwnerOnly({MARK: key}))  # with its mark from the first moment on
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
