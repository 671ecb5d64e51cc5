"""Floating-point noise gives itself away by its lowest bits; noise on a grid does not."""

import numpy as np
import pytest

import privet as pv
from privet.artifact._risk_estimate import Verdict
from privet.attacks.dp_audit import Neighbours
from privet.attacks.dp_audit._floating_point_noise import (
    float_laplace_score,
    guessed_laplace,
    possible,
    uses_last_bit,
)


@pytest.mark.parametrize("scale", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("exact", [0.0, 1.0])
def test_every_output_is_possible_around_its_own_answer_and_many_are_not_around_another(scale, exact) -> None:
    draws = np.random.default_rng(1).laplace(exact, scale, 2_000)
    assert possible(draws, exact, scale).all()
    assert possible(draws, 1 - exact, scale).mean() < 0.9


def found(here, there, score=None):
    return pv.attack(Neighbours(here, there, score), promise=pv.PureDP(1), draws=3_000, plants=0)["falsifier"]


@pytest.mark.parametrize("score", [float_laplace_score(1.0, 0.0, 1.0), None])
def test_the_textbooks_noise_is_disproved(score) -> None:
    """Scale 1 for a sensitivity of 1 is epsilon 1 on paper; in 64 bits it shows more than 4, with or without a score."""
    draw = np.random.default_rng(2)
    shown = found(lambda n: draw.laplace(1, 1, n), lambda n: draw.laplace(0, 1, n), score)
    assert shown.verdict is Verdict.CONTRADICTS
    assert shown.success.low > 4


@pytest.mark.parametrize(
    ("answer", "scale"), [(0.0, 2.0), (10.0, 1.0), (0.3, 0.8), (-7.25, 1 / 0.7), (41.0, 4.0)]
)
def test_answers_and_scales_are_guessed(answer, scale) -> None:
    draw = np.random.default_rng(4)
    here, there = draw.laplace(answer + 1, scale, 3_000), draw.laplace(answer, scale, 3_000)
    score = guessed_laplace(here, there)
    assert score is not None
    assert score(here).min() >= 0
    assert score(there).max() <= 0
    assert (score(here) > 0).mean() > 0.003


def test_gaussian_noise_in_bits_is_disproved_too() -> None:
    draw = np.random.default_rng(5)
    sigma = 3.730632  # epsilon 1 at 1e-5
    target = Neighbours(lambda n: draw.normal(1, sigma, n), lambda n: draw.normal(0, sigma, n))
    shown = pv.attack(target, promise=pv.ApproxDP(1, "0.00001"), draws=20_000, plants=0)["falsifier"]
    assert shown.verdict is Verdict.CONTRADICTS
    assert "lowest bits" in shown.notes[0]


@pytest.mark.parametrize("score", [float_laplace_score(1.0, 0.0, 1.0), None])
def test_noise_on_a_grid_is_not(score) -> None:
    draw = np.random.default_rng(3)
    grid = 2.0**20
    shown = found(
        lambda n: 1 + np.rint(draw.laplace(0, 1, n) * grid) / grid,
        lambda n: np.rint(draw.laplace(0, 1, n) * grid) / grid,
        score,
    )
    assert shown.verdict is not Verdict.CONTRADICTS
    assert guessed_laplace(*(np.rint(draw.laplace(at, 1, 2_000) * grid) / grid for at in (1, 0))) is None


def test_last_bits() -> None:
    assert uses_last_bit(np.array([0.1, 1 / 3, 0.5, 3.0, 0.0, np.nan])).tolist() == [
        False,
        True,
        False,
        False,
        False,
        False,
    ]
    whole = np.random.default_rng(1).integers(2**52, 2**53, 1_000)
    assert uses_last_bit(whole * 2.0**-52).tolist() == (whole % 2 == 1).tolist()
