"""Twins of Adult (coded): error of marginals, usefulness and CPU, from the written file; peers beside where they are.

    python -m bench.synthesize --data adult_coded [--seeds 3] [--only aim,mst,aim4,tstr,xor,peers] [--columns sex,race,…]

`--data` is a folder with adult.csv and adult-domain.json (from private-pgm, Apache-2.0). Error is the mean total variation
distance over all sets of 1, 2 and 3 columns with at most 10,000 cells. `peers` runs private-pgm's
MST and dpmm's AIM on the same table, each in an environment of its own, and ours beside them; what each wrote is measured by
the same code. CPU is that of the whole process and its children, for the peers from start to end. With `--columns` all of them
are given these columns alone: dpmm's AIM takes very long over all fourteen.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
from bench.groupby import ROOT, peer_python

import privet as pv

BARS = {
    "AIM epsilon 1": (0.045, 0.070, 40.0),
    "MST epsilon 1": (0.056, None, 3.0),
    "AIM epsilon 4": (0.028, None, None),
}
# Ours, and a peer that does the same: its packages and its script.
PEERS = {
    "mst": (
        "private-pgm MST",
        ("mbi==1.0.0", "jax==0.6.2", "jaxlib==0.6.2", "pandas==2.2.3", "networkx", "scipy"),
        "private_pgm_mst.py",
    ),
    "aim": ("dpmm AIM", ("dpmm==0.1.9",), "dpmm_aim.py"),
}
NUMBERS = {"age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"}


def coded(folder: Path) -> tuple[pa.Table, dict[str, int]]:
    """The table and the sizes of its columns."""
    sizes = json.loads((folder / "adult-domain.json").read_text(encoding="utf-8"))
    return pyarrow.csv.read_csv(folder / "adult.csv").select(list(sizes)), sizes


def narrowed(folder: Path, names: list[str], room: Path) -> Path:
    """A folder with these columns alone, for contenders that read files."""
    table, sizes = coded(folder)
    pyarrow.csv.write_csv(table.select(names), room / "adult.csv")
    (room / "adult-domain.json").write_text(
        json.dumps({name: sizes[name] for name in names}), encoding="utf-8"
    )
    return room


def array(table: pa.Table, sizes: dict[str, int]) -> np.ndarray:
    """Codes as one array; what is missing counts as a code of its own."""
    return np.stack(
        [np.asarray(table[name].fill_null(size).to_numpy(), np.int64) for name, size in sizes.items()], axis=1
    )


def distance(real: np.ndarray, fake: np.ndarray, sizes: dict[str, int], width: int) -> float:
    """Mean total variation distance over all sets of so many columns."""
    each, found = [size + 1 for size in sizes.values()], []
    for columns in itertools.combinations(range(len(each)), width):
        if math.prod(each[at] - 1 for at in columns) > 10_000:
            continue
        shares = []
        for rows in (real, fake):
            cell = np.zeros(len(rows), np.int64)
            for at in columns:
                cell = cell * each[at] + rows[:, at]
            shares.append(np.bincount(cell, minlength=math.prod(each[at] for at in columns)) / len(rows))
        found.append(0.5 * np.abs(shares[0] - shares[1]).sum())
    return float(np.mean(found))


def twin(
    table: pa.Table, sizes: dict[str, int], method: str, promise: pv.ApproxDP, **more: object
) -> tuple[pa.Table, float]:
    """A twin read back from its file, and the CPU seconds from the table to the file."""
    categories = {name: list(range(size)) for name, size in sizes.items() if name not in NUMBERS}
    bounds = {name: (0, size - 1) for name, size in sizes.items() if name in NUMBERS}
    with tempfile.TemporaryDirectory() as room:
        source = Path(room) / "adult.csv"
        pyarrow.csv.write_csv(table, source)
        opened = pv.open_table(source, unit=pv.Row(), bounds=bounds, keys=categories)
        begun = time.process_time()
        book = pv.Ledger.in_memory(limit=promise)
        made = pv.synthesize(
            opened, promise, rows=table.num_rows, ledger=book, why="bench", method=method, **more
        )
        made.save(Path(room) / "twin.parquet")
        spent = time.process_time() - begun
        return pv.ReleasedTwin.load(Path(room) / "twin.parquet").to_arrow(), spent


def error(
    name: str, table: pa.Table, sizes: dict[str, int], method: str, *, epsilon: int, seeds: int
) -> None:
    """One line: the mean over seeds beside the bar."""
    real, lines = array(table, sizes), []
    for _ in range(seeds):
        fake, cpu = twin(table, sizes, method, pv.ApproxDP(epsilon, 1e-9))
        lines.append([*(distance(real, array(fake, sizes), sizes, width) for width in (1, 2, 3)), cpu])
    one, two, three, cpu = np.mean(lines, axis=0)
    print(
        f"{name}: 1-way {one:.4f}  2-way {two:.4f}  3-way {three:.4f}  CPU {cpu:.1f} s  (bars {BARS[name]})",
        flush=True,
    )


def usefulness(table: pa.Table, sizes: dict[str, int], method: str) -> None:
    """Train on the twin, test on held-out rows: area under the curve."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.metrics import roc_auc_score

    target = list(sizes)[-1]
    order = np.random.default_rng(0).permutation(table.num_rows)
    train, test = table.take(order[:39_000]), array(table.take(order[39_000:]), sizes)
    fake, cpu = twin(train, sizes, method, pv.ApproxDP(1, 2.43e-6), workload=target)
    rows = array(fake, sizes)
    rows = rows[rows[:, -1] < 2]
    model = HistGradientBoostingClassifier(random_state=0).fit(rows[:, :-1], rows[:, -1])
    area = roc_auc_score(test[:, -1], model.predict_proba(test[:, :-1])[:, 1])
    print(f"train on twin, test on real, {method}: AUC {area:.4f}  CPU {cpu:.1f} s", flush=True)


