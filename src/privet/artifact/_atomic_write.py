"""Writing files whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import glob
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from privet.artifact._file_removal import discard, refuse_ledgers
from privet.errors import FileProblem

UNFINISHED = ".partial"  # how the folder ends in which something is being written


def is_there(path: Path) -> bool:
    """Whether there is a file or folder; a name that no system would keep names nothing."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def written_whole(target: Path, write: Callable[[Path], object]) -> Path:
    """Let `write` fill a file in a new folder beside `target`, then move it there: a failure leaves what was there before.

    The folder is new and nobody else's, so nothing that lies about can stand in the file's place; a link at `target` is
    replaced, not followed.
    """
    refuse_ledgers(target)
    try:
        room = Path(tempfile.mkdtemp(prefix=_prefix(target.name), suffix=UNFINISHED, dir=target.parent))
        try:
            partial = room / target.name
            write(partial)
            with partial.open("rb") as done:
                os.fsync(done.fileno())
            partial.replace(target)
        finally:
            discard(room)
    except OSError as problem:
        raise FileProblem(
            f"{target.name} could not be written ({problem.strerror or type(problem).__name__}).",
            "Check that the folder exists, is writable and has room.",
        ) from None
    return target


def put_in_place(made: Path, target: Path, aside: Path) -> None:
    """Rename a folder that is complete; one that stands in its place goes. Of several at once, the last one stays."""
    while made.exists():
        with contextlib.suppress(FileNotFoundError):
            target.rename(aside)
        try:
            made.rename(target)
        except OSError as problem:
            if problem.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                if aside.exists() and not target.exists():
                    aside.rename(target)
                raise
        discard(aside)


def unfinished(folder: Path, name: str) -> list[Path]:
    """The folders in which a process that was killed had begun to write a file of this name, and nothing else."""
    found = folder.glob(f"{glob.escape(_prefix(name))}*{UNFINISHED}")
    return [room for room in found if not room.is_symlink() and _holds_only(room, name)]


def _holds_only(room: Path, name: str) -> bool:
    try:
        return all(part.name == name and part.is_file() and not part.is_symlink() for part in room.iterdir())
    except OSError:
        return False


def _prefix(name: str) -> str:
    return f".{name[:40]}."
