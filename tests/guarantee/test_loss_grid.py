"""The pieces of privacy-loss distributions: each against its closed form, and never below it."""

import math
from fractions import Fraction
from statistics import NormalDist

import numpy
import pytest
from dp_accounting.pld import privacy_loss_distribution

from privet.guarantee import _loss_grid
from privet.guarantee._loss_grid import (
    Priced,
    Slack,
    TooLargeForGrid,
    gaussian_distribution,
    laplace_distribution,
    mean_loss,
    replaced_gaussian_distribution,
    require_room,
    require_room_for_sum,
    sampled_mean_loss,
    worst_distribution,
)

GRID = 1e-3


def gaussian_delta(mu, epsilon):
    """Balle and Wang 2018, Theorem 8."""
    normal = NormalDist()
    return normal.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * normal.cdf(-mu / 2 - epsilon / mu)


@pytest.mark.parametrize("squares", [Fraction(1, 4), Fraction(1), Fraction(4)])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.5])
def test_gaussian_noise_has_its_closed_form(squares, epsilon):
    found = gaussian_distribution(squares, GRID).get_delta_for_epsilon(epsilon)
    exact = gaussian_delta(math.sqrt(squares), epsilon)
    assert exact * (1 - 1e-12) <= found <= exact * 1.001


@pytest.mark.parametrize("epsilon", [0.05, 0.3])
def test_a_sample_mixes_the_noise_with_nothing(epsilon):
    # Against adding a unit, the larger of the two: (1 - q) P + q Q over P has its divergence at a shifted epsilon.
    q, mu = 0.25, 1.0
    shifted = math.log1p((math.exp(epsilon) - 1) / q)
    exact = q * gaussian_delta(mu, shifted)
    found = gaussian_distribution(Fraction(1), GRID, q).get_delta_for_epsilon(epsilon)
    assert exact * (1 - 1e-9) <= found <= exact * 1.01


@pytest.mark.parametrize(
    ("sigma", "q", "grid"),
    [(0.73, 256 / 60000, 1e-3), (1.0, 1e-6, 1e-6), (5.0, 1.0, 1e-3), (0.05, 0.3, 0.1), (30.0, 0.999, 1e-3)],
)
def test_all_points_at_once_are_the_librarys_one_by_one(sigma, q, grid):
    squares = Fraction(1 / sigma**2)
    ours = gaussian_distribution(squares, grid, q)
    theirs = privacy_loss_distribution.from_gaussian_mechanism(
        _loss_grid._sigma(squares), value_discretization_interval=grid, sampling_prob=q
    )
    for side in ("_pmf_remove", "_pmf_add"):
        one, other = (getattr(pld, side).to_dense_pmf() for pld in (ours, theirs))
        assert (one._lower_loss, len(one._probs)) == (other._lower_loss, len(other._probs))
        # Masses are second differences of divergences, whose last digits are all that differs.
        assert numpy.allclose(one._probs, other._probs, rtol=0, atol=1e-15 / grid)
    for delta in (1e-4, 1e-6, 1e-9):
        epsilons = (pld.get_epsilon_for_delta(delta) for pld in (ours, theirs))
        assert math.isclose(*epsilons, rel_tol=1e-8, abs_tol=1e-12)


def test_replacing_doubles_the_sensitivity_of_a_unit_that_is_there_and_of_one_that_comes():
    # On a sample of everybody: noise around +2 and around -2 sensitivities, four of them apart.
    for epsilon in (0.5, 2.0):
        found = replaced_gaussian_distribution(Fraction(1, 4), GRID, 1.0).get_delta_for_epsilon(epsilon)
        exact = gaussian_delta(2.0, epsilon)
        assert exact * (1 - 1e-12) <= found <= exact * 1.001


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 0.9])
def test_laplace_noise_has_its_closed_form(epsilon):
    found = laplace_distribution(Fraction(1), GRID).get_delta_for_epsilon(epsilon)
    assert found == pytest.approx(-math.expm1((epsilon - 1) / 2), rel=1e-3)
    sampled = laplace_distribution(Fraction(1), GRID, 0.1).get_delta_for_epsilon(epsilon / 10)
    assert 0 < sampled < found


@pytest.mark.parametrize(
    ("epsilon", "delta"), [("0.8", "0"), ("0.8", "1e-3"), ("0.0004", "0"), ("0", "0.01")]
)
def test_the_worst_mechanism_has_the_divergence_of_randomised_response(epsilon, delta):
    top, failing = float(Fraction(epsilon)), float(Fraction(delta))
    priced = worst_distribution(Fraction(epsilon), Fraction(delta), GRID)
    for at in (0.0, 0.25 * top, 0.5 * top, top):
        exact = failing + (1 - failing) * max(0.0, (math.exp(top) - math.exp(at)) / (math.exp(top) + 1))
        found = priced.distribution.get_delta_for_epsilon(at)
        assert exact - 1e-12 <= found <= exact + 3e-4
    assert priced.failing == pytest.approx(failing)
    assert priced.distribution.get_delta_for_epsilon(top + 2 * GRID) == pytest.approx(failing, abs=1e-12)
    assert priced.mean == pytest.approx(top * (math.tanh(top / 2) + GRID))
    assert priced.squares == 0


