"""A network of one's own trained with clipped, noised gradients; killed half-way, and what is refused."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import nn

import privet as pv
from privet.errors import UnsafeModel, UnsafePipeline
from privet.protect.train.gradients import Progress

torch.manual_seed(0)
torch.set_num_threads(1)
records = 2000
x = torch.randn(records, 10)
y = (x @ torch.randn(10, 3)).argmax(1)
train, test = (x[:1600], y[:1600]), (x[1600:], y[1600:])


def network() -> nn.Module:
    return nn.Sequential(nn.Linear(10, 32), nn.GroupNorm(4, 32), nn.Tanh(), nn.Linear(32, 3))


model = network()
# 1,600 is a public number here. Everything that privacy depends on is in this one object.
made = pv.train.plan(model, pv.ApproxDP(3, 1e-5), records=1600, batch=200, steps=60, clipping=1.0)
print("plan:     ", made)


def killed_at_40(shown: Progress) -> None:
    if shown.step % 20 == 0:
        print(f"step {shown.step:3}:  epsilon so far {shown.epsilon:.2f}")
    if shown.step == 40:
        raise KeyboardInterrupt


with TemporaryDirectory() as room:
    ledger = pv.Ledger(Path(room) / "a.ledger", limit=pv.ApproxDP(4, 1e-4), unit=pv.Row())
    optimizer = pv.Optimizer(rate=1.0, schedule="cosine")
    settings = {"ledger": ledger, "why": "which class", "optimizer": optimizer, "folder": Path(room) / "run"}
    try:
        pv.train_model(model, train, made, speed=pv.StepSpeed(every=10), progress=killed_at_40, **settings)
    except KeyboardInterrupt:
        print("killed:   ", ledger.balance())
    trained = pv.train_model(network(), train, made, speed=pv.StepSpeed(every=10), **settings)
    right = (trained.model(test[0]).argmax(1) == test[1]).float().mean()
    print("finished: ", ledger.balance())
    print("engine:   ", trained.engine, "| test accuracy", f"{right:.2f}")

    mixing = nn.Sequential(nn.Linear(10, 32), nn.BatchNorm1d(32), nn.Linear(32, 3))
    try:
        pv.train.plan(mixing, pv.ApproxDP(3, 1e-5), records=1600, batch=200, steps=60)
    except UnsafeModel as refusal:
        print("refused:  ", refusal.fact)

    # Raw records, and what makes tensors of one of them: a public vocabulary, a public length.
    words = ("fever", "cough", "fall", "pain", "rash")
    vocabulary = {word: number for number, word in enumerate(words, start=1)}
    notes = [{"text": f"{words[i % 5]} and {words[i * i % 5]}", "label": i % 2} for i in range(400)]

    def tokens(raw: dict[str, Any]) -> tuple[torch.Tensor, int]:
        ids = [vocabulary.get(word, 0) for word in raw["text"].split()][:8]
        return torch.tensor(ids + [0] * (8 - len(ids))), raw["label"]

    reader = nn.EmbeddingBag(6, 2)
    short = pv.train.plan(reader, pv.ApproxDP("0.1", 1e-5), records=400, batch=100, steps=5)
    read = pv.train_model(reader, notes, short, prepare=tokens, ledger=ledger, why="which ward")
    print("raw notes:", f"{read.plan.steps} steps")

    centred = pv.Optimizer(augment=lambda x, _: x - x.mean(0))
    try:
        pv.train_model(network(), train, made, optimizer=centred, ledger=ledger, why="which class")
    except UnsafePipeline as refusal:
        print("refused:  ", refusal.fact)
