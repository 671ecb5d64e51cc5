"""Threads together: whether every verb gives in ten threads what it gives alone, round after round, and how fast that is.

`python -m bench.concurrency stress [--rounds 50] [--sources arrow parquet …]` runs the jobs of
`tests/conformance/at_once.py` in threads that start at once, on one shared table of each kind, and counts wrong answers,
false errors and freezes; each kind in a process of its own, which ends when a freeze has lasted for `--patience` seconds.

`python -m bench.concurrency speed [--rows 1000000]` releases as many different questions in one thread, in ten threads on
one table and in ten threads on ten tables, and says how long a question takes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
JOBS = ROOT / "tests" / "conformance" / "at_once.py"
SOURCES = ("arrow", "pandas", "parquet", "csv", "duckdb", "sqlite", "ibis", "postgres", "else")
THREADS = 10


def stress(sources: list[str], rounds: int, patience: float) -> bool:
    """Every kind of table; whether nothing went wrong."""
    fine = True
    for source in sources:
        command = [sys.executable, "-W", "ignore", str(JOBS), source, "--rounds", str(rounds)]
        began = time.perf_counter()
        done = subprocess.run(
            [*command, "--patience", str(patience)],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"},
        )
        said = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        took = time.perf_counter() - began
        if not said:
            fine = False
            print(
                f"{source:9} froze or died ({done.returncode}) after {took:.0f} s\n{done.stderr[-3000:]}",
                flush=True,
            )
            continue
        faults = said[0]["faults"]
        fine &= not faults
        print(
            f"{source:9} {rounds} rounds, {len(faults)} faults, {took:.0f} s {faults[:3] or ''}", flush=True
        )
    return fine


def speed(rows: int, questions: int) -> None:
    """How long a question takes, alone and together."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    import privet as pv

    draw = np.random.default_rng(1)
    people = pa.table(
        {
            "id": draw.integers(0, max(1, rows // 10), rows),
            "ward": draw.choice(["A", "B", "C"], rows),
            "days": draw.integers(0, 60, rows),
        }
    )
    with tempfile.TemporaryDirectory() as room:
        file = Path(room) / "people.parquet"
        pq.write_table(people, file)
        books = iter(range(10_000))

        def opened(thing: Any) -> Any:
            return pv.open_table(
                thing,
                unit=pv.Person("id", max_rows=20),
                keys={"ward": ["A", "B", "C"]},
                bounds={"days": (0, 60)},
            )

        def ask(table: Any, ledger: Any, number: int) -> None:
            question = table.where(pv.col("days") < number % 50 + 5).group_by("ward").agg(n=pv.count())
            pv.release(question, pv.PureDP("0.01"), ledger=ledger, why="bench")

        def timed(tables: list[Any], threads: int) -> float:
            ledger = pv.Ledger(Path(room) / f"{next(books)}.ledger", limit=pv.PureDP(10_000))
            jobs = [
                [
                    (tables[number % len(tables)], number)
                    for number in range(questions)
                    if number % threads == at
                ]
                for at in range(threads)
            ]

            def work(mine: list[tuple[Any, int]]) -> None:
                for table, number in mine:
                    ask(table, ledger, number)

            began = time.perf_counter()
            _together([lambda mine=mine: work(mine) for mine in jobs])  # type: ignore[misc]
            return (time.perf_counter() - began) / questions * 1e3

        for kind, thing in (("in memory", people), ("Parquet", file)):
            tables = [opened(thing) for _ in range(THREADS)]
            timed(tables, THREADS)
            found = {
                "alone": timed(tables[:1], 1),
                "ten threads, one table": timed(tables[:1], THREADS),
                "ten threads, ten tables": timed(tables, THREADS),
            }
            words = ", ".join(f"{what} {took:.1f} ms" for what, took in found.items())
            print(f"{rows:,} rows {kind}: {words}", flush=True)


def _together(jobs: list[Callable[[], None]]) -> None:
    threads = [threading.Thread(target=job) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="?", choices=["stress", "speed", "both"], default="both")
    parser.add_argument("--sources", nargs="*", default=list(SOURCES), choices=[*SOURCES, "spark"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--patience", type=float, default=3_600)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--questions", type=int, default=50)
    asked = parser.parse_args()
    if asked.what != "stress":
        speed(asked.rows, asked.questions)
    if asked.what != "speed" and not stress(asked.sources, asked.rounds, asked.patience):
        sys.exit(1)


if __name__ == "__main__":
    main()
