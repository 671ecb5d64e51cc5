"""One example after the other: gradients by autograd alone, scaled and added."""

import pytest
import torch
from torch import nn

from privet.protect.train.gradients._per_example_loss import Batch, Objective
from privet.protect.train.gradients.clipping._clipping_rule import ClippingRule
from privet.protect.train.gradients.clipping._per_example_loop import Looped


@pytest.fixture
def made():
    torch.manual_seed(5)
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
    return model, dict(model.named_parameters()), Batch(torch.randn(4, 3), torch.tensor([0, 1, 1, 0]), 4)


def test_a_gradient_is_that_of_its_example_alone(made):
    model, trained, batch = made
    engine = Looped(model, trained, Objective.of("cross_entropy"))
    grads, loss = engine.gradient(batch, 2)
    alone = nn.functional.cross_entropy(model(batch.inputs[2:3]), batch.targets[2:3])
    assert float(loss) == pytest.approx(float(alone))
    for name, wanted in zip(trained, torch.autograd.grad(alone, list(trained.values())), strict=True):
        torch.testing.assert_close(grads[name], wanted)


def test_the_sum_is_of_scaled_gradients(made):
    model, trained, batch = made
    engine = Looped(model, trained, Objective.of("cross_entropy"))
    found = engine.clipped_sum(batch, ClippingRule(0.2))
    total = {name: torch.zeros_like(weight) for name, weight in trained.items()}
    for index in range(4):
        grads, _ = engine.gradient(batch, index)
        norm = torch.cat([grad.flatten() for grad in grads.values()]).norm()
        assert float(found.norms[index]) == pytest.approx(float(norm), rel=1e-5)
        for name, grad in grads.items():
            total[name] += min(1.0, 0.2 / float(norm)) * grad
    for name, wanted in total.items():
        torch.testing.assert_close(found.sums[name], wanted)
    assert found.losses.shape == (4,)


def test_weights_that_nothing_uses_have_a_gradient_of_zero(made):
    model, trained, batch = made
    idle = nn.Parameter(torch.ones(2))
    engine = Looped(model, {**trained, "idle": idle}, Objective.of("cross_entropy"))
    assert engine.clipped_sum(batch, ClippingRule(1.0)).sums["idle"].tolist() == [0, 0]
    frozen = Looped(nn.Identity(), {"idle": idle}, Objective.of("cross_entropy"))
    found = frozen.clipped_sum(Batch(torch.randn(2, 3), torch.tensor([0, 1]), 2), ClippingRule(1.0))
    assert found.norms.tolist() == pytest.approx([0, 0])


def test_a_gradient_that_is_not_finite_is_left_out(made):
    model, trained, batch = made
    batch.inputs[1] = float("nan")
    engine = Looped(model, trained, Objective.of("cross_entropy"))
    found = engine.clipped_sum(batch, ClippingRule(0.2))
    rest = engine.clipped_sum(batch.at([0, 2, 3]), ClippingRule(0.2))
    for name, wanted in rest.sums.items():
        torch.testing.assert_close(found.sums[name], wanted)
