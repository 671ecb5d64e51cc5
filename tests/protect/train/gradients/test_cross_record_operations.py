"""Operations that let one record see another are named."""

import pytest
import torch
from tests.protect.train.gradients.models import classes
from torch import nn

from privet.errors import UnsafeModel
from privet.protect.train.gradients._cross_record_operations import (
    _moves,
    mixing_module,
    refuse_batch_statistics,
)
from privet.protect.train.gradients._per_example_loss import Objective
from privet.protect.train.gradients._self_check import checked_engine

LOSS = Objective.of("cross_entropy")


class Centred(nn.Module):
    def forward(self, x):
        return x - x.mean(0)


class Wrapped(nn.Module):
    def __init__(self, change):
        super().__init__()
        self.first, self.last, self.change = nn.Linear(6, 4), nn.Linear(4, 3), change

    def forward(self, x):
        return self.last(self.change(self, self.first(x)))


def check(model, batch=None, wanted="auto", loss=LOSS):
    return checked_engine(model, dict(model.named_parameters()), loss, batch or classes(6), wanted)


@pytest.mark.parametrize(
    ("model", "named"),
    [
        (nn.Sequential(nn.Linear(6, 4), nn.BatchNorm1d(4), nn.Linear(4, 3)), "'1' (BatchNorm1d)"),
        (
            nn.Sequential(
                nn.Linear(6, 4), nn.BatchNorm1d(4, track_running_stats=False).eval(), nn.Linear(4, 3)
            ),
            "'1' (BatchNorm1d)",
        ),
        (nn.Sequential(nn.Linear(6, 4), Centred(), nn.Linear(4, 3)), "the module '1' (Centred)"),
        (Wrapped(lambda _, h: h / h.norm()), "an operation between the model's modules"),
        (Wrapped(lambda _, h: h + h.flip(0)), "an operation between the model's modules"),
        (Wrapped(lambda _, h: h.cumsum(0)), "an operation between the model's modules"),
    ],
    ids=["batch norm", "batch norm without memory", "centring", "batch length", "flip", "running sum"],
)
def test_operations_across_records_are_named_and_refused(model, named):
    with pytest.raises(UnsafeModel) as refusal:
        check(model)
    assert named in refusal.value.fact
    assert refusal.value.hint


def test_frozen_batch_norm_is_a_fixed_map():
    model = nn.Sequential(nn.Linear(6, 4), nn.BatchNorm1d(4).eval(), nn.Linear(4, 3))
    assert check(model).name in ("bookkeeping", "vmapped")


class Demeaned(nn.Module):
    def forward(self, x):
        return x - x.mean(0)


def test_the_module_that_mixes_is_named_and_the_innocent_are_not():
    model = nn.Sequential(nn.Linear(3, 3), Demeaned(), nn.Linear(3, 2))
    batch = torch.arange(12.0).view(4, 3)

    def run(changed):
        other = batch.clone()
        if changed:
            other[0] += 5
        return model(other)

    assert mixing_module(model, run, 1) == "the module '1' (Demeaned)"
    alone = nn.Sequential(nn.Linear(3, 3), nn.Tanh())
    assert "between the model's modules" in mixing_module(alone, lambda changed: alone(batch + changed), 4)


def test_rows_behind_the_changed_ones_are_compared():
    one = torch.zeros(3, 2)
    other = one.clone()
    other[0] = 1
    assert not _moves(one, other, 1)
    other[2, 1] = 1e-3
    assert _moves(one, other, 1)
    assert not _moves(one, other, 3), "nothing is left to compare"
    assert _moves(torch.tensor([1, 2]), torch.tensor([1, 3]), 1)
    assert not _moves(torch.tensor([0.0, float("nan")]), torch.tensor([1.0, float("nan")]), 1)


@pytest.mark.parametrize(
    ("layer", "refused"),
    [
        (nn.BatchNorm1d(3), True),
        (nn.BatchNorm1d(3).eval(), False),
        (nn.BatchNorm1d(3, track_running_stats=False).eval(), True),
        (nn.LayerNorm(3), False),
    ],
)
def test_statistics_of_a_batch_are_refused_unless_they_are_fixed(layer, refused):
    model = nn.Sequential(nn.Linear(3, 3), layer)
    model[1].training = layer.training
    if refused:
        with pytest.raises(UnsafeModel, match="batch normalisation"):
            refuse_batch_statistics(model)
    else:
        refuse_batch_statistics(model)
