"""A network of one's own trained with clipped, noised gradients; killed half-way, and what is refused."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
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

    # What leaves: tensors, a record, a card and the receipt, without code. Whoever loads it brings the architecture.
    place = trained.save(Path(room) / "network", target="class", classes=("low", "mid", "high"))
    network_again = pv.load_model(place, network)
    print("loaded:   ", network_again.predict(test[0][:3]), "|", str(network_again).splitlines()[-1])
    report = pv.attack(network_again, members=train, control=test, attacks=["membership-loss"])
    print("attacked: ", report.estimates[0].sentence())

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

    # Four visits of each patient: patients are sampled, and clipped with all that counts of them.
    book = pv.Ledger(Path(room) / "patients.ledger", limit=pv.ApproxDP(4, 1e-4), unit=pv.Person("patient"))
    patient = torch.arange(1600) % 400
    small, (x, y) = network(), train
    visits = pv.Person("patient", max_rows=5)
    by_person = pv.train.plan(small, pv.ApproxDP(3, 1e-5), records=400, batch=80, steps=30, unit=visits)
    of_people = pv.train_model(small, (x, y), by_person, people=patient, ledger=book, why="which class")
    print("people:   ", of_people.plan)

    # A table on disk: batches are drawn first, and then read.
    age, days = torch.rand(1600) * 60 + 20, torch.rand(1600) * 20
    columns = {"age": age.tolist(), "days": days.tolist(), "back": (days > 9).int().tolist()}
    pq.write_table(pa.table(columns), Path(room) / "stays.parquet")
    wide = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 2))
    by_row = pv.train.plan(wide, pv.ApproxDP("0.1", 1e-5), records=1600, batch=200, steps=5)
    stays = pv.open_table(Path(room) / "stays.parquet", unit=pv.Row())
    on_disk = pv.train_model(
        wide, stays, by_row, columns=["age", "days"], target="back", ledger=ledger, why="who comes back"
    )
    print("a table:  ", f"{on_disk.plan.steps} steps")

    # Batches that come round, as clients or a stream bring them: nothing is amplified, and noise that correlates helps.
    steady = nn.Linear(10, 3)
    in_turn = pv.train.plan(
        steady,
        pv.ApproxDP("0.2", 1e-5),
        records=1600,
        batch=200,
        steps=24,
        sampling="epochs",
        noise="correlated",
    )
    of_rounds = pv.train_model(steady, train, in_turn, ledger=ledger, why="which class")
    print("in turn:  ", of_rounds.plan)
