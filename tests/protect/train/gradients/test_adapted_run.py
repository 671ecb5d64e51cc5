"""Optimizers of torch's as ours, step for step; what ours would do otherwise is refused."""

import pytest
import torch
from tests.protect.train.gradients.runs import data, net, planned
from torch import nn

from privet.errors import BadTraining
from privet.protect.train.gradients import AdaptedRun, Optimizer, StepSpeed
from privet.protect.train.gradients._adapted_run import rates_of, translated
from privet.protect.train.gradients._training_state import State

MADE = {
    "sgd": lambda weights: torch.optim.SGD(weights, lr=0.3, momentum=0.5, weight_decay=0.1),
    "adam": lambda weights: torch.optim.Adam(weights, lr=0.02, weight_decay=0.1),
    "adamw": lambda weights: torch.optim.AdamW(weights, lr=0.02),
}


@pytest.mark.parametrize("name", MADE)
def test_an_optimizer_with_a_schedule_moves_weights_as_torch_does(name):
    theirs, ours = net(), net()
    optimizer = MADE[name](list(theirs.parameters()))
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 5)
    stand_in = MADE[name](list(ours.parameters()))
    rates = rates_of(stand_in, torch.optim.lr_scheduler.CosineAnnealingLR(stand_in, 5), 5)
    found = translated(stand_in, list(ours.parameters()), rates)
    assert found.optimizer == name
    state = State(dict(ours.named_parameters()), found, 1.0)
    generator = torch.Generator().manual_seed(0)
    for step in range(5):
        flat = torch.randn(sum(one.numel() for one in ours.parameters()), generator=generator)
        parts = torch.split(flat, [one.numel() for one in theirs.parameters()])
        for weight, part in zip(theirs.parameters(), parts, strict=True):
            weight.grad = part.view(weight.shape).clone()
        optimizer.step()
        schedule.step()
        state.move(flat.double(), found.rate_at(step, 5))
    for one, other in zip(theirs.parameters(), ours.parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-7)


def test_finding_the_rates_moves_no_weight():
    model = net()
    before = [one.detach().clone() for one in model.parameters()]
    optimizer = MADE["adamw"](list(model.parameters()))
    assert rates_of(optimizer, None, 3) == pytest.approx((0.02, 0.02, 0.02))
    assert all(torch.equal(one, was) for one, was in zip(model.parameters(), before, strict=True))


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (torch.optim.RMSprop, "RMSprop"),
        (lambda w: torch.optim.Adam(w, betas=(0.8, 0.9)), "betas of Adam"),
        (lambda w: torch.optim.SGD(w, momentum=0.9, nesterov=True), "nesterov of SGD"),
        (lambda w: torch.optim.Adam([{"params": w[:1]}, {"params": w[1:]}]), "several groups"),
        (lambda w: torch.optim.Adam(w[:1]), "some of the trained parameters"),
    ],
)
def test_what_ours_would_do_otherwise_is_refused(made, words):
    weights = list(net().parameters())
    with pytest.raises(BadTraining, match=words):
        translated(made(weights), weights, (0.1,))


def test_a_rate_that_follows_results_is_refused():
    optimizer = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=0.1)
    with pytest.raises(BadTraining, match="follows results"):
        rates_of(optimizer, torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer), 3)


def test_what_was_adapted_is_not_said_twice_and_rates_fit_the_plan(ledger):
    model = net()
    short = AdaptedRun(model, planned(model), Optimizer(rates=(0.1, 0.2)), StepSpeed())
    with pytest.raises(BadTraining, match="speed is said by the settings"):
        short.train(data(), ledger=ledger, why="a test", speed=StepSpeed())
    with pytest.raises(BadTraining, match="2 rates, and the plan has 4 steps"):
        short.train(data(), ledger=ledger, why="a test")
    assert ledger.balance().spends == 0
    with pytest.raises(BadTraining, match="rates say all of the schedule"):
        Optimizer(rates=(0.1,), schedule="linear")
    with pytest.raises(BadTraining, match="finite and not negative"):
        Optimizer(rates=(-0.1,))


def test_a_run_takes_the_rates_that_were_given_and_tells_its_end(ledger):
    model, ended = net(), []
    rates = (0.4, 0.3, 0.2, 0.0)
    run = AdaptedRun(
        model, planned(model), Optimizer(rates=rates), StepSpeed(), ended=lambda: ended.append(1)
    )
    trained = run.train(data(), ledger=ledger, why="a test")
    assert tuple(one.rate for one in trained.progress) == rates
    assert ended == [1]
