"""What mixes records, learns statistics or cannot be stilled is named and refused; what is exact elsewhere goes there."""

import numpy as np
import pytest
import torch
from tests.protect.train.gradients.models import case, classes
from torch import nn

from privet.errors import BadTraining, UnsafeModel, UnsafePipeline
from privet.protect.train.gradients._per_example_loss import Objective
from privet.protect.train.gradients._self_check import checked_engine

LOSS = Objective.of("cross_entropy")


class Wrapped(nn.Module):
    def __init__(self, change):
        super().__init__()
        self.first, self.last, self.change = nn.Linear(6, 4), nn.Linear(4, 3), change

    def forward(self, x):
        return self.last(self.change(self, self.first(x)))


def check(model, batch=None, wanted="auto", loss=LOSS):
    return checked_engine(model, dict(model.named_parameters()), loss, batch or classes(6), wanted)


def test_a_loss_that_averages_over_the_batch_is_refused():
    with pytest.raises(BadTraining, match="one number for each example"):
        check(nn.Linear(6, 3), loss=Objective.of(nn.CrossEntropyLoss()))
    mixed = Objective.of(lambda out, y: LOSS.loss(out, y) / LOSS.loss(out, y).mean())
    batch = classes(6)
    with pytest.raises(UnsafePipeline, match="the loss of a record depends"):
        mixed.settled(nn.Linear(6, 3)(batch.inputs), batch.targets, batch.rows)


def test_statistics_kept_without_noise_are_refused_and_put_back():
    class Running(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(6, 3)
            self.register_buffer("seen", torch.zeros(6))

        def forward(self, x):
            self.seen += x.detach().sum(0)
            return self.layer(x)

    model = Running()
    with pytest.raises(UnsafeModel, match="seen"):
        check(model)
    assert model.seen.tolist() == [0] * 6


def test_what_torch_draws_is_held_fixed_for_the_check_and_other_chance_refused():
    model = nn.Sequential(nn.Linear(6, 40), nn.Dropout(0.5), nn.Linear(40, 3))
    assert check(model).name == "bookkeeping"
    assert check(Wrapped(lambda _, h: h + torch.randn_like(h))).name == "bookkeeping"
    with pytest.raises(UnsafeModel, match="two losses"):
        check(Wrapped(lambda _, h: h + float(np.random.default_rng().normal())))


def test_mixing_that_chance_hides_most_of_the_time_is_seen():
    def rarely(_, h):
        return h - h.mean(0) if torch.rand(()) > 0.9 else h

    with pytest.raises(UnsafeModel, match="mixes"):
        check(Wrapped(rarely))


def test_the_check_leaves_no_trace():
    model, trained, batch, objective = case("LoRA")
    before = {name: value.clone() for name, value in model.state_dict().items()}
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    checked_engine(model, trained, objective, batch, "auto")
    assert torch.equal(torch.rand(1), expected)
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert all(type(weight) is nn.Parameter for weight in model.parameters())


def test_an_engine_that_is_wrong_for_the_model_is_refused_when_asked_for():
    model, trained, batch, objective = case("bare, through views")
    with pytest.raises(UnsafeModel, match="bookkeeping: the weight 'u' is used"):
        checked_engine(model, trained, objective, batch, "bookkeeping")
    with pytest.raises(UnsafeModel):
        checked_engine(model, trained, objective, batch, "closed")


def test_opacus_is_held_to_the_same_check():
    """Its hooks drop the gradient of a weight that is used functionally."""
    model, trained, batch, objective = case("attention, functionally tied")
    with pytest.raises(UnsafeModel):
        checked_engine(model, trained, objective, batch, "opacus")
    plain = nn.Sequential(nn.Linear(6, 4), nn.Tanh(), nn.Linear(4, 3))
    assert check(plain, wanted="opacus").name == "opacus"


def test_no_gradient_at_all_is_refused():
    model = Wrapped(lambda _, h: h.detach() * 0)
    model.last.requires_grad_(False)
    with pytest.raises((BadTraining, RuntimeError)):
        checked_engine(
            model,
            {"first.weight": model.first.weight},
            Objective.of(lambda o, y: o.sum(1)),
            classes(6),
            "auto",
        )


def test_a_model_that_has_no_output_for_what_is_no_number_is_not_refused_for_it():
    """It reads a whole number off its input, which infinity has none of, whatever Python calls that."""
    assert check(Wrapped(lambda _, h: h * (1 + 0 * int(h.detach().abs().sum())))).name
