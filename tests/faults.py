"""Commands that are stopped wherever they change a file: what stands then, and what a second try makes of it.

    python -m tests.faults FOLDER [STRIDE] [VERB …]

Every trial is a process of its own, forked off after everything is imported, in a folder of its own; start-up is no part of it,
nor is the process that tries files first, which touches none of ours. A verb joins by a line in `TRIALS`.
"""

import contextlib
import errno
import hashlib
import importlib
import json
import math
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.app.doors import Said, inside
from tests.pipeline.hospital import LATER, RELEASE, project

from privet import examples
from privet.artifact import ReleasedModel, ReleasedTwin
from privet.artifact import _file_calls as calls
from privet.ledger import Ledger
from privet.verbs._verb import verbs

OLD = "old"  # what stood there before
KINDS = ("kill", "EIO", "EACCES", "ENOSPC", "short")


@dataclass(frozen=True)
class Trial:
    """One command: what it is given, what it makes, and what the book says once it is done."""

    name: str
    arguments: tuple[str, ...]
    makes: tuple[str, ...]  # files, or folders of models
    spends: int
    book: str = "stays.csv.ledger"
    ready: Callable[[Path], object] = lambda _: None  # what it needs beside the data
    left: tuple[str, ...] = ()  # what a command that was stopped keeps, in order to go on
    people: int = 150
    repeats: bool = False  # given again after its end, it gives the same answer for nothing


def _plan(folder: Path) -> None:
    project(folder, RELEASE + LATER)


def _leaves(folder: Path) -> None:
    (folder / "leaves.csv").write_text("ward\nCardiology\nSurgery\nOncology\n")


def _notes(folder: Path) -> None:
    (folder / "p.yaml").write_text(
        "templates: ['{what}, {then}']\nwords: {what: [cough, wound], then: [home, kept]}\n"
    )
    lines = [
        json.dumps({"id": f"p{at}", "note": ("a cough", "a wound")[at % 2], "ward": "ab"[at % 3 == 0]})
        for at in range(60)
    ]
    (folder / "notes.jsonl").write_text("\n".join(lines) + "\n")


TABULATE = (
    "tabulate", "stays.csv", "--levels", "ward", "--cells", "sex", "--leaves", "leaves.csv",
    "--keys", "sex=F,M", "--unit", "patient_id", "--max-rows", "1", "--rho", "1", "--budget", "rho=2", "-o", "cells.json",
)  # fmt: skip
TRAIN = (
    "train", "stays.csv", "--target", "readmitted", "--columns", "days,sex", "--epsilon", "1", "--delta", "1e-4", "--unit",
    "patient_id", "--max-rows", "2", "-o", "model", "--html", "page.html",
)  # fmt: skip
SYNTHESIZE = (
    "synthesize", "stays.csv", "--unit", "patient_id", "--max-rows", "1", "--columns", "ward,sex,readmitted", "--method", "mst",
    "--epsilon", "4", "--delta", "1e-6", "--rows", "40", "-o", "twin.parquet",
)  # fmt: skip
EVOLVE = (*SYNTHESIZE[:9], "evolve", *SYNTHESIZE[10:])
TEXTS = (
    "synthesize", "notes.jsonl", "--unit", "id", "--text", "note", "--label", "ward", "--labels", "a,b", "--generator", "p.yaml",
    "--epsilon", "4", "--delta", "1e-6", "--rounds", "2", "--population", "8", "--rows", "10", "-o", "twin.jsonl",
)  # fmt: skip
PAC = (
    "pac", "stays.csv", "--unit", "patient_id", "--max-rows", "2", "--count", "--mean", "days", "--bounds", "days=0:60",
    "--nats", "1/16", "--budget", "nats=1", "-o", "numbers.json",
)  # fmt: skip
TRIALS = {
    trial.name: trial
    for trial in (
        Trial(
            "query",
            ("query", "stays.csv", "SELECT COUNT(*) AS n FROM stays", "--unit", "patient_id", "--max-rows", "1", "--epsilon", "0.5",
             "--budget", "epsilon=1", "-o", "answer.json"),
            ("answer.json",),
            1,
            repeats=True,
        ),
        Trial("tabulate", TABULATE, ("cells.json",), 1, ready=_leaves, repeats=True),
        Trial("pac", PAC, ("numbers.json",), 1, repeats=True),
        Trial("synthesize", SYNTHESIZE, ("twin.parquet",), 1, repeats=True),
        Trial("synthesize-evolve", EVOLVE, ("twin.parquet",), 1, repeats=True),
        Trial("synthesize-texts", TEXTS, ("twin.jsonl",), 1, book="notes.jsonl.ledger", ready=_notes),
        Trial(
            "train",
            (*TRAIN, "--model", "linear"),
            ("model", "page.html"),
            2,
            left=(".model.training",),
            people=1500,
        ),
        Trial(
            "train-objective",
            (*TRAIN[:6], "--epsilon", "8", *TRAIN[8:12], "--max-rows", "1", *TRAIN[14:], "--model", "objective"),
            ("model", "page.html"),
            2,
            left=(".model.training",),
        ),
        Trial(
            "run",
            ("run", "-p", "privet.yaml"),
            ("out/public/beds.json", "out/public/long.json", "out/owner/run.json", "out/owner/report.html"),
            2,
            book="stays.ledger",
            ready=_plan,
        ),
        Trial("audit", ("audit", "stays.csv", "--html", "audit.html"), ("audit.html",), 0),
        Trial(
            "anonymize",
            ("anonymize", "stays.csv", "--unit", "row", "--quasi", "zip,sex", "--k", "3", "--max-suppressed", "0.3", "-o", "safe.parquet"),
            ("safe.parquet",),
            0,
        ),
    )
}  # fmt: skip


