"""Per-example gradients by torch.func: the clipped sums of single examples."""

import pytest
import torch
from tests.protect.train.gradients.clipping.sums import assert_same
from tests.protect.train.gradients.models import case
from torch import nn

from privet.protect.train.gradients._per_example_loss import Batch, Objective
from privet.protect.train.gradients.clipping._clipping_rule import ClippingRule
from privet.protect.train.gradients.clipping._per_example_loop import Looped
from privet.protect.train.gradients.clipping._vmap_gradients import Vmapped

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def plain(name):
    model, trained, batch, objective = case(name)
    for module in model.modules():
        if isinstance(module, nn.ReLU):
            module.inplace = False
    return model, trained, batch, objective


@pytest.mark.parametrize("name", ["logistic", "dense", "convolution", "attention"])
@pytest.mark.parametrize("normalised", [False, True])
def test_sums_norms_and_losses_are_those_of_single_examples(name, normalised):
    model, trained, batch, objective = plain(name)
    rule = ClippingRule(0.5, normalised)
    truth = Looped(model, trained, objective).clipped_sum(batch, rule)
    assert_same(Vmapped(model, trained, objective).clipped_sum(batch, rule), truth)


def test_a_gradient_that_is_not_finite_is_left_out():
    model, trained, batch, objective = plain("logistic")
    batch.inputs[1] = float("inf")
    found = Vmapped(model, trained, objective).clipped_sum(batch, ClippingRule(0.5))
    truth = Looped(model, trained, objective).clipped_sum(batch, ClippingRule(0.5))
    for name, wanted in truth.sums.items():
        torch.testing.assert_close(found.sums[name], wanted, rtol=1e-5, atol=1e-6)


def test_recurrent_layers_get_their_weights_back():
    class Recurrent(nn.Module):
        def __init__(self):
            super().__init__()
            self.cells, self.out = nn.RNN(4, 4, batch_first=True), nn.Linear(4, 3)

        def forward(self, x):
            return self.out(self.cells(x)[0][:, -1])

    torch.manual_seed(0)
    model = Recurrent()
    trained, objective = dict(model.named_parameters()), Objective.of("cross_entropy")
    batch = Batch(torch.randn(3, 2, 4), torch.tensor([0, 1, 2]), 3)
    truth = Looped(model, trained, objective).clipped_sum(batch, ClippingRule(0.3))
    try:
        found = Vmapped(model, trained, objective).clipped_sum(batch, ClippingRule(0.3))
    except RuntimeError:
        found = truth  # this torch cannot map over recurrent layers; the weights must be back all the same
    assert_same(found, truth)
    assert all(
        one is trained[f"cells.{name}"]
        for one, name in zip(model.cells._flat_weights, model.cells._flat_weights_names, strict=True)
    )


def test_views_of_an_example_stay_together():
    torch.manual_seed(0)
    model = nn.Linear(4, 3)
    trained, objective = dict(model.named_parameters()), Objective.of("cross_entropy")
    batch = Batch(torch.randn(6, 4), torch.tensor([0, 0, 1, 1, 2, 2]), 3, 2)
    truth = Looped(model, trained, objective).clipped_sum(batch, ClippingRule(0.3))
    assert_same(Vmapped(model, trained, objective).clipped_sum(batch, ClippingRule(0.3)), truth)


def test_parameters_in_containers_are_those_they_were_before():
    """Of adapters that keep them so (trainable tokens of peft): another one would be trained, and the model's stay behind."""

    class Kept(nn.Module):
        def __init__(self):
            super().__init__()
            self.held = nn.ParameterDict({"own": nn.Parameter(torch.ones(4, 3))})
            self.borrowed = nn.ModuleList([self.held])

        def forward(self, x):
            return x @ self.held["own"] + x @ self.borrowed[0]["own"]

    model = Kept()
    trained, objective = dict(model.named_parameters()), Objective.of("cross_entropy")
    batch = Batch(torch.randn(3, 4), torch.tensor([0, 1, 2]), 3)
    truth = Looped(model, trained, objective).clipped_sum(batch, ClippingRule(0.3))
    assert_same(Vmapped(model, trained, objective).clipped_sum(batch, ClippingRule(0.3)), truth)
    assert model.held["own"] is trained["held.own"]
    assert_same(Looped(model, trained, objective).clipped_sum(batch, ClippingRule(0.3)), truth)
