"""The journal of runs, beside their outputs: what was begun, made, attacked and removed, one line each, on disk at once.

A line that was cut short by a crash does not count. What is not in the journal did not happen, except for what the
ledger says; so a run that was killed goes on from the last line.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privet.errors import BadUsage, FileProblem
from privet.ledger import clock
from privet.pipeline.record import Made, StepRecord

NAME, WORK = "journal.jsonl", ".privet"
BEGUN, MADE, DONE, ENDED, REMOVED = "begun", "made", "done", "ended", "removed"


@dataclass(frozen=True, slots=True)
class Begun:
    """The run that was begun last: its plan, and whether it came to its end."""

    plan: dict[str, Any]
    at: str
    ended: bool


class Journal:
    """The lines of one folder of outputs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / NAME
        self.lines = list(_read(self.path))

    def write(self, what: str, **said: Any) -> None:
        """Add a line, and wait until it is on disk."""
        line = {"what": what, "at": clock.stamp(clock.now()), **said}
        try:
            _finish_last_line(self.path)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as problem:
            raise FileProblem(
                f"the journal could not be written ({(problem.strerror or 'unknown reason').lower()}).",
                "Check that the folder of the outputs is writable and has room.",
            ) from None
        self.lines.append(line)

    def begun(self) -> Begun | None:
        """The last run, if there was one."""
        for place in range(len(self.lines) - 1, -1, -1):
            line = self.lines[place]
            if line["what"] == BEGUN:
                ended = any(later["what"] == ENDED for later in self.lines[place:])
                return Begun(line["plan"], line["at"], ended)
        return None

    def made(self, key: str) -> tuple[Made, dict[str, Any]] | None:
        """What a step made, if it still stands as it was made, with the line that says so."""
        for line in reversed(self.lines):
            if line["what"] == MADE and line["key"] == key:
                made = Made.from_json(line["made"])
                return (made, line) if digest_of(self.folder / made.path) == made.digest else None
        return None

    def done(self, key: str) -> StepRecord | None:
        """The record of a step that came to its end and whose work still stands."""
        if self.made(key) is None:
            return None
        for line in reversed(self.lines):
            if line["what"] == DONE and line["key"] == key:
                return StepRecord.from_json(line["record"])
        return None

    def standing(self) -> dict[str, Made]:
        """Everything that was made and not removed, by its path; what a later run made counts."""
        found: dict[str, Made] = {}
        for line in self.lines:
            if line["what"] == MADE:
                made = Made.from_json(line["made"])
                found[made.path] = made
            elif line["what"] == REMOVED:
                found.pop(line["path"], None)
        return {path: made for path, made in found.items() if (self.folder / path).exists()}


def _read(path: Path) -> Iterator[dict[str, Any]]:
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return
    except OSError:
        raise FileProblem("the journal cannot be read.", "Check the rights of the outputs' folder.") from None
    for line in text.split(b"\n"):
        with contextlib.suppress(ValueError):
            found = json.loads(line)
            if isinstance(found, dict) and "what" in found:
                yield found


def _finish_last_line(path: Path) -> None:
    """A line that a crash cut short is ended, so that the next one stands by itself."""
    if not path.exists():
        return
    with path.open("r+b") as file:
        size = file.seek(0, os.SEEK_END)
        if size:
            file.seek(size - 1)
            if file.read(1) != b"\n":
                file.write(b"\n")


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[Path]:
    """Only one run at a time in a folder of outputs; gives the folder for work in progress. Ends with the process."""
    work = folder / WORK
    try:
        work.mkdir(parents=True, exist_ok=True)
        work.chmod(0o700)
        handle = os.open(work / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as problem:
        raise FileProblem(
            f"the folder of the outputs cannot be used ({(problem.strerror or 'unknown reason').lower()}).",
            "Check that it is writable.",
        ) from None
    try:
        _lock(handle)
        yield work
    finally:
        os.close(handle)


def _lock(handle: int) -> None:
    try:
        import fcntl
    except ImportError:  # not every system has it; there, running twice at once is up to the user
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise BadUsage("another run is under way in this folder.", "Wait until it has ended.") from None


def digest_of(path: Path) -> str:
    """SHA-256 of a file, or of a folder's files with their names; empty where nothing stands."""
    if path.is_file():
        return hashlib.sha256(path.read_bytes()).hexdigest()
    if not path.is_dir():
        return ""
    found = hashlib.sha256()
    for file in sorted(path.rglob("*")):
        if file.is_file():
            found.update(f"{file.relative_to(path).as_posix()}\n".encode())
            found.update(hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()