def template(folder: Path, trial: Trial) -> Path:
    """The folder that a trial begins in; what it makes stands there already, from before."""
    folder.mkdir(parents=True)
    examples.write(folder / "stays.csv", examples.hospital(trial.people, 7))
    trial.ready(folder)
    for name in trial.makes:
        if "." in name and not name.startswith("out/"):
            (folder / name).write_text(OLD)
    return folder


def forked(work: Callable[[], Any]) -> tuple[int, Any]:
    """Do something in a process of its own: how it ended, and what it gave."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.write(writing, json.dumps(work()).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        said = file.read()
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), json.loads(said) if said else None


def warmed(trial: Trial, folder: Path) -> int:
    """Carry it out once, whole, and import here what it imported there: how many changes of a file there were."""
    verbs()

    def work() -> tuple[int, int, list[str]]:
        seen = 0

        def counted(_: str, size: int) -> int:
            nonlocal seen
            seen += 1
            return size

        calls._fault = counted
        return _given(trial, folder).code, seen, list(sys.modules)

    ended, told = forked(work)
    assert (ended, told[0]) == (0, 0), (trial.name, ended, told)
    for name in told[2]:
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    return int(told[1])


def _given(trial: Trial, folder: Path) -> Said:
    return inside(*trial.arguments, cwd=folder, env={"PRIVET_READER": "off"})


def stopped(trial: Trial, folder: Path, kind: str, at: int) -> tuple[int, int]:
    """Carry it out with a fault before its n-th change of a file: the exit code (-9 if killed), and how many changes there were."""
    seen = 0

    def fault(call: str, size: int) -> int:
        nonlocal seen
        seen += 1
        if seen < at or kind == "none":
            return size
        if kind == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if kind == "short":
            return min(size, 1 + size // 2) if seen == at else size
        if seen == at or (
            kind == "ENOSPC" and call in ("create", "write", "mkdir", "sync")
        ):  # a full disk stays full
            raise OSError(getattr(errno, kind), os.strerror(getattr(errno, kind)))
        return size

    def work() -> tuple[int, int]:
        calls._fault = fault
        return _given(trial, folder).code, seen

    ended, told = forked(work)
    return (ended, at) if told is None else (int(told[0]), int(told[1]))


def faults_of(trial: Trial, folder: Path) -> list[str]:
    """What is half-written or lost: each output is the old one, absent where none was, or whole."""
    found = []
    for name in trial.makes:
        place = folder / name
        old = "." in name and not name.startswith("out/")
        if not os.path.lexists(place):
            found += [f"{name} is lost"] if old else []
        elif not _whole(place):
            found.append(f"{name} is half-written")
    return found


def _whole(place: Path) -> bool:
    try:
        if place.is_dir():
            ReleasedModel.load(place)
        elif place.read_bytes() == OLD.encode():
            return True
        elif place.suffix == ".parquet":
            import pyarrow.parquet as pq

            pq.read_table(place)
        elif place.suffix == ".html":
            return place.read_text(encoding="utf-8").rstrip().endswith("</html>")
        elif place.suffix == ".jsonl":
            text = place.read_text(encoding="utf-8")
            return text.endswith("\n") and all(json.loads(line) for line in text.splitlines())
        else:
            json.loads(place.read_text(encoding="utf-8"))
    except Exception:  # noqa: BLE001  whatever it is, it is not whole
        return False
    return True


def is_done(trial: Trial, folder: Path) -> bool:
    """Whether the command had come to its end: all stands, and nothing is kept to go on with; an empty folder is nothing."""
    new = all(
        os.path.lexists(folder / name)
        and ((folder / name).is_dir() or (folder / name).read_bytes() != OLD.encode())
        for name in trial.makes
    )
    return new and not any(path.is_dir() and any(path.iterdir()) for path in map(folder.joinpath, trial.left))


def booked(trial: Trial, folder: Path) -> int:
    """How many spends there are; the chain must hold."""
    book = folder / trial.book
    if not book.exists() or not book.stat().st_size:
        return 0
    with Ledger(book) as ledger:
        ledger.verify()
        return sum(entry.kind == "spend" for entry in ledger.history())


def gone_on(trial: Trial, folder: Path) -> list[str]:
    """Give the command again, if it had not come to its end; what is wrong afterwards."""

    def work() -> list[str]:
        found: list[str] = []
        over = is_done(
            trial, folder
        )  # killed after its end: what it had not cleared away is hidden, and harmless
        if not over:
            said = _given(trial, folder)
            found += (
                [f"the second try ended with {said.code}: {(said.out + said.err)[-300:]}"]
                if said.code
                else []
            )
        found += faults_of(trial, folder)
        found += [] if is_done(trial, folder) else ["not all was made"]
        spent = booked(trial, folder)
        found += [] if spent == trial.spends else [f"{spent} spends, and not {trial.spends}"]
        left = [] if over else [path.name for path in folder.rglob(".*.partial")]
        found += [f"left behind: {left}"] if left else []
        return found + (_repeated(trial, folder) if trial.repeats and not found else [])

    ended, told = forked(work)
    return told if ended == 0 else [f"the second try ended with {ended}"]


def _repeated(trial: Trial, folder: Path) -> list[str]:
    """Give a command that is done once more: what is wrong if it answers otherwise, or is paid for."""
    before = answers(trial, folder)
    said = _given(trial, folder)
    if said.code:
        return [f"the third try ended with {said.code}"]
    wrong = [] if answers(trial, folder) == before else ["answered otherwise"]
    return wrong + ([] if booked(trial, folder) == trial.spends else ["a repetition is spent for"])


def answers(trial: Trial, folder: Path) -> dict[str, str]:
    """A digest of each answer that stands: of its values, and not of pages about it."""
    return {
        name: _digest(folder / name)
        for name in trial.makes
        if not name.startswith("out/owner/")
        and name != "page.html"
        and os.path.lexists(folder / name)
        and ((folder / name).is_dir() or (folder / name).read_bytes() != OLD.encode())
    }


def _digest(place: Path) -> str:
    if (
        place.suffix == ".parquet"
    ):  # a twin's rows are drawn anew from what was measured, which the ledger keeps
        twin = ReleasedTwin.load(place)
        return hashlib.sha256(repr((twin.receipt, twin.measured)).encode()).hexdigest()
    if place.is_dir():
        place = place / "model.safetensors"
    return hashlib.sha256(place.read_bytes()).hexdigest()


def tour(
    folder: Path, trial: Trial, kinds: tuple[str, ...] = KINDS, stride: int = 1, first: int = 1
) -> Iterator[tuple[str, int, int, list[str]]]:
    """Every kind of fault before every `stride`-th change of a file: kind, place, how it ended, and what is wrong."""
    base = template(folder / "template", trial)
    shutil.copytree(base, folder / "whole")
    points = warmed(trial, folder / "whole")
    for kind in kinds:
        for at in range(first, points + 1, stride):
            place = folder / f"{kind}-{at}"
            shutil.copytree(base, place)
            ended, _ = stopped(trial, place, kind, at)
            wrong = faults_of(trial, place) + gone_on(trial, place)
            yield kind, at, ended, wrong
            shutil.rmtree(place)


COUNTED = (
    "kills",
    "too late",
    "trials",
    "completed",
    "spent once",
    "spent otherwise",
    "stuck",
    "answered otherwise",
    "half-written or lost",
)


def kills(folder: Path, trial: Trial, many: int, seed: int, seconds: float = math.inf) -> dict[str, int]:
    """Processes that are killed at random moments, up to three in a row, and then left in peace; what came of them.

    After so many seconds no further one is begun.
    """
    end = time.monotonic() + seconds
    draw = random.Random(seed)
    base = template(folder / "template", trial)
    tally = dict.fromkeys(COUNTED, 0)
    shutil.copytree(base, folder / "cold")
    warmed(trial, folder / "cold")
    shutil.copytree(base, folder / "whole")
    started = time.perf_counter()
    forked(lambda: _given(trial, folder / "whole").code)
    length = time.perf_counter() - started
    while tally["kills"] < many and time.monotonic() < end:
        place = folder / str(tally["trials"])
        shutil.copytree(base, place)
        wrong: list[str] = []
        for _ in range(min(draw.randint(1, 3), many - tally["kills"])):
            if is_done(trial, place):
                break
            begun = time.perf_counter()
            died = _killed(trial, place, draw.uniform(0, length * 1.1))
            tally["kills" if died else "too late"] += 1
            if not died:  # it takes less than was thought: the machine was busy then
                length = min(length, time.perf_counter() - begun)
            wrong += faults_of(trial, place)
        seen = answers(trial, place)
        wrong += gone_on(trial, place)
        now = answers(trial, place)
        wrong += ["answered otherwise"] if any(now.get(name) != one for name, one in seen.items()) else []
        _count(tally, wrong)
        for one in wrong:
            sys.stderr.write(f"{trial.name} {tally['trials']}: {one}\n")
        shutil.rmtree(place)
    return tally


def _count(tally: dict[str, int], wrong: list[str]) -> None:
    def said(*words: str) -> bool:
        return any(word in one for one in wrong for word in words)

    tally["trials"] += 1
    tally["completed"] += not wrong
    tally["spent otherwise" if said("spends, and not", "is spent for") else "spent once"] += 1
    tally["stuck"] += said("try ended with", "not all was made")
    tally["answered otherwise"] += said("answered otherwise")
    tally["half-written or lost"] += said("half-written", "is lost")


def _killed(trial: Trial, folder: Path, after: float) -> bool:
    child = os.fork()
    if child == 0:
        os._exit(_given(trial, folder).code or 0)
    end = time.perf_counter() + after
    while time.perf_counter() < end:
        over, status = os.waitpid(child, os.WNOHANG)
        if over:
            return os.WIFSIGNALED(status)
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def main(folder: Path, words: list[str]) -> int:
    """Every fault at every change of a file, or at every `stride`-th; prints what came of each."""
    bad, stride = 0, 1
    if words and words[0].isdecimal():
        stride = int(words[0])
    names = [word for word in words if not word.isdecimal()]
    for name in names or list(TRIALS):
        seen = 0
        for kind, at, ended, wrong in tour(folder / name, TRIALS[name], stride=stride):
            seen += 1
            bad += bool(wrong)
            sys.stdout.write(f"{name} {kind} at {at} (ended with {ended}): {'; '.join(wrong) or 'well'}\n")
            sys.stdout.flush()
        sys.stdout.write(f"{name}: {seen} faults tried\n")
        sys.stdout.flush()
    return bad


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]), sys.argv[2:]) > 0)
