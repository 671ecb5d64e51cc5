"""Golden losses: never below the exact value, at most one percent above it."""

import math
import time
from fractions import Fraction
from statistics import NormalDist

import pytest

from privet.errors import BadAmount, UnsupportedEvent
from privet.guarantee._composition import (
    ACCOUNTANTS,
    PrivacyLoss,
    certify,
    curve,
    delta_for,
    epsilon_for,
)
from privet.guarantee._events import (
    Composed,
    DiscreteGaussian,
    DiscreteLaplace,
    Exponential,
    Gaussian,
    Laplace,
    NonPrivate,
    Opaque,
    PoissonSampled,
    RandomizedResponse,
    Repeated,
    SealedPlan,
    ThresholdedKeys,
    TruncatedPoissonSampled,
    Unsupported,
    ZeroConcentrated,
)
from privet.guarantee._privacy_units import Change
from privet.guarantee._zero_concentrated import delta_of_rho, epsilon_of_rho


def exact_gaussian_epsilon(mu: float, delta: float) -> float:
    """Balle and Wang 2018, Theorem 8, by bisection."""
    normal, low, high = NormalDist(), 0.0, 100.0

    def divergence(epsilon: float) -> float:
        return normal.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * normal.cdf(-mu / 2 - epsilon / mu)

    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if divergence(middle) > delta else (low, middle)
    return low


def exact_two_sided_epsilon(losses: dict[float, float], delta: float) -> float:
    """The epsilon of a distribution of losses that is known exactly."""
    low, high = 0.0, max(losses)
    for _ in range(200):
        middle = (low + high) / 2
        failing = math.fsum(p * -math.expm1(middle - loss) for loss, p in losses.items() if loss > middle)
        low, high = (middle, high) if failing > delta else (low, middle)
    return low


def binary_losses(step: float, count: int, up: float) -> dict[float, float]:
    """The losses of `count` events that each lose +step with probability `up` and -step otherwise."""
    return {
        step * (2 * k - count): math.comb(count, k) * up**k * (1 - up) ** (count - k)
        for k in range(count + 1)
    }


@pytest.mark.parametrize(("delta", "stated"), [(1e-6, 4.9990), (1e-10, 5.0)])
def test_ten_laplace(delta, stated):
    epsilon = epsilon_for(Repeated(Laplace(2), 10), delta).epsilon
    assert stated - 1e-4 <= epsilon <= 5


@pytest.mark.parametrize("delta", [1e-6, 1e-10])
def test_hundred_gaussians_against_the_exact_formula(delta):
    exact = exact_gaussian_epsilon(math.sqrt(100) / 20, delta)
    loss = epsilon_for(Repeated(Gaussian(20), 100), delta)
    assert exact * (1 - 1e-12) <= loss.epsilon <= 1.001 * exact
    assert (loss.accountant, loss.grid) == ("pld", 1e-4)  # exact: the grid as given


def test_hundred_gaussians_is_the_published_value():
    assert epsilon_for(Repeated(Gaussian(20), 100), 1e-6).epsilon == pytest.approx(2.254085, abs=2e-5)


@pytest.mark.parametrize(("delta", "published"), [(1e-6, 4.7746), (1e-10, 6.2952)])
def test_hundred_discrete_laplace_against_the_exact_sum(delta, published):
    # With sensitivity 1 each event loses +0.1 where z <= 0 and -0.1 otherwise.
    exact = exact_two_sided_epsilon(binary_losses(0.1, 100, 1 / (1 + math.exp(-0.1))), delta)
    epsilon = epsilon_for(Repeated(DiscreteLaplace(10), 100), delta).epsilon
    assert exact * (1 - 1e-12) <= epsilon <= 1.001 * exact
    assert epsilon == pytest.approx(published, rel=2e-4)


@pytest.mark.parametrize("accountant", [None, "pure", "pld"])
def test_ten_randomised_responses_cost_ten_times_one(accountant):
    one = math.log(3)
    loss = epsilon_for(Repeated(RandomizedResponse(0.5), 10), 1e-12, accountant=accountant)
    assert 10 * one * (1 - 1e-9) <= loss.epsilon <= 10 * one + 2e-3
    many = epsilon_for(Repeated(RandomizedResponse(0.5), 50), 1e-6, accountant=accountant)
    exact = exact_two_sided_epsilon(binary_losses(one, 50, 0.75), 1e-6)
    assert many.epsilon >= exact


def test_thresholded_keys_golden():
    event = ThresholdedKeys(1, 10)
    assert epsilon_for(event, 3.32e-5, accountant="pure").epsilon == pytest.approx(1.0)
    assert epsilon_for(event, 3.318e-5).epsilon == math.inf
    loose = epsilon_for(event, 1e-3, accountant="pld").epsilon
    assert loose < 1


