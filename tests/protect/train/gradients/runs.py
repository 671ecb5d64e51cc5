"""A small run: sixty records, a small network, and a plan for it."""

import torch
from tests.protect.train.gradients.models import seeded
from torch import nn

import privet as pv
from privet.protect.train.gradients import (
    plan,
)

RHO = pv.ZeroConcentratedDP("0.5")


N = 60


def data(n=N, seed=0):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 6, generator=generator)
    return x, (x[:, :3] + 0.1).argmax(1)


def net():
    return seeded(lambda: nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3)))


def planned(model, **given):
    settings = {"records": N, "batch": N, "steps": 4, "sampling": "full", **given}
    return plan(model, given.pop("promise", RHO), **{k: v for k, v in settings.items() if k != "promise"})
