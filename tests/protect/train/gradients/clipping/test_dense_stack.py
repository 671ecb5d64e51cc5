"""Stacks of dense layers by arrays: the numbers of single examples, for models that are such a stack and for no other."""

import pytest
import torch
from tests.protect.train.gradients.clipping.sums import assert_same
from torch import nn

from privet.protect.train.gradients._per_example_loss import IGNORED, Batch, Objective
from privet.protect.train.gradients.clipping import _dense_stack
from privet.protect.train.gradients.clipping._clipping_rule import ClippingRule
from privet.protect.train.gradients.clipping._dense_stack import DenseStack, stack_of
from privet.protect.train.gradients.clipping._per_example_loop import Looped
from privet.protect.train.gradients.clipping._weight_hooks import NotSeen


def net(*activations, outputs=3, width=5):
    layers = [nn.Linear(4, width)]
    for activation in activations:
        layers += [activation(), nn.Linear(width, width)]
    return nn.Sequential(*layers, nn.ReLU(), nn.Linear(width, outputs))


def batch_of(model, *, rows=7, outputs=3):
    torch.manual_seed(1)
    return Batch(torch.randn(rows, 4), torch.randint(0, max(2, outputs), (rows,)), rows)


def compared(model, batch, loss="cross_entropy", rule=None):
    trained, objective, rule = dict(model.named_parameters()), Objective.of(loss), rule or ClippingRule(0.4)
    assert DenseStack.takes(model, trained, objective, batch)
    truth = Looped(model, trained, objective).clipped_sum(batch, rule)
    assert_same(DenseStack(model, trained, objective).clipped_sum(batch, rule), truth)
    return truth


@pytest.mark.parametrize("activation", [nn.ReLU, nn.Tanh, nn.Sigmoid])
@pytest.mark.parametrize("loss", ["cross_entropy", "logistic"])
@pytest.mark.parametrize("normalised", [True, False])
def test_the_sums_are_those_of_single_examples(activation, loss, normalised):
    torch.manual_seed(0)
    outputs = 3 if loss == "cross_entropy" else 1
    model = net(activation, outputs=outputs)
    truth = compared(model, batch_of(model, outputs=outputs), loss, ClippingRule(0.4, normalised=normalised))
    assert (truth.norms > 0.4).any()  # something is cut


def test_nested_stacks_layers_without_an_activation_and_inputs_of_two_dimensions():
    torch.manual_seed(0)
    inner = nn.Sequential(nn.Linear(5, 6), nn.Linear(6, 5), nn.Tanh())
    model = nn.Sequential(nn.Flatten(), nn.Linear(4, 5), inner, nn.Linear(5, 3))
    batch = batch_of(model)
    compared(model, Batch(batch.inputs.view(-1, 2, 2), batch.targets, 7))


def test_targets_that_do_not_count_and_examples_that_are_not_finite_have_no_say():
    torch.manual_seed(0)
    model, batch = net(nn.Tanh), batch_of(None)
    targets = batch.targets.clone()
    targets[2] = IGNORED
    compared(model, Batch(batch.inputs, targets, 7))
    for value in (float("nan"), float("inf"), -float("inf")):
        inputs = batch.inputs.clone()
        inputs[3, 1] = value
        for one in (net(nn.Tanh), net(nn.ReLU)):
            trained, objective = dict(one.named_parameters()), Objective.of("cross_entropy")
            engine = DenseStack(one, trained, objective)
            found = engine.clipped_sum(Batch(inputs, batch.targets, 7), ClippingRule(0.4))
            others = [place for place in range(7) if place != 3]
            wanted = engine.clipped_sum(batch.at(others), ClippingRule(0.4))
            for name, total in wanted.sums.items():
                torch.testing.assert_close(found.sums[name], total, rtol=1e-4, atol=1e-6)


class Own(nn.Linear):
    def forward(self, x):
        return super().forward(x - x.mean(0))


def hooked():
    model = net(nn.ReLU)
    model[2].register_forward_hook(lambda *_: None)
    return model


def replaced():
    model = net(nn.ReLU)
    model[1].forward = lambda x: x - x.mean(0)
    return model


def tied():
    model = net(nn.Tanh, nn.Tanh)
    model[4].weight = model[2].weight
    return model


def frozen():
    model = net(nn.ReLU)
    model[0].weight.requires_grad_(False)
    return model


@pytest.mark.parametrize("model", [
    nn.Sequential(nn.Linear(4, 5), nn.BatchNorm1d(5), nn.Linear(5, 3)),
    nn.Sequential(nn.Linear(4, 5), nn.Dropout(), nn.Linear(5, 3)),
    nn.Sequential(nn.Linear(4, 5), nn.ReLU(), Own(5, 3)),
    nn.Sequential(nn.Linear(4, 5, bias=False), nn.ReLU(), nn.Linear(5, 3)),
    nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Tanh(), nn.Linear(5, 3)),
    nn.Sequential(nn.Linear(4, 5), nn.Linear(5, 3), nn.ReLU()),
    nn.Sequential(nn.Linear(4, 5), nn.Flatten(0), nn.Linear(5, 3)),
    nn.Sequential(nn.Linear(4, 3)),
    nn.Sequential(nn.utils.parametrizations.weight_norm(nn.Linear(4, 5)), nn.ReLU(), nn.Linear(5, 3)),
    net(nn.ReLU).double(),
    net(nn.ReLU, width=600),
    *(hooked(), replaced(), tied(), frozen()),
], ids=str)  # fmt: skip
def test_other_models_are_left_to_other_engines(model):
    trained = {name: weight for name, weight in model.named_parameters() if weight.requires_grad}
    assert not DenseStack.takes(model, trained, Objective.of("cross_entropy"), batch_of(model))


def test_losses_and_batches_without_a_formula_are_left_to_other_engines():
    model, batch = net(nn.ReLU), batch_of(None)
    trained = dict(model.named_parameters())
    for loss, targets in (
        ("squared", batch.targets),
        ("cross_entropy", torch.rand(7, 3)),
        ("logistic", batch.targets),
    ):
        assert not DenseStack.takes(model, trained, Objective.of(loss), Batch(batch.inputs, targets, 7))
    doubled = Batch(batch.inputs.double(), batch.targets, 7)
    assert not DenseStack.takes(model, trained, Objective.of("cross_entropy"), doubled)
    engine = DenseStack(model, trained, Objective.of("cross_entropy"))
    with pytest.raises(NotSeen):
        engine.clipped_sum(Batch(batch.inputs, batch.targets, 1, 7), ClippingRule(1.0))


def test_large_layers_are_left_to_torch(monkeypatch):
    assert stack_of(net(nn.ReLU))
    monkeypatch.setattr(_dense_stack, "_MOST", 10)
    model = net(nn.ReLU)
    assert not DenseStack.takes(
        model, dict(model.named_parameters()), Objective.of("cross_entropy"), batch_of(model)
    )