def test_dp_sgd_agrees_with_the_librarys_own_accountant():
    from dp_accounting import dp_event
    from dp_accounting.pld import PLDAccountant

    plan = Repeated(PoissonSampled(0.01, Gaussian(1)), 1000)
    accountant = PLDAccountant(value_discretization_interval=1e-4)
    accountant.compose(dp_event.PoissonSampledDpEvent(0.01, dp_event.GaussianDpEvent(1.0)), 1000)
    theirs = accountant.get_epsilon(1e-6)
    ours = epsilon_for(plan, 1e-6, accountant="pld").epsilon
    renyi = epsilon_for(plan, 1e-6, accountant="rdp").epsilon
    assert theirs * (1 - 1e-9) <= ours <= theirs * 1.001
    assert ours < renyi < 1.3 * ours


def test_fixed_point_sizes_cost_what_their_ratio_costs():
    large = Composed([DiscreteGaussian(10**9, 10**8, 5), Repeated(DiscreteLaplace(10**9, 10**8), 5)])
    small = Composed([Repeated(Gaussian(10), 5), Repeated(Laplace(10), 5)])
    start = time.process_time()
    epsilon = epsilon_for(large, 1e-6).epsilon
    assert time.process_time() - start < 5
    assert epsilon == pytest.approx(epsilon_for(small, 1e-6).epsilon, rel=1e-6)


def test_the_continuous_bound_of_a_discrete_gaussian_meets_the_enumerated_one():
    below = epsilon_for(DiscreteGaussian(2000, 1000, 3), 1e-6, accountant="pld").epsilon
    above = epsilon_for(DiscreteGaussian(Fraction("2000.001"), 1000, 3), 1e-6, accountant="pld").epsilon
    assert above == pytest.approx(below, rel=1e-4)


def test_the_continuous_bound_of_a_discrete_laplace_meets_the_enumerated_one():
    below = epsilon_for(Repeated(DiscreteLaplace(20_000, 2000), 20), 1e-6, accountant="pld").epsilon
    above = epsilon_for(Repeated(DiscreteLaplace(20_010, 2001), 20), 1e-6, accountant="pld").epsilon
    assert above == pytest.approx(below, rel=1e-4)


def thousand_questions() -> Composed:
    laplace = [Laplace(200 + k) for k in range(400)]
    gauss = [Gaussian(300 + k) for k in range(400)]
    discrete = [DiscreteLaplace(200 + 3 * k) for k in range(100)]
    opaque = [Opaque(Fraction(1, 250 + k)) for k in range(100)]
    return Composed([*laplace, *gauss, *discrete, *opaque])


def test_a_thousand_different_questions_are_composed_in_seconds():
    plan = thousand_questions()
    start = time.process_time()
    loss = epsilon_for(plan, 1e-6)
    spent = time.process_time() - start
    assert loss.accountant == "pld"
    assert spent < 20, "far above the two seconds it takes on an idle machine"
    concentrated = epsilon_for(plan, 1e-6, accountant="zcdp").epsilon
    renyi = epsilon_for(plan, 1e-6, accountant="rdp").epsilon
    assert 0.85 * concentrated < loss.epsilon < min(renyi, concentrated)


def test_small_losses_are_not_blown_up_by_the_grid():
    # Events of half a grid step each: rounding them up to whole steps would double the loss.
    plan = Repeated(Opaque("0.0001"), 10_000)
    coarse = epsilon_for(plan, 1e-6, accountant="pld", grid=2e-4).epsilon
    assert coarse < 1.5 * epsilon_for(plan, 1e-6, accountant="pld", grid=1e-5).epsilon


def test_census_rho_is_tighter_by_distribution_than_by_conversion():
    rho = Fraction(293764, 114921)
    sigma = Fraction(1 / math.sqrt(2 * rho))
    tight = epsilon_for(Gaussian(sigma), 1e-10).epsilon
    assert tight == pytest.approx(16.465, abs=5e-3)
    assert epsilon_for(ZeroConcentrated(rho), 1e-10).epsilon == pytest.approx(17.14355074, abs=1e-7)


def test_delta_for_is_the_inverse():
    plan = Repeated(Gaussian(20), 100)
    assert delta_for(plan, epsilon_for(plan, 1e-6).epsilon) == pytest.approx(1e-6, rel=1e-3)
    assert delta_for(Laplace(2), 0.5) == pytest.approx(0)
    assert 0 < delta_for(Laplace(2), 0.4) < 0.1
    assert delta_for(NonPrivate(), 3) == pytest.approx(1)
    for accountant in ("zcdp", "rdp", "pld"):
        delta = delta_for(plan, 3, accountant=accountant)
        assert epsilon_for(plan, delta * 1.001, accountant=accountant).epsilon <= 3.001


def test_a_sealed_plan_is_priced_by_its_certificate():
    inner = Repeated(Gaussian(20), 100)
    plan = SealedPlan(inner, "1e-6")
    certificate = certify(plan, Change.ADD_OR_REMOVE)
    assert certificate == epsilon_for(inner, 1e-6)
    outer = epsilon_for(Composed([plan, Laplace(1)]), 1e-6, accountant="pure")
    assert outer.epsilon == pytest.approx(certificate.epsilon + 1)
    assert epsilon_for(plan, 1e-7, accountant="pure").epsilon == math.inf
    assert epsilon_for(SealedPlan(plan, "2e-6"), 2e-6).epsilon <= certificate.epsilon * 1.0001


