"""Stages that make of a record what others are: refused before anything is booked."""

import random

import numpy as np
import pytest
import torch
from torch import nn

import privet as pv
from privet.errors import PrivetError, UnsafePipeline
from privet.protect.train.gradients import Optimizer, plan, train_model
from privet.protect.train.gradients._pipeline_check import checked_pipeline
from privet.protect.train.gradients._record_pipeline import Pipeline
from privet.protect.train.gradients._training_records import TrainingRecords

N = 40


X = torch.randn(N, 6, generator=torch.Generator().manual_seed(0)) + 0.7


Y = X[:, :3].argmax(1)


SOME = np.arange(0, N, 8)


CPU = torch.device("cpu")


@pytest.fixture
def ledger(tmp_path):
    with pv.Ledger(tmp_path / "a.ledger", limit=pv.ZeroConcentratedDP(50), unit=pv.Row()) as opened:
        yield opened


def fit(ledger, data=(X, Y), augment=None, views=1, **given):
    model = given.pop("model", None) or nn.Linear(6, 3)
    made = plan(model, pv.ZeroConcentratedDP(1), records=N, batch=N, steps=2, sampling="full")
    optimizer = Optimizer(augment=augment, views=views)
    return train_model(model, data, made, ledger=ledger, why="a test", optimizer=optimizer, **given)


def checked(augment=None, data=(X, Y), prepare=None, views=1):
    return checked_pipeline(Pipeline(TrainingRecords.of(data, prepare), augment, views, CPU), SOME)


# --- what is mapped ----------------------------------------------------------------------------


def test_what_can_be_mapped_is_and_what_would_change_is_not():
    assert checked(lambda x, g: x + torch.randn(x.shape, generator=g)).mapped
    assert checked(lambda x, g: torch.where(torch.rand(1, 1, generator=g) < 0.5, x, -x)).mapped
    assert checked(lambda x, g: x * 2).mapped
    branch = checked(lambda x, g: x.flip(1) if torch.rand(1, generator=g) < 0.5 else x)
    assert not branch.mapped
    # One number of NumPy's for all rows would not be what it is row by row.
    shared = checked(lambda x, g: x + np.random.default_rng(g.initial_seed()).normal())
    assert not shared.mapped
    rows = shared.batch(np.arange(N), 0).inputs - X
    assert len(torch.unique(rows[:, 0].round(decimals=4))) > N / 2


# --- what remembers, shares or mixes -----------------------------------------------------------


def running_mean():
    seen = []

    def augment(x, g):
        seen.append(x.mean())
        return x - torch.stack(seen).mean()

    return augment


def once():
    """It remembers by a number that is no list: the first record it ever sees."""
    first = None

    def augment(x, g):
        nonlocal first
        first = x if first is None else first
        return x - first

    return augment


class Counting:
    def __init__(self):
        self.calls = 0

    def __call__(self, x, g):
        self.calls += 1
        return x + 0 * self.calls


class Normalising(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(6)

    def forward(self, x, g):
        return self.norm(torch.cat([x, x]))[:1]


def mixup(x, g):
    share = torch.rand(len(x), 1, generator=g)
    return share * x + (1 - share) * x[torch.randperm(len(x), generator=g)]


def cutmix(x, g):
    return torch.cat([x[:, :3], x.roll(1, 0)[:, 3:]], 1)


def own_generator():
    own = torch.Generator()
    return lambda x, g: x + torch.randn(x.shape, generator=own)


def _minus(mean):
    return lambda x, g: x - mean


def _minus_array(mean):
    return lambda x, g: x - torch.from_numpy(mean)


HOSTILE = {
    "standardises by the batch": lambda: lambda x, g: (x - x.mean(0)) / (x.std(0) + 1e-6),
    "mixup": lambda: mixup,
    "cutmix": lambda: cutmix,
    "by the largest": lambda: lambda x, g: x / x.abs().max(),
    "only with an outlier": lambda: lambda x, g: x - x.mean(0) if x.abs().max() > 100 else x,
    "sorts": lambda: lambda x, g: x.sort(0).values,
    "batch norm": Normalising,
    "running mean": running_mean,
    "first record": once,
    "counts": Counting,
    "generator of its own": own_generator,
    "Python's generator": lambda: lambda x, g: x + random.random(),
    "NumPy's generator": lambda: lambda x, g: x + np.random.random(),
    "holds the records": lambda: lambda x, g: x - X.mean(0),
    "holds their mean": lambda: _minus(X.mean(0)),
    "holds their mean in NumPy": lambda: _minus_array(X.numpy().mean(0)),
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", HOSTILE)
def test_augmentations_in_which_records_meet_are_refused_before_anything_is_booked(ledger, name):
    with pytest.raises(PrivetError) as refusal:
        fit(ledger, augment=HOSTILE[name]())
    assert refusal.value.code == "E-TRAIN-004"
    assert refusal.value.hint
    assert ledger.balance().spends == 0


def remembers():
    table = {}

    def prepare(raw):
        table.setdefault(int(raw[1]), []).append(float(raw[0][0]))
        return raw[0], float(np.mean(table[int(raw[1])]))

    return prepare


def draws(raw):
    return raw[0] + torch.randn(6), raw[1]


def vocabulary():
    known = {}
    return lambda raw: (raw[0] + known.setdefault(float(raw[0][0]), len(known)), raw[1])


PREPARE = {
    "targets by what was seen": remembers,
    "random": lambda: draws,
    "a vocabulary that grows": vocabulary,
    "all records": lambda: lambda raw: (raw[0] - X.mean(0), raw[1]),
}


@pytest.mark.parametrize("name", PREPARE)
def test_stages_before_that_are_no_function_of_their_record_are_refused(ledger, name):
    with pytest.raises(UnsafePipeline):
        fit(ledger, [(x, int(y)) for x, y in zip(X, Y, strict=True)], prepare=PREPARE[name]())
    assert ledger.balance().spends == 0
