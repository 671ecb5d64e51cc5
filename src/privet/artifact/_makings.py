"""What was made in a folder of outputs, as the file layer saw it: only what is recorded here is replaced or removed by a run.

A line is written before a thing gets its name: its inode and size, and a digest of all that is in it. The record lies in the
folder for work in progress, which is its owner's alone (`private_folder`), so that neither an edited journal nor another user
with rights in the outputs can add to it. Whoever can write there has the rights of the owner, and could remove the thing
himself. A copy is another thing than what was made, and stays.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from pathlib import Path
from typing import Any

from privet.artifact._atomic_write import append_line
from privet.artifact._confined_paths import opened
from privet.errors import FileProblem, PrivetError

RECORD = "made.jsonl"
_INODE = re.compile(rb'"inode": ([0-9]+),')


def record_making(work: Path, name: str, made: Path) -> None:
    """Note what is about to get a name among the outputs, or has it; on disk when this returns."""
    line = {"name": name, **_identity(made)}
    try:
        append_line(work / RECORD, json.dumps(line).encode())
    except OSError as problem:
        raise FileProblem(
            f"what was made could not be noted ({(problem.strerror or 'unknown reason').lower()}).",
            "Check that the folder of the outputs is writable and has room.",
        ) from None


def anything_made(work: Path) -> bool:
    """Whether anything was ever made from this folder for work in progress."""
    place = work / RECORD
    return place.is_file() and place.stat().st_size > 0


class Makings:
    """What was made until now, read once: whoever asks of every output reads a record that grows with them."""

    def __init__(self, work: Path) -> None:
        self._lines: dict[bytes, list[bytes]] = {}
        try:
            with opened(work / RECORD, os.O_RDONLY) as handle, os.fdopen(os.dup(handle), "rb") as file:
                lines = file.read().split(b"\n")
        except (OSError, PrivetError):
            return
        for line in lines:
            # Lines of other things are passed over unread: there may be thousands.
            if (inode := _INODE.search(line)) is not None:
                self._lines.setdefault(inode[1], []).append(line)

    def hold(self, name: str, place: Path) -> bool:
        """Whether what stands there is what was made under this name, unchanged."""
        try:
            found = _identity(place)
        except (OSError, PrivetError):
            return False
        lines = self._lines.get(str(found["inode"]).encode(), [])
        return any(_same(line, {"name": name, **found}) for line in reversed(lines))


def is_making(work: Path, name: str, place: Path) -> bool:
    """Whether what stands there is what was made under this name, unchanged, by what the record says now."""
    return Makings(work).hold(name, place)


def content_digest(path: Path) -> str:
    """SHA-256 of a file, or of a folder's files with their names; empty where nothing stands."""
    if path.is_file():
        return _file_digest(path).hex()
    if not path.is_dir():
        return ""
    found = hashlib.sha256()
    for file in sorted(path.rglob("*")):
        if file.is_file():
            found.update(f"{file.relative_to(path).as_posix()}\n".encode())
            found.update(_file_digest(file))
    return found.hexdigest()


def _file_digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _identity(path: Path) -> dict[str, Any]:
    """A device's number changes when a disk is mounted anew; it is left out."""
    found = path.lstat()
    folder = stat.S_ISDIR(found.st_mode)
    _refuse_strange(path, found)
    return {
        "inode": found.st_ino,
        "size": 0 if folder else found.st_size,
        "parts": sum(1 for _ in path.rglob("*")) if folder else 0,
        "digest": content_digest(path),
    }


def _refuse_strange(path: Path, found: os.stat_result) -> None:
    """What is made is files and folders of files: a link, a pipe or a second name among them is somebody else's."""
    for part, seen in ((path, found), *((one, one.lstat()) for one in path.rglob("*"))):
        if stat.S_ISDIR(seen.st_mode) or (stat.S_ISREG(seen.st_mode) and seen.st_nlink == 1):
            continue
        raise FileProblem(f"{part.name} is a link, or not an ordinary file of its own.", "Remove it.")


def _same(line: bytes, found: dict[str, Any]) -> bool:
    try:
        return bool(json.loads(line) == found)
    except (ValueError, RecursionError):  # cut short by a crash
        return False
