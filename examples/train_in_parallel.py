"""One training run of as many processes as torchrun starts: `torchrun --nproc-per-node 2 examples/train_in_parallel.py`.

Started as `python examples/train_in_parallel.py` it is a run of one process; from one seed, both give the same weights to the bit.
"""

import os
import shutil
from pathlib import Path
from tempfile import gettempdir

import torch
from torch import nn

import privet as pv

torch.manual_seed(0)  # every process makes the same records and the same first weights
torch.set_num_threads(1)
x = torch.randn(400, 10)
y = (x @ torch.randn(10, 3)).argmax(1)
model = nn.Sequential(nn.Linear(10, 16), nn.Tanh(), nn.Linear(16, 3))
made = pv.train.plan(
    model, pv.ZeroConcentratedDP("0.5"), records=400, batch=400, steps=12, sampling="full", clipping=1.0
)

# A place that all processes of this run see; your ledger has one of its own.
room = Path(gettempdir()) / f"privet-parallel-{os.environ.get('MASTER_PORT', os.getpid())}"
room.mkdir(exist_ok=True)

# Pieces of 100 examples are dealt out to the processes. The first one books, adds the noise and keeps the folder.
with pv.Ledger(room / "patients.ledger", limit=pv.ZeroConcentratedDP(1), unit=pv.Row()) as ledger:
    trained = pv.train_model(
        model,
        (x, y),
        made,
        ledger=ledger,
        why="which class",
        optimizer=pv.Optimizer("adam", rate=0.05),
        speed=pv.StepSpeed(ranks=True, sharded=True, physical=100, patience=60),
        folder=room / "run",
    )
    if os.environ.get("RANK", "0") == "0":
        print(
            f"{ledger.balance().spends} entry for {os.environ.get('WORLD_SIZE', '1')} processes, {trained.receipt.cost}"
        )
print("sum of weights:", float(sum(one.double().sum() for one in trained.weights().values())))
if os.environ.get("RANK", "0") == "0":
    shutil.rmtree(room)
