import math
from fractions import Fraction

import pytest

from privet.errors import NoSolution, UnsoundAlgebra, UnsupportedEvent
from privet.guarantee._basic_composition import pure_cost
from privet.guarantee._calibration import (
    calibrate,
    epsilon_for_error,
    gaussian_sigma,
    laplace_scale,
    rho_for_error,
    solve,
    threshold_for,
)
from privet.guarantee._composition import epsilon_for
from privet.guarantee._events import (
    Composed,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    NonPrivate,
    Opaque,
    PoissonSampled,
    RandomizedResponse,
    Repeated,
    ThresholdedKeys,
    Unsupported,
    ZeroConcentrated,
)
from privet.guarantee._expected_error import half_width
from privet.guarantee._promise_registry import ApproxDP, KAnonymity, PureDP, ZeroConcentratedDP
from privet.guarantee._zero_concentrated import zcdp_cost


def is_float(value: Fraction) -> bool:
    return Fraction(float(value)) == value


def test_laplace_scale_is_the_least_float():
    for epsilon, total in [(Fraction(1, 3), 7), (Fraction(1, 10), 10**12), (Fraction(5), 1)]:
        scale = laplace_scale(epsilon, total)
        assert is_float(scale)
        assert pure_cost(DiscreteLaplace(scale, total)).epsilon <= epsilon
        assert total / Fraction(math.nextafter(float(scale), 0)) > epsilon


def test_gaussian_sigma_is_the_least_float():
    for rho, largest, coordinates in [
        (Fraction(1, 7), 3, 5),
        (Fraction(1, 10**6), 10**8, 20),
        (Fraction(1, 2), 1, 1),
    ]:
        sigma = gaussian_sigma(rho, largest, coordinates)
        assert is_float(sigma)
        assert zcdp_cost(DiscreteGaussian(sigma, largest, coordinates)).rho <= rho
        less = Fraction(math.nextafter(float(sigma), 0))
        assert coordinates * largest**2 / (2 * less**2) > rho


def test_threshold_for_is_the_smallest():
    for scale, keys, delta in [(1, 1, "1e-6"), (Fraction(5, 2), 4, "1e-9"), (100, 20, "1e-12")]:
        threshold = threshold_for(scale, keys, delta)
        assert pure_cost(ThresholdedKeys(scale, threshold, keys)).delta <= Fraction(delta)
        assert pure_cost(ThresholdedKeys(scale, threshold - 1, keys)).delta > Fraction(delta)
    assert threshold_for("0.01", 1, "0.1") == 2
    with pytest.raises(NoSolution):
        threshold_for(1, 1, "1e-31")


def test_calibrate_pure():
    scale = calibrate(lambda x: Repeated(Laplace(x), 4), PureDP("0.3"))
    assert is_float(scale)
    assert Fraction("13.3333333333") < scale < Fraction("13.3333334")
    assert pure_cost(Repeated(Laplace(scale), 4)).epsilon <= Fraction("0.3")


def test_calibrate_concentrated():
    sigma = calibrate(lambda x: Gaussian(x, 3), ZeroConcentratedDP("0.1"))
    assert float(sigma) == pytest.approx(3 / math.sqrt(0.2), rel=1e-8)
    assert zcdp_cost(Gaussian(sigma, 3)).rho <= Fraction(1, 10)


def test_calibrate_approximate_is_tight_and_safe():
    def plan(sigma: Fraction) -> Repeated:
        return Repeated(PoissonSampled("0.01", Gaussian(sigma)), 500)

    sigma = calibrate(plan, ApproxDP(1, "1e-6"))
    assert is_float(sigma)
    assert epsilon_for(plan(sigma), "1e-6").epsilon <= 1
    assert epsilon_for(plan(sigma * Fraction(999, 1000)), "1e-6").epsilon > 1


def test_calibrate_downwards():
    epsilon = calibrate(lambda x: Repeated(Opaque(x), 10), PureDP(1), larger_is_safer=False)
    assert Fraction("0.0999999") < epsilon <= Fraction(1, 10)


def test_calibrate_over_a_named_accountant_costs_more_noise():
    def plan(sigma: Fraction) -> Repeated:
        return Repeated(Gaussian(sigma), 10)

    assert calibrate(plan, ApproxDP(1, "1e-6"), accountant="zcdp") > calibrate(plan, ApproxDP(1, "1e-6"))