def test_what_is_not_private_and_what_is_not_known():
    for event in (NonPrivate(), Composed([Laplace(1), NonPrivate()]), SealedPlan(NonPrivate(), 1e-6)):
        loss = epsilon_for(event, 1e-6)
        assert (loss.epsilon, loss.accountant) == (math.inf, "none")
    for event in (
        Unsupported("?"),
        Composed([Laplace(1), Unsupported("?")]),
        PoissonSampled(0.1, Unsupported("?")),
    ):
        with pytest.raises(UnsupportedEvent):
            epsilon_for(event, 1e-6)


def test_sampling_is_refused_for_replacement():
    with pytest.raises(UnsupportedEvent):
        epsilon_for(PoissonSampled(0.01, Gaussian(1)), 1e-6, change=Change.REPLACE)
    assert epsilon_for(Gaussian(1), 1e-6, change=Change.REPLACE) == epsilon_for(Gaussian(1), 1e-6)


def test_delta_zero_is_basic_composition_only():
    assert epsilon_for(Composed([Laplace(2), Exponential(1)]), 0) == PrivacyLoss(1.5, Fraction(0), "pure")
    with pytest.raises(UnsupportedEvent):
        epsilon_for(Gaussian(1), 0)


@pytest.mark.parametrize("delta", [-0.1, 1, 2, "nan"])
def test_bad_deltas(delta):
    with pytest.raises(BadAmount):
        epsilon_for(Laplace(1), delta)


def test_unknown_accountant():
    with pytest.raises(BadAmount):
        epsilon_for(Laplace(1), 1e-6, accountant="guess")


def test_a_curve_falls():
    losses = curve(Repeated(Gaussian(20), 100), [1e-9, 1e-7, 1e-5])
    assert [loss.epsilon for loss in losses] == sorted((loss.epsilon for loss in losses), reverse=True)


@pytest.mark.parametrize("accountant", ACCOUNTANTS)
@pytest.mark.parametrize(
    "event",
    [
        Laplace("1e-299"),
        Gaussian("1e-299"),
        DiscreteLaplace("1e-299", 10**400),
        DiscreteGaussian("1e-299", 1000),
        PoissonSampled("0.5", Gaussian("1e-299")),
        PoissonSampled("0.5", DiscreteGaussian("1e-299", 1000)),
        ThresholdedKeys("1e-299", 1000, 10**400),
        ThresholdedKeys(10**9, 1000, 10**9),
        Repeated(SealedPlan(Gaussian(10**6), "1e-3"), 10**6),
        Repeated(PoissonSampled("0.5", ThresholdedKeys(10**9, 2)), 10**6),
    ],
)
def test_the_ends_of_the_number_line_never_look_private(event, accountant):
    try:
        epsilon = epsilon_for(event, 1e-6, accountant=accountant).epsilon
    except UnsupportedEvent:
        return
    assert epsilon > 100


def test_numbers_of_units_beyond_counting():
    never_full = TruncatedPoissonSampled("1e-3", 10**200, 10, Gaussian(3))
    sampled = PoissonSampled("1e-3", Gaussian(3))
    always_full = TruncatedPoissonSampled("1e-3", 10, 10**200, Gaussian(3))
    losses = [
        epsilon_for(event, 1e-6, accountant="pld").epsilon for event in (never_full, sampled, always_full)
    ]
    assert losses[0] == losses[1] < losses[2]
    assert epsilon_for(Gaussian(1, "1e-299"), 1e-6).epsilon < 1e-6


def test_an_infinite_rho_is_an_infinite_loss():
    assert epsilon_of_rho(Fraction(10) ** 400, "1e-6") == math.inf
    assert delta_of_rho(Fraction(10) ** 400, 1) == pytest.approx(1)


def test_a_loss_that_is_just_allowed_leaves_no_delta_and_one_above_all_of_it():
    assert delta_for(Laplace(2), Fraction(1, 2), accountant="pure") == pytest.approx(0, abs=1e-15)
    assert delta_for(Laplace(2), Fraction(49, 100), accountant="pure") == pytest.approx(1)


def test_zcdp_takes_the_deltas_of_events_off_the_one_asked_for():
    event = Composed([Gaussian(2), Opaque("0.1", "4e-7")])
    rho = Fraction(1, 8) + Fraction(1, 200)
    found = epsilon_for(event, "1e-6", accountant="zcdp").epsilon
    assert found == pytest.approx(epsilon_of_rho(rho, "6e-7"), rel=1e-12)
    assert epsilon_for(event, "4e-7", accountant="zcdp").epsilon == math.inf
    assert epsilon_for(event, "3e-7", accountant="zcdp").epsilon == math.inf
