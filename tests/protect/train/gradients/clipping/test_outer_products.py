"""Gradients as outer products: norms and sums are those of the gradients written out."""

import pytest
import torch

from privet.protect.train.gradients.clipping import _outer_products as outer
from privet.protect.train.gradients.clipping._outer_products import (
    EmbeddingRows,
    OuterProduct,
    squared_norm,
    zero_where_left_out,
)


def truth(left, right):
    return torch.einsum("bto,bti->boi", left.double(), right.double()).flatten(1)


# Positions, rows, columns: one position; few of them (ghost norms); many (written out).
SHAPES = pytest.mark.parametrize(("positions", "rows", "columns"), [(1, 4, 5), (2, 30, 40), (50, 3, 4)])


@SHAPES
def test_norms_and_sums(positions, rows, columns):
    torch.manual_seed(positions)
    left, right = torch.randn(6, positions, rows), torch.randn(6, positions, columns)
    whole = truth(left, right)
    factors = torch.tensor([1.0, 0.5, 0.25, 2.0, 0.1, 0.3])
    for pair in (OuterProduct(left, right), OuterProduct(right, left)):
        swapped = pair.left is right
        norms = pair.squared_norms()
        torch.testing.assert_close(norms.double(), whole.square().sum(1), rtol=1e-5, atol=0)
        assert (norms.double() >= whole.square().sum(1) * (1 - 1e-6)).all()
        wanted = factors.double() @ whole
        if swapped:
            wanted = wanted.view(rows, columns).T.flatten()
        torch.testing.assert_close(pair.scaled_sum(factors).double(), wanted, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(OuterProduct(left, right).per_example().double(), whole, rtol=1e-5, atol=1e-5)


def test_gradients_too_large_to_write_out_at_once_go_in_pieces(monkeypatch):
    torch.manual_seed(0)
    left, right = torch.randn(5, 9, 3), torch.randn(5, 9, 4)
    monkeypatch.setattr(outer, "LARGEST", 30)  # two examples of twelve numbers each
    pair = OuterProduct(left, right)
    torch.testing.assert_close(
        pair.squared_norms().double(), truth(left, right).square().sum(1), rtol=1e-5, atol=0
    )
    assert pair.whole is None


def test_terms_that_cancel_in_the_norm_leave_no_more_than_the_bound_in_a_sum_in_pieces(monkeypatch):
    """Norm zero, terms of a billion: unclipped, their rounding would swallow everybody else's gradients."""
    monkeypatch.setattr(outer, "LARGEST", 64)
    torch.manual_seed(0)
    left, right = torch.randn(4, 40, 5), torch.randn(4, 40, 6)
    left[1, 1::2], right[1] = -left[1, ::2], right[1] * 1e9
    right[1, 1::2] = right[1, ::2]
    pair = OuterProduct(left, right)
    factors = (1 / pair.squared_norms().sqrt()).clamp(max=1)
    rest = torch.tensor([0, 2, 3])
    without = OuterProduct(left[rest], right[rest]).scaled_sum(factors[rest])
    assert float((pair.scaled_sum(factors) - without).norm()) <= 2.0**-10


def test_what_is_written_out_takes_the_place_of_its_parts():
    left, right = torch.randn(2, 50, 3), torch.randn(2, 50, 4)
    pair = OuterProduct(left, right)
    pair.squared_norms()
    assert pair.whole is not None
    assert pair.left.numel() == 0
    assert pair.per_example() is pair.whole


@SHAPES
def test_examples_that_are_left_out_have_no_say(positions, rows, columns):
    torch.manual_seed(0)
    left, right = torch.randn(3, positions, rows), torch.randn(3, positions, columns)
    left[1] = float("nan")
    factors = torch.tensor([1.0, 0.0, 0.5])
    pair = OuterProduct(left, right)
    pair.squared_norms()
    found = pair.without(factors).scaled_sum(factors)
    kept = truth(left[[0, 2]], right[[0, 2]])
    torch.testing.assert_close(found.double(), factors[[0, 2]].double() @ kept, rtol=1e-5, atol=1e-5)


def test_ghost_norms_never_fall_short_where_terms_cancel():
    left = torch.randn(1, 1, 64).repeat(2, 2, 1)
    right = torch.randn(1, 1, 64).repeat(2, 2, 1) * 1e3
    right[:, 1] = -right[:, 0] + 1e-5 * torch.randn(2, 64)
    exact = torch.einsum("bto,bti->boi", left.double(), right.double()).square().sum((1, 2))
    assert (OuterProduct(left, right).squared_norms().double() >= exact).all()


def test_repeated_and_padded_rows_of_an_embedding():
    ids = torch.tensor([[1, 1, 0, 2]])
    grads = torch.tensor([[[1.0, 0], [2.0, 0], [5.0, 5], [0, 1.0]]])
    rows = EmbeddingRows(ids, grads, 0)
    assert float(rows.squared_norms()) == pytest.approx(10, rel=1e-5)
    assert rows.scaled_sum(torch.tensor([0.5]), torch.Size([3, 2])).tolist() == [
        [0, 0],
        [1.5, 0],
        [0, 0.5],
    ]  # exact: halves of small whole numbers


def written_out(ids, grads, size):
    whole = torch.zeros(len(ids), size, grads.shape[-1], dtype=torch.float64)
    for example, row in enumerate(ids):
        for place, token in enumerate(row):
            whole[example, token] += grads[example, place].double()
    return whole


def test_embeddings_and_what_tying_adds():
    torch.manual_seed(0)
    ids, grads = torch.randint(0, 5, (4, 6)), torch.randn(4, 6, 3)
    rows = EmbeddingRows(ids, grads, None)
    whole = written_out(ids, grads, 5)
    norms = rows.squared_norms().double()
    torch.testing.assert_close(norms, whole.square().sum((1, 2)), rtol=1e-4, atol=1e-6)
    left, right = torch.randn(4, 2, 5), torch.randn(4, 2, 3)
    dense = torch.einsum("bto,bti->boi", left.double(), right.double())
    torch.testing.assert_close(
        rows.cross(OuterProduct(left, right)).double(), (whole * dense).sum((1, 2)), rtol=1e-4, atol=1e-5
    )
    factors = torch.tensor([1.0, 0.0, 0.5, 2.0])
    wanted = torch.einsum("b,bij->ij", factors.double(), whole)
    torch.testing.assert_close(
        rows.scaled_sum(factors, torch.Size([5, 3])).double(), wanted, rtol=1e-5, atol=1e-5
    )


def test_rows_of_examples_that_are_left_out_are_zero():
    grads = torch.ones(2, 1, 1)
    grads[1] = float("inf")
    found = EmbeddingRows(torch.zeros(2, 1, dtype=torch.int64), grads, None).without(torch.tensor([0.5, 0.0]))
    assert found.scaled_sum(torch.tensor([0.5, 0.0]), torch.Size([1, 1])).tolist() == [[0.5]]  # exact: a half


def test_cancellation_is_paid_for_by_its_share():
    left = torch.ones(1, 2, 8)
    right = torch.ones(1, 2, 8)
    right[:, 1] = -1
    # Terms of 64 each way cancel; (2 · 8)² / 2^22 is added.
    assert float(outer._ghost(left, right)) == pytest.approx(256 / 2**22)


def test_squares_and_zeros():
    values = torch.tensor([[[3.0], [4.0]], [[float("inf")], [1.0]]])
    assert float(squared_norm(values)[0]) == pytest.approx(25)
    kept = zero_where_left_out(values, torch.tensor([1.0, 0.0]))
    assert kept.flatten().tolist() == [3, 4, 0, 0]
    assert zero_where_left_out(values, torch.ones(2)) is values


@pytest.mark.parametrize("positions", [2, 9, 50])
def test_columns_with_the_channels_last_come_back_in_the_order_of_the_weight(positions):
    torch.manual_seed(positions)
    left, patches = (
        torch.randn(3, positions, 30),
        torch.randn(3, positions, 6, 5),
    )  # six places of five channels
    whole = truth(left, patches.transpose(2, 3).flatten(2))
    pair = OuterProduct(left, patches.flatten(2), channels=5)
    torch.testing.assert_close(pair.per_example().double(), whole, rtol=1e-5, atol=1e-5)
    pair.squared_norms()
    factors = torch.tensor([1.0, 0.0, 0.5])
    torch.testing.assert_close(
        pair.without(factors).scaled_sum(factors).double(), factors.double() @ whole, rtol=1e-5, atol=1e-5
    )
    torch.testing.assert_close(pair.per_example().double(), whole, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("positions", "size", "is_written"), [(40, 100, True), (40, 101, False), (2, 5, True)]
)
def test_gradients_are_written_out_only_where_they_have_room(positions, size, is_written):
    pair = OuterProduct(torch.randn(2, positions, size), torch.randn(2, positions, size))
    pair.squared_norms()
    assert (pair.whole is not None) == is_written
