"""The small network: each row's gradient clipped to its bound, in closed form."""

import math

import numpy as np
import pytest

from privet.artifact._feature_encoding import Features, NumberColumn
from privet.artifact._fitted_weights import ModelTarget
from privet.guarantee import ApproxDP, Change
from privet.guarantee._privacy_units import Row
from privet.mechanism import SecretSeed
from privet.protect.train import (
    _multilayer_perceptron as mlp,
)
from privet.protect.train.tabular._learner_registry import Task


def task(unit=None, classes=("no", "yes"), records=2000) -> Task:
    return Task(Features((NumberColumn("x", 0, 1),)), ModelTarget("y", classes), unit or Row(), records)


# --- the network ---------------------------------------------------------------------------------


def test_the_network_clips_each_row_to_its_bound():
    """Against gradients by differences, row by row; and a row with a huge weight moves the sum by the bound."""
    own = task()
    draw = np.random.default_rng(3)
    codes = draw.integers(0, 17, (6, 1)).astype(np.int32)
    targets = draw.integers(0, 2, 6).astype(float)
    inputs = mlp.one_hot(codes, own)
    layers = mlp._begin(inputs.shape[1], 1, SecretSeed.fresh())
    layers[1] = (layers[1][0] * 8, layers[1][1])
    total = [np.zeros_like(part) for layer in layers for part in layer]
    for at in range(6):
        single = _by_differences(layers, inputs[at], targets[at])
        norm_ = math.sqrt(sum(float((part**2).sum()) for part in single))
        total = [held + part * min(1, mlp.CLIP / norm_) for held, part in zip(total, single, strict=True)]
    found = mlp.clipped_sums(layers, inputs, targets, own)
    for mine, expected in zip(found, total, strict=True):
        np.testing.assert_allclose(mine, expected, atol=1e-5)
    alone = mlp.clipped_sums(layers, inputs[:1], targets[:1], own)
    assert math.sqrt(sum(float((part**2).sum()) for part in alone)) <= mlp.CLIP


def _by_differences(layers, row, target):
    def loss():
        (first, b1), (second, b2) = layers
        score = float((np.tanh(row @ first + b1) @ second + b2)[0])
        return np.logaddexp(0, score) - target * score

    found = []
    for layer in layers:
        for part in layer:
            gradient = np.zeros_like(part)
            for at in np.ndindex(part.shape):
                kept = part[at]
                part[at] = kept + 1e-5
                up = loss()
                part[at] = kept - 1e-5
                gradient[at] = (up - loss()) / 2e-5
                part[at] = kept
            found.append(gradient)
    return found


def test_a_row_is_one_indicator_for_each_column_and_of_length_one():
    own = Task(
        Features((NumberColumn("x", 0, 1, 2), NumberColumn("z", 0, 1, 1))),
        ModelTarget("y", ("no", "yes")),
        Row(),
        10,
    )
    found = mlp.one_hot(np.array([[0, 1], [2, 0]], np.int32), own)
    assert found.shape == (2, 3 + 2)
    assert np.flatnonzero(found[0]).tolist() == [0, 4]
    assert np.flatnonzero(found[1]).tolist() == [2, 3]
    assert np.linalg.norm(found, axis=1) == pytest.approx([1, 1])


def test_a_row_that_is_not_finite_adds_nothing_and_a_replaced_one_reaches_twice_as_far():
    rows = mlp.RowGradients(
        np.ones((2, 3)),
        np.ones((2, 4)),
        np.zeros((2, 1)),
        np.array([[np.inf], [0.1]]),
        np.array([[np.nan] * 4, [0.1] * 4]),
    )
    alone = mlp.RowGradients(
        np.ones((1, 3)), np.ones((1, 4)), np.zeros((1, 1)), np.array([[0.1]]), np.full((1, 4), 0.1)
    )
    for whole, single in zip(rows.clipped_sums(), alone.clipped_sums(), strict=True):
        assert whole == pytest.approx(single)
    assert mlp.NetworkLearner().plan(task(), ApproxDP(1, "1e-5")).reach == mlp.CLIP
    assert (
        mlp.NetworkLearner().plan(task(Row(change=Change.REPLACE)), ApproxDP(1, "1e-5")).reach == 2 * mlp.CLIP
    )
