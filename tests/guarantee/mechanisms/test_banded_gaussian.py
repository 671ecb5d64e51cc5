"""Banded Gaussian noise: what is known of it elsewhere, what it refuses, and that it is one Gaussian noise on C x."""

import math
from fractions import Fraction

import numpy as np
import pytest

from privet.errors import BadAmount
from privet.guarantee import BandedGaussian, BandedInverseGaussian, Gaussian, Repeated, epsilon_for, zcdp_cost

BOTH = pytest.mark.parametrize("kind", [BandedGaussian, BandedInverseGaussian])
DELTA = Fraction(1, 10**6)


def error(event):
    """Root-mean-square error of running sums at the privacy of Gaussian(1, 1)."""
    return event.running_error() / float(event.sigma) * math.sqrt(event.squares())


def test_the_square_of_the_root_is_landaus_constant():
    """G_n, the sum of (binomial(2j, j) / 4^j)² for j <= n: 1, 5/4, 89/64, 381/256, 25609/16384 (Landau 1913)."""
    known = [Fraction(1), Fraction(5, 4), Fraction(89, 64), Fraction(381, 256), Fraction(25609, 16384)]
    assert [BandedGaussian(1, n, n, 1, n).squares() for n in range(1, 6)] == known
    # (ln n + gamma + 4 ln 2) / pi + O(1/n) (Watson 1930): 3.2677 at 1,024
    n = 1_024
    asymptotic = (math.log(n) + 0.5772156649015329 + 4 * math.log(2)) / math.pi
    assert float(BandedGaussian(1, n, n, 1, n).squares()) == pytest.approx(asymptotic, abs=1e-3)


def test_the_error_of_the_root_is_within_the_published_bound():
    """Brutman 1982: 1 + ln(n)/pi < G_(n-1) < 1.0663 + ln(n)/pi; the mean error of running sums is below the largest."""
    for n in (16, 256, 1_024):
        event = BandedGaussian(1, n, n, 1, n)
        assert 1 < float(event.squares()) - math.log(n) / math.pi < 1.0663
        assert error(event) <= float(event.squares())


@pytest.mark.parametrize(
    ("event", "squares", "running"),
    [
        (BandedGaussian(1, 100, 10, 5, 20), 8.95671970793046, 2.2708008931013683),
        (BandedGaussian(1, 2_000, 16, 5, 400), 9.719394235783852, 7.150993193962513),
        (BandedGaussian(1, 2_000, 400, 5, 400), 14.866096797594967, 2.0617740402703446),
        (BandedGaussian(1, 2_000, 100, 20, 50), 71.90593895669694, 3.1185820815155076),
        (BandedGaussian(1, 1_024, 1_024, 1, 1_024), 3.2725541502731357, 1.7190465178088699),
        (BandedInverseGaussian(1, 100, 10, 5, 20), 11.592328200934347, 1.7814122845066889),
        (BandedInverseGaussian(1, 2_000, 16, 5, 400), 10.55840702493531, 4.742294713326066),
        (BandedInverseGaussian(1, 2_000, 64, 20, 50), 99.77738550574509, 2.664026243466317),
        (BandedInverseGaussian(1, 1_024, 64, 1, 1_024), 2.564353847067831, 2.153279159830609),
    ],
)
def test_sensitivity_and_error_are_those_of_jax_privacy(event, squares, running):
    """jax-privacy 2.0.0 in 64 bits: `toeplitz.minsep_sensitivity_squared`, and the root of the mean of `per_query_error`."""
    assert float(event.squares()) == pytest.approx(squares, rel=1e-6)
    assert event.running_error() == pytest.approx(running, rel=1e-6)


@BOTH
def test_one_band_is_independent_noise(kind):
    event = kind(3, 40, 1, 4, 10)
    assert event.squares() == 4
    assert zcdp_cost(event).rho == zcdp_cost(Repeated(Gaussian(3), 4)).rho
    assert event.running_error() == pytest.approx(3 * math.sqrt(41 / 2))


@BOTH
def test_it_costs_what_one_gaussian_noise_on_the_encoded_steps_costs(kind):
    event = kind(7, 30, 4, 3, 10, "1/2")
    rho = event.squares() * Fraction(1, 4) / (2 * 49)
    assert zcdp_cost(event).rho == rho
    same = Gaussian(7, Fraction(math.sqrt(event.squares()) / 2))
    for accountant in ("pld", "rdp", "zcdp"):
        found, plain = (epsilon_for(e, DELTA, accountant=accountant).epsilon for e in (event, same))
        assert found == pytest.approx(plain, rel=1e-6)


