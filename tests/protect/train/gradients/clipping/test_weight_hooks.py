"""Every use of a trained weight is seen, with its input and its formula; others just run."""

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn

from privet.protect.train.gradients.clipping._outer_products import EmbeddingRows, OuterProduct
from privet.protect.train.gradients.clipping._weight_hooks import NotSeen, Watch


def parts_of(call, weights, examples=3, rows=None):
    """What one call adds to each weight for each example, by the watch's book-keeping and by autograd."""
    names = {id(weight): name for name, weight in weights.items()}
    watch = Watch(names, examples, rows or examples)
    with watch:
        output = call()
    grad = torch.arange(output.numel(), dtype=torch.float32).reshape(output.shape).sin()
    booked = {}
    for use in watch.uses:
        assert use.untouched()
        for name, part in use.booking(grad):
            whole = (
                part.per_example()
                if isinstance(part, OuterProduct)
                else torch.stack([part_rows(part, at, weights[name]) for at in range(examples)])
                if isinstance(part, EmbeddingRows)
                else part.flatten(1)
            )
            booked[name] = booked.get(name, 0) + whole
    truth = {}
    for name, weight in weights.items():
        each = []
        for at in range(examples):
            mask = torch.zeros(examples)
            mask[at] = 1
            mask = mask.repeat_interleave(output.shape[0] // examples).view(-1, *[1] * (output.dim() - 1))
            (found,) = torch.autograd.grad((call() * grad * mask).sum(), weight, allow_unused=True)
            each.append(torch.zeros_like(weight) if found is None else found)
        truth[name] = torch.stack(each).flatten(1)
    return watch, booked, truth


def part_rows(part, at, weight):
    total = torch.zeros_like(weight)
    return total.index_add_(0, part.ids[at], part.grads[at]).flatten()


def same(booked, truth):
    assert booked.keys() == truth.keys()
    for name, value in truth.items():
        torch.testing.assert_close(booked[name].reshape(value.shape), value, rtol=1e-4, atol=1e-5)


def weight(*shape):
    torch.manual_seed(len(shape))
    return nn.Parameter(torch.randn(*shape))


W, B = weight(5, 4), weight(5)
X2, X3 = torch.randn(3, 4), torch.randn(3, 2, 4)
IMAGE, SIGNAL = torch.randn(3, 4, 6, 5), torch.randn(3, 4, 9)
K2, K1, KG, KB = weight(6, 4, 3, 2), weight(6, 4, 3), weight(6, 2, 3, 2), weight(6)
G, H = weight(4), weight(4)
TABLE = weight(7, 4)
IDS = torch.tensor([[1, 1, 0], [2, 3, 6], [0, 0, 0]])

CALLS = {
    "dense": (lambda: F.linear(X2, W, B), {"w": W, "b": B}),
    "dense over positions": (lambda: F.linear(X3, W, B), {"w": W, "b": B}),
    "dense without bias": (lambda: F.linear(X2, W), {"w": W}),
    "dense, all by name": (lambda: F.linear(input=X2, weight=W, bias=B), {"w": W, "b": B}),
    "bias alone": (lambda: F.linear(X2, W.detach(), B), {"b": B}),
    "product": (
        lambda: X2 @ W.T.contiguous().detach().mm(torch.eye(5)) @ weight_square,
        {"s": (weight_square := weight(5, 5))},
    ),
    "added product": (lambda: torch.addmm(H, X2, square), {"h": H, "q": (square := weight(4, 4))}),
    "convolution": (lambda: F.conv2d(IMAGE, K2, KB, stride=(2, 1), padding=1), {"k": K2, "b": KB}),
    "dilated convolution": (lambda: F.conv2d(IMAGE, K2, None, dilation=(1, 2)), {"k": K2}),
    "grouped convolution": (lambda: F.conv2d(IMAGE, KG, KB, groups=2), {"k": KG, "b": KB}),
    "convolution of a signal": (lambda: F.conv1d(SIGNAL, K1, KB, stride=2, padding=1), {"k": K1, "b": KB}),
    "layer norm": (lambda: F.layer_norm(X3, (4,), G, H), {"g": G, "h": H}),
    "layer norm of two dimensions": (lambda: F.layer_norm(X3, (2, 4), wide), {"g": (wide := weight(2, 4))}),
    "RMS norm": (lambda: F.rms_norm(X3, (4,), G, 1e-5), {"g": G}),
    "group norm": (lambda: F.group_norm(IMAGE, 2, G, H), {"g": G, "h": H}),
    "embedding": (lambda: F.embedding(IDS, TABLE), {"t": TABLE}),
    "padded embedding": (lambda: F.embedding(IDS, TABLE, padding_idx=0), {"t": TABLE}),
    "embedding padded from the end": (lambda: F.embedding(IDS, TABLE, padding_idx=-1), {"t": TABLE}),
}


@pytest.mark.parametrize("name", CALLS)
def test_each_function_is_booked_as_autograd_would(name):
    watch, booked, truth = parts_of(*CALLS[name])
    same(booked, truth)
    assert watch.ratios == [1] * len(watch.uses)
    assert watch.uses


def test_ids_shared_by_all_are_told_apart():
    positions = torch.arange(4)
    names = {id(TABLE): "t"}
    for ids in (positions, positions.unsqueeze(0)):
        watch = Watch(names, 3, 3)
        with watch:
            output = F.embedding(ids, TABLE)
        assert output.shape == (3, 4, 4)
        assert watch.ratios == [0]
        ((_, part),) = watch.uses[0].booking(torch.ones(3, 4, 4))
        assert part.ids.tolist() == [[0, 1, 2, 3]] * 3


def test_weights_that_are_not_trained_and_unknown_functions_just_run():
    watch = Watch({id(W): "w"}, 3, 3)
    with watch:
        F.linear(X2, torch.ones(2, 4))
        torch.tanh(X2)
        F.embedding(IDS, TABLE)
        F.conv2d(IMAGE, K2)
        F.layer_norm(X3, (4,), G)
        F.rms_norm(X3, (4,), G)
        F.group_norm(IMAGE, 2, G)
        X2 @ torch.ones(4, 2)
        torch.addmm(H, X2, torch.ones(4, 4))
    assert watch.uses == []
    assert len(watch.path) >= 9


@pytest.mark.parametrize(
    "call",
    [
        lambda: F.linear(X2[0], W, B),
        lambda: F.conv2d(IMAGE, K2, padding="same"),
        lambda: F.embedding(IDS, TABLE, max_norm=1.0),
        lambda: F.embedding(IDS, TABLE, scale_grad_by_freq=True),
        lambda: torch.addmm(H, X2, W.T @ W, alpha=2),
        lambda: X2 @ W[0],
    ],
)
def test_uses_without_a_formula_are_left_to_be_noticed(call):
    names = {id(one): str(at) for at, one in enumerate((W, B, K2, TABLE, H))}
    watch = Watch(names, 3, 3)
    with torch.enable_grad(), watch:
        call()
    assert all(use.inputs == () or use.untouched() for use in watch.uses)
    assert not [use for use in watch.uses if use.booking.__qualname__.startswith("_embedding")]


def test_a_weight_is_cut_off_from_its_parameter():
    watch = Watch({id(W): "w"}, 3, 3)
    with watch:
        output = F.linear(X2, W)
    assert torch.autograd.grad(output.sum(), W, allow_unused=True) == (None,)


def test_an_input_that_is_changed_in_place_is_noticed():
    watch, x = Watch({id(W): "w"}, 3, 3), X2.clone()
    with watch:
        F.linear(x, W)
    assert watch.uses[0].untouched()
    x.add_(1)
    assert not watch.uses[0].untouched()


def test_examples_stand_first():
    watch = Watch({}, 3, 6)
    assert watch.by_example(torch.ones(6, 2, 5)).shape == (3, 4, 5)
    assert watch.summed(torch.ones(6, 2, 5), 1).tolist() == [[4.0] * 5] * 3  # exact: small whole numbers
    assert watch.summed(torch.ones(6, 5), 1).tolist() == [[2.0] * 5] * 3  # exact: small whole numbers
    kept = torch.ones(3, 5)
    assert watch.summed(kept, 1) is kept
    for wrong in (torch.ones(4, 5), torch.ones(0, 5), torch.tensor(1.0)):
        with pytest.raises(NotSeen):
            watch.by_example(wrong)
    for wrong in (torch.ones(5), torch.ones(4, 5)):
        with pytest.raises(NotSeen):
            watch.summed(wrong, 1)
    with pytest.raises(NotSeen), Watch({id(TABLE): "t"}, 3, 3):
        F.embedding(torch.zeros(4, 2, dtype=torch.int64), TABLE)


def test_ratios_say_how_many_rows_a_use_has():
    watch = Watch({id(W): "w"}, 3, 3)
    with watch:
        F.linear(torch.randn(6, 4), W)
        F.linear(torch.randn(4, 4), W)
    assert watch.ratios == [2, -1]
