"""Numbers by a sliding window: Duchi, piecewise, hybrid and square wave are it, with the published variances."""

import math
from fractions import Fraction

import numpy as np
import pytest

from privet.errors import BadAmount
from privet.guarantee.oracles import Duchi, Hybrid, Piecewise, SquareWave, WindowResponse

ONE = Fraction(1)


def at(oracle: WindowResponse, x: float) -> float:
    """The variance at x in [-1, 1], for bounds of width 2."""
    return 4 * oracle.share_variance((x + 1) / 2)


def test_golden_variances() -> None:
    assert at(Duchi.made(ONE, 0, {}), 0) == pytest.approx(4.683, rel=1e-3)
    assert at(Piecewise.made(ONE, 0, {}), 1) == pytest.approx(5.224, rel=1e-3)
    hybrid = Hybrid.made(ONE, 0, {})
    assert [at(hybrid, x) for x in (-1, 0, 1)] == pytest.approx([4.289] * 3, rel=1e-3)


@pytest.mark.parametrize("epsilon", ["1/2", "1", "3", "8"])
@pytest.mark.parametrize("x", [-1.0, -0.3, 0.0, 0.77, 1.0])
def test_the_piecewise_variance_is_the_published_one(epsilon: str, x: float) -> None:
    half = math.exp(float(Fraction(epsilon)) / 2)
    published = x**2 / (half - 1) + (half + 3) / (3 * (half - 1) ** 2)
    assert at(Piecewise.made(Fraction(epsilon), 0, {}), x) == pytest.approx(published, rel=2e-3)


@pytest.mark.parametrize("epsilon", ["1/10", "1", "5"])
def test_duchi_is_the_published_mechanism(epsilon: str) -> None:
    oracle, e = Duchi.made(Fraction(epsilon), 0, {}), math.exp(float(Fraction(epsilon)))
    for x in (-1.0, 0.2, 1.0):
        assert at(oracle, x) == pytest.approx(((e + 1) / (e - 1)) ** 2 - x**2, rel=1e-9)


@pytest.mark.parametrize("epsilon", ["1/2", "1", "4"])
def test_the_square_wave_has_the_published_width(epsilon: str) -> None:
    e = float(Fraction(epsilon))
    b = (e * math.exp(e) - math.exp(e) + 1) / (2 * math.exp(e) * (math.exp(e) - 1 - e))
    assert SquareWave.made(Fraction(epsilon), 0, {}).window / 2**16 == pytest.approx(2 * b, rel=1e-4)


@pytest.mark.parametrize("oracle", [Duchi(ONE, 2, 1), Piecewise(ONE, 9, 3), SquareWave(ONE, 9, 2)])
def test_the_line_and_the_variance_are_those_of_the_matrix(oracle: WindowResponse) -> None:
    matrix = np.array([[float(chance) for chance in row] for row in oracle.matrix()])
    outputs = np.arange(oracle.outputs)
    slope, start = oracle.line()
    assert matrix @ outputs == pytest.approx(slope * np.arange(oracle.size) + start)
    each = (outputs - start) / (slope * oracle.steps)
    for position, row in enumerate(matrix):
        share = position / oracle.steps
        assert row @ each == pytest.approx(share)
        assert row @ (each - share) ** 2 == pytest.approx(oracle.share_variance(share))


def test_the_hybrid_tosses_for_small_epsilon_alone() -> None:
    assert Hybrid.made(Fraction(1, 2), 0, {}).mixed == 2**64
    assert Hybrid.made(ONE, 0, {}).mixed / 2**64 == pytest.approx(math.exp(-0.5))


def test_nothing_but_the_window_can_be_set() -> None:
    with pytest.raises(BadAmount):
        Piecewise.made(ONE, 0, {"steps": 3})
