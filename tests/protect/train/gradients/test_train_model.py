"""The loop: exactly what was planned and paid for, whatever batches, crashes and broken records do to it."""

import numpy as np
import pytest
import torch
from tests.protect.train.gradients.models import llama, seeded
from tests.protect.train.gradients.runs import N, data, net, planned
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import privet as pv
from privet.errors import BadTraining, BudgetExceeded, UnsafeModel
from privet.mechanism import _gradient_noise as gradient_noise
from privet.protect.train.gradients import (
    Optimizer,
    train_model,
)


def test_without_noise_it_is_clipped_gradient_descent(ledger, still):
    x, y = data()
    model, twin = net(), net()
    made = planned(model, clipping=0.3, divisor=50.0, steps=3)
    trained = train_model(
        model, (x, y), made, ledger=ledger, why="a test", optimizer=Optimizer(rate=0.5, momentum=0.0)
    )
    for _ in range(3):
        total = [torch.zeros_like(weight) for weight in twin.parameters()]
        for i in range(N):
            loss = nn.functional.cross_entropy(twin(x[i : i + 1]), y[i : i + 1])
            grads = torch.autograd.grad(loss, list(twin.parameters()))
            norm = torch.stack([grad.square().sum() for grad in grads]).sum().sqrt()
            for one, grad in zip(total, grads, strict=True):
                one.add_(grad * min(1.0, 0.3 / float(norm)))
        with torch.no_grad():
            for weight, one in zip(twin.parameters(), total, strict=True):
                weight.sub_(0.5 * one / 50)
    for name, weight in twin.named_parameters():
        torch.testing.assert_close(trained.weights()[name], weight.detach(), rtol=1e-4, atol=1e-6)
    expected = float(made.noise_multiplier) * 0.3
    assert [count for count, _ in still] == [1, 1, 1]  # all weights in one sum
    assert all(expected <= sigma <= expected * 1.002 for _, sigma in still)


def test_nothing_is_trained_beyond_the_budget(tmp_path):
    model = net()
    before = model[0].weight.clone()
    with (
        pv.Ledger(tmp_path / "b.ledger", limit=pv.ZeroConcentratedDP("0.1"), unit=pv.Row()) as small,
        pytest.raises(BudgetExceeded),
    ):
        train_model(model, data(), planned(model), ledger=small, why="a test")
    assert torch.equal(model[0].weight, before)


def test_progress_is_for_anybody_and_the_owners_view_is_not(ledger):
    model, shown, own = net(), [], []
    made = planned(model, steps=5)
    trained = train_model(
        model,
        data(),
        made,
        ledger=ledger,
        why="a test",
        progress=shown.append,
        owner=own.append,
        optimizer=Optimizer(rate=1.0, schedule="linear", warmup=2),
    )
    assert [one.step for one in shown] == [1, 2, 3, 4, 5]
    assert [one.rate for one in shown] == pytest.approx([0.5, 1.0, 1.0, 2 / 3, 1 / 3])
    losses = [one.epsilon for one in shown]
    assert losses == sorted(losses)
    assert 0 < losses[0] < losses[-1]
    assert losses[-1] == pytest.approx(made.epsilon_after(5))
    assert tuple(shown) == trained.progress
    assert not {"loss", "examples", "clipped_share"} & set(shown[0].to_json())
    assert all(one.examples == N and 0 <= one.clipped_share <= 1 and one.left_out == 0 for one in own)


def test_records_that_are_not_numbers_harm_nobody(ledger, still):
    x, y = data()
    broken = x.clone()
    broken[20] = float("nan")
    own = []
    models = [net(), net()]
    for model, inputs, targets in (
        (models[0], broken, y),
        (models[1], torch.cat([x[:20], x[21:]]), torch.cat([y[:20], y[21:]])),
    ):
        train_model(model, (inputs, targets), planned(model), ledger=ledger, why="a test", owner=own.append)
    assert [one.left_out for one in own] == [1] * 4 + [0] * 4
    torch.testing.assert_close(models[0][0].weight, models[1][0].weight, rtol=1e-4, atol=1e-6)


