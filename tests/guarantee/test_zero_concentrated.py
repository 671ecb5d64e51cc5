import math
from fractions import Fraction

import pytest

from privet.errors import BadAmount, NoSolution, UnsupportedEvent
from privet.guarantee._events import (
    Composed,
    DiscreteGaussian,
    DiscreteLaplace,
    Exponential,
    Gaussian,
    Laplace,
    NonPrivate,
    Opaque,
    PermuteAndFlip,
    PoissonSampled,
    Repeated,
    SealedPlan,
    TruncatedPoissonSampled,
    Unsupported,
    ZeroConcentrated,
)
from privet.guarantee._zero_concentrated import (
    ConcentratedCost,
    delta_of_rho,
    epsilon_of_rho,
    rho_within,
    zcdp_cost,
)
from privet.guarantee.exact_amounts import LOSS_UNIT

CENSUS = Fraction(293764, 114921)


@pytest.mark.parametrize(
    ("rho", "delta", "published", "digits"),
    [(Fraction(1, 10), 1e-6, 2.141939, 1e-6), (CENSUS, 1e-10, 17.14355074, 1e-8)],
)
def test_published_conversions(rho, delta, published, digits):
    assert epsilon_of_rho(rho, delta) == pytest.approx(published, abs=digits)


def by_brute_force(rho, delta):
    orders = (1 + math.exp(x / 2000) for x in range(-10_000, 30_000))
    return min(a * rho + math.log(1 / (a * delta)) / (a - 1) + math.log1p(-1 / a) for a in orders)


@pytest.mark.parametrize("rho", [1e-8, 1e-3, 0.1, 2, 50])
@pytest.mark.parametrize("delta", [1e-3, 1e-9, 1e-30])
def test_the_order_chosen_is_the_best_one(rho, delta):
    brute = by_brute_force(rho, delta)
    assert epsilon_of_rho(rho, delta) <= max(0, brute) + 1e-9 * (1 + abs(brute))
    assert epsilon_of_rho(rho, delta) >= brute * (1 - 1e-6)


@pytest.mark.parametrize("rho", [1e-3, 0.1, 2, 50])
@pytest.mark.parametrize("delta", [1e-3, 1e-9])
def test_delta_is_the_inverse_of_epsilon(rho, delta):
    assert delta_of_rho(rho, epsilon_of_rho(rho, delta)) == pytest.approx(delta, rel=1e-5)


@pytest.mark.parametrize("epsilon", [Fraction(1, 100), 1, 17, 200])
@pytest.mark.parametrize("delta", [0.4, 1e-6, 1e-12])
def test_rho_within_is_the_last_unit_that_fits(epsilon, delta):
    rho = rho_within(epsilon, delta)
    assert epsilon_of_rho(rho, delta) <= epsilon
    assert epsilon_of_rho(rho * (1 + Fraction(1, 10**6)) + LOSS_UNIT, delta) > epsilon


def test_rho_within_refuses_the_impossible():
    with pytest.raises(NoSolution):
        rho_within("1e-9", "1e-20")
    with pytest.raises(BadAmount):
        rho_within(0, 1e-6)
    with pytest.raises(BadAmount):
        epsilon_of_rho(1, 0)


@pytest.mark.parametrize(
    ("event", "rho", "delta"),
    [
        (Laplace(2), Fraction(1, 8), 0),
        (DiscreteLaplace(10), Fraction(1, 200), 0),
        (Gaussian(2, 3), Fraction(9, 8), 0),
        (DiscreteGaussian(2, 3, 5), Fraction(45, 8), 0),
        (Exponential(1), Fraction(1, 8), 0),
        (PermuteAndFlip(1), Fraction(1, 2), 0),
        (Opaque(1, "1e-6"), Fraction(1, 2), Fraction(1, 10**6)),
        (ZeroConcentrated("0.1"), Fraction(1, 10), 0),
        (Repeated(Composed([Gaussian(1), Opaque(1, "1e-6")]), 4), 4, Fraction(4, 10**6)),
        (PoissonSampled("0.5", Gaussian(1)), Fraction(1, 2), 0),
        (TruncatedPoissonSampled("0.5", 5, 10, Gaussian(1)), 2, 0),
    ],
)
def test_costs_are_exact(event, rho, delta):
    assert zcdp_cost(event) == ConcentratedCost(Fraction(rho), Fraction(delta))


def test_sampling_takes_the_cheaper_bound():
    assert zcdp_cost(PoissonSampled("0.01", Laplace(1))).rho < Fraction(1, 1000)


def test_a_sealed_plan_keeps_its_own_concentration_when_that_is_cheaper():
    inner = Repeated(Gaussian(20), 100)
    assert zcdp_cost(SealedPlan(inner, "1e-6")) == zcdp_cost(inner)


def test_a_sealed_plan_of_sampled_noise_is_priced_by_its_certificate():
    plan = SealedPlan(Repeated(PoissonSampled("0.01", Gaussian(1)), 1000), "1e-6")
    cost = zcdp_cost(plan)
    assert cost.delta == Fraction(1, 10**6)
    assert float(cost.rho) == pytest.approx(2.1245**2 / 2, rel=1e-2)


@pytest.mark.parametrize("event", [NonPrivate(), Unsupported("?"), Composed([Gaussian(1), NonPrivate()])])
def test_refusals(event):
    with pytest.raises(UnsupportedEvent):
        zcdp_cost(event)


def test_sampled_pure_noise_costs_half_the_square_of_its_amplified_epsilon():
    amplified = math.log1p(0.01 * math.expm1(1))
    cost = zcdp_cost(PoissonSampled("0.01", Laplace(1)))
    assert float(cost.rho) == pytest.approx(amplified**2 / 2, rel=1e-9)
    assert zcdp_cost(PoissonSampled("0.01", Gaussian(3))).rho == Fraction(1, 18)
    dear = zcdp_cost(PoissonSampled("0.999", Exponential(1)))
    assert dear.rho == Fraction(1, 8)  # bounded range, which amplification by hardly anything does not reach


@pytest.mark.parametrize("inner", [Laplace(1), Composed([Gaussian(1), Laplace(1)]), DiscreteGaussian(3)])
def test_a_truncated_sample_is_of_gaussian_noise(inner):
    with pytest.raises(UnsupportedEvent, match="must be Gaussian noise"):
        zcdp_cost(TruncatedPoissonSampled("0.5", 5, 10, inner))
