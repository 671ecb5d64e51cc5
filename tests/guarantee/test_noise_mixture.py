"""Error bars of sums of noises, against simulation and closed forms."""

import math

import numpy as np
import pytest

from privet.guarantee._events import DiscreteGaussian, DiscreteLaplace, Opaque
from privet.guarantee._noise_mixture import Term, mixture_half_width, strays_beyond

DRAWS = 400_000
# The share inside the interval has a standard error of 0.00035: 0.002 is 5.7 of them (false alarms below 2e-8).
LEEWAY = 0.002


def laplace(scale: int) -> DiscreteLaplace:
    return DiscreteLaplace(scale)


@pytest.mark.parametrize(
    "terms",
    [
        [(1, 20), (1, 20)],
        [(1, 20), (1, 3)],
        [(1, 20), (-1, 20), (1, 20)],
        [(0.5, 40), (1, 7), (2, 3), (1, 1)],
        [(1, 10)] * 30,
        [(1, 100), (1, 5), (1, 5)],
    ],
)
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_sums_of_laplace_noise_cover_what_they_say(terms: list[tuple[float, int]], confidence: float) -> None:
    draw = np.random.default_rng(7)
    total = sum(weight * draw.laplace(0, scale, DRAWS) for weight, scale in terms)
    width = mixture_half_width([Term(weight, laplace(scale)) for weight, scale in terms], confidence)
    assert np.mean(np.abs(total) <= width) == pytest.approx(confidence, abs=LEEWAY)


@pytest.mark.parametrize("sigma", [1, 10, 100])
def test_mixtures_cover_what_they_say(sigma: int) -> None:
    draw = np.random.default_rng(8)
    total = draw.laplace(0, 10, DRAWS) + draw.normal(0, sigma, DRAWS)
    width = mixture_half_width([Term(1, laplace(10)), Term(1, DiscreteGaussian(sigma))], 0.95)
    assert np.mean(np.abs(total) <= width) == pytest.approx(0.95, abs=LEEWAY)


def test_a_gaussian_sum_is_gaussian() -> None:
    width = mixture_half_width([Term(3, DiscreteGaussian(10)), Term(4, DiscreteGaussian(10))], 0.95)
    assert width == pytest.approx(50 * 1.959964, rel=1e-6)


def test_terms_far_out_of_proportion_fall_back_to_a_bound_that_covers() -> None:
    terms = [Term(1, laplace(10_000_000)), Term(1, laplace(1)), Term(1, laplace(1))]
    alone = mixture_half_width(terms[:1], 0.95)
    assert alone <= mixture_half_width(terms, 0.95) <= 1.6 * alone


def test_nothing_strays_not_at_all_and_other_noise_is_refused() -> None:
    assert mixture_half_width([], 0.95) == pytest.approx(0)
    assert mixture_half_width([Term(0, laplace(5))], 0.95) == pytest.approx(0)
    with pytest.raises(Exception, match="neither Laplace nor Gaussian"):
        mixture_half_width([Term(1, Opaque(1)), Term(1, laplace(5))], 0.95)


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
    terms = [Term(a, DiscreteLaplace(int(s))), Term(-b, DiscreteLaplace(int(t)))]
    width = mixture_half_width(terms, confidence)
    assert _tail_of_sum((a, s), (b, t), width) == pytest.approx(1 - confidence, rel=0.03)


def test_one_term_is_exact_for_the_discrete_noise():
    event = DiscreteLaplace(3)
    width = mixture_half_width([Term(1.0, event)], 0.95)
    decay = math.exp(-1 / 3)

    def inside(w: int) -> float:
        return 1 - 2 * decay ** (w + 1) / (1 + decay)

    assert inside(int(width)) >= 0.95 > inside(int(width) - 1)


@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_a_distance_strays_where_it_is_beyond_the_width(confidence) -> None:
    for terms in (
        [Term(1, DiscreteLaplace(3)), Term(1, DiscreteLaplace(5)), Term(2, DiscreteLaplace(4))],
        [Term(1, DiscreteLaplace(3)), Term(1, DiscreteGaussian(5))],
        [Term(1, DiscreteLaplace(3)), Term(1, DiscreteLaplace(5))],
        [Term(1, DiscreteGaussian(5)), Term(3, DiscreteGaussian(5))],
        [Term(1, DiscreteLaplace(3)), Term(0, DiscreteLaplace(5))],
    ):
        width = mixture_half_width(terms, confidence)
        assert strays_beyond(terms, 1.01 * width, confidence)
        assert not strays_beyond(terms, 0.99 * width, confidence)
        assert not strays_beyond(terms, 0.0, confidence)
