"""Targets, models and settings that cannot work are refused in words, before anything is booked, naming no value."""

import itertools

import pytest
import torch
from torch import nn

import privet as pv
from privet.errors import BadTraining, BadUsage, NoSolution, PrivetError
from privet.protect.train.gradients import Clipping, plan, train_model
from privet.protect.train.gradients._per_example_loss import Objective

N = 20
X = torch.randn(N, 6, generator=torch.Generator().manual_seed(0))
Y = X[:, :3].argmax(1)


@pytest.fixture
def ledger(tmp_path):
    with pv.Ledger(tmp_path / "a.ledger", limit=pv.ZeroConcentratedDP(50), unit=pv.Row()) as opened:
        yield opened


def fit(ledger, data, model=None, loss="cross_entropy"):
    model = model or nn.Linear(6, 3)
    made = plan(model, pv.ZeroConcentratedDP(1), records=N, batch=N, steps=1, sampling="full")
    return train_model(model, data, made, ledger=ledger, why="a test", loss=loss)


def with_one(value, targets=Y):
    changed = targets.clone()
    changed[N - 2] = value
    return changed


@pytest.mark.parametrize(
    ("data", "outputs", "loss"),
    [
        ((X, with_one(77)), 3, "cross_entropy"),
        ((X, with_one(-1)), 3, "cross_entropy"),
        ((X, Y.float()), 3, "cross_entropy"),
        ((X, with_one(77)), 1, "logistic"),
        ((X, X[:, :2]), 3, "squared"),
        ((X, Y), 3, "language"),
        ((X, None), 3, "cross_entropy"),
        ((X[:, :5], Y), 3, "cross_entropy"),
        ((X.double(), Y), 3, "cross_entropy"),
        ((X[:0], Y[:0]), 3, "cross_entropy"),
        ((X, Y), 3, lambda out, _: out.detach().sum(1)),
    ],
)
def test_targets_without_a_loss_are_refused_before_anything_is_booked(ledger, data, outputs, loss):
    with pytest.raises(BadTraining) as refusal:
        fit(ledger, data, nn.Linear(6, outputs), loss)
    assert "77" not in str(refusal.value)
    assert ledger.balance().spends == 0


def test_a_record_that_breaks_the_loss_later_is_told_without_its_value(ledger):
    rows = [(x, y) for x, y in zip(X, with_one(77), strict=True)]
    model = nn.Sequential(nn.Linear(6, 4), nn.Tanh(), nn.Linear(4, 3))
    made = plan(model, pv.ZeroConcentratedDP(1), records=N, batch=N, steps=1, sampling="full")
    with pytest.raises(PrivetError) as refusal:
        train_model(model, rows, made, ledger=ledger, why="a test")
    assert "77" not in str(refusal.value)


@pytest.mark.parametrize("deep", [False, True])
def test_examples_that_do_not_count_have_no_gradient(ledger, deep):
    model = nn.Sequential(nn.Linear(6, 3), nn.Identity()) if deep else nn.Linear(6, 3)
    own = []
    made = plan(model, pv.ZeroConcentratedDP(1), records=N, batch=N, steps=1, sampling="full")
    train_model(model, (X, with_one(-100)), made, ledger=ledger, why="a test", owner=own.append)
    assert (own[0].examples, own[0].left_out) == (N, 0)


def test_scores_are_found_by_name_and_whole_numbers_of_any_size_taken():
    from types import SimpleNamespace

    scores = torch.randn(4, 3)
    loss = Objective.of("cross_entropy").loss
    wanted = loss(scores, torch.tensor([0, 1, 2, -100]))
    assert float(wanted[3]) == pytest.approx(0)
    for outputs in ({"logits": scores, "hidden": scores}, SimpleNamespace(logits=scores)):
        assert torch.equal(loss(outputs, torch.tensor([0, 1, 2, -100], dtype=torch.int32)), wanted)


def test_coarse_weights_are_refused_and_precise_ones_of_twice_the_size_taken(ledger):
    for dtype in (torch.bfloat16, torch.float16):
        with pytest.raises(BadTraining, match=r"rounding.*float32"):
            plan(nn.Linear(6, 3).to(dtype), pv.ZeroConcentratedDP(1), records=9, batch=9, steps=1)
    model = nn.Sequential(nn.Linear(6, 4), nn.Tanh(), nn.Linear(4, 3)).double()
    assert fit(ledger, (X.double(), Y), model).engine == "bookkeeping"
    frozen = nn.Sequential(
        nn.Linear(6, 4).to(torch.bfloat16).requires_grad_(False), Floating(), nn.Linear(4, 3)
    )
    assert fit(ledger, (X.to(torch.bfloat16), Y), frozen).engine in ("bookkeeping", "vmapped")


class Floating(nn.Module):
    def forward(self, x):
        return x.float()


@pytest.mark.parametrize("style", ["flat", "adaptive"])
def test_as_many_steps_as_concentrated_privacy_allows_and_none_more(style):
    rho, clipping = pv.ZeroConcentratedDP(1), Clipping(1.0, style, count_noise=1.0)
    made = plan(
        nn.Linear(6, 3), rho, records=N, batch=N, noise_multiplier=2, sampling="full", clipping=clipping
    )
    # One step costs 1/8, and the count 1/8 more.
    assert made.steps == (4 if style == "adaptive" else 8)
    with pytest.raises(NoSolution):
        plan(nn.Linear(6, 3), rho, records=N, batch=N, noise_multiplier=0.5, sampling="full")


@pytest.mark.parametrize(
    "given", [{"model": "a model"}, {"clipping": "tight"}, {"clipping": Clipping(pace=float("nan"))}]
)
def test_what_is_no_model_or_clipping_is_refused_in_words(given):
    settings = {"model": nn.Linear(6, 3), "records": 9, "batch": 9, "steps": 1, "sampling": "full", **given}
    with pytest.raises((BadTraining, BadUsage)):
        plan(settings.pop("model"), pv.ZeroConcentratedDP(1), **settings)


def test_adaptive_clipping_goes_by_the_batch_and_survives_any_noise(ledger):
    shown = []
    model = nn.Linear(6, 3)
    clipping = Clipping(1000.0, "adaptive", pace=0.5, count_noise=0.5)
    made = plan(
        model,
        pv.ZeroConcentratedDP(20),
        records=N,
        batch=N,
        steps=6,
        sampling="full",
        divisor=0.01,
        clipping=clipping,
    )
    train_model(model, (X, Y), made, ledger=ledger, why="a test", progress=shown.append)
    # All are below the bound, so it falls by e^-0.25 in each step, but for the count's noise.
    steps = [two.bound / one.bound for one, two in itertools.pairwise(shown)]
    assert all(0.7 < step < 0.87 for step in steps[:3])
