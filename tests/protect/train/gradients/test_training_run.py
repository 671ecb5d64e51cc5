"""One run: booked whole, every step noised, empty batches too."""

import math

import numpy as np
import pytest
import torch
from tests.protect.train.gradients.runs import N, data, net, planned
from torch import nn

from privet.mechanism import _gradient_noise as gradient_noise
from privet.protect.train.gradients import (
    Optimizer,
    train_model,
)
from privet.protect.train.gradients._training_run import _digest, _owner_view
from privet.protect.train.gradients.clipping import ClippedSum


def test_one_booking_with_the_plans_event_and_unit(ledger):
    model = net()
    made = planned(model)
    trained = train_model(model, data(), made, ledger=ledger, why="a test")
    entries = [entry for entry in ledger.history() if entry.kind == "spend"]
    assert [entry.body["event"] for entry in entries] == [made.event.to_json()]
    assert trained.receipt.entry == entries[0].number
    assert trained.receipt.cost == {"rho": "0.5", "delta": "0"}
    assert trained.engine == "closed"
    ledger.verify([trained.receipt])


def test_an_empty_batch_is_noised_and_counted(ledger, monkeypatch):
    monkeypatch.setattr(
        gradient_noise, "included", lambda shape, seed, step, size: np.zeros(size, dtype=np.bool_)
    )
    model, own = net(), []
    before = model[0].weight.detach().clone()
    trained = train_model(
        model,
        data(),
        planned(model),
        ledger=ledger,
        why="a test",
        owner=own.append,
        optimizer=Optimizer(rate=1.0),
    )
    assert [one.examples for one in own] == [0] * 4
    assert len(trained.progress) == 4
    assert not torch.equal(model[0].weight, before)
    assert torch.isfinite(model[0].weight).all()


def test_the_noise_on_the_weights_has_the_planned_deviation(ledger):
    """Two-sided, on 24,000 weights without data behind them; false-alarm rate below 1e-9 (chi-square, 8 sigma)."""
    model = nn.Linear(6, 4000)
    made = planned(model, steps=1, clipping=0.5, divisor=10.0)
    before = model.weight.detach().clone()
    flat = torch.zeros(N, 6), torch.zeros(N, dtype=torch.long)
    train_model(
        model,
        flat,
        made,
        ledger=ledger,
        why="a test",
        loss=lambda out, _: out.sum(1) * 1e-9,
        optimizer=Optimizer(rate=1.0, momentum=0.0),
    )
    found = float((model.weight.detach() - before).std()) * 10.0 / 0.5
    sigma = float(made.noise_multiplier)
    assert sigma * (1 - 0.037) < found < sigma * (1.001 + 0.037)


def test_the_owner_is_told_of_finite_records_and_of_how_many_were_not():
    sums = ClippedSum({}, torch.tensor([0.5, 2.0, float("inf"), 1.0]), torch.tensor([1.0, 3.0, 99.0, 2.0]))
    view = _owner_view(7, 4, sums, 1.0)
    assert (view.step, view.examples, view.left_out) == (7, 4, 1)
    assert view.loss == pytest.approx(2)
    assert view.clipped_share == pytest.approx(0.5), "what is not finite is cut as well"
    empty = _owner_view(1, 0, ClippedSum({}, torch.zeros(0), torch.zeros(0)), 1.0)
    assert math.isnan(empty.loss)
    assert empty.clipped_share == pytest.approx(0)


def test_a_digest_tells_names_shapes_and_values():
    one = torch.tensor([1.0, 2.0])
    every = [
        [("a", one)],
        [("b", one)],
        [("a", one.view(1, 2))],
        [("a", one.double())],
        [("a", one + 1)],
        [("a", one), ("b", one)],
    ]
    assert len({_digest(values) for values in every}) == len(every)
    assert _digest([("a", one)]) == _digest([("a", one.clone())])
