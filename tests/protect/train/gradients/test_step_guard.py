"""Everything besides the sums is what it was: models, losses and records."""

import pytest
import torch
from torch import nn

import privet as pv
from privet.errors import PrivetError, UnsafeModel, UnsafePipeline
from privet.protect.train.gradients import Optimizer, plan, train_model
from privet.protect.train.gradients._step_guard import StepGuard, _listed, _same_bits

N = 40


X = torch.randn(N, 6, generator=torch.Generator().manual_seed(0)) + 0.7


Y = X[:, :3].argmax(1)


@pytest.fixture
def ledger(tmp_path):
    with pv.Ledger(tmp_path / "a.ledger", limit=pv.ZeroConcentratedDP(50), unit=pv.Row()) as opened:
        yield opened


def fit(ledger, data=(X, Y), augment=None, views=1, **given):
    model = given.pop("model", None) or nn.Linear(6, 3)
    made = plan(model, pv.ZeroConcentratedDP(1), records=N, batch=N, steps=2, sampling="full")
    optimizer = Optimizer(augment=augment, views=views)
    return train_model(model, data, made, ledger=ledger, why="a test", optimizer=optimizer, **given)


def test_what_several_raw_records_share_is_watched_wherever_they_lie(ledger):
    """One record, whose values no check tries, leaves itself where later ones read it."""
    shared = {"last": torch.zeros(6)}
    raw = [
        {"x": x, "y": int(y), "shared": shared if at > 20 else None}
        for at, (x, y) in enumerate(zip(X, Y, strict=True))
    ]
    raw[29]["x"] = torch.full((6,), 77.0)

    def prepare(record):
        if record["shared"] is None:
            return record["x"], record["y"]
        last = record["shared"]["last"]
        if bool((record["x"] == 77).all()):
            record["shared"]["last"] = record["x"]
        return record["x"] + last, record["y"]

    with pytest.raises(UnsafePipeline, match="a raw record"):
        fit(ledger, raw, prepare=prepare)


def test_a_loss_that_remembers_is_refused(ledger):
    class Centre(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("centre", torch.zeros(3))

        def forward(self, out, y):
            if not torch._C._functorch.is_batchedtensor(out):
                self.centre += out.detach().sum(0)
            return (out - self.centre).square().sum(1)

    with pytest.raises(UnsafePipeline, match="centre"):
        fit(ledger, loss=Centre())


def test_the_records_are_not_written_to(ledger):
    class InPlace(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(6, 3)

        def forward(self, x):
            return self.layer(x.mul_(0.5))

    x = X.clone()
    with pytest.raises(PrivetError):
        fit(ledger, (x, Y), model=InPlace())


def guarded():
    model = nn.Sequential(nn.Linear(2, 2))
    trained = dict(model.named_parameters())
    return model, StepGuard(model, trained, "squared")


def test_weights_that_something_else_wrote_are_seen_and_put_back():
    model, guard = guarded()
    assert guard.changed() == []
    was = model[0].weight.detach().clone()
    with torch.no_grad():
        model[0].weight[0, 0] += 1e-7
    assert guard.changed() == ["model.0.weight"]
    with pytest.raises(UnsafeModel, match=r"'0.weight'"):
        guard.refuse_changes("Stopped.")
    assert torch.equal(model[0].weight, was)


def test_what_a_noisy_sum_moved_is_what_the_weights_are_now():
    model, guard = guarded()
    with torch.no_grad():
        model[0].bias.add_(1)
    guard.note_weights()
    assert guard.changed() == []


def test_bits_are_compared_and_not_values():
    assert _same_bits(torch.tensor([float("nan")]), torch.tensor([float("nan")]))
    assert not _same_bits(torch.tensor([0.0]), torch.tensor([-0.0]))


def test_few_places_are_named():
    assert _listed(["model.a", "model.b"]) == "'a', 'b'"
    assert _listed([f"model.{at}" for at in range(8)]).endswith("and 3 more")
