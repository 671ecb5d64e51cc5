"""The default model of a table that does not fit: peak memory and time against the number of rows.

Each size runs in a process of its own: a Parquet file is written piece by piece (`bench.table_training`), opened as a table, and
`pv.train` is called as anybody calls it, with public bounds and a public number of rows. The table shows peak memory, what of
it the libraries take, CPU seconds until the first step, for each step and in all, and the area under the curve on rows that
were not trained on. Run it with `python -m bench.table_default [--rows 1000000 10000000] [--steps 4] [--seed-file]`; with
`--steps` the run is cut short, which changes neither memory nor what a step costs.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

from bench.table_training import COLUMNS, _peak, generate

NAMES = [f"x{at}" for at in range(COLUMNS)]


def run(path: str, rows: int, steps: int | None, kept: Path | None) -> dict[str, Any]:
    """One training in this process."""
    import numpy as np
    import sklearn.metrics

    import privet as pv
    from privet.engine import Speed
    from privet.protect.train.tabular import LinearSettings

    schema: dict[str, dict[str, Any]] = {name: {"kind": "number", "lower": -5, "upper": 5} for name in NAMES}
    schema["y"] = {"kind": "category", "values": ["0", "1"]}
    promise = pv.ApproxDP(1, 1e-8)
    table = pv.open_table(path, unit=pv.Row(), speed=Speed(memory_limit="500MB", threads=2))
    begun: list[float] = []
    # As the rule has them for ten numbers and so many rows, but for the number of steps.
    short = steps and {"settings": LinearSettings(steps, Fraction(1, max(4, rows // 250_000)), 0.5, 1.5, 8)}
    libraries, start = _peak(), time.process_time()
    with (
        tempfile.TemporaryDirectory() as room,
        pv.Ledger(Path(room) / "a.ledger", limit=promise, unit=pv.Row()) as ledger,
    ):
        model = pv.train(
            table, promise, target="y", ledger=ledger, schema=schema, records=rows, seed_file=kept, options=short or None,
            progress=lambda *_: begun.append(time.process_time()),
        )  # fmt: skip
    peak, ended = _peak(), time.process_time()
    fresh = np.random.default_rng(1).normal(size=(20_000, COLUMNS))
    shares = model.predict_proba({name: fresh[:, at] for at, name in enumerate(NAMES)})[:, 1]
    each = (begun[-1] - begun[0]) / (len(begun) - 1)
    area = sklearn.metrics.roc_auc_score(fresh[:, 0] + fresh[:, 1] > 0, shares)
    return {
        "peak": peak,
        "libraries": libraries,
        "before": begun[0] - start,
        "step": each,
        "all": ended - start,
        "area": area,
    }


def main() -> None:
    """Every size, one after the other."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--steps", type=int, help="a run of so many steps")
    parser.add_argument("--seed-file", action="store_true", help="so that a killed run could be taken up")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        kept = Path(given.worker).parent / "run.seed" if given.seed_file else None
        print(json.dumps(run(given.worker, given.rows[0], given.steps, kept)))
        return
    print(
        f"{'rows':>12} {'peak MB':>8} {'libraries MB':>13} {'CPU-s before':>13} {'CPU-ms a step':>14} {'CPU-s':>7} area"
    )
    for rows in given.rows:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.parquet"
            generate(path, rows)
            words = ["--worker", str(path), "--rows", str(rows), *(["--seed-file"] * given.seed_file)]
            words += ["--steps", str(given.steps)] if given.steps else []
            done = subprocess.run(
                [sys.executable, "-m", "bench.table_default", *words],
                capture_output=True,
                text=True,
                check=True,
            )
            found = json.loads(done.stdout.splitlines()[-1])
        print(
            f"{rows:12,} {found['peak']:8.0f} {found['libraries']:13.0f} {found['before']:13.1f} "
            f"{found['step'] * 1000:14.1f} {found['all']:7.0f} {found['area']:.4f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
