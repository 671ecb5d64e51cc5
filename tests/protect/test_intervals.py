"""Error bars: the widths are quantiles of the noise, checked against sums over the distributions themselves."""

import math
from fractions import Fraction

import numpy as np
import pytest

from privet.guarantee.events import DiscreteGaussian, DiscreteLaplace
from privet.protect.release.intervals import Term, half_width


def _tail_of_sum(first: tuple[float, float], second: tuple[float, float], width: float) -> float:
    """P[|a X + b Y| > width] by summing the two discrete Laplace distributions on a grid."""
    (a, s), (b, t) = first, second
    x = np.arange(-int(40 * s), int(40 * s) + 1)
    px = np.exp(-np.abs(x) / s)
    px /= px.sum()

    def y_above(limit: np.ndarray) -> np.ndarray:
        """P[Y > limit] for discrete Laplace Y."""
        k = np.floor(limit).astype(int) + 1
        decay = math.exp(-1 / t)
        return np.where(
            k > 0, decay ** np.maximum(k, 0) / (1 + decay), 1 - decay ** np.maximum(1 - k, 0) / (1 + decay)
        )

    above = y_above((width - a * x) / b)
    below = y_above((width + a * x) / b)
    return float((px * (above + below)).sum())


@pytest.mark.parametrize(
    ("a", "s", "b", "t"), [(1.0, 50.0, 1.0, 50.0), (1.0, 80.0, 0.5, 30.0), (0.2, 300.0, 3.0, 40.0)]
)
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_the_width_of_two_laplace_noises_is_their_quantile(a, s, b, t, confidence):
    terms = [Term(a, DiscreteLaplace(Fraction(s))), Term(-b, DiscreteLaplace(Fraction(t)))]
    width = half_width(terms, confidence)
    assert _tail_of_sum((a, s), (b, t), width) == pytest.approx(1 - confidence, rel=0.03)


def test_one_term_is_exact_for_the_discrete_noise():
    event = DiscreteLaplace(Fraction(3))
    width = half_width([Term(1.0, event)], 0.95)
    decay = math.exp(-1 / 3)

    def inside(w: int) -> float:
        return 1 - 2 * decay ** (w + 1) / (1 + decay)

    assert inside(int(width)) >= 0.95 > inside(int(width) - 1)


def test_gaussian_terms_add_in_squares():
    terms = [Term(3.0, DiscreteGaussian(100)), Term(4.0, DiscreteGaussian(100))]
    assert half_width(terms, 0.95) == pytest.approx(1.959964 * 500, rel=1e-4)


def test_a_mixed_sum_is_covered_by_the_union_bound():
    laplace, gaussian = Term(1.0, DiscreteLaplace(40)), Term(1.0, DiscreteGaussian(40))
    mixed = half_width([laplace, gaussian], 0.95)
    assert mixed == pytest.approx(half_width([laplace], 0.975) + half_width([gaussian], 0.975))


def test_terms_without_weight_do_not_count():
    event = DiscreteLaplace(10)
    assert half_width([Term(2.0, event), Term(0.0, DiscreteLaplace(999))], 0.9) == 2 * half_width(
        [Term(1.0, event)], 0.9
    )
    assert half_width([], 0.9) == 0.0
