"""Noise in shares costs what the guaranteed shares together cost, and what is lost of them costs more, as tabulated."""

import math
from fractions import Fraction

import pytest

from privet.errors import BadAmount
from privet.guarantee import DiscreteGaussian, DistributedGaussian, Repeated, epsilon_for, event_from_json
from privet.guarantee._renyi import renyi_epsilon
from privet.guarantee.mechanisms._distributed_gaussian import shares_apart
from privet.sealed import Sensitivity

STEPS = 10_000


def renyi(rho: float, delta: float) -> float:
    """Canonne, Kamath and Steinke 2020, Proposition 12, over the orders by which the golden values were found."""
    orders = [*range(2, 129), 256]
    return min(a * rho + math.log((a - 1) / a) - (math.log(delta) + math.log(a)) / (a - 1) for a in orders)


def shares_of(
    sigma: float, shares: int, *, arrived: int | None = None, squares: int = 1
) -> DistributedGaussian:
    """Shares of noise that has this sigma when `shares` of them arrive."""
    return DistributedGaussian(Fraction(sigma / shares**0.5 * STEPS), arrived or shares, squares, 1, STEPS)


@pytest.mark.parametrize(
    ("sigma", "shares", "arrived", "epsilon"),
    [
        (4, 3, 3, 1.143169),
        (4, 5, 5, 1.143169),
        (4, 5, 4, 1.288622),
        (4, 5, 3, 1.504990),
        (10, 5, 5, 0.429952),
    ],
)
def test_a_count_costs_what_was_found_outside(
    sigma: float, shares: int, arrived: int, epsilon: float
) -> None:
    """Golden values by scipy and dp-accounting at delta 1e-6; of a count one person changes one entry by one."""
    event = shares_of(sigma, shares, arrived=arrived)
    assert renyi(float(event.concentrated_cost().rho), 1e-6) == pytest.approx(epsilon, abs=2e-6)


@pytest.mark.parametrize(
    ("z", "times", "epsilon"), [(1, 10, 17.856587), (2, 10, 7.511276), (5, 50, 6.572970)]
)
def test_steps_of_training_cost_what_analytic_gaussian_noise_costs(
    z: float, times: int, epsilon: float
) -> None:
    event = Repeated(shares_of(z, 4), times)
    found = epsilon_for(event, "1e-5").epsilon
    assert epsilon <= found < epsilon * 1.002


@pytest.mark.parametrize(
    ("colluders", "by_renyi", "tight"),
    [(0, 0.9998, 0.9148), (1, 1.1697, 1.0713), (2, 1.4597, 1.3394), (3, 2.1384, 1.9677)],
)
def test_those_who_conspire_know_their_own_shares(colluders: int, by_renyi: float, tight: float) -> None:
    """Four sites, z = 25.59, 40 steps, delta 1e-5: the shares of the others are what is left."""
    event = Repeated(shares_of(25.59, 4, arrived=4 - colluders), 40)
    rho = 40 * float(event.event.concentrated_cost().rho)
    assert renyi(rho, 1e-5) == pytest.approx(by_renyi, rel=1e-3)
    assert epsilon_for(event, "1e-5").epsilon == pytest.approx(tight, rel=1e-3)
    assert renyi_epsilon(event, Fraction(1, 10**5)) <= by_renyi * 1.001


def test_how_far_sums_are_from_one_discrete_gaussian() -> None:
    """3.05 at sigma 1 in all of five sites, as tabulated, and nothing where a share has a sigma of two."""
    assert shares_apart(1 / 5**0.5, 5) == pytest.approx(3.05, abs=0.005)
    assert shares_apart(2, 20) < 1e-15
    assert shares_apart(2, 1) < 1e-300


def test_the_distance_is_that_of_the_true_distributions() -> None:
    """Convolved exactly at a sigma so small that it shows: the logarithm of the ratio stays within tau / 2."""
    sigma, shares, reach = 0.7, 4, 12
    weights = {z: math.exp(-z * z / 2 / sigma**2) for z in range(-reach, reach + 1)}
    total = math.fsum(weights.values())
    one = {z: weight / total for z, weight in weights.items()}
    summed = dict(one)
    for _ in range(shares - 1):
        added: dict[int, float] = {}
        for left, p in summed.items():
            for right, q in one.items():
                added[left + right] = added.get(left + right, 0.0) + p * q
        summed = added
    whole = {z: math.exp(-z * z / 2 / (shares * sigma**2)) for z in range(-40, 41)}
    norm = math.fsum(whole.values())
    farthest = max(abs(math.log(summed[z] / (whole[z] / norm))) for z in range(-8, 9))
    assert 0.001 < farthest < shares_apart(sigma, shares) / 2


def test_it_costs_no_less_than_the_same_noise_of_one_hand() -> None:
    alone = DiscreteGaussian(20_000, STEPS)
    for shares in (1, 4, 100):
        event = shares_of(2, shares)
        assert event.concentrated_cost().rho >= alone.concentrated_cost().rho * (1 - Fraction(1, 10**12))
        assert epsilon_for(event, "1e-5").epsilon >= epsilon_for(alone, "1e-5").epsilon * (1 - 1e-9)


def test_it_covers_what_is_priced_and_no_more() -> None:
    event = DistributedGaussian(3_000, 2, 9, 4)
    assert event.covers(Sensitivity.within_norm(4, 3))
    assert event.covers(Sensitivity.per_coordinate(2, 2))
    assert not event.covers(Sensitivity.within_norm(5, 3))
    assert not event.covers(Sensitivity.within_norm(4, 4))


def test_noise_so_small_that_shares_show_is_refused() -> None:
    for sigma, shares in ((1_000, 4), (2_000, 1), (2, 1_000), (3_000, 1_001)):
        with pytest.raises(BadAmount):
            DistributedGaussian(sigma, shares)
    assert DistributedGaussian(1_001, 4).variance > 2_000**2


def test_its_error_is_that_of_the_guaranteed_shares() -> None:
    event = shares_of(4, 4)
    assert event.spread().standard_deviation == pytest.approx(4, rel=1e-6)
    assert event.half_width(0.95) == pytest.approx(4 * 1.959964, rel=1e-3)


def test_it_is_read_back_as_it_was_written() -> None:
    event = DistributedGaussian("1234.5", 4, 3, 3, 7)
    assert event_from_json(event.to_json()) == event
