"""How CPU and memory grow with a table's width and length, with groups, steps of a policy and artifacts in a folder.

Each case runs at three sizes, each in a process of its own, and reports CPU seconds and peak memory of the work alone (not of
making the table), and the exponent e of the growth, CPU ~ size^e, fitted to the sizes. Run from the repository:

    python -m bench.load                                   every case at sizes that take some minutes
    python -m bench.load --cases "audit rows" --scale 10   ten times the sizes: ten million rows
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

Work = Callable[[], object]


def wide(columns: int, rows: int) -> pa.Table:
    """A table of numbers, words, codes and days, one row for each person."""
    draw = np.random.default_rng(1)
    made: dict[str, Any] = {"person_id": np.arange(rows)}
    for at in range(columns - 1):
        made[f"c{at}"] = (
            draw.integers(0, 10, rows),
            draw.normal(size=rows).round(2),
            np.array(["red", "green", "blue", "grey"])[draw.integers(0, 4, rows)],
            draw.integers(10_000, 99_999, rows).astype("U5"),
            np.datetime64("2020-01-01") + draw.integers(0, 1500, rows),
        )[at % 5]
    return pa.table(made)


def audit_columns(size: int) -> Work:
    """An audit of so many columns and 5,000 rows."""
    return _audit(wide(size, 5_000))


def audit_rows(size: int) -> Work:
    """An audit of so many rows of eight columns."""
    return _audit(wide(8, size))


def _audit(rows: pa.Table) -> Work:
    import privet as pv

    table = pv.open_table(rows, unit=pv.Person("person_id", max_rows=1))
    return lambda: pv.audit(table)


def anonymize_rows(size: int) -> Work:
    """Five alike among so many rows, by three quasi-identifiers of ten columns."""
    return _anonymize(wide(10, size))


def anonymize_columns(size: int) -> Work:
    """Five alike among 5,000 rows of so many columns, of which three are quasi-identifiers."""
    return _anonymize(wide(size, 5_000))


def _anonymize(rows: pa.Table) -> Work:
    import privet as pv

    quasi = {"c0": "quasi", "c2": "quasi", "c5": "quasi"}
    roles = dict.fromkeys(rows.column_names, "insensitive") | {"person_id": "direct"} | quasi
    table = pv.open_table(rows, unit=pv.Person("person_id", max_rows=1), roles=roles)
    return lambda: pv.anonymize(table, pv.KAnonymity(5), max_suppressed=0.05)


def groups(size: int) -> Work:
    """A private count by so many groups that nobody has named, of ten rows each."""
    import privet as pv

    table = pv.open_table(
        pa.table({"person_id": np.arange(size * 10), "group": np.arange(size * 10) % size}),
        unit=pv.Person("person_id", max_rows=1),
    )
    ledger = pv.Ledger.in_memory(limit=pv.ApproxDP(10, 1e-5))
    question = table.group_by("group").agg(n=pv.count())
    return lambda: pv.release(question, pv.ApproxDP(1, 1e-6), ledger=ledger, why="load")


def policy_steps(size: int) -> Work:
    """Reading and planning a policy of so many steps."""
    from tests.pipeline.hospital import project

    from privet.pipeline import make_plan

    steps = "".join(
        f"  - {{do: audit, purpose: planning, name: a{at}, to: a{at}.json}}\n" for at in range(size)
    )
    policy = project(Path(tempfile.mkdtemp(prefix="privet-load-")), steps)
    return lambda: make_plan(policy)


def _policy(size: int) -> Path:
    """A policy of so many questions, of a data set with a key."""
    from tests.pipeline.hospital import project

    from privet.dataset import make_signing_key

    steps = "".join(
        f"  - {{do: release, purpose: planning, name: q{at}, epsilon: 0.001, "
        f"sql: 'SELECT COUNT(*) AS n FROM stays WHERE days > {at % 50} AND days < {at}'}}\n"
        for at in range(size)
    )
    folder = Path(tempfile.mkdtemp(prefix="privet-load-"))
    policy = project(folder, steps)
    make_signing_key(folder)
    return policy


def run_steps(size: int) -> Work:
    """Carrying out a policy of so many questions."""
    from privet.pipeline import run

    policy = _policy(size)
    return lambda: run(policy)


def outputs(size: int) -> dict[str, Work]:
    """A folder of so many answers that one run made: what is done with it in turn."""
    from tests.app.doors import inside

    from privet.pipeline import read_policy, remove_expired, run

    policy = _policy(size)
    run(policy)
    out = policy.parent / "out"

    def command(*words: str) -> Work:
        def given() -> None:
            said = inside(*words)
            assert said.code == 0, said.err or said.out

        return given

    def ended() -> None:
        gone = remove_expired(out, read_policy(policy)[0], datetime.date(9999, 12, 31))
        assert len(gone) == size

    keys, ledger = policy.parent / "privet.signing/keys.json", policy.parent / "stays.ledger"
    return {
        "verify": command("verify", str(out), "--key", str(keys), "--ledger", str(ledger)),
        "report": command("report", str(out)),
        "run again": lambda: run(policy),
        "gc": command("gc", "--policy", str(policy)),
        "gc of everything": ended,
    }


def artifacts(size: int) -> Work:
    """Loading so many released answers of a folder, each checked as it is read, and telling what each is."""
    import privet as pv
    from privet.artifact import ReleasedAnswer
    from privet.attacks._target_detection import kind_of

    table = pv.open_table(pa.table({"person_id": range(100)}), unit=pv.Person("person_id", max_rows=1))
    ledger = pv.Ledger.in_memory(limit=pv.PureDP(1))
    answer = pv.release(table.agg(n=pv.count()), pv.PureDP(1), ledger=ledger, why="load")
    folder = Path(tempfile.mkdtemp(prefix="privet-load-"))
    answer.save(folder / "a.json")
    text = (folder / "a.json").read_bytes()
    for at in range(size - 1):
        (folder / f"a{at}.json").write_bytes(text)
    return lambda: [kind_of(ReleasedAnswer.load(one)) for one in folder.iterdir()]


CASES: dict[str, tuple[Callable[[int], Work | dict[str, Work]], tuple[int, int, int]]] = {
    "audit columns": (audit_columns, (100, 250, 1_000)),
    "audit rows": (audit_rows, (100_000, 300_000, 1_000_000)),
    "anonymize columns": (anonymize_columns, (100, 250, 1_000)),
    "anonymize rows": (anonymize_rows, (100_000, 300_000, 1_000_000)),
    "groups": (groups, (10_000, 30_000, 100_000)),
    "policy steps": (policy_steps, (20, 60, 200)),
    "run steps": (run_steps, (20, 60, 200)),
    "outputs": (outputs, (100, 300, 1_000)),
    "artifacts": (artifacts, (100, 300, 1_000)),
}


def exponent(sizes: list[int], figures: list[float]) -> float:
    """The slope of log(figure) over log(size), by least squares."""
    x, y = np.log(sizes), np.log(np.maximum(figures, 1e-3))
    return float(np.polyfit(x, y, 1)[0])


def main() -> None:
    """Run the cases, each size in a process of its own."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", default=",".join(CASES), help="with commas")
    parser.add_argument("--scale", type=float, default=1.0, help="times the sizes")
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.worker:
        print(json.dumps(_measured(asked.worker[0], int(asked.worker[1]))))
        return
    for case in asked.cases.split(","):
        sizes = [math.ceil(size * asked.scale) for size in CASES[case][1]]
        found = [_in_a_process(case, size) for size in sizes]
        faults = [one["fault"] for one in found if "fault" in one]
        for part in found[0].get("cpu", {"": math.nan}):
            cpu = [one["cpu"][part] if "cpu" in one else math.nan for one in found]
            record = {"case": f"{case}: {part}" if part else case, "sizes": sizes, "cpu": cpu}
            growth = round(exponent(sizes, cpu), 2)
            memory = [one.get("MB") for one in found]
            print(json.dumps({**record, "MB": memory, "exponent": growth, "faults": faults}), flush=True)


def _measured(case: str, size: int) -> dict[str, Any]:
    """CPU seconds of the work, or of each part of it in turn, and the most memory that was held until then."""
    work = CASES[case][0](size)
    cpu = {}
    for part, does in (work if isinstance(work, dict) else {"": work}).items():
        began = time.process_time()
        does()
        cpu[part] = round(time.process_time() - began, 2)
    return {"cpu": cpu, "MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}


def _in_a_process(case: str, size: int) -> dict[str, Any]:
    command = [sys.executable, "-W", "ignore", "-m", "bench.load", "--worker", case, str(size)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"fault": done.stderr.strip().splitlines()[-1][:200] if done.stderr else str(done.returncode)}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    main()
