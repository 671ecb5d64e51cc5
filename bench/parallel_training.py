"""Training by one process and by two, four, … : the weights must be the same to the bit, and how long a step takes.

    python -m bench.parallel_training [--processes 1 2 3] [--steps 20]

Each process has one thread. On a machine with fewer free cores than processes, times tell nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RECORDS, BATCH, PHYSICAL, WIDTH = 4096, 1024, 128, 256


def one(place: Path, steps: int) -> None:
    """What each process does: one run with a seed that this measurement knows."""
    import torch
    from torch import nn

    import privet as pv
    from privet.mechanism import _secret_seed as secret_seed

    secret_seed.fresh_bytes = lambda count: bytes(range(count))
    torch.manual_seed(0)
    torch.set_num_threads(1)
    x = torch.randn(RECORDS, 64)
    y = (x @ torch.randn(64, 10)).argmax(1)
    model = nn.Sequential(
        nn.Linear(64, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, 10)
    )
    promise = pv.ZeroConcentratedDP(1)
    made = pv.train.plan(model, promise, records=RECORDS, batch=BATCH, steps=steps, sampling="shuffled")
    stamps: list[float] = []
    with pv.Ledger(place / "a.ledger", limit=promise, unit=pv.Row()) as ledger:
        trained = pv.train_model(
            model,
            (x, y),
            made,
            ledger=ledger,
            why="a measurement",
            optimizer=pv.Optimizer("adam", rate=0.01),
            speed=pv.StepSpeed(ranks=True, physical=PHYSICAL, threads=1),
            progress=lambda _: stamps.append(time.perf_counter()),
        )
        spends = ledger.balance().spends
    weights = b"".join(value.numpy().tobytes() for value in trained.weights().values())
    each = (stamps[-1] - stamps[0]) / (len(stamps) - 1) if len(stamps) > 1 else None
    rank = os.environ.get("RANK", "0")
    found = {"weights": hashlib.sha256(weights).hexdigest(), "seconds a step": each, "spends": spends}
    (place / f"{rank}.json").write_text(json.dumps(found))


def measured(count: int, steps: int) -> list[dict[str, object]]:
    """What all processes of one run found."""
    with tempfile.TemporaryDirectory() as room, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        shared = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": str(count)}
        if count > 1:
            shared["TORCHELASTIC_RUN_ID"] = "bench"
        command = [sys.executable, "-m", "bench.parallel_training", "--one", room, "--steps", str(steps)]
        running = [
            subprocess.Popen(command, env={**os.environ, **shared, "RANK": str(rank), "OMP_NUM_THREADS": "1"})
            for rank in range(count)
        ]
        if any(process.wait() for process in running):
            sys.exit("a process failed")
        return [json.loads((Path(room) / f"{rank}.json").read_text()) for rank in range(count)]


def main() -> None:
    """Compare runs of several numbers of processes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one is not None:
        one(given.one, given.steps)
        return
    seen: set[object] = set()
    for count in given.processes:
        found = measured(count, given.steps)
        seen |= {process["weights"] for process in found}
        print(f"{count} processes: {found[0]['seconds a step']:.4f} s a step, {found[0]['spends']} entry")
    print("weights are the same to the bit" if len(seen) == 1 else "WEIGHTS DIFFER")
    sys.exit(len(seen) != 1)


if __name__ == "__main__":
    main()
