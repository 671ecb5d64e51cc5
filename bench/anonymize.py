"""Anonymizing: ours against anjana on adult, and ours alone on large made-up tables.

Every contender runs in a process of its own, one after the other, and reports CPU seconds and peak memory. Ours is
measured from file to verified file, and the search alone as well; anjana's figure is its search alone, without
reading and writing. Run it with `python -m bench.anonymize --adult FOLDER [--rows 1200000]`; without a folder the
comparison on adult is left out. A second run with `--rows 10000000 --memory 6000` is the large one.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.groupby import ROOT, peer_python

LIMITS = ("0", "0.01", "0.05")
LOCAL = {"2": 0.0216, "5": 0.05194, "10": 0.0764}  # the losses to beat, with at most 3 suppressed rows
WIDTHS = {
    "year": 13, "quarter": 4, "region": 4, "pernum": 25, "age": 100, "marital": 10, "sex": 2, "race": 16, "education": 26,
}  # fmt: skip


def generate(path: Path, rows: int) -> None:
    """A health survey in shape: nine columns of small numbers, unevenly spread, a million rows at a time."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    draw = np.random.default_rng(1)
    weights = {name: 1 / np.arange(1, width + 1) ** 0.7 for name, width in WIDTHS.items()}
    writer = None
    for start in range(0, rows, 1_000_000):
        number = min(1_000_000, rows - start)
        part = pa.table(
            {
                name: draw.choice(WIDTHS[name], number, p=weight / weight.sum()).astype("int32")
                for name, weight in weights.items()
            }
        )
        writer = writer or pq.ParquetWriter(path, part.schema)
        writer.write_table(part)
    if writer is not None:
        writer.close()


def made_hierarchies() -> dict[str, Any]:
    """Numbers in ever wider intervals."""
    from privet.protect.anonymize.hierarchies import Hierarchy

    found = {}
    for name, width in WIDTHS.items():
        steps = [step for step in (5, 10, 20, 40) if step * 2 <= width]
        paths = [
            (str(value), *(f"{value // step * step}+{step}" for step in steps), "*") for value in range(width)
        ]
        found[name] = Hierarchy.from_paths(name, paths)
    return found


def ours(given: argparse.Namespace) -> dict[str, Any]:
    """From file to verified file, in this process."""
    import privet as pv

    file = Path(given.adult) / "adult.csv" if given.adult else Path(given.path)
    delimiter = ";" if given.adult else None
    speed = None if given.adult else pv.Speed(memory_limit=f"{given.memory // 4}MB", threads=2)
    names = pv.open_table(file, delimiter=delimiter).columns
    table = pv.open_table(file, delimiter=delimiter, speed=speed, roles=dict.fromkeys(names, "quasi"))
    searched = timed_search()
    before = time.process_time()
    with tempfile.TemporaryDirectory() as room:
        made = pv.anonymize(
            table,
            pv.KAnonymity(given.k),
            max_suppressed=given.limit,
            hierarchies=Path(given.adult) if given.adult else made_hierarchies(),
            search=given.search,
            out=Path(room) / "safe.parquet",
        )
    return {
        "cpu_s": round(time.process_time() - before, 2),
        "search_cpu_s": round(searched[0], 2),
        "loss": made.loss,
        "suppressed": made.found.suppressed_rows,
        "classes": made.found.classes,
        "nodes": made.found.nodes_evaluated,
        "optimal": made.found.optimal,
        "output": made.found.output_type,
    }


def timed_search() -> list[float]:
    """CPU seconds of the search alone, filled in when it has run."""
    from privet.protect.anonymize import _anonymize as anonymize

    spent, plain = [0.0], anonymize.find

    def timed(*arguments: Any, **options: Any) -> Any:
        before = time.process_time()
        found = plain(*arguments, **options)
        spent[0] += time.process_time() - before
        return found

    anonymize.find = timed
    return spent


def run(name: str, command: list[str]) -> dict[str, Any]:
    """One contender in a process of its own."""
    before = os.times()
    process = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    after = os.times()
    if process.returncode:
        return {"contender": name, "failed": process.stderr.strip().splitlines()[-1:]}
    whole = after.children_user + after.children_system - before.children_user - before.children_system
    said = json.loads(process.stdout.strip().splitlines()[-1])
    return {"contender": name, **said, "process_cpu_s": round(whole, 1)}


def on_adult(folder: str) -> list[dict[str, Any]]:
    """Optimal search beside anjana's, then local recoding and sets."""
    peer = peer_python("anjana==1.2.3")
    results = []
    for limit in LIMITS:
        mine = run(f"ours, optimal, {limit}", _mine("--adult", folder, "--limit", limit))
        percent = f"{float(limit) * 100:g}"
        theirs = run(
            f"anjana, {limit}", [peer, str(ROOT / "bench/peers/anjana_adult.py"), folder, "5", percent]
        )
        if "cpu_s" in mine and "search_cpu_s" in theirs:
            mine["search_share_of_anjana"] = round(mine["search_cpu_s"] / theirs["search_cpu_s"], 3)
            mine["process_share_of_anjana"] = round(mine["process_cpu_s"] / theirs["process_cpu_s"], 3)
        results += [mine, theirs]
    for k, best in LOCAL.items():
        found = run(
            f"ours, local, k={k}",
            _mine("--adult", folder, "--limit", "0.0001", "--search", "local", "--k", k),
        )
        results.append({**found, "to_beat": best})
    sets = _mine("--adult", folder, "--limit", "0.0001", "--search", "mondrian")
    results.append({**run("ours, sets", sets), "to_beat": 0.0204})
    return results


def _mine(*options: str) -> list[str]:
    return [sys.executable, "-m", "bench.anonymize", "--contend", *options]


def main() -> None:
    """Run everything and print one line for each, then all as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--adult", help="the folder of adult.csv and its hierarchies")
    parser.add_argument("--rows", type=int, default=1_200_000, help="of the made-up table; 0 leaves it out")
    parser.add_argument(
        "--memory", type=int, default=2048, help="MB the large run may take; reported, not enforced"
    )
    parser.add_argument("--limit", default="0.05", help=argparse.SUPPRESS)
    parser.add_argument("--search", default="optimal", help=argparse.SUPPRESS)
    parser.add_argument("--k", type=int, default=5, help=argparse.SUPPRESS)
    parser.add_argument("--path", help=argparse.SUPPRESS)
    parser.add_argument("--contend", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.contend:
        found = ours(given)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(json.dumps({**found, "peak_mb": peak}))
        return
    results = on_adult(given.adult) if given.adult else []
    if given.rows:
        with tempfile.TemporaryDirectory() as room:
            path = Path(room) / "survey.parquet"
            generate(path, given.rows)
            large = _mine("--path", str(path), "--memory", str(given.memory), "--limit", "0.05")
            results.append({**run(f"ours, {given.rows:,} rows", large), "memory_to_keep_mb": given.memory})
    for result in results:
        print(result)
    print(json.dumps({"results": results}))


if __name__ == "__main__":
    main()
