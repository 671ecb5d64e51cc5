"""What a few records do not show is found in a batch of the run's own size, or while the run goes on."""

import pytest
import torch
from tests.protect.train.gradients.models import classes
from torch import nn

import privet as pv
from privet.errors import UnsafeModel
from privet.protect.train.gradients import Optimizer, StepSpeed, plan, train_model
from privet.protect.train.gradients._neighbour_check import _near, is_due, neighbour_fault
from privet.protect.train.gradients._per_example_loss import Batch, Objective
from privet.protect.train.gradients._self_check import SAMPLE, checked_engine
from privet.protect.train.gradients.clipping._ghost_clipping import Bookkeeping
from privet.protect.train.gradients.clipping._per_example_loop import Looped
from privet.protect.train.gradients.clipping._vmap_gradients import Vmapped

LOSS = Objective.of("cross_entropy")
N = 40


@pytest.fixture
def ledger(tmp_path):
    with pv.Ledger(tmp_path / "a.ledger", limit=pv.ZeroConcentratedDP(50), unit=pv.Row()) as opened:
        yield opened


class Between(nn.Module):
    """Two dense layers with something between them."""

    def __init__(self, change):
        super().__init__()
        torch.manual_seed(0)
        self.first, self.last, self.change = nn.Linear(6, 6), nn.Linear(6, 3), change

    def forward(self, x):
        return self.change(self, x)


def centred_when_large(model, x):
    h = torch.tanh(model.first(x))
    return model.last(h - h.mean(0) if len(h) > 8 else h)


def sorted_inside(model, x):
    """Rows in the order of their first number, as packed sequences are in that of their lengths; put back after."""
    order = torch.argsort(x[:, 0], stable=True)
    return model.last(torch.tanh(model.first(x[order]))[torch.argsort(order)])


class MappedTogether(torch.autograd.Function):
    """Nothing, but with a rule of its own for how it is mapped: in larger batches, every row gets the mean."""

    @staticmethod
    def forward(x):
        return x.clone()

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, gradient):
        return gradient

    @staticmethod
    def vmap(info, in_dims, x):
        return (x + x.mean(0, keepdim=True) if info.batch_size > 8 else x.clone()), in_dims[0]


def mapped_together(model, x):
    return model.last(MappedTogether.apply(torch.tanh(model.first(x))))


def records(n=N):
    x = torch.randn(n, 6, generator=torch.Generator().manual_seed(0))
    x[:SAMPLE, 0] = 0
    return Batch(x, x[:, 1:4].argmax(1), n)


@pytest.mark.parametrize("change", [centred_when_large, sorted_inside])
def test_what_only_larger_batches_show_is_not_given_to_an_engine_that_gets_it_wrong(change):
    model, batch = Between(change), records()
    trained = dict(model.named_parameters())
    few = batch.part(0, SAMPLE)
    assert checked_engine(model, trained, LOSS, few, "auto", batch).name == "vmapped"
    with pytest.raises(UnsafeModel, match=r"larger batch|differ from those of single"):
        checked_engine(model, trained, LOSS, few, "bookkeeping", batch)


def test_one_record_moves_the_sum_by_its_own_gradient():
    model = Between(lambda own, x: own.last(torch.tanh(own.first(x))))
    given = model, dict(model.named_parameters()), LOSS
    batch = records()
    for index in (0, 7, N - 1):
        assert not neighbour_fault(Bookkeeping(*given), Looped(*given), batch, index, 0.1)
        assert not neighbour_fault(Bookkeeping(*given), Looped(*given), batch.at([index]), 0, 0.1)
    mixed = Between(centred_when_large)
    given = mixed, dict(mixed.named_parameters()), LOSS
    assert neighbour_fault(Bookkeeping(*given), Looped(*given), batch, 7, 0.1)
    assert not neighbour_fault(Vmapped(*given), Looped(*given), batch, 7, 0.1)


def test_a_run_looks_again_after_ever_more_steps():
    assert [done for done in range(1100) if is_due(done)] == [3, 15, 63, 255, 1023]


@pytest.mark.parametrize("asked", ["auto", "bookkeeping"])
def test_a_model_that_begins_to_mix_later_is_stopped(ledger, asked):
    def later(model, x):
        h = torch.tanh(model.first(x))
        return model.last(h - h.mean(0) if model.late else h)

    model, batch = Between(later), records()
    model.late, shown = False, []

    def progress(step):
        shown.append(step.step)
        model.late = step.step >= 2

    made = plan(model, pv.ZeroConcentratedDP(1), records=N, batch=N, steps=6, sampling="full")
    with pytest.raises(UnsafeModel, match="taking a record out"):
        train_model(
            model,
            (batch.inputs, batch.targets),
            made,
            ledger=ledger,
            why="a test",
            progress=progress,
            speed=StepSpeed(engine=asked),
        )
    assert shown == [1, 2]


