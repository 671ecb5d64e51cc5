"""All that moves during a run: the bound, the average, the optimizer; as tensors and back."""

import math

import numpy as np
import pytest
import torch
from tests.protect.train.gradients.runs import data, net, planned
from torch import nn

from privet.protect.train.gradients import (
    Clipping,
    Optimizer,
    train_model,
)
from privet.protect.train.gradients._training_state import State


def test_adaptive_clipping_moves_the_bound_by_a_noisy_count(ledger):
    model, shown = net(), []
    made = planned(model, steps=12, clipping=Clipping(100.0, "adaptive", pace=0.5, quantile=0.5))
    train_model(model, data(), made, ledger=ledger, why="a test", progress=shown.append)
    bounds = [one.bound for one in shown]
    assert bounds[0] == 100
    assert bounds[-1] < 60
    assert len(set(bounds)) == 12


def test_automatic_clipping_and_a_moving_average(ledger, still):
    x, y = data()
    model, twin = net(), net()
    optimizer = Optimizer(rate=0.5, momentum=0.0, average=0.9)
    made = planned(model, clipping=Clipping(1.0, "automatic"), steps=3)
    train_model(model, (x, y), made, ledger=ledger, why="a test", optimizer=optimizer)
    iterates = []
    for steps in (1, 2, 3):
        twin = net()
        short = planned(twin, clipping=Clipping(1.0, "automatic"), steps=steps)
        train_model(
            twin, (x, y), short, ledger=ledger, why="a test", optimizer=Optimizer(rate=0.5, momentum=0.0)
        )
        iterates.append(twin[0].weight.detach())
    shares = np.array([0.9**2, 0.9, 1]) * 0.1 / (1 - 0.9**3)
    wanted = sum(float(share) * one for share, one in zip(shares, iterates, strict=True))
    torch.testing.assert_close(model[0].weight.detach(), wanted, rtol=1e-4, atol=1e-6)


def moving(settings):
    weights = {"a": nn.Parameter(torch.tensor([1.0, 2.0])), "b": nn.Parameter(torch.tensor([[3.0]]))}
    return State(weights, settings, 1.0)


@pytest.mark.parametrize("kind", ["sgd", "adam", "adamw"])
def test_a_state_that_was_kept_goes_on_as_it_would_have(kind):
    settings = Optimizer(optimizer=kind, rate=0.1, momentum=0.5, average=0.5, decay=0.01)
    steps = [torch.tensor([1.0, -1.0, 0.5]) * (at + 1) for at in range(4)]  # taken over by whoever moves
    straight, first = moving(settings), moving(settings)
    for step in steps:
        straight.move(step.clone(), 0.1)
    for step in steps[:2]:
        first.move(step.clone(), 0.1)
    second = moving(settings)
    second.restore({name: value.clone() for name, value in first.tensors().items()})
    for step in steps[2:]:
        second.move(step.clone(), 0.1)
    for name, value in straight.tensors().items():
        assert torch.allclose(value, second.tensors()[name], atol=1e-7), name


def test_the_average_is_corrected_for_its_beginning_at_zero():
    state = moving(Optimizer(rate=1.0, momentum=0.0, average=0.9))
    state.move(torch.zeros(3), 1.0)
    state.take_average()
    assert state.trained["a"].tolist() == pytest.approx([1, 2]), "one step: the weights themselves"
    plain = moving(Optimizer(rate=1.0, momentum=0.0))
    plain.move(torch.ones(3), 1.0)
    plain.take_average()
    assert plain.trained["a"].tolist() == pytest.approx([0, 1])


@pytest.mark.parametrize(
    ("share", "wanted"),
    [(0.5, 1.0), (1.0, math.exp(-0.1)), (0.0, math.exp(0.1)), (-1e9, math.exp(3)), (1e9, math.exp(-3))],
)
def test_the_bound_moves_towards_the_quantile_and_never_far(share, wanted):
    state = moving(Optimizer())
    state.adapt(share, 0.5, 0.2)
    assert state.bound == pytest.approx(wanted)


def test_the_bound_stays_a_number_whatever_the_noise():
    state = moving(Optimizer())
    for share in (1e300,) * 20:
        state.adapt(share, 0.5, 1.0)
    assert state.bound == pytest.approx(1e-6)
