"""The journal of runs, beside their outputs: what was begun, made, attacked and removed, one line each, on disk at once.

A line that was cut short by a crash does not count. What is not in the journal did not happen, except for what the
ledger says; so a run that was killed goes on from the last line. Anybody may have written in the file: every line is held
against what a line can say, and what was made against the plan that it was made by.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from privet.artifact import checked_name, inside, opened
from privet.errors import BadUsage, FileProblem, PrivetError, UnknownRecord
from privet.ledger import clock
from privet.pipeline._run_plan import RunPlan, altered
from privet.pipeline._run_record import Made, StepRecord

NAME, WORK, LOCK = "journal.jsonl", ".privet", "lock"
BEGUN, MADE, DONE, ENDED, REMOVED = "begun", "made", "done", "ended", "removed"
_LOOK = "Find out who wrote in it. To start afresh, move the folder of the outputs away; the ledger keeps what was spent."
_Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    at: str


class _Begun(_Line):
    what: Literal["begun"]
    plan: dict[str, Any]


class _Made(_Line):
    what: Literal["made"]
    step: str
    key: _Digest
    made: dict[str, Any]
    receipt: dict[str, Any] | None
    facts: dict[str, Any]
    risks: list[dict[str, Any]]
    untried: list[str]


class _Done(_Line):
    what: Literal["done"]
    step: str
    key: _Digest
    record: dict[str, Any]


class _Ended(_Line):
    what: Literal["ended"]
    plan: _Digest


class _Removed(_Line):
    what: Literal["removed"]
    path: str
    why: str


_LINES: TypeAdapter[_Line] = TypeAdapter(
    Annotated[_Begun | _Made | _Done | _Ended | _Removed, Field(discriminator="what")]
)


@dataclass(frozen=True, slots=True)
class Begun:
    """The run that was begun last: its plan, and whether it came to its end."""

    plan: RunPlan
    at: str
    ended: bool


class RunJournal:
    """The lines of one folder of outputs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / NAME
        self.lines = list(_read(self.path))
        _refuse_altered(self.lines)

    def write(self, what: str, **said: Any) -> None:
        """Add a line, and wait until it is on disk."""
        line = {"what": what, "at": clock.stamp(clock.now()), **said}
        try:
            with opened(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666) as handle:
                size = os.fstat(handle).st_size
                # A line that a crash cut short is ended, so that this one stands by itself.
                cut = b"\n" if size and os.pread(handle, 1, size - 1) != b"\n" else b""
                _write(handle, cut + json.dumps(line, ensure_ascii=False).encode() + b"\n")
                os.fsync(handle)
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
                return Begun(RunPlan.from_json(line["plan"]), line["at"], ended)
        return None

    def made(self, key: str) -> tuple[Made, dict[str, Any]] | None:
        """What a step made, if it still stands as it was made, with the line that says so."""
        for line in reversed(self.lines):
            if line["what"] == MADE and line["key"] == key:
                made = Made.from_json(line["made"])
                return (made, line) if digest_of(inside(self.folder, made.path)) == made.digest else None
        return None

    def done(self, key: str) -> StepRecord | None:
        """The record of a step that came to its end and whose work still stands."""
        if self.made(key) is None:
            return None
        for line in reversed(self.lines):
            if line["what"] == DONE and line["key"] == key:
                try:
                    return StepRecord.from_json(line["record"])
                except (KeyError, TypeError, ValueError, UnknownRecord):
                    raise altered("the journal", _LOOK) from None
        return None

    def facts(self) -> dict[str, dict[str, Any]]:
        """What was said of each thing when it was made, by its path; what a later run made counts."""
        return {line["made"]["path"]: line["facts"] for line in self.lines if line["what"] == MADE}

    def standing(self) -> dict[str, Made]:
        """Everything that was made and not removed, by its path; what a later run made counts."""
        found: dict[str, Made] = {}
        for line in self.lines:
            if line["what"] == MADE:
                made = Made.from_json(line["made"])
                found[made.path] = made
            elif line["what"] == REMOVED:
                found.pop(line["path"], None)
        return {path: made for path, made in found.items() if os.path.lexists(self.folder / path)}

    def purposes(self) -> dict[str, str]:
        """What each thing was made for, by its path; what a later run made counts."""
        found: dict[str, str] = {}
        plan: RunPlan | None = None
        for line in self.lines:
            if line["what"] == BEGUN:
                plan = RunPlan.from_json(line["plan"])
            elif (
                line["what"] == MADE and plan is not None and (step := plan.step_of(line["key"])) is not None
            ):
                found[line["made"]["path"]] = step.purpose
        return found


def _read(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with opened(path, os.O_RDONLY) as handle, os.fdopen(os.dup(handle), "rb") as file:
            text = file.read()
    except FileNotFoundError:
        return
    except OSError:
        raise FileProblem("the journal cannot be read.", "Check the rights of the outputs' folder.") from None
    for line in text.split(b"\n"):
        with contextlib.suppress(ValueError, RecursionError):  # cut short by a crash
            found = json.loads(line)
            if not isinstance(found, dict):
                raise altered("the journal", _LOOK)
            yield found


def _refuse_altered(lines: list[dict[str, Any]]) -> None:
    """Every line says what a line can say, and what was made was made by the plan that was begun before."""
    plan: RunPlan | None = None
    for line in lines:
        try:
            checked = _LINES.validate_python(line)
            if isinstance(checked, _Begun):
                plan = RunPlan.from_json(checked.plan)
            elif isinstance(checked, _Made | _Done):
                _refuse_unplanned(checked, plan)
            elif isinstance(checked, _Removed):
                checked_name(checked.path, folders=True)
        except UnknownRecord:
            raise
        except (ValidationError, PrivetError, KeyError, TypeError, ValueError):
            raise altered("the journal", _LOOK) from None


def _refuse_unplanned(line: _Made | _Done, plan: RunPlan | None) -> None:
    said = line.made if isinstance(line, _Made) else line.record["made"]
    made = Made.from_json(said)
    planned = None if plan is None else plan.step_of(line.key)
    if planned is None or (made.path, made.recipient, made.expires, line.step) != (
        planned.to,
        planned.recipient,
        planned.expires,
        planned.name,
    ):
        raise altered("the journal", _LOOK)


def _write(handle: int, content: bytes) -> None:
    while content:
        content = content[os.write(handle, content) :]


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[Path]:
    """Only one run at a time in a folder of outputs; gives the folder for work in progress. Ends with the process."""
    with contextlib.ExitStack() as held:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            work = inside(folder, WORK)
            work.mkdir(mode=0o700, exist_ok=True)
            handle = held.enter_context(opened(work / LOCK, os.O_RDWR | os.O_CREAT))
        except OSError as problem:
            raise FileProblem(
                f"the folder of the outputs cannot be used ({(problem.strerror or 'unknown reason').lower()}).",
                "Check that it is writable.",
            ) from None
        _lock(handle)
        yield work


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
