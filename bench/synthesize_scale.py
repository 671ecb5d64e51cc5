"""Twins of large tables: CPU seconds, wall seconds and the peak memory of the process, for AIM and MST.

    python bench/synthesize_scale.py [--rows 1000000] [--columns 30] [--methods mst,aim] [--folder /tmp/scale]

The table is made up, in a Parquet file: columns of 2 to 60 values that depend on three hidden classes. One run is one
process, so that the peak is its own; `--measure METHOD` is what such a process does. Error is the mean total variation distance
of 200 pairs, against the first million rows.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import privet as pv

PIECE = 500_000


def sizes_of(columns: int) -> list[int]:
    """How many values each column has."""
    return [[2, 3, 5, 8, 12, 20, 32, 60][at % 8] for at in range(columns)]


def piece(rows: int, columns: int, seed: int) -> pa.Table:
    """Rows whose columns depend on hidden classes and on the column before."""
    draws, shape = np.random.default_rng(seed), np.random.default_rng(0)
    hidden = draws.integers(0, 4, (rows, 3))
    made, before = {}, np.zeros(rows, np.int64)
    for at, size in enumerate(sizes_of(columns)):
        centre = shape.integers(0, size, 4)[hidden[:, at % 3]]
        spread = np.abs(draws.normal(0, max(1.0, size / 6), rows)).astype(np.int64)
        before = (centre + spread + (before % 2 if at % 4 == 1 else 0)) % size
        made[f"c{at}"] = before.astype(np.int16)
    return pa.table(made)


def table_in(folder: Path, rows: int, columns: int) -> Path:
    """The Parquet file, made where it is not there."""
    place = folder / f"rows-{rows}-{columns}.parquet"
    if not place.exists():
        with pq.ParquetWriter(place, piece(1, columns, 0).schema) as writer:
            for start in range(0, rows, PIECE):
                writer.write_table(piece(min(PIECE, rows - start), columns, 1 + start))
    return place


def measure(place: Path, columns: int, method: str) -> None:
    """One twin, and what it took."""
    keys = {f"c{at}": list(range(size)) for at, size in enumerate(sizes_of(columns))}
    opened = pv.open_table(place, unit=pv.Row(), keys=keys)
    promise = pv.ApproxDP(1, 1e-9)
    begun, clock = time.process_time(), time.perf_counter()
    book = pv.Ledger.in_memory(limit=promise)
    made = pv.synthesize(opened, promise, rows=100_000, ledger=book, why="bench", method=method)
    took = time.process_time() - begun, time.perf_counter() - clock
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    below = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    error = distance(pq.ParquetFile(place).read_row_group(0), made.to_arrow(), columns)
    print(
        f"{place.stem} {method}: CPU {took[0]:.1f} s, wall {took[1]:.1f} s, peak {peak:,.0f} MB (children {below:,.0f} MB), "
        f"{len(made.measured)} draws, 2-way {error:.4f}",
        flush=True,
    )


def distance(real: pa.Table, fake: pa.Table, columns: int) -> float:
    """Mean total variation distance of some pairs."""
    sizes, draws, found = sizes_of(columns), np.random.default_rng(1), []
    for _ in range(200):
        one, other = draws.choice(columns, 2, replace=False)
        shares = []
        for rows in (real, fake):
            left, right = (
                np.asarray(rows[f"c{at}"].fill_null(sizes[at]).to_numpy(), np.int64) for at in (one, other)
            )
            cells = (sizes[one] + 1) * (sizes[other] + 1)
            shares.append(np.bincount(left * (sizes[other] + 1) + right, minlength=cells) / rows.num_rows)
        found.append(0.5 * np.abs(shares[0] - shares[1]).sum())
    return float(np.mean(found))


def main() -> None:
    """Each method in a process of its own."""
    said = argparse.ArgumentParser(description=__doc__)
    said.add_argument("--rows", type=int, default=1_000_000)
    said.add_argument("--columns", type=int, default=30)
    said.add_argument("--methods", default="mst,aim")
    said.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    said.add_argument("--measure")
    asked = said.parse_args()
    place = table_in(asked.folder, asked.rows, asked.columns)
    if asked.measure:
        measure(place, asked.columns, asked.measure)
        return
    for method in asked.methods.split(","):
        words = [sys.executable, __file__, "--measure", method, "--rows", str(asked.rows)]
        words += ["--columns", str(asked.columns), "--folder", str(asked.folder)]
        subprocess.run(words, check=True)


if __name__ == "__main__":
    main()
