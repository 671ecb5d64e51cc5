"""A whole audit against pycanon's k, l and t for one set of columns: 12 columns, in one run, as ratios.

The audit classifies every column, measures k, l, t and risk, estimates population uniqueness, counts every set of
up to three columns, searches minimal sample uniques and draws the unicity curve. Each contender runs in a process of
its own on the same table and reports CPU seconds and peak memory. Run it with
`python -m bench.audit [--rows 1000000] [--alone]`; pycanon is stopped after ten CPU minutes, in which case its ratio
is at least what is shown. `--alone` leaves it out.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.groupby import ROOT, peer_python

QUASI = ("age", "sex", "zip", "country", "race", "marital")
SENSITIVE = "diagnosis"
PEER, PATIENCE = "pycanon==1.3.6", 600


def generate(path: Path, rows: int) -> None:
    """Twelve columns with two to a thousand values, some of them rare: 298 sets of up to three."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    draw = np.random.default_rng(1)

    def falling(size: int) -> object:
        weights = 1 / np.arange(1, size + 1)
        return weights / weights.sum()

    columns = {
        "age": np.clip(draw.normal(45, 20, rows), 0, 99).astype("int32"),
        "sex": draw.choice(["F", "M"], rows),
        "zip": np.char.zfill((draw.zipf(1.3, rows) % 900).astype("U"), 5),
        "country": draw.choice([f"C{n:02}" for n in range(40)], rows, p=falling(40)),
        "race": draw.choice(list("abcde"), rows, p=falling(5)),
        "marital": draw.integers(0, 7, rows),
        "education": draw.integers(0, 16, rows),
        "occupation": draw.choice([f"job {n}" for n in range(15)], rows),
        "hours": np.clip(draw.normal(38, 9, rows), 1, 99).astype("int32"),
        "day": draw.integers(0, 365, rows),
        "salary": draw.choice(["up to 50", "over 50"], rows, p=[0.75, 0.25]),
        "diagnosis": draw.choice([f"D{n:03}" for n in range(200)], rows, p=falling(200)),
    }
    pq.write_table(pa.table(columns), path)


def ours(path: str) -> dict[str, object]:
    """The whole audit."""
    import privet as pv

    found = pv.audit(path, quasi=QUASI, sensitive=[SENSITIVE], unit="row")
    worst = found.diversity[SENSITIVE]
    return {
        "finished": True,
        "sets": len(found.column_sets.sets),
        "k": found.alike.sizes.k,
        "l": worst.distinct_l,
        "t": round(worst.t_equal, 6),
        "sets_exact_up_to": found.column_sets.exact_size,
        "suda_searched_up_to": found.suda.searched,
    }


def measure(command: list[str], name: str) -> dict[str, object]:
    """What a command says in its last line, with the CPU seconds of all its threads."""
    before = os.times()
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    after = os.times()
    if process.returncode:
        return {"contender": name, "failed": process.stderr.strip().splitlines()[-1:] or ["no message"]}
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return {"contender": name, "cpu_s": round(cpu, 1), **json.loads(process.stdout.strip().splitlines()[-1])}


def main() -> None:
    """Run both and print the ratios."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--alone", action="store_true", help="leave out pycanon, which needs minutes")
    parser.add_argument("--path", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.path:
        found = ours(given.path)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(json.dumps({"peak_mb": peak, **found}))
        return
    with tempfile.TemporaryDirectory() as room:
        path = Path(room) / "table.parquet"
        generate(path, given.rows)
        results = [measure([sys.executable, "-m", "bench.audit", "--path", str(path)], "ours, everything")]
        if not given.alone:
            results.append(_peer(path))
    us = results[0]
    for result in results:
        if "cpu_s" in result and "cpu_s" in us:
            result["cpu_vs_ours"] = round(float(str(result["cpu_s"])) / float(str(us["cpu_s"])), 2)
            result["memory_vs_ours"] = round(float(str(result["peak_mb"])) / float(str(us["peak_mb"])), 2)
        print(result)
    print(json.dumps({"rows": given.rows, "results": results}))


def _peer(path: Path) -> dict[str, object]:
    """The peer reads a CSV of the same rows: its environment has no Parquet reader."""
    import pyarrow.csv as text
    import pyarrow.parquet as pq

    copy = path.with_suffix(".csv")
    text.write_csv(pq.read_table(path, columns=[*QUASI, SENSITIVE]), copy)
    script = str(ROOT / "bench/peers/pycanon_one_set.py")
    return measure(
        [peer_python(PEER), script, str(copy), ",".join(QUASI), SENSITIVE, str(PATIENCE)], "pycanon, one set"
    )


if __name__ == "__main__":
    main()
