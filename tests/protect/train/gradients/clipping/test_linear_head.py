"""Closed forms of a dense layer: the numbers of single examples, by torch and by arrays."""

import pytest
import torch
from tests.protect.train.gradients.clipping.sums import assert_same
from torch import nn

from privet.protect.train.gradients._per_example_loss import IGNORED, Batch, Objective
from privet.protect.train.gradients.clipping import _linear_head
from privet.protect.train.gradients.clipping._clipping_rule import ClippingRule
from privet.protect.train.gradients.clipping._linear_head import Closed, head_of
from privet.protect.train.gradients.clipping._per_example_loop import Looped

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def test_a_closed_form_is_for_a_single_dense_layer_only():
    assert head_of(nn.Linear(3, 2)) is not None
    assert head_of(nn.Sequential(nn.Flatten(), nn.Linear(3, 2))) is not None
    for other in (
        nn.Sequential(nn.Linear(3, 2), nn.ReLU()),
        nn.Sequential(nn.Tanh(), nn.Linear(3, 2)),
        nn.ReLU(),
    ):
        assert head_of(other) is None
    hooked = nn.Linear(3, 2)
    hooked.register_forward_hook(lambda *_: None)
    assert head_of(hooked) is None
    assert head_of(nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))) is None


@pytest.mark.parametrize("loss", ["cross_entropy", "logistic", "squared"])
@pytest.mark.parametrize("bias", [True, False])
def test_closed_forms_for_each_loss(loss, bias):
    torch.manual_seed(0)
    outputs = 3 if loss == "cross_entropy" else 1
    model = nn.Linear(4, outputs, bias=bias)
    targets = torch.randint(0, 3 if outputs == 3 else 2, (6,))
    batch = Batch(torch.randn(6, 4), targets.float() if loss == "squared" else targets, 6)
    trained, objective = dict(model.named_parameters()), Objective.of(loss)
    truth = Looped(model, trained, objective).clipped_sum(batch, ClippingRule(0.4))
    assert_same(Closed(model, trained, objective).clipped_sum(batch, ClippingRule(0.4)), truth)


def compared(model, batch, loss, trained=None):
    trained = dict(model.named_parameters()) if trained is None else trained
    objective = Objective.of(loss)
    truth = Looped(model, trained, objective).clipped_sum(batch, ClippingRule(0.4))
    assert_same(Closed(model, trained, objective).clipped_sum(batch, ClippingRule(0.4)), truth)


@pytest.mark.parametrize("small", [0, 2**21])
@pytest.mark.parametrize("loss", ["cross_entropy", "logistic"])
def test_large_heads_by_torch_and_small_ones_by_arrays_are_the_same(monkeypatch, small, loss):
    monkeypatch.setattr(_linear_head, "_SMALL", small)
    torch.manual_seed(1)
    outputs = 3 if loss == "cross_entropy" else 1
    targets = torch.randint(0, max(2, outputs), (7,))
    compared(
        nn.Sequential(nn.Flatten(), nn.Linear(6, outputs)), Batch(torch.randn(7, 2, 3), targets, 7), loss
    )


@pytest.mark.parametrize("small", [0, 2**21])
def test_targets_that_do_not_count_have_no_gradient(monkeypatch, small):
    monkeypatch.setattr(_linear_head, "_SMALL", small)
    torch.manual_seed(1)
    targets = torch.tensor([0, IGNORED, 2, IGNORED])
    batch = Batch(torch.randn(4, 5), targets, 4)
    compared(nn.Linear(5, 3), batch, "cross_entropy")
    model = nn.Linear(5, 3)
    found = Closed(model, dict(model.named_parameters()), Objective.of("cross_entropy"))
    assert found.clipped_sum(batch, ClippingRule(1.0)).norms[[1, 3]].tolist() == pytest.approx([0, 0])


@pytest.mark.parametrize("only", ["weight", "bias"])
def test_what_is_not_trained_does_not_count_for_the_norm(only):
    torch.manual_seed(1)
    model = nn.Linear(4, 3)
    batch = Batch(torch.randn(5, 4), torch.randint(0, 3, (5,)), 5)
    compared(model, batch, "cross_entropy", {only: getattr(model, only)})


