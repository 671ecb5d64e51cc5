"""A private run with the TrainingArguments and callbacks of Hugging Face's Trainer, and what is refused of them."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import nn
from transformers import TrainerCallback, TrainingArguments

import privet as pv
from privet.errors import BadTraining

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(300, 10)
y = (x @ torch.randn(10, 3)).argmax(1)
model = nn.Sequential(nn.Linear(10, 16), nn.Tanh(), nn.Linear(16, 3))
made = pv.train.plan(
    model, pv.ZeroConcentratedDP("0.5"), records=300, batch=300, steps=20, sampling="full", clipping=1.0
)


class Shown(TrainerCallback):
    """Is told the step, the epsilon so far, the rate; never a batch, a gradient or an exact loss."""

    def on_log(self, *told: Any, logs: Any = None, **_: Any) -> None:
        """Print what anybody may see."""
        state = told[1]
        print(f"step {state.global_step} of {state.max_steps}: epsilon {logs['epsilon']:.2f}")


with TemporaryDirectory() as room:
    usual = {"output_dir": str(Path(room) / "run"), "max_steps": 20, "max_grad_norm": 0, "use_cpu": True}
    arguments = TrainingArguments(**usual, learning_rate=0.05, warmup_steps=2, logging_steps=10)
    with pv.Ledger(Path(room) / "patients.ledger", limit=pv.ZeroConcentratedDP(1), unit=pv.Row()) as ledger:
        run = pv.train.from_hugging_face(model, made, arguments, callbacks=[Shown()])
        trained = run.train((x, y), ledger=ledger, why="which class")
        print(trained.receipt.cost, f"{ledger.balance().spends} entry")
    try:
        pv.train.from_hugging_face(model, made, TrainingArguments(**usual, gradient_accumulation_steps=4))
    except BadTraining as refused:
        print(refused.fact)