def exclusive_or(width: int, method: str, seed: int = 0) -> None:
    """An exclusive or of so many numbers: accuracy on fresh rows."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    draws = np.random.default_rng([width, seed])
    names = [f"x{at}" for at in range(width)]

    def rows(many: int) -> tuple[np.ndarray, np.ndarray]:
        points = draws.random((many, width))
        return points, (points > 0.5).sum(axis=1) % 2

    points, label = rows(20_000)
    table = pa.table({**dict(zip(names, points.T, strict=True)), "y": label})
    opened = pv.open_table(table, unit=pv.Row(), bounds=dict.fromkeys(names, (0, 1)), keys={"y": [0, 1]})
    book = pv.Ledger.in_memory(limit=pv.ApproxDP(1, 1e-6))
    made = pv.synthesize(
        opened, pv.ApproxDP(1, 1e-6), rows=20_000, ledger=book, why="bench", method=method, workload="y"
    )
    fake = made.to_arrow().drop_null()
    model = HistGradientBoostingClassifier(random_state=0)
    model.fit(np.stack([fake[name].to_numpy() for name in names], axis=1), fake["y"].to_numpy())
    score = model.score(*rows(5_000))
    print(f"exclusive or of {width}, {method} (made by {made.method}): accuracy {score:.3f}", flush=True)


def beside(folder: Path, table: pa.Table, sizes: dict[str, int], limit: int, methods: list[str]) -> None:
    """Ours and the peers' twins of the same table, one after the other: errors, CPU, and each of ours over each of theirs."""
    real = array(table, sizes)
    ours, theirs = {}, {}

    def found(fake: pa.Table, cpu: float) -> list[float]:
        return [*(distance(real, array(fake, sizes), sizes, width) for width in (1, 2, 3)), cpu]

    for method in methods:
        name, packages, script = PEERS[method]
        ours[method] = found(*twin(table, sizes, method, pv.ApproxDP(1, 1e-9)))
        print(_line(f"ours, {method}", ours[method]), flush=True)
        with tempfile.TemporaryDirectory() as room:
            out = Path(room) / "twin.csv"
            given = [str(folder / "adult.csv"), str(folder / "adult-domain.json"), "1", "1e-9", str(out)]
            command = [peer_python(*packages), str(ROOT / "bench" / "peers" / script), *given]
            before = os.times()
            # A peer that does not end is stopped by the system, once it has used up its CPU.
            capped = ["prlimit", f"--cpu={limit}", *command]
            ended = subprocess.run(capped, check=False, capture_output=True, text=True).returncode
            after = os.times()
            spent = (
                after.children_user + after.children_system - before.children_user - before.children_system
            )
            if ended != 0:
                print(
                    f"{name}: ended with {ended} after {spent:.0f} CPU-s of at most {limit}, and wrote nothing",
                    flush=True,
                )
                continue
            theirs[name] = found(pyarrow.csv.read_csv(out).select(list(sizes)), spent)
        print(_line(name, theirs[name]), flush=True)
    for (method, mine), (name, other) in itertools.product(ours.items(), theirs.items()):
        one, two, three, cpu = (m / o for m, o in zip(mine, other, strict=True))
        print(
            f"ours, {method} / {name}: 1-way {one:.2f}  2-way {two:.2f}  3-way {three:.2f}  CPU {cpu:.4f}",
            flush=True,
        )


def _line(name: str, found: list[float]) -> str:
    one, two, three, cpu = found
    return f"{name}: 1-way {one:.4f}  2-way {two:.4f}  3-way {three:.4f}  CPU {cpu:.1f} s"


def main() -> None:
    """Measure what is asked for."""
    said = argparse.ArgumentParser(description=__doc__)
    said.add_argument("--data", type=Path, required=True)
    said.add_argument("--seeds", type=int, default=3)
    said.add_argument("--only", default="mst,aim,aim4,tstr,xor")
    said.add_argument("--limit", type=int, default=1_800, help="CPU-seconds that a peer may take")
    said.add_argument("--peers", default="mst,aim", help="which of the peers, by our method beside them")
    said.add_argument("--columns", help="only these, comma-separated")
    asked = said.parse_args()
    with tempfile.TemporaryDirectory() as room:
        if asked.columns:
            asked.data = narrowed(asked.data, asked.columns.split(","), Path(room))
        measure(asked)


def measure(asked: argparse.Namespace) -> None:
    """One part after the other."""
    table, sizes = coded(asked.data)
    wanted = asked.only.split(",")
    if "mst" in wanted:
        error("MST epsilon 1", table, sizes, "mst", epsilon=1, seeds=asked.seeds)
    if "aim" in wanted:
        error("AIM epsilon 1", table, sizes, "aim", epsilon=1, seeds=asked.seeds)
    if "aim4" in wanted:
        error("AIM epsilon 4", table, sizes, "aim", epsilon=4, seeds=asked.seeds)
    if "tstr" in wanted:
        for method in ("aim", "evolve", "auto"):
            usefulness(table, sizes, method)
    if "xor" in wanted:
        for width, method, seed in itertools.product((2, 3), ("evolve", "aim", "auto"), range(asked.seeds)):
            exclusive_or(width, method, seed)
    if "peers" in wanted:
        beside(asked.data, table, sizes, asked.limit, asked.peers.split(","))


if __name__ == "__main__":
    main()