def test_double_precision_goes_the_general_way():
    torch.manual_seed(1)
    model = nn.Linear(4, 3).double()
    trained, objective = dict(model.named_parameters()), Objective.of("cross_entropy")
    batch = Batch(torch.randn(5, 4).double(), torch.randint(0, 3, (5,)), 5)
    truth = Looped(model, trained, objective).clipped_sum(batch, ClippingRule(0.4))
    found = Closed(model, trained, objective).clipped_sum(batch, ClippingRule(0.4))
    for name, wanted in truth.sums.items():
        assert found.sums[name].dtype == torch.float64
        torch.testing.assert_close(found.sums[name], wanted, rtol=1e-6, atol=1e-6)


def engine_of(model, loss, trained=None):
    return Closed(model, dict(model.named_parameters()) if trained is None else trained, Objective.of(loss))


CLASSES, SOFT = torch.tensor([0, 1]), torch.tensor([0.5, 0.25])
ROWS = torch.ones(2, 4)


@pytest.mark.parametrize(
    ("engine", "batch", "arrays"),
    [
        (engine_of(nn.Linear(4, 3), "cross_entropy"), Batch(ROWS, CLASSES, 2), True),
        (engine_of(nn.Linear(4, 1), "logistic"), Batch(ROWS, CLASSES, 2), True),
        (engine_of(nn.Linear(4, 1), "logistic"), Batch(ROWS, SOFT, 2), True),
        (engine_of(nn.Linear(4, 3), "cross_entropy"), Batch(ROWS, torch.ones(2, 3), 2), False),
        (engine_of(nn.Linear(4, 2), "logistic"), Batch(ROWS, torch.ones(2, 2), 2), False),
        (engine_of(nn.Linear(4, 1), "squared"), Batch(ROWS, SOFT, 2), False),
        (engine_of(nn.Linear(4, 1), "squared"), Batch(ROWS, CLASSES, 2), False),
        (engine_of(nn.Linear(4, 3), "cross_entropy"), Batch(ROWS, None, 2), False),
        (engine_of(nn.Linear(4, 3, bias=False), "cross_entropy"), Batch(ROWS, CLASSES, 2), False),
        (engine_of(nn.Linear(4, 3).double(), "cross_entropy"), Batch(ROWS.double(), CLASSES, 2), False),
        (engine_of(nn.Linear(4, 3).double(), "cross_entropy"), Batch(ROWS, CLASSES, 2), False),
        (engine_of(nn.Linear(4, 3), "cross_entropy"), Batch(ROWS.double(), CLASSES, 2), False),
        (
            engine_of(nn.Linear(2**11, 2**10), "cross_entropy"),
            Batch(torch.ones(1, 2**11), CLASSES[:1], 1),
            True,
        ),
        (
            engine_of(nn.Linear(2**11, 2**10 + 1), "cross_entropy"),
            Batch(torch.ones(1, 2**11), CLASSES[:1], 1),
            False,
        ),
    ],
)
def test_arrays_are_for_small_heads_of_known_losses(engine, batch, arrays):
    assert engine._takes_arrays(batch) is arrays


def test_known_losses_need_no_backward_pass(monkeypatch):
    monkeypatch.setattr(_linear_head, "_SMALL", 0)

    def refuse(*_):
        pytest.fail("the loss was asked")

    def without_gradient(out, y):
        assert not out.requires_grad
        return nn.functional.binary_cross_entropy_with_logits(out[:, 0], y.float(), reduction="none")

    for outputs, objective in (
        (3, Objective("cross_entropy", refuse)),
        (1, Objective("logistic", without_gradient)),
    ):
        model = nn.Linear(4, outputs)
        engine = Closed(model, dict(model.named_parameters()), objective)
        assert engine.clipped_sum(Batch(ROWS, CLASSES, 2), ClippingRule(1.0)).losses.shape == (2,)