def test_removing_one_record_moves_no_sum_by_more_than_the_bound(ledger, monkeypatch):
    """The neighbour test: the same batches and weights with and without a record, however extreme."""
    x, y = data()
    x[3] *= 1e6
    sums = {}
    for name, keep in (("with", slice(None)), ("without", [i for i in range(N) if i != 3])):
        first = []
        monkeypatch.setattr(
            gradient_noise,
            "noised",
            lambda values, sigma, generator, first=first: (
                first.append([v.copy() for v in values]) or tuple(np.zeros(v.shape) for v in values)
            ),
        )
        model = net()
        train_model(
            model, (x[keep], y[keep]), planned(model, clipping=0.25, steps=1), ledger=ledger, why="a test"
        )
        sums[name] = np.concatenate([value.ravel() for value in first[0]])
    assert np.linalg.norm(sums["with"] - sums["without"]) <= 0.25 * (1 + 1e-5)


def test_augmented_views_are_drawn_from_the_runs_own_seed(ledger, monkeypatch):
    def jitter(inputs, generator):
        return inputs + 0.1 * torch.randn(inputs.shape, generator=generator)

    weights = []
    for _ in range(2):
        monkeypatch.setattr("privet.mechanism._secret_seed.fresh_bytes", lambda count: bytes(range(count)))
        torch.manual_seed(len(weights))
        model = net()
        optimizer = Optimizer(views=3, augment=jitter)
        train_model(model, data(), planned(model, steps=2), ledger=ledger, why="a test", optimizer=optimizer)
        weights.append(model[0].weight.detach())
    assert torch.equal(*weights)


def test_shuffled_batches_hold_every_record_once_an_epoch(ledger):
    own = []
    model = net()
    made = planned(model, batch=20, steps=6, sampling="shuffled")
    train_model(model, data(), made, ledger=ledger, why="a test", owner=own.append)
    assert [sum(one.examples for one in own[i : i + 3]) for i in (0, 3)] == [N, N]
    assert ledger.balance().spends == 1


def test_a_loader_is_refused_with_the_reason_and_a_data_set_taken(ledger):
    model = net()
    made = planned(model)
    with pytest.raises(BadTraining, match="DataLoader"):
        train_model(model, DataLoader(TensorDataset(*data()), 10), made, ledger=ledger, why="a test")
    for other in (data()[0], 3, {"x": 1}, (data()[0], data(7)[1]), (torch.zeros(0, 6), torch.zeros(0))):
        with pytest.raises(BadTraining):
            train_model(model, other, made, ledger=ledger, why="a test")
    assert ledger.balance().spends == 0
    train_model(model, TensorDataset(*data()), made, ledger=ledger, why="a test")
    assert ledger.balance().spends == 1


def test_another_model_than_the_plans_is_refused_and_an_unsafe_one_before_it_is_booked(ledger):
    with pytest.raises(BadTraining, match="other parameters"):
        train_model(nn.Linear(6, 3), data(), planned(net()), ledger=ledger, why="a test")
    model = nn.Sequential(nn.Linear(6, 3), nn.Identity())
    made = planned(model)
    model[1].forward = lambda x: x - x.mean(0)
    with pytest.raises(UnsafeModel):
        train_model(model, data(), made, ledger=ledger, why="a test")
    assert ledger.balance().spends == 0


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_lora_trains_the_adapters_and_nothing_else(ledger):
    from peft import LoraConfig, get_peft_model

    base = seeded(lambda: llama(tied=True))
    model = get_peft_model(base, LoraConfig(r=2, target_modules=["q_proj", "v_proj"]))
    before = {name: value.detach().clone() for name, value in model.named_parameters()}
    ids = torch.randint(0, 23, (12, 7), generator=torch.Generator().manual_seed(0))
    made = planned(model, records=12, batch=12, steps=2)
    trained = train_model(
        model,
        ({"input_ids": ids}, ids),
        made,
        ledger=ledger,
        why="a test",
        loss="language",
        optimizer=Optimizer("adam", rate=0.01),
    )
    moved = {name for name, value in model.named_parameters() if not torch.equal(value, before[name])}
    assert moved == set(trained.weights())
    assert all("lora" in name for name in moved)