def test_at_the_grids_own_points_the_worst_mechanism_is_exact():
    priced = worst_distribution(Fraction(2), Fraction(0), 0.5)
    for at in (0.5, 1.0, 1.5):
        exact = (math.exp(2) - math.exp(at)) / (math.exp(2) + 1)
        assert exact - 1e-12 <= priced.distribution.get_delta_for_epsilon(at) <= exact + 0.05
    assert priced.distribution.get_delta_for_epsilon(1.5) == pytest.approx(
        (math.exp(2) - math.exp(1.5)) / (math.exp(2) + 1)
    )


def test_slack_adds_up():
    one = Slack(drift=0.25, swell=0.5, lost=0.125)
    assert one + one == one.times(2) == Slack(0.5, 1.0, 0.25)
    assert one + Slack() == one
    assert Priced() == Priced(Fraction(0), None, 0.0, Slack(0.0, 0.0, 0.0), 0.0)


# --- room ---


def test_five_million_points_are_the_most():
    require_room(5_000_000 * GRID, GRID)
    with pytest.raises(TooLargeForGrid):
        require_room(5_000_001 * GRID, GRID)


def test_a_sum_needs_room_for_its_mean_and_twelve_deviations():
    # With a mean m the loss of a Gaussian has a variance of 2 m.
    mean = 4900.0
    widest = mean + 12 * math.sqrt(2 * mean)
    require_room_for_sum(mean, 0, widest / 4_999_999)
    with pytest.raises(TooLargeForGrid):
        require_room_for_sum(mean, 0, widest / 5_000_001)


def test_thirty_expected_failures_leave_nothing_to_keep():
    require_room_for_sum(0.0, 30, GRID)
    with pytest.raises(TooLargeForGrid):
        require_room_for_sum(0.0, 30.01, GRID)


@pytest.mark.parametrize(
    "too_large",
    [
        lambda: gaussian_distribution(Fraction(10**5), GRID),
        lambda: replaced_gaussian_distribution(Fraction(10**4), GRID, 0.5),
        lambda: laplace_distribution(Fraction(2_501), GRID),
        lambda: worst_distribution(Fraction(2_501), Fraction(0), GRID),
        lambda: worst_distribution(Fraction(1), Fraction(1), GRID),
    ],
)
def test_losses_beyond_the_grid_are_refused(too_large):
    with pytest.raises(TooLargeForGrid):
        too_large()


def test_room_is_reckoned_before_anything_is_made(monkeypatch):
    """With a thousand points on a grid of a hundredth, losses up to ten have room."""
    monkeypatch.setattr(_loss_grid, "_MOST_POINTS", 1000)
    grid = 0.01
    gaussian_distribution(Fraction("0.9025"), grid)  # 0.45 + 10 · 0.95
    replaced_gaussian_distribution(Fraction("0.0144"), grid, 0.5)  # 0.12 + 80 · 0.12
    laplace_distribution(Fraction("4.99"), grid)
    worst_distribution(Fraction("4.99"), Fraction(0), grid)
    for too_large in (
        lambda: gaussian_distribution(Fraction("0.9604"), grid),
        lambda: replaced_gaussian_distribution(Fraction("0.0156"), grid, 0.5),
        lambda: laplace_distribution(Fraction("5.01"), grid),
        lambda: worst_distribution(Fraction("5.01"), Fraction(0), grid),
    ):
        with pytest.raises(TooLargeForGrid):
            too_large()


def test_noise_is_rounded_to_the_side_that_costs_more(monkeypatch):
    """What the library is told: never more noise than there is."""
    from dp_accounting.pld import privacy_loss_distribution as library

    told = []
    for name in ("from_laplace_mechanism", "from_gaussian_mechanism"):
        monkeypatch.setattr(library, name, lambda noise, **_: told.append(noise))
    for epsilon in (Fraction(3), Fraction(7), Fraction(11), Fraction(10, 3)):
        laplace_distribution(epsilon, GRID)
        assert Fraction(told[-1]) <= 1 / epsilon
        gaussian_distribution(epsilon, GRID)
        assert Fraction(told[-1]) ** 2 <= 1 / epsilon
        replaced_gaussian_distribution(epsilon, GRID, 0.5)
        assert Fraction(told[-1]) ** 2 <= 1 / (4 * epsilon)


# --- expected losses ---


def test_mean_losses_are_those_of_the_worst_mechanism_and_a_step():
    # Randomised response: epsilon (p - (1 - p)) with p = e^epsilon / (1 + e^epsilon).
    epsilon, p = 1.5, math.exp(1.5) / (1 + math.exp(1.5))
    assert mean_loss(Fraction(3, 2), GRID) == pytest.approx(epsilon * (2 * p - 1) + epsilon * GRID)


def test_sampled_mean_losses_take_the_lower_bound_of_two():
    # Convexity: q squares / 2; chi-square: q² (e^squares - 1). Each with what the grid adds.
    assert sampled_mean_loss(Fraction(1, 2), Fraction(4), GRID) == pytest.approx(0.5 * 4 / 2 + 0.5 * 2 * GRID)
    assert sampled_mean_loss(Fraction(1, 100), Fraction(1), GRID) == pytest.approx(
        1e-4 * math.expm1(1.0) + 0.01 * GRID
    )
    assert sampled_mean_loss(Fraction(1, 100), Fraction(10**6), GRID) == pytest.approx(5000 + 10 * GRID)
