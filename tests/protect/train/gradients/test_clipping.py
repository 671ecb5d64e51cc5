"""Clipped sums are those of single examples, to 1e-5, for every kind of layer and every engine that takes it."""

import pytest
import torch
from tests.protect.train.gradients.clipping.sums import assert_same
from tests.protect.train.gradients.models import CASES, case
from torch import nn

from privet.protect.train.gradients._per_example_loss import Batch, Objective
from privet.protect.train.gradients._self_check import checked_engine
from privet.protect.train.gradients.clipping._clipping_rule import ClippingRule
from privet.protect.train.gradients.clipping._ghost_clipping import Bookkeeping
from privet.protect.train.gradients.clipping._linear_head import Closed
from privet.protect.train.gradients.clipping._opacus_gradients import Opacus
from privet.protect.train.gradients.clipping._per_example_loop import Looped
from privet.protect.train.gradients.clipping._vmap_gradients import Vmapped

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def by_hand(model, trained, objective, batch, bound):
    """Clip single examples in double precision, by nothing but autograd."""
    total = {name: torch.zeros(weight.shape, dtype=torch.float64) for name, weight in trained.items()}
    for index in range(batch.examples):
        loss = objective.losses(model, batch.part(index, index + 1))[0]
        grads = torch.autograd.grad(loss, list(trained.values()), allow_unused=True, materialize_grads=True)
        norm = sum(grad.double().square().sum() for grad in grads).sqrt()
        for name, grad in zip(trained, grads, strict=True):
            total[name] += grad.double() * min(1.0, bound / float(norm))
    return total


@pytest.mark.parametrize("name", CASES)
def test_the_engine_chosen_is_exact_and_the_fastest_that_is(name):
    model, trained, batch, objective = case(name)
    model.eval()
    single = Looped(model, trained, objective)
    bound = 0.8 * float(single.clipped_sum(batch, ClippingRule(1e9)).norms.median())
    truth = single.clipped_sum(batch, ClippingRule(bound))
    engine = checked_engine(model, trained, objective, batch, "auto")
    assert engine.name == CASES[name][3]
    found = engine.clipped_sum(batch, ClippingRule(bound))
    assert_same(found, truth)
    for key, value in by_hand(model, trained, objective, batch, bound).items():
        scale = max(float(one.abs().max()) for one in truth.sums.values())
        assert float((found.sums[key].double() - value).abs().max()) <= 1e-5 * scale, key
    assert_same(
        engine.clipped_sum(batch.part(1, 3), ClippingRule(bound)),
        single.clipped_sum(batch.part(1, 3), ClippingRule(bound)),
    )
    assert all(weight.grad is None for weight in trained.values())


@pytest.mark.parametrize("name", ["dense", "convolution", "attention"])
@pytest.mark.parametrize("engine", [Vmapped, Opacus])
def test_slower_engines_agree(name, engine):
    if engine is Opacus and name == "attention":
        pytest.skip("Opacus needs position ids for every row")
    model, trained, batch, objective = case(name)
    if engine is Opacus:
        for module in model.modules():
            if isinstance(module, nn.ReLU):
                module.inplace = False
    truth = Looped(model, trained, objective).clipped_sum(batch, ClippingRule(0.5))
    assert_same(engine(model, trained, objective).clipped_sum(batch, ClippingRule(0.5)), truth)


@pytest.mark.parametrize("name", ["dense", "old RMS norm", "bare matrix", "one layer three times"])
def test_views_of_an_example_are_averaged_before_clipping(name):
    model, trained, batch, objective = case(name)
    views = 3
    torch.manual_seed(3)
    rows = batch.inputs.repeat_interleave(views, 0)
    augmented = Batch(
        rows + 0.1 * torch.randn_like(rows), batch.targets.repeat_interleave(views), batch.examples, views
    )
    truth = Looped(model, trained, objective).clipped_sum(augmented, ClippingRule(0.5))
    engine = checked_engine(model, trained, objective, augmented, "auto")
    # Closed forms take one row for each example.
    assert engine.name == CASES[name][3].replace("closed", "bookkeeping")
    assert_same(engine.clipped_sum(augmented, ClippingRule(0.5)), truth)
    one = objective.losses(model, augmented.part(0, 1))
    assert float(one[0]) == pytest.approx(
        float(objective.loss(model(augmented.inputs[:views]), augmented.targets[:views]).mean())
    )


@pytest.mark.parametrize("engine", [Closed, Bookkeeping, Vmapped, Looped])
@pytest.mark.parametrize("bad", [float("nan"), float("inf"), 1e30])
def test_a_gradient_that_is_not_finite_is_left_out_and_harms_nobody(engine, bad):
    model = nn.Linear(4, 3) if engine is Closed else nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 3))
    torch.manual_seed(0)
    batch = Batch(torch.randn(5, 4), torch.randint(0, 3, (5,)), 5)
    batch.inputs[2] = bad
    trained, objective = dict(model.named_parameters()), Objective.of("squared_of_class")
    found = engine(model, trained, objective).clipped_sum(batch, ClippingRule(0.5))
    assert all(torch.isfinite(value).all() for value in found.sums.values())
    kept = Batch(batch.inputs[[0, 1, 3, 4]], batch.targets[[0, 1, 3, 4]], 4)
    rest = Looped(model, trained, objective).clipped_sum(kept, ClippingRule(0.5))
    for name, value in rest.sums.items():
        torch.testing.assert_close(found.sums[name], value, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("normalised", [False, True])
@pytest.mark.parametrize("name", ["logistic", "dense", "attention, tied", "convolution", "bare matrix"])
def test_a_gradient_a_million_times_larger_moves_the_sum_by_no_more_than_the_bound(name, normalised):
    model, trained, batch, objective = case(name)
    batch = Batch(batch.inputs, batch.targets.clone(), batch.examples)
    batch.targets[0] += 100  # marks the example whose loss is a million times larger

    def loss(out, y):
        marked = y.reshape(len(y), -1)[:, 0] >= 100
        return objective.loss(out, y % 100) * torch.where(marked, 1e6, 1.0)

    huge = Objective("huge", loss)
    engine = checked_engine(model, trained, huge, batch, "auto")
    rule = ClippingRule(0.7, normalised)
    without, withit = engine.clipped_sum(batch.part(1, 5), rule), engine.clipped_sum(batch, rule)
    assert float(withit.norms[0]) > 1e4
    moved = sum((withit.sums[key] - without.sums[key]).double().square().sum() for key in trained)
    assert 0.69 < float(moved.sqrt()) <= 0.7 * (1 + 1e-5)
