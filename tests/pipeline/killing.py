"""Runs that are killed with SIGKILL just before the n-th time they touch a file, then gone on with.

    python -m tests.pipeline.killing FOLDER STRIDE [FIRST]

Every run is a process of its own, forked off after everything is imported. Prints one JSON line for each point: how the
first process died, what stood then, how the second ended, and what the ledger says.
"""

import json
import os
import signal
import sys
import traceback
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from tests.pipeline.hospital import ANONYMIZE, LATER, RELEASE, project

from privet.artifact import _file_calls as calls
from privet.artifact import content_digest
from privet.ledger import Ledger
from privet.pipeline import _run as running
from privet.pipeline._run_journal import RunJournal
from privet.verbs._verb import verbs

TOUCHES = (
    "open",
    "os.rename",
    "os.remove",
    "os.mkdir",
    "os.rmdir",
    "os.link",
    "os.truncate",
    "shutil.rmtree",
)
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


def touches(event: str, arguments: tuple[Any, ...], folder: str) -> bool:
    """Whether an event changes a file of the project."""
    if event not in TOUCHES or not str(arguments[0]).startswith(folder):
        return False
    return event != "open" or bool((arguments[2] or 0) & WRITES)


def carry_out(policy: Path, die_at: int | None) -> int:
    """The run, in this process; dies before the n-th touch, or gives how many there were."""
    seen = 0
    folder = str(policy.parent)

    def reached() -> None:
        nonlocal seen
        seen += 1
        if seen == die_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        """Libraries that write by themselves."""
        if touches(event, arguments, folder):
            reached()

    def fault(_: str, size: int) -> int:
        """The file layer, whose names are relative to folders that it holds open."""
        reached()
        return size

    sys.addaudithook(hook)
    calls._fault = fault
    running.run(policy)
    return seen


def forked(work: Any) -> tuple[int, Any]:
    """Do something in a process of its own: how it ended, and what it gave."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        code = 0
        try:
            os.write(writing, json.dumps(work()).encode())
        except BaseException:  # noqa: BLE001  whatever it was, the parent is told
            os.write(writing, json.dumps(traceback.format_exc()).encode())
            code = 1
        os._exit(code)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        said = file.read()
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), json.loads(said) if said else None


def standing(policy: Path) -> list[str]:
    """Outputs under their own names; each must be whole."""
    out = policy.parent / "out"
    found = [file for file in out.glob("*/[!.]*") if file.name != "journal.jsonl"] if out.exists() else []
    for file in found:
        if file.suffix == ".parquet":
            pq.read_table(file)
        else:
            json.loads(file.read_text(encoding="utf-8"))
    return sorted(str(file.relative_to(out)) for file in found)


def gone_on(policy: Path) -> dict[str, Any]:
    """Go on with a run that was killed."""
    record = running.run(policy)
    out = policy.parent / "out"
    with Ledger(policy.parent / "stays.ledger") as ledger:
        ledger.verify()
        entries = [entry for entry in ledger.history() if entry.kind in ("spend", "promise")]
    return {
        "booked": [[str(entry.body["why"]).split(" [")[0], entry.kind] for entry in entries],
        "steps": [step.name for step in record.steps],
        "same": all(
            step.made and content_digest(out / step.made.path) == step.made.digest for step in record.steps
        ),
        "left": sorted(
            str(file.relative_to(out)) for file in out.rglob("*") if file.is_file() and file.name != "lock"
        ),
        "ended": (begun := RunJournal(out).begun()) is not None and begun.ended,
    }


def main(folder: Path, stride: int, first: int = 1) -> None:
    """Kill a run at every `stride`-th touch from the first on."""
    verbs()

    def fresh(name: str) -> Path:
        (folder / name).mkdir(parents=True)
        return project(folder / name, RELEASE + ANONYMIZE + LATER)

    _, points = forked(lambda: carry_out(fresh("whole"), None))
    for at in range(first, int(points) + 1, stride):
        policy = fresh(str(at))
        died, _ = forked(lambda policy=policy, at=at: carry_out(policy, at))
        stood = standing(policy)
        ended, told = forked(lambda policy=policy: gone_on(policy))
        line = {"at": at, "of": points, "died": died, "stood": stood, "ended": ended, "told": told}
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
