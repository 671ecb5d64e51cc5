"""Momentum is that of torch, and survives a stop."""

import numpy as np
import pytest
import torch
from torch import nn

import privet as pv
from privet.mechanism import _secret_seed as secret_seed
from privet.protect.train.gradients import Optimizer, StepSpeed, plan, train_model
from privet.protect.train.gradients._momentum import Momentum
from privet.protect.train.gradients._per_example_loss import Batch, Objective
from privet.protect.train.gradients.clipping._clipping_rule import ClippingRule
from privet.protect.train.gradients.clipping._linear_head import Closed
from privet.protect.train.gradients.clipping._per_example_loop import Looped

N = 30


@pytest.mark.parametrize(("momentum", "decay"), [(0.9, 0.0), (0.0, 0.0), (0.8, 0.05), (0.0, 0.1)])
def test_steps_are_those_of_torch(momentum, decay):
    torch.manual_seed(0)
    ours, theirs = nn.Linear(4, 3), nn.Linear(4, 3)
    theirs.load_state_dict(ours.state_dict())
    momentum_of = Momentum(list(ours.parameters()), momentum, decay)
    optimizer = torch.optim.SGD(theirs.parameters(), 0.1, momentum=momentum, weight_decay=decay)
    for rate in (0.1, 0.05, 0.2):
        gradient = torch.randn(15)
        theirs.weight.grad, theirs.bias.grad = gradient[:12].view(3, 4).clone(), gradient[12:].clone()
        optimizer.param_groups[0]["lr"] = rate
        optimizer.step()
        momentum_of.step(gradient, rate)
    torch.testing.assert_close(ours.weight, theirs.weight)
    torch.testing.assert_close(ours.bias, theirs.bias)


class Stopped(Exception):
    pass


def test_a_stopped_run_goes_on_with_the_speed_it_had(tmp_path, monkeypatch):
    monkeypatch.setattr(secret_seed, "fresh_bytes", lambda count: bytes(range(count)))
    x = torch.randn(N, 4, generator=torch.Generator().manual_seed(0))
    y, found = x[:, :3].argmax(1), []

    def stop(shown):
        if shown.step == 5:
            raise Stopped

    for stops in (False, True):
        torch.manual_seed(1)
        model = nn.Linear(4, 3)
        made = plan(model, pv.ZeroConcentratedDP(1), records=N, batch=N, steps=8, sampling="full")
        room = tmp_path / str(stops)
        with pv.Ledger(tmp_path / f"{stops}.ledger", limit=pv.ZeroConcentratedDP(9), unit=pv.Row()) as ledger:

            def go(model=model, made=made, ledger=ledger, room=room, **given):
                return train_model(
                    model,
                    (x, y),
                    made,
                    ledger=ledger,
                    why="a test",
                    folder=room,
                    optimizer=Optimizer(rate=0.1, momentum=0.9),
                    speed=StepSpeed(every=2),
                    **given,
                )

            if stops:
                with pytest.raises(Stopped):
                    go(progress=stop)
            found.append(go().weights()["weight"])
    assert torch.equal(*found)


@pytest.mark.parametrize("normalised", [False, True])
def test_factors_of_arrays_are_those_of_tensors(normalised):
    norms = np.array([0, 1e-9, 0.5, 2, 1e6, np.inf, np.nan], dtype=np.float32)
    for bound in (0.7, float("inf")):
        rule = ClippingRule(bound, normalised)
        with np.errstate(all="ignore"):
            found = rule.array_factors(norms)
        if bound < float("inf"):
            np.testing.assert_allclose(found, rule.factors(torch.from_numpy(norms)).numpy(), rtol=1e-6)
        assert found[-2:].tolist() == [0, 0]
        assert found.dtype == np.float32


@pytest.mark.parametrize("targets", ["classes", "shares", "some left out"])
def test_closed_forms_by_arrays_and_by_tensors_agree(targets, monkeypatch):
    torch.manual_seed(0)
    model = nn.Linear(5, 1 if targets == "shares" else 4)
    loss = Objective.of("logistic" if targets == "shares" else "cross_entropy")
    wanted = torch.rand(9) if targets == "shares" else torch.randint(0, 4, (9,))
    if targets == "some left out":
        wanted[3] = -100
    batch, given = Batch(3 * torch.randn(9, 5), wanted, 9), (model, dict(model.named_parameters()), loss)
    engine = Closed(*given)
    assert engine._takes_arrays(batch)
    by_arrays = engine.clipped_sum(batch, ClippingRule(0.5))
    monkeypatch.setattr(Closed, "_takes_arrays", lambda *_: False)
    for other in (
        engine.clipped_sum(batch, ClippingRule(0.5)),
        Looped(*given).clipped_sum(batch, ClippingRule(0.5)),
    ):
        torch.testing.assert_close(by_arrays.norms, other.norms, rtol=1e-5, atol=1e-6)
        torch.testing.assert_close(by_arrays.losses, other.losses, rtol=1e-5, atol=1e-6)
        for name, value in other.sums.items():
            torch.testing.assert_close(by_arrays.sums[name], value, rtol=1e-5, atol=1e-6)
