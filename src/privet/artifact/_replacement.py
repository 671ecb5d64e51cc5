"""Giving something that is complete its name, where what stands there goes only if it is recognised as ours.

What stood there leaves its name in the same step in which the new one takes it, into a folder that nobody else can reach,
and is looked at there once more: whatever somebody puts into the place in between comes back to it, and the new one waits.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from privet.artifact import _file_calls as calls
from privet.artifact._confined_paths import inside
from privet.artifact._file_removal import handle_of_parent, is_ordinary, not_made_here, standing_at
from privet.artifact._ledger_marks import refuse_ledgers
from privet.artifact._work_rooms import borrowed, stands, work_room
from privet.errors import FileProblem


def replace_inside(made: Path, folder: Path, name: object, recognised: Callable[[Path], bool]) -> Path:
    """Give what was made its name in a folder, in one step; what stands there must be `recognised`, or it stays.

    Where that fails, what was made is where it was.
    """
    place = inside(folder, name, folders=True)
    with handle_of_parent(folder, place) as parent, _said(place):
        before = standing_at(place, parent)
        if before is not None and (not is_ordinary(before) or not recognised(place)):
            raise not_made_here(place)
        refuse_ledgers(place)
        with calls.folder_handle(made.parent) as source:
            if before is None:
                calls.rename_new(made.name, source, place.name, parent)
            else:
                with work_room(place, parent) as (room, handle), borrowed(made, source, place.name, handle):
                    _put(place, parent, room, handle, recognised)
            calls.sync(parent)
            calls.sync(source)
    return place


def _put(place: Path, parent: int, room: Path, handle: int, recognised: Callable[[Path], bool]) -> None:
    """The new one from the room to its name; what stood there into the room, to be looked at before it goes."""
    name, aside = place.name, f"{place.name}.replaced"
    if not stands(name, parent):
        calls.rename_new(name, handle, name, parent)
    elif calls.exchange(name, handle, name, parent):
        if not _is_ours(name, room, handle, recognised):
            calls.exchange(name, handle, name, parent)
            raise not_made_here(place)
    else:
        calls.rename(name, parent, aside, handle)
        if not _is_ours(aside, room, handle, recognised):
            calls.rename_new(aside, handle, name, parent)
            raise not_made_here(place)
        try:
            calls.rename_new(name, handle, name, parent)
        except BaseException:
            calls.rename_new(aside, handle, name, parent)
            raise


def _is_ours(name: str, room: Path, handle: int, recognised: Callable[[Path], bool]) -> bool:
    return is_ordinary(os.stat(name, dir_fd=handle, follow_symlinks=False)) and recognised(room / name)


@contextlib.contextmanager
def _said(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        raise FileProblem(
            f"{place.name} could not be written ({(problem.strerror or 'unknown reason').lower()}).",
            "Check that the folder of the outputs is writable and has room.",
        ) from None
