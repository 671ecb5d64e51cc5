"""What it costs to try a file in the process without rights before it is opened: CPU of that process and here, and time.

Each format is opened again and again, isolated and not; what is reported is for one file. The start of the process, which the
first file of a command pays for, stands by itself. Run from the repository:

    python -m bench.reader_cost                  twenty small files of each format
    python -m bench.reader_cost --rows 200000    larger ones
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

import privet as pv
from privet.engine._reader_process import VARIABLE, reader_status

TICK = os.sysconf("SC_CLK_TCK")


def written(folder: Path, many: int) -> dict[str, Path]:
    """The same table in each format."""
    columns = {
        "patient": range(many),
        "name": [f"n{at % 97}" for at in range(many)],
        "weight": [at * 0.5 for at in range(many)],
    }
    rows = pa.table(columns)
    places = {kind: folder / f"t.{kind}" for kind in ("csv", "parquet", "jsonl", "duckdb", "sqlite")}
    pyarrow.csv.write_csv(rows, places["csv"])
    pq.write_table(rows, places["parquet"])
    with duckdb.connect(str(places["duckdb"])) as made:
        made.execute("CREATE TABLE t AS SELECT * FROM rows")
        made.execute(f"COPY t TO '{places['jsonl']}' (FORMAT json)")
    database = sqlite3.connect(places["sqlite"])
    database.execute("CREATE TABLE t (patient INTEGER, name TEXT, weight REAL)")
    database.executemany("INSERT INTO t VALUES (?, ?, ?)", zip(*columns.values(), strict=True))
    database.commit()
    database.close()
    return places


def cpu_there() -> float:
    """CPU seconds of the process without rights, with the copies that it made of itself."""
    children = " ".join(one.read_text(encoding="ascii") for one in Path("/proc/self/task").glob("*/children"))
    stats = [Path(f"/proc/{child}/stat").read_text(encoding="ascii") for child in children.split()]
    return sum(sum(map(int, one.rpartition(") ")[2].split()[11:15])) for one in stats) / TICK


def measured(work: Callable[[], object], times: int) -> dict[str, float]:
    """Milliseconds for one call: CPU here and there, and on the clock."""
    here, there, began = time.process_time(), cpu_there(), time.perf_counter()
    for _ in range(times):
        work()
    found = (time.process_time() - here, cpu_there() - there, time.perf_counter() - began)
    return dict(
        zip(("cpu here", "cpu there", "clock"), (round(one / times * 1e3, 1) for one in found), strict=True)
    )


def main() -> None:
    """Measure, and print a line for each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=60)
    parser.add_argument("--times", type=int, default=20)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = written(Path(folder), asked.rows)
        os.environ[VARIABLE] = "off"
        pv.open_table(files["csv"])  # loads the libraries
        os.environ[VARIABLE] = "auto"
        first = measured(lambda: pv.open_table(files["csv"]), 1)
        print(json.dumps({"isolated": reader_status()["isolated"], "first file, ms": first}), flush=True)
        for kind, path in files.items():
            line: dict[str, Any] = {"format": kind, "bytes": path.stat().st_size}
            for how in ("auto", "off"):
                os.environ[VARIABLE] = how
                pv.open_table(path)
                line[how] = measured(lambda path=path: pv.open_table(path), asked.times)  # type: ignore[misc]
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
