"""Residuals of a head in arrays: gradients of the losses, finite for every finite score."""

import numpy as np
import pytest
import torch

from privet.protect.train.gradients.clipping._linear_head_arrays import (
    logistic_residual,
    scaled_sums,
    softmax_residual,
)


def by_torch(outputs, loss):
    scores = torch.tensor(outputs, dtype=torch.float64, requires_grad=True)
    losses = loss(scores)
    (grad,) = torch.autograd.grad(losses.sum(), scores)
    return losses.detach().numpy(), grad.numpy()


def test_cross_entropy():
    outputs = np.array([[1.0, -2.0, 0.5], [0.0, 3.0, 0.5]])  # classes by examples
    targets = np.array([0, 0, 1])
    losses, grads = by_torch(
        outputs,
        lambda scores: torch.nn.functional.cross_entropy(scores.T, torch.tensor(targets), reduction="none"),
    )
    found = softmax_residual(outputs.copy(), targets, -100)
    np.testing.assert_allclose(found[0], losses, rtol=1e-12)
    np.testing.assert_allclose(found[1], grads, rtol=1e-12)


def test_targets_that_do_not_count_have_neither_loss_nor_gradient():
    losses, residual = softmax_residual(np.array([[1.0, 2.0], [0.0, 0.0]]), np.array([-100, 1]), -100)
    assert losses[0] == 0
    assert residual[:, 0].tolist() == [0, 0]
    assert losses[1] > 0


def test_scores_of_any_size_give_finite_residuals():
    losses, residual = softmax_residual(np.array([[1e4, 0.0], [-1e4, 0.0]]), np.array([0, 1]), -100)
    assert np.isfinite(losses).all()
    assert residual[:, 0].tolist() == pytest.approx([0, 0])
    losses, residual = logistic_residual(np.array([[1e4, -1e4]]), np.array([1, 0]))
    assert losses.tolist() == pytest.approx([0, 0])
    assert residual[0].tolist() == pytest.approx([0, 0])


def test_logistic_loss():
    outputs, targets = np.array([[1.5, -0.5, 0.0]]), np.array([1, 1, 0])
    losses, grads = by_torch(
        outputs,
        lambda scores: torch.nn.functional.binary_cross_entropy_with_logits(
            scores[0], torch.tensor(targets, dtype=torch.float64), reduction="none"
        ),
    )
    found = logistic_residual(outputs, targets)
    np.testing.assert_allclose(found[0], losses, rtol=1e-12)
    np.testing.assert_allclose(found[1], grads, rtol=1e-12)


def test_sums_are_of_scaled_outer_products():
    x, residual, factors = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, -1.0]]), np.array([1.0, 0.5])
    weights, biases = scaled_sums(x, residual, factors)
    assert weights == pytest.approx(np.array([[1 - 1.5, 2 - 2.0]]))
    assert biases == pytest.approx([0.5])


def test_an_example_of_factor_zero_has_no_say_whatever_it_holds():
    x, residual = np.array([[1.0], [np.inf]]), np.array([[2.0, np.nan]])
    weights, biases = scaled_sums(x, residual, np.array([1.0, 0.0]))
    assert weights == pytest.approx(np.array([[2.0]]))
    assert biases == pytest.approx([2])
    assert np.isinf(x[1, 0])  # what was given is not changed
