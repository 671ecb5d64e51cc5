"""Losses by hand, and residuals that are their gradients."""

import math

import numpy as np
import pytest

import privet as pv
from privet.artifact import Features, ModelTarget
from privet.protect.train.tabular import Task
from privet.protect.train.tabular._loss_functions import losses_of, residuals_of

TARGETS = {
    "two": ModelTarget("y", ("no", "yes")),
    "three": ModelTarget("y", ("a", "b", "c")),
    "number": ModelTarget("y", (), 0.0, 4.0),
}


def task(kind, weights=()):
    return Task(Features(()), TARGETS[kind], pv.Row(), 10, weights)


@pytest.mark.parametrize(
    ("kind", "scores", "target", "loss"),
    [
        ("two", [0.0], 1.0, math.log(2)),
        ("two", [math.log(3)], 0.0, math.log(4)),
        ("three", [0.0, 0.0, 0.0], 2.0, math.log(3)),
        ("three", [math.log(2), 0.0, 0.0], 0.0, math.log(2)),
        ("number", [0.5], -0.5, 0.5),
    ],
)
def test_losses(kind, scores, target, loss):
    assert losses_of(np.array([scores]), np.array([target]), task(kind)) == pytest.approx([loss])


@pytest.mark.parametrize("kind", TARGETS)
def test_residuals_are_the_gradient_of_the_loss(kind):
    draw = np.random.default_rng(1)
    own = task(kind)
    scores = draw.normal(size=(6, own.target.outputs))
    targets = draw.integers(0, max(2, len(own.target.classes)), 6).astype(float)
    step = 1e-6
    for at in range(scores.shape[1]):
        up, down = scores.copy(), scores.copy()
        up[:, at] += step
        down[:, at] -= step
        slope = (losses_of(up, targets, own) - losses_of(down, targets, own)) / (2 * step)
        assert residuals_of(scores, targets, own)[:, at] == pytest.approx(slope, abs=1e-6)


def test_scores_of_any_size_give_numbers_and_weights_multiply():
    huge = np.array([[1e9], [-1e9]])
    found = residuals_of(huge, np.array([0.0, 1.0]), task("two"))
    assert found[:, 0] == pytest.approx([1, -1])
    assert np.isfinite(losses_of(huge, np.array([0.0, 1.0]), task("two"))).all()
    weighed = residuals_of(huge, np.array([0.0, 1.0]), task("two", (1.0, 5.0)))
    assert weighed[:, 0] == pytest.approx([1, -5])
