"""Per-example gradients by Opacus: the clipped sums of single examples."""

import sys

import pytest
import torch
from tests.protect.train.gradients.clipping.sums import assert_same
from tests.protect.train.gradients.models import case
from torch import nn

from privet.errors import MissingExtra
from privet.protect.train.gradients.clipping._clipping_rule import ClippingRule
from privet.protect.train.gradients.clipping._opacus_gradients import Opacus
from privet.protect.train.gradients.clipping._per_example_loop import Looped

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
pytest.importorskip("opacus")


def plain(name):
    model, trained, batch, objective = case(name)
    for module in model.modules():
        if isinstance(module, nn.ReLU):
            module.inplace = False
    return model, trained, batch, objective


@pytest.mark.parametrize("name", ["logistic", "dense", "convolution"])
@pytest.mark.parametrize("normalised", [False, True])
def test_sums_norms_and_losses_are_those_of_single_examples(name, normalised):
    model, trained, batch, objective = plain(name)
    rule = ClippingRule(0.5, normalised)
    truth = Looped(model, trained, objective).clipped_sum(batch, rule)
    assert_same(Opacus(model, trained, objective).clipped_sum(batch, rule), truth)


def test_a_gradient_that_is_not_finite_is_left_out():
    model, trained, batch, objective = plain("logistic")
    batch.inputs[1] = float("inf")
    found = Opacus(model, trained, objective).clipped_sum(batch, ClippingRule(0.5))
    truth = Looped(model, trained, objective).clipped_sum(batch, ClippingRule(0.5))
    for name, wanted in truth.sums.items():
        torch.testing.assert_close(found.sums[name], wanted, rtol=1e-5, atol=1e-6)


def test_without_opacus_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "opacus.grad_sample", None)
    model, trained, batch, objective = case("dense")
    with pytest.raises(MissingExtra, match="Opacus"):
        Opacus(model, trained, objective).clipped_sum(batch, ClippingRule(0.5))


def test_nothing_of_a_record_stays_on_the_model():
    model, trained, batch, objective = plain("dense")
    before = {name: set(vars(module)) for name, module in model.named_modules()}
    Opacus(model, trained, objective).clipped_sum(batch, ClippingRule(0.5))
    assert {name: set(vars(module)) for name, module in model.named_modules()} == before
    assert all(weight.grad is None for weight in trained.values())


def test_what_a_module_held_by_that_name_is_put_back():
    model, trained, batch, objective = plain("dense")
    own: list[object] = []
    vars(model[0])["activations"] = own
    hooked = {name: vars(module)["_is_full_backward_hook"] for name, module in model.named_modules()}
    Opacus(model, trained, objective).clipped_sum(batch, ClippingRule(0.5))
    assert vars(model[0])["activations"] is own
    assert {name: vars(module)["_is_full_backward_hook"] for name, module in model.named_modules()} == hooked
