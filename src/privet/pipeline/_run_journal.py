"""The journal of runs, among what is its owner's alone: what was begun, made, attacked and removed, one line each, on disk at once.

A line that was cut short by a crash does not count. What is not in the journal did not happen, except for what the
ledger says; so a run that was killed goes on from the last line. Anybody may have written in the file: every line is held
against what a line can say, and what was made against the plan that it was made by. Each line names the digest of the one
before it, each is signed where the data set has a key, and the ledger knows how the journal stood when a run ended.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from privet.artifact import (
    OWNER,
    OwnerOnly,
    anything_made,
    append_line,
    checked_name,
    content_digest,
    inside,
    opened,
    output_folders,
    output_place,
    private_folder,
)
from privet.dataset import public_keys_of, signing_of
from privet.errors import BadUsage, FileProblem, PrivetError, UnknownRecord
from privet.evidence import FIELD, KeyHistory, Signature, Signing, digest, read_json
from privet.ledger import GENESIS, JOURNAL, Ledger, clock
from privet.pipeline._run_plan import RunPlan, altered
from privet.pipeline._run_record import Made, StepRecord

NAME, WORK, LOCK = "journal.jsonl", ".privet", "lock"
LINE_DOMAIN = "privet/journal-line"
BEGUN, MADE, DONE, ENDED, REMOVED = "begun", "made", "done", "ended", "removed"
_LOOK = "Find out who wrote in it. To start afresh, move the folder of the outputs away; the ledger keeps what was spent."
_Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    at: str
    previous: _Digest | None = None  # the oldest journals have none
    signature: dict[str, Any] | None = None


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
    record: _Digest | None = None


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
        self.path = output_place(folder, OwnerOnly(NAME))
        self.lines = list(_read(self.path))
        self.keys = public_keys_of(folder.parent)
        self._signing: Signing | None = None
        # A run begins with a line, and makes things after it.
        if not self.lines and anything_made(work_folder(folder)):
            raise altered("the journal", f"It is gone, and things were made here. {_LOOK}")
        _refuse_altered(self.lines)
        _refuse_unchained(self.lines, self.keys)
        # The last line of a kind with a key: every step of a run asks for its own, and a journal grows with its runs.
        self._latest = {(line["what"], line["key"]): line for line in self.lines if "key" in line}

    @property
    def head(self) -> str:
        """The digest of the last line; zeros where there is none."""
        return digest(self.lines[-1]) if self.lines else GENESIS

    def refuse_rolled_back(self, ledger: Ledger | None) -> None:
        """The journal holds every head of it that the ledger knows: it was neither cut back nor written anew."""
        if ledger is None or not self.lines:
            return
        heads = {digest(line) for line in self.lines}
        first = digest(self.lines[0])
        plans = {line["plan"] for line in self.lines if line["what"] == ENDED}
        for anchor in ledger.anchors(JOURNAL):
            mine = anchor.said.get("journal") == first or anchor.said.get("plan") in plans
            if mine and anchor.digest not in heads:
                raise altered(
                    "the journal", f"The ledger knows lines of it that are gone or were changed. {_LOOK}"
                )

    def anchor(self, ledger: Ledger, plan: RunPlan, record: str) -> None:
        """Enter in the ledger how the journal stands now."""
        said = {"journal": digest(self.lines[0]), "plan": plan.digest, "record": record}
        ledger.anchor(JOURNAL, self.head, why=f"the end of a run [plan {plan.digest[:16]}]", said=said)

    def write(self, what: str, **said: Any) -> None:
        """Add a line, and wait until it is on disk."""
        line = {"what": what, "at": clock.stamp(clock.now()), **said, "previous": self.head}
        if self.keys is not None:
            self._signing = self._signing or signing_of(self.folder.parent)
            if self._signing is not None:
                line = self._signing.signed(line, LINE_DOMAIN)
        line = read_json(json.dumps(line))  # as it will be read
        try:
            append_line(self.path, json.dumps(line, ensure_ascii=False).encode())
        except OSError as problem:
            raise FileProblem(
                f"the journal could not be written ({(problem.strerror or 'unknown reason').lower()}).",
                "Check that the folder of the outputs is writable and has room.",
            ) from None
        self.lines.append(line)
        if "key" in line:
            self._latest[line["what"], line["key"]] = line

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
        line = self._latest.get((MADE, key))
        if line is None:
            return None
        made = Made.from_json(line["made"])
        place = inside(self.folder, made.path, folders=True)
        return (made, line) if content_digest(place) == made.digest else None

    def done(self, key: str) -> StepRecord | None:
        """The record of a step that came to its end and whose work still stands."""
        line = self._latest.get((DONE, key))
        if line is None or self.made(key) is None:
            return None
        try:
            return StepRecord.from_json(line["record"])
        except (KeyError, TypeError, ValueError, UnknownRecord):
            raise altered("the journal", _LOOK) from None

    def facts(self) -> dict[str, dict[str, Any]]:
        """What was said of each thing when it was made, by its path; what a later run made counts."""
        return {line["made"]["path"]: line["facts"] for line in self.lines if line["what"] == MADE}

    def standing(self) -> dict[str, Made]:
        """Everything that was made, not removed and is there, by its path; what a later run made counts."""
        return {path: made for path, made in self.kept().items() if os.path.lexists(self.folder / path)}

    def kept(self) -> dict[str, Made]:
        """Everything that was made and of which no line says that it was removed, by its path."""
        found: dict[str, Made] = {}
        for line in self.lines:
            if line["what"] == MADE:
                made = Made.from_json(line["made"])
                found[made.path] = made
            elif line["what"] == REMOVED:
                found.pop(line["path"], None)
        return found

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
        with contextlib.suppress(ValueError):  # cut short by a crash
            found = read_json(line, what="a line of the journal")
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


def _refuse_unchained(lines: list[dict[str, Any]], keys: KeyHistory | None) -> None:
    """Each line follows from the one before it, and is signed by a key of the data set where it has one."""
    before, chained = GENESIS, False
    for line in lines:
        said = line.get("previous")
        if (chained and said is None) or (said is not None and said != before):
            raise altered("the journal", _LOOK)
        chained, before = chained or said is not None, digest(line)
        if keys is None:
            if FIELD in line:
                raise altered(
                    "the journal", f"It is signed, and the data set's public keys are gone. {_LOOK}"
                )
            continue
        if FIELD not in line:
            raise altered(
                "the journal",
                f"A line carries no signature; it may be from before the data set had a key. {_LOOK}",
            )
        found = Signature.from_json(line[FIELD])
        key = keys.find(found.key)
        if key is None or not key.signs_at(found.at) or not found.covers(line, LINE_DOMAIN):
            raise altered("the journal", f"A line is not as the data set's key signed it. {_LOOK}")


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


def work_folder(folder: Path) -> Path:
    """Where work in progress and the record of what was made lie: among what is the owner's alone, and no link."""
    return inside(folder, f"{OWNER}/{WORK}", folders=True)


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[Path]:
    """Only one run at a time in a folder of outputs; gives the folder for work in progress. Ends with the process."""
    with contextlib.ExitStack() as held:
        try:
            work = private_folder(work_folder(output_folders(folder)))
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
