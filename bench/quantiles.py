"""Quantiles by group at equal epsilon and unit: the error of ours against OpenDP's, on the same file.

One row each, 50 public groups of very different sizes. OpenDP chooses among the candidates it is given, ours among four
times as many bins, since those are only counted. Both add noise of the same scale to the same score, so what is left
between them is how finely values are told apart. Ours is run with all of the budget on the quantile, as OpenDP's, and as it is by default, with a tenth of it set aside for intervals
(which OpenDP does not give). Run it with `python -m bench.quantiles [--rows 200000]`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from bench.groupby import ROOT, peer_python

GROUPS, UPPER = 50, 200


def generate(path: Path, rows: int) -> dict[int, Any]:
    """Rows of one person each, and the values of each group."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    draw = np.random.default_rng(1)
    weights = 1 / np.arange(1, GROUPS + 1) ** 0.8
    groups = draw.choice(GROUPS, rows, p=weights / weights.sum()).astype("int32")
    values = draw.lognormal(3, 1, rows)
    pq.write_table(pa.table({"g": groups, "v": values}), path)
    return {group: np.minimum(values[groups == group], UPPER) for group in range(GROUPS)}


def ours(
    path: Path, epsilon: str, share: str, bins: int, repeats: int, *, interval: str
) -> list[list[float]]:
    """So many whole releases."""
    import privet as pv

    table = pv.open_table(path, unit=pv.Row(), bounds={"v": (0, UPPER)}, keys={"g": range(GROUPS)})
    query = table.group_by("g").agg(q=pv.quantile("v", share, bins=bins, interval=interval))
    with (
        tempfile.TemporaryDirectory() as room,
        pv.Ledger(Path(room) / "bench.ledger", limit=pv.PureDP(10**6)) as ledger,
    ):
        return [
            list(pv.release(query, pv.PureDP(epsilon), ledger=ledger, why="bench", again=True)["q"])
            for _ in range(repeats)
        ]


def theirs(path: Path, epsilon: str, share: str, bins: int, repeats: int) -> list[list[float]]:
    """The same by OpenDP."""
    command = [
        peer_python("opendp[polars]==0.16.0"),
        str(ROOT / "bench/peers/opendp_quantiles.py"),
        *map(str, (path, epsilon, share, bins, repeats)),
    ]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    values: list[list[float]] = json.loads(done.stdout)["values"]
    return values


def error(found: list[list[float]], truth: list[float]) -> float:
    """The median over releases and groups of the error relative to the true quantile."""
    return float(np.median(np.abs(np.array(found) - truth) / np.array(truth)))


def main() -> None:
    """Run all and print the errors and their ratios."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--candidates", type=int, default=1_000)
    given = parser.parse_args()
    print(
        f"{'share':>6} {'epsilon':>8} {'opendp':>10} {'ours':>10} {'ratio':>6} {'ours+interval':>14} {'ratio':>6}"
    )
    with tempfile.TemporaryDirectory() as room:
        path = Path(room) / "table.parquet"
        groups = generate(path, given.rows)
        for share, epsilon in (("0.5", "1"), ("0.9", "1"), ("0.5", "0.1")):
            truth = [
                float(np.quantile(groups[g], float(share), method="inverted_cdf")) for g in range(GROUPS)
            ]
            peer = error(theirs(path, epsilon, share, given.candidates, given.repeats), truth)
            common = (path, epsilon, share, 4 * given.candidates, given.repeats)
            plain, full = (error(ours(*common, interval=interval), truth) for interval in ("0", "0.1"))
            print(
                f"{share:>6} {epsilon:>8} {peer:>10.3%} {plain:>10.3%} {plain / peer:>6.2f} {full:>14.3%} {full / peer:>6.2f}"
            )


if __name__ == "__main__":
    main()
