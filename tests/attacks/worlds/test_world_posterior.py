"""Bayes' rule over worlds, against the formula written out and against numbers from outside."""

from __future__ import annotations

import numpy as np
import pytest
from tests.attacks.worlds.noisy_worlds import OUTLIER, NoisyWorlds

from privet.attacks.worlds._world_posterior import WorldNoise, level, most_exposed, updated


def test_the_mean_of_ten_numbers_gets_the_noise_of_the_literature() -> None:
    from itertools import combinations

    means = np.array([np.mean(one) for one in combinations(range(1, 11), 5)])[:, None]
    noise = WorldNoise.of(means, level(252), 1 / 16, "diagonal")
    spread = float(means.var())
    assert spread == pytest.approx(0.9166667, abs=1e-7)
    # The exact optimum for one number; the literature's linearised 7.3333333 is a little more.
    assert float(noise.variances[0]) == pytest.approx(spread / np.expm1(1 / 8), rel=1e-6)
    assert float(noise.variances[0]) < 7.3333333


def test_the_posterior_is_bayes_rule() -> None:
    outputs = np.array([[0.0], [1.0], [3.0]])
    weights = np.array([0.5, 0.3, 0.2])
    noise = WorldNoise(None, np.array([2.0]))
    found = updated(weights, noise.log_likelihoods(outputs, np.array([[1.5]])))[0]
    by_hand = weights * np.exp(-np.square(1.5 - outputs[:, 0]) / 4)
    assert found == pytest.approx(by_hand / by_hand.sum(), rel=1e-12)


def test_worlds_of_no_weight_stay_without_any() -> None:
    found = updated([1.0, 0.0], np.array([[-1.0, 50.0]]))
    assert found[0] == pytest.approx([1, 0], abs=1e-12)


@pytest.mark.parametrize("basis", ["diagonal", "eigen", "balanced", "given"])
def test_likelihoods_do_not_depend_on_how_the_basis_is_turned_back(basis) -> None:
    draw = np.random.default_rng(2)
    outputs = draw.normal(size=(32, 3)) * [1, 5, 20]
    given = np.linalg.qr(draw.normal(size=(3, 3)))[0] if basis == "given" else basis
    noise = WorldNoise.of(outputs, level(32), 0.25, given)
    logs = noise.log_likelihoods(outputs, outputs)
    assert logs.shape == (32, 32)
    assert (logs.argmax(axis=1) == np.arange(32)).all()
    assert np.abs(np.diag(logs)).max() < 1e-12


def test_who_stands_out_is_found() -> None:
    game = NoisyWorlds("1/16")
    noise = WorldNoise.of(game.outputs, level(64), 1 / 16, "diagonal")
    assert most_exposed(game.outputs, game.inside, noise) == OUTLIER