def test_calibrate_refuses_what_cannot_be():
    with pytest.raises(NoSolution):
        calibrate(lambda x: Composed([Laplace(x), Opaque(2)]), PureDP(1))
    with pytest.raises(NoSolution):
        calibrate(lambda _: Opaque("0.1"), PureDP(1))
    with pytest.raises(NoSolution):
        calibrate(lambda x: Composed([Laplace(x), NonPrivate()]), ApproxDP(1, "1e-6"))
    with pytest.raises(UnsupportedEvent):
        calibrate(lambda _: Unsupported("?"), ApproxDP(1, "1e-6"))
    with pytest.raises(UnsoundAlgebra):
        calibrate(Laplace, KAnonymity(5))


FAMILIES = {
    "scale": (Laplace, 0, "0.5", 2.0),
    "scale, composed": (lambda x: Composed([Laplace(x), Opaque("0.1")]), 0, "0.5", 2.5),
    "sigma": (Gaussian, "1e-6", 1, None),
    "q": (lambda x: PoissonSampled(x, Laplace(1)), 0, "0.5", math.expm1(0.5) / math.expm1(1)),
    "p": (RandomizedResponse, 0, math.log(3), 0.5),
    "rho": (ZeroConcentrated, "1e-6", 1, None),
    "epsilon": (lambda x: Repeated(Opaque(x), 4), 0, 2, 0.5),
    "sensitivity": (lambda x: Laplace(10, x), 0, "0.5", 5.0),
    "a probability near one": (RandomizedResponse, 0, "0.05", 2 / (math.exp(0.05) + 1)),
}


@pytest.mark.parametrize("unknown", FAMILIES)
def test_solve_finds_the_unknown_and_its_direction(unknown):
    family, delta, epsilon, expected = FAMILIES[unknown]
    value = solve(family, delta, epsilon)
    found = epsilon_for(family(value), delta).epsilon
    assert 0.9999 * float(epsilon) <= found <= float(epsilon)
    if expected is not None:
        assert float(value) == pytest.approx(expected, rel=2e-6)
    increasing = unknown in ("q", "rho", "epsilon", "sensitivity")
    assert solve(family, delta, epsilon, increasing=increasing) == value


def test_solve_for_delta_of_an_event_finds_the_domain_edge():
    value = solve(lambda x: Opaque("0.1", x), "1e-6", 1, increasing=True)
    assert Fraction("9.99e-7") < value <= Fraction(1, 10**6)


@pytest.mark.parametrize("accountant", [None, "pure", "pld"])
def test_solve_for_the_largest_count(accountant):
    def family(n: Fraction) -> Repeated:
        return Repeated(Laplace(10), int(n))

    count = solve(family, "1e-6", 2, integer=True, accountant=accountant)
    assert epsilon_for(family(count), "1e-6", accountant=accountant).epsilon <= 2
    assert epsilon_for(family(count + 1), "1e-6", accountant=accountant).epsilon > 2
    assert count == (20 if accountant == "pure" else 24)


def test_solve_for_the_smallest_whole_number():
    value = solve(lambda x: DiscreteLaplace(int(x)), 0, "0.3", integer=True)
    assert value == 4


def test_solve_says_when_there_is_no_answer():
    with pytest.raises(NoSolution):
        solve(lambda n: Repeated(Laplace(1), int(n)), 0, "0.5", integer=True)
    with pytest.raises(NoSolution):
        solve(lambda _: Laplace(1), 0, 2)
    with pytest.raises(NoSolution):
        solve(lambda x: PoissonSampled(2 + x, Laplace(1)), 0, 2)


@pytest.mark.parametrize(("width", "confidence", "total"), [(10, 0.95, 1), (1000, 0.99, 40), (0.5, 0.9, 1)])
def test_epsilon_for_error(width, confidence, total):
    epsilon = epsilon_for_error(width, confidence, total)
    scale = laplace_scale(epsilon, total)
    assert half_width(DiscreteLaplace(scale), confidence) <= width
    assert half_width(DiscreteLaplace(scale * Fraction(101, 100)), confidence) > width


@pytest.mark.parametrize(
    ("width", "confidence", "largest"), [(10, 0.95, 1), (10**6, 0.99, 40), (0.5, 0.9, 1)]
)
def test_rho_for_error(width, confidence, largest):
    rho = rho_for_error(width, confidence, largest, 2)
    sigma = gaussian_sigma(rho, largest, 2)
    assert half_width(DiscreteGaussian(sigma), confidence) <= width
    assert half_width(DiscreteGaussian(sigma * Fraction(101, 100)), confidence) > width


def test_closed_formulas_are_searched_to_nine_digits():
    sigma = calibrate(Gaussian, ApproxDP(1, "1e-6"), accountant="zcdp")
    target = ApproxDP(1, "1e-6")
    assert epsilon_for(Gaussian(sigma), target.delta, accountant="zcdp").epsilon <= 1
    less = sigma * (1 - Fraction(1, 10**8))
    assert epsilon_for(Gaussian(less), target.delta, accountant="zcdp").epsilon > 1
