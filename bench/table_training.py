"""A network trained on a table that does not fit: peak memory and time against the number of rows.

Each size runs in a process of its own: a Parquet file is written piece by piece, opened as a table, and a small network takes
Poisson batches of about 1,000 from it. The table shows peak memory, what of it the libraries take, CPU seconds until the
first step and for each step. Run it with `python -m bench.table_training [--rows 100000 1000000 10000000] [--steps 20]`.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

COLUMNS, PIECE, BATCH = 10, 200_000, 1_000


def generate(path: Path, rows: int) -> None:
    """A table of ten numbers and a class, never held whole."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    draw, writer = np.random.default_rng(0), None
    for start in range(0, rows, PIECE):
        x = draw.normal(size=(min(PIECE, rows - start), COLUMNS))
        found = {f"x{at}": x[:, at] for at in range(COLUMNS)}
        piece = pa.table({**found, "y": (x[:, 0] + x[:, 1] > 0).astype(np.int64)})
        writer = writer or pq.ParquetWriter(path, piece.schema)
        writer.write_table(piece)
    if writer is not None:
        writer.close()


def run(path: str, rows: int, steps: int) -> dict[str, Any]:
    """One training in this process."""
    import torch
    from torch import nn

    import privet as pv
    from privet.engine import Speed

    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(COLUMNS, 32), nn.Tanh(), nn.Linear(32, 2))
    made = pv.train.plan(model, pv.ApproxDP(1, 1e-8), records=rows, batch=BATCH, steps=steps)
    table = pv.open_table(path, unit=pv.Row(), speed=Speed(memory_limit="500MB", threads=2))
    begun: list[float] = []
    libraries = _peak()
    start = time.process_time()
    with (
        tempfile.TemporaryDirectory() as room,
        pv.Ledger(Path(room) / "a.ledger", limit=pv.ApproxDP(1, 1e-8), unit=pv.Row()) as ledger,
    ):
        pv.train_model(
            model, table, made, columns=[f"x{at}" for at in range(COLUMNS)], target="y", ledger=ledger,
            why="a benchmark", progress=lambda _: begun.append(time.process_time()),
        )  # fmt: skip
    each = (begun[-1] - begun[0]) / (len(begun) - 1)
    return {"peak": _peak(), "libraries": libraries, "before": begun[0] - start, "step": each}


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Every size, one after the other."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000, 10_000_000])
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        print(json.dumps(run(given.worker, given.rows[0], given.steps)))
        return
    print(f"{'rows':>12} {'peak MB':>8} {'libraries MB':>13} {'CPU-s before':>13} {'CPU-ms a step':>14}")
    for rows in given.rows:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.parquet"
            generate(path, rows)
            words = ["--worker", str(path), "--rows", str(rows), "--steps", str(given.steps)]
            done = subprocess.run(
                [sys.executable, "-m", "bench.table_training", *words],
                capture_output=True,
                text=True,
                check=True,
            )
            found = json.loads(done.stdout.splitlines()[-1])
        print(
            f"{rows:12,} {found['peak']:8.0f} {found['libraries']:13.0f} {found['before']:13.1f} "
            f"{found['step'] * 1000:14.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