@BOTH
def test_several_runs_add_up(kind):
    event = kind(7, 30, 4, 3, 10)
    assert zcdp_cost(Repeated(event, 5)).rho == 5 * zcdp_cost(event).rho


def test_running_sums_are_less_noisy_than_with_independent_noise_and_than_with_a_binary_tree():
    """At the same privacy. A tree of 1,024 leaves: each unit is in 11 nodes, and a prefix sums as many as it has ones in binary."""
    n = 1_024
    independent = math.sqrt((n + 1) / 2)
    tree = math.sqrt(11 * np.mean([t.bit_count() for t in range(1, n + 1)]))
    assert independent == pytest.approx(22.638, abs=1e-3)
    assert tree == pytest.approx(7.417, abs=1e-2)
    assert error(BandedGaussian(1, n, n, 1, n)) == pytest.approx(3.110, abs=1e-3)
    assert error(BandedInverseGaussian(1, n, 64, 1, n)) == pytest.approx(3.448, abs=1e-3)
    assert error(BandedGaussian(1, n, 64, 1, n)) == pytest.approx(4.376, abs=1e-3)


def test_over_epochs_too_and_the_inverse_needs_fewer_bands():
    independent = math.sqrt(5 * 2_001 / 2)
    errors = {kind: error(kind(1, 2_000, 16, 5, 400)) for kind in (BandedGaussian, BandedInverseGaussian)}
    assert errors[BandedInverseGaussian] == pytest.approx(15.41, abs=0.01)
    assert errors[BandedGaussian] == pytest.approx(22.29, abs=0.01)
    assert errors[BandedGaussian] < independent / 3


@BOTH
def test_a_steps_noise_is_that_of_the_matrix(kind):
    event = kind(2, 12, 4, 2, 6)
    encoded = np.zeros((12, 12))
    if kind is BandedGaussian:
        column = np.array([*(Fraction(c, 2**31) for c in event.coefficients), *[0] * 8], dtype=float)
    else:
        inverse = np.array([*(Fraction(c, 2**31) for c in event.coefficients), *[0] * 8], dtype=float)
        inverse[1:] *= -1
        column = np.linalg.inv(sum(np.diag([value] * (12 - j), -j) for j, value in enumerate(inverse)))[:, 0]
    for j, value in enumerate(column):
        encoded += np.diag([value] * (12 - j), -j)
    noise = np.linalg.inv(encoded)
    sums = np.cumsum(noise, axis=0)
    assert np.allclose([event.deviation_at(t) for t in range(12)], 2 * np.linalg.norm(noise, axis=1))
    assert event.running_error() == pytest.approx(2 * math.sqrt((sums**2).sum() / 12))
    first, second = encoded[:, 0], encoded[:, 6]
    assert float(event.squares()) == pytest.approx(float((first + second) @ (first + second)), rel=1e-6)


@BOTH
def test_what_the_first_steps_tell_costs_less(kind):
    event = kind(5, 40, 6, 4, 10)
    costs = [zcdp_cost(event.until(steps)).rho for steps in range(1, 41)]
    assert costs == sorted(costs)
    assert costs[-1] == zcdp_cost(event).rho
    assert (event.until(15).steps, event.until(15).participations, event.until(3).bands) == (15, 2, 3)
    assert event.until(99) == event


@BOTH
@pytest.mark.parametrize(
    "numbers",
    [
        (0, 10, 2, 1, 10),
        (1, 0, 2, 1, 10),
        (1, 10, 11, 1, 10),
        (1, 10, 0, 1, 10),
        (1, 10, 2, 3, 5),
        (1, 10, 2, 0, 5),
        (1, 10, 2, 1, 0),
        (1, 10, 2, 1, 5, 0),
        (1, 10**6 + 1, 2, 1, 5),
    ],
)
def test_what_does_not_fit_is_refused(kind, numbers):
    with pytest.raises(BadAmount):
        kind(*numbers)


def test_an_inverse_has_no_more_bands_than_were_looked_at():
    with pytest.raises(BadAmount):
        BandedInverseGaussian(1, 2_000, 1_025, 1, 2_000)
    BandedGaussian(1, 2_000, 2_000, 1, 2_000)


@BOTH
def test_it_says_what_is_done(kind):
    event = kind(2, 12, 4, 2, 6)
    assert "at most 2 times, at least 6 steps apart" in event.stage("gradients")
    assert "running sums" in event.expectation()