def test_what_hides_behind_weights_that_begin_at_zero_is_seen():
    class Gated(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.last, self.gate = nn.Linear(6, 6), nn.Linear(6, 3), nn.Linear(6, 6)
            self.scale = nn.Parameter(torch.zeros(()))
            nn.init.zeros_(self.gate.weight)
            nn.init.zeros_(self.gate.bias)

        def forward(self, x):
            h = self.first(x)
            return self.last(h + self.scale * self.gate(h - h.mean(0)))

    model = Gated()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    with pytest.raises(UnsafeModel, match="mixes"):
        checked_engine(model, dict(model.named_parameters()), LOSS, classes(6), "auto")
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


def test_statistics_that_are_kept_during_the_run_stop_it(ledger):
    class Counting(nn.Module):
        def __init__(self, kind):
            super().__init__()
            self.layer, self.kind = nn.Linear(6, 3), kind
            self.register_buffer("seen", torch.zeros(6))

        def forward(self, x):
            if len(x) > 8 and self.kind == "written":
                self.seen += x.detach().sum(0)
            if len(x) > 8 and self.kind == "exchanged":
                self.seen = x.detach().sum(0)
            return self.layer(x)

    for kind in ("written", "exchanged"):
        model, batch = Counting(kind), records()
        made = plan(model, pv.ZeroConcentratedDP(1), records=N, batch=N, steps=3, sampling="full")
        with pytest.raises(UnsafeModel, match="'seen'"):
            train_model(model, (batch.inputs, batch.targets), made, ledger=ledger, why="a test")


def test_dropout_is_no_reason_to_stop(ledger):
    torch.manual_seed(0)
    model, batch = nn.Sequential(nn.Linear(6, 30), nn.Dropout(0.5), nn.Linear(30, 3)), records()
    made = plan(model, pv.ZeroConcentratedDP(1), records=N, batch=N, steps=5, sampling="full")
    trained = train_model(
        model,
        (batch.inputs, batch.targets),
        made,
        ledger=ledger,
        why="a test",
        optimizer=Optimizer(rate=0.01),
    )
    assert trained.engine == "bookkeeping"
    assert len(trained.progress) == 5


def test_mapping_by_a_rule_of_its_own_is_not_taken_for_examples_alone():
    model, batch = Between(mapped_together), records()
    trained = dict(model.named_parameters())
    with pytest.raises(UnsafeModel, match="vmapped: in a larger batch"):
        checked_engine(model, trained, LOSS, batch.part(0, SAMPLE), "vmapped", batch)
    assert checked_engine(model, trained, LOSS, batch.part(0, SAMPLE), "auto", batch).name != "vmapped"


@pytest.mark.parametrize("dropout", [0.0, 0.1])
def test_mapping_that_begins_to_mix_is_seen_while_the_run_goes_on(ledger, monkeypatch, dropout):
    """The checks before the run are off, as if they had not seen it."""
    monkeypatch.setattr("privet.protect.train.gradients._self_check.neighbour_fault", lambda *_: "")
    monkeypatch.setattr("privet.protect.train.gradients._self_check._fault_beside_outliers", lambda *_: "")
    model, batch = nn.Sequential(Between(mapped_together), nn.Dropout(dropout)), records()
    made = plan(model, pv.ZeroConcentratedDP(1), records=N, batch=N, steps=4, sampling="full")
    with pytest.raises(UnsafeModel, match="the clipping is not exact"):
        train_model(
            model,
            (batch.inputs, batch.targets),
            made,
            ledger=ledger,
            why="a test",
            speed=StepSpeed(engine="vmapped"),
        )


@pytest.mark.parametrize(
    ("found", "alone", "near"),
    [
        (1.0, 1.0, True),
        (1.0, 1.0 + 1.9e-3, True),
        (1.0, 1.0 + 2.1e-3, False),
        (0.0, 9e-6, True),
        (0.0, 1.2e-5, False),
        (-1.0, 1.0, False),
        (float("nan"), float("nan"), True),
        (float("nan"), 1.0, False),
        (1.0, float("nan"), False),
        (float("inf"), float("inf"), True),
        (float("inf"), -float("inf"), False),
        (1.0, float("inf"), False),
        (float("inf"), 1.0, False),
    ],
)
def test_losses_are_near_as_torch_says_it(found, alone, near):
    pair = torch.tensor(found), torch.tensor(alone)
    assert _near(*pair) is near
    assert torch.allclose(*(value.double() for value in pair), rtol=2e-3, atol=1e-5, equal_nan=True) is near
