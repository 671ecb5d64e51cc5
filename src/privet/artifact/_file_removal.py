"""Removing files and folders, and writing over them: by one door, what is ours, and anything but a ledger.

What a function made itself it takes away with `remove` or `discard`, and a secret with `shred`. What a file names (a plan,
a journal, a policy) is removed with `remove_inside`, which follows no link and asks whether it is ours.
Nothing here removes a ledger (`privet.artifact._ledger_marks`).
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from privet.artifact import _file_calls as calls
from privet.artifact._confined_paths import inside, opened
from privet.artifact._ledger_marks import refuse_ledgers
from privet.artifact._work_rooms import clear_unfinished, work_room
from privet.errors import FileProblem, NotMadeHere

_FOLDER = calls.OPEN_FOLDER | calls.NO_LINK


def remove(path: Path) -> None:
    """Remove a file or a folder with all that is in it, if it is there; refuses where a ledger would go with it."""
    refuse_ledgers(path)
    with contextlib.suppress(FileNotFoundError), calls.folder_handle(path.parent) as around:
        calls.remove_tree(path.name, around)


def discard(path: Path) -> None:
    """Take away what the caller made a moment ago, as far as that can be done."""
    with contextlib.suppress(OSError):
        remove(path)


def discard_empty(folder: Path) -> None:
    """Take away a folder that holds nothing; any other stays."""
    with contextlib.suppress(OSError), calls.folder_handle(folder.parent) as around:
        calls.remove_folder(folder.name, around)


def shred(path: Path) -> None:
    """Overwrite a file and remove it; a link, or a file with other names, is refused and stays as it is.

    A journaling or flash disk may keep an old copy of the block.
    """
    refuse_ledgers(path)
    try:
        with opened(path, os.O_RDWR) as handle:
            calls.overwrite(handle)
        with calls.folder_handle(path.parent) as around:
            calls.unlink(path.name, around)
            calls.sync(around)
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
    with handle_of_parent(folder, place) as parent:
        before = standing_at(place, parent)
        if before is None:
            clear_unfinished(place.parent, place.name)  # what a kill left of it
            return
        if not is_ordinary(before) or not recognised(place):
            raise not_made_here(place)
        refuse_ledgers(place)
        now = standing_at(place, parent)
        if now is None or not os.path.samestat(before, now):
            raise not_made_here(place)
        try:
            _vanish(place, parent, now)
            calls.sync(parent)
        except OSError as problem:
            raise _failed(place, "removed", problem) from None


def _vanish(place: Path, parent: int, found: os.stat_result) -> None:
    """A folder leaves its name in one step, so that a kill leaves all of it or nothing to be seen."""
    if not stat.S_ISDIR(found.st_mode):
        calls.unlink(place.name, parent)
        return
    with work_room(place, parent) as (_, room):
        calls.rename(place.name, parent, place.name, room)


@contextlib.contextmanager
def handle_of_parent(folder: Path, place: Path) -> Iterator[int]:
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


def standing_at(place: Path, parent: int) -> os.stat_result | None:
    """What stands in a place, itself and not what a link leads to."""
    try:
        return os.stat(place.name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return None


def is_ordinary(found: os.stat_result) -> bool:
    """Whether it is a file or a folder, and nothing that leads elsewhere or waits for somebody."""
    return stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)


def not_made_here(place: Path) -> NotMadeHere:
    """The refusal to replace or remove something."""
    return NotMadeHere(
        f"{place.name} is not what a run made, or was changed since: it stays.",
        "Look at it, and remove it or move it away yourself.",
    )


def _failed(place: Path, what: str, problem: OSError) -> FileProblem:
    return FileProblem(
        f"{place.name} could not be {what} ({(problem.strerror or 'unknown reason').lower()}).",
        "Check the rights of the folder it stands in.",
    )
