"""Discrete Gaussian noise on a change whose length is bounded as a whole: priced by the norm, and covering no longer one."""

import math
from fractions import Fraction

import pytest
from scipy.optimize import brentq
from scipy.stats import norm as normal

from privet.errors import BadAmount
from privet.guarantee import DiscreteGaussian, NormedGaussian, Repeated, epsilon_for, event_from_json
from privet.sealed import Sensitivity

STEPS = 2**16  # of fixed point in one vote


def exact_epsilon(sigma: float, rounds: int, delta: float) -> float:
    """Of `rounds` Gaussian releases of sensitivity one (Balle and Wang 2018, Theorem 8, composed as one Gaussian)."""
    mu = math.sqrt(rounds) / sigma

    def excess(epsilon: float) -> float:
        return (
            normal.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * normal.cdf(-mu / 2 - epsilon / mu) - delta
        )

    return float(brentq(excess, 0, 100))


@pytest.mark.parametrize(
    ("sigma", "rounds", "delta", "golden"),
    [
        (5 * math.sqrt(2), 20, 1e-5, 2.594),
        (10 * math.sqrt(2), 7, 1e-5, 0.674),
        (2 * math.sqrt(2), 5, 1e-5, 3.341),
        (2 * math.sqrt(2), 29, 3e-6, 9.921),
        (15.34, 10, 3.56e-8, 1.0045),
        (8.03, 10, 3.56e-8, 2.0024),
        (4.24, 10, 3.56e-8, 4.0053),
        (11.60, 10, 1.32e-5, 1.0000),
        (6.22, 10, 1.32e-5, 1.9967),
        (3.38, 10, 1.32e-5, 3.9922),
        (13.26, 10, 1.18e-6, 0.9992),
        (7.01, 10, 1.18e-6, 1.9972),
        (3.75, 10, 1.18e-6, 3.9992),
        (8.238, 4, 1.67e-6, 1.0000),
        (42.03, 30, 2.43e-6, 0.5000),
        (11.73, 30, 2.43e-6, 2.0000),
    ],
)
def test_published_runs_of_private_evolution_cost_what_is_known(
    sigma: float, rounds: int, delta: float, golden: float
) -> None:
    """Golden values of the exact Gaussian curve, with votes of one person spread over up to eight candidates."""
    event = Repeated(NormedGaussian(sigma * STEPS, STEPS, 8), rounds)
    found = epsilon_for(event, delta).epsilon
    assert found == pytest.approx(golden, abs=0.0005)
    assert found >= exact_epsilon(sigma, rounds, delta) - 1e-9


def test_the_norm_is_priced_however_many_coordinates_change() -> None:
    assert NormedGaussian(10_000, 3_000, 4).concentrated_cost().rho == Fraction(9, 200)
    assert NormedGaussian(10_000, 3_000, 400).concentrated_cost().rho == Fraction(9, 200)


def test_a_sigma_for_which_integer_noise_is_not_as_good_as_continuous_is_refused() -> None:
    with pytest.raises(BadAmount, match="must exceed 2000"):
        NormedGaussian(2_000, 1, 4)
    assert NormedGaussian(2_001, 1, 4).sigma == 2_001


def test_the_noise_covers_no_longer_change_than_it_is_priced_for() -> None:
    event = NormedGaussian(10_000, 5, 4)
    assert event.covers(Sensitivity.within_norm(4, 5))
    assert not event.covers(Sensitivity.within_norm(5, 5))
    assert not event.covers(Sensitivity.per_coordinate(4, 5))
    assert not event.covers(Sensitivity(4, 5, 20, norm=6))
    # Four entries of two each are as long as one of four.
    assert event.covers(Sensitivity(4, 2, 8))
    assert DiscreteGaussian(10, 5, 4).covers(Sensitivity.within_norm(4, 5))


def test_its_record_is_read_back() -> None:
    event = NormedGaussian(10_000, 3, 4)
    assert event_from_json(event.to_json()) == event
