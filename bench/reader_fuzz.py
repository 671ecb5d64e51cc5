"""Files of every format, bent at random: 10,000 each are read or refused, and nothing else becomes of them.

The suite runs a slice of this (`tests/conformance/test_mutated_files.py`). Looked for are exceptions that are not ours, words
of the data in a message, work without end, and the end of the process. Each format is read in a process that is started
again where it ends, so that a crash counts as a finding and not as the end of the run. Run from the repository:

    python -m bench.reader_fuzz                                     10,000 files of each format, parsed in this process
    python -m bench.reader_fuzz --forms parquet --files 500 --isolated     tried in the process without rights first
"""

from __future__ import annotations

import argparse
import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.conformance import mutated_files as made

PATIENCE = 30  # seconds of work at one file; more is counted as work without end
START = 600  # seconds of work until the first: the seed of a record is a whole run, which is no part of reading it
LOOK = 5  # seconds between two looks at how long it worked: on a busy machine it may wait far longer than it works


def main() -> None:
    """Read bent files of each format, and say what became of them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--forms", default=",".join(made.SEEDS), help="formats, with commas")
    parser.add_argument("--files", type=int, default=10_000, help="how many of each")
    parser.add_argument("--start", type=int, default=0, help="the number of the first")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop a format after so long")
    parser.add_argument(
        "--isolated", action="store_true", help="try files in the process without rights first"
    )
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    os.environ["PRIVET_READER"] = "auto" if asked.isolated else "off"
    if asked.worker:
        _work(asked.worker, asked.start, asked.files)
        return
    faults = 0
    for form in asked.forms.split(","):
        began = time.monotonic()
        found, bad = _tally(form, asked.start, asked.files, asked.seconds)
        faults += len(bad)
        record = {"format": form, "files": sum(found.values()), "seconds": round(time.monotonic() - began, 1)}
        print(json.dumps({**record, "became": dict(found.most_common()), "faults": bad[:20]}), flush=True)
    sys.exit(1 if faults else 0)


def _work(form: str, start: int, files: int) -> None:
    """Read one file after the other, and say a line for each before and after."""
    made.seed_of(form)
    with tempfile.TemporaryDirectory() as room:
        for number in range(start, start + files):
            print(number, flush=True)
            print(made.met(form, number, Path(room)).replace("\n", " "), flush=True)


def _tally(form: str, start: int, files: int, seconds: float) -> tuple[Counter[str], list[str]]:
    found: Counter[str] = Counter()
    bad: list[str] = []
    at, until = start, time.monotonic() + seconds
    while at < start + files and time.monotonic() < until:
        worker = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "bench.reader_fuzz", "--worker", form]
            + ["--start", str(at), "--files", str(start + files - at)]
            + (["--isolated"] if os.environ["PRIVET_READER"] == "auto" else []),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        became = _followed(worker, found, bad, form, until)
        at = start + sum(found.values())
        if became:
            found[became] += 1
            bad.append(f"{form} {at}: {became}")
            at += 1
    return found, bad


def _followed(
    worker: subprocess.Popen[bytes], found: Counter[str], bad: list[str], form: str, until: float
) -> str:
    """Count what a worker says; what it ended with, if not with the last of its files."""
    assert worker.stdout is not None
    number = b""
    became = ""
    patience = START
    while time.monotonic() < until:
        ready = _said_something(worker, patience, until)
        line = worker.stdout.readline() if ready else b""
        patience = PATIENCE
        if not ready and time.monotonic() >= until:
            break
        if not line:
            became = (
                "FAULT no end"
                if not ready
                else ""
                if worker.wait() == 0
                else f"FAULT exit {worker.returncode}"
            )
            break
        if not number:
            number = line
            continue
        said = line.decode().strip()
        found[said.split(":")[0] if said.startswith("FAULT") else said] += 1
        if said.startswith("FAULT"):
            bad.append(f"{form} {number.decode().strip()}: {said}")
        number = b""
    worker.kill()
    worker.wait()
    return became


def _said_something(worker: subprocess.Popen[bytes], patience: float, until: float) -> bool:
    """Wait until a worker says something, or ends; False when it worked for too long, or time is up."""
    assert worker.stdout is not None
    before = _worked(worker.pid)
    while time.monotonic() < until:
        if select.select([worker.stdout], [], [], LOOK)[0]:
            return True
        if _worked(worker.pid) - before > patience:
            return False
    return False


def _worked(process: int) -> float:
    """The seconds that a process has had of a processor; where the system does not say, those that went by."""
    try:
        fields = (
            Path(f"/proc/{process}/stat")
            .read_text(encoding="ascii", errors="replace")
            .rpartition(")")[2]
            .split()
        )
    except OSError:
        return time.monotonic()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
