"""Floating-point Laplace noise gives itself away by its lowest bits; noise on a grid does not."""

import numpy as np
import pytest

import privet as pv
from privet.artifact.risk import Verdict
from privet.attack.dp import Neighbours
from privet.attack.dp.floating import float_laplace_score, possible


@pytest.mark.parametrize("scale", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("exact", [0.0, 1.0])
def test_every_output_is_possible_around_its_own_answer_and_many_are_not_around_another(scale, exact) -> None:
    draws = np.random.default_rng(1).laplace(exact, scale, 2_000)
    assert possible(draws, exact, scale).all()
    assert possible(draws, 1 - exact, scale).mean() < 0.9


def found(here, there):
    target = Neighbours(here, there, float_laplace_score(1.0, 0.0, 1.0))
    return pv.attack(target, promise=pv.PureDP(1), draws=3_000)["falsifier"]


def test_the_textbooks_noise_is_disproved() -> None:
    """Scale 1 for a sensitivity of 1 is epsilon 1 on paper; in 64 bits it shows more than 4."""
    draw = np.random.default_rng(2)
    shown = found(lambda n: draw.laplace(1, 1, n), lambda n: draw.laplace(0, 1, n))
    assert shown.verdict is Verdict.CONTRADICTS
    assert shown.success.low > 4


def test_noise_on_a_grid_is_not() -> None:
    draw = np.random.default_rng(3)
    grid = 2.0**20
    shown = found(
        lambda n: 1 + np.rint(draw.laplace(0, 1, n) * grid) / grid,
        lambda n: np.rint(draw.laplace(0, 1, n) * grid) / grid,
    )
    assert shown.verdict is not Verdict.CONTRADICTS
