"""Noise of objective perturbation: its deviations keep the (epsilon, delta) they were made for, and hardly more."""

import math
from statistics import NormalDist

import numpy as np
import pytest

from privet.errors import InternalError, PermitMismatch, PrivetError
from privet.guarantee import ApproxDP, DiscreteLaplace, Opaque, Row
from privet.ledger import Ledger
from privet.mechanism import _objective_noise
from privet.mechanism._objective_noise import FINISH, Geometry, finish_sigma, perturbation, term_sigma

LOSS = Geometry(gradient=1.0, curvature=0.25, pull=10.0)
NORMAL = NormalDist()


def gaussian_delta(shift, sigma, epsilon):
    """The exact delta of Gaussian noise (Balle and Wang 2018, Theorem 8)."""
    mu = shift / sigma
    return NORMAL.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * NORMAL.cdf(-mu / 2 - epsilon / mu)


@pytest.mark.parametrize("geometry", [LOSS, Geometry(3.0, 1.0, 2.0), Geometry(0.5, 0.1, 1.0)])
@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-6), (3.0, 1e-3)])
def test_the_term_hides_a_gradient_at_what_the_curvature_leaves_of_epsilon(geometry, epsilon, delta):
    sigma = term_sigma(epsilon, delta, geometry)
    left = epsilon - math.log(1 + geometry.curvature / geometry.pull)
    # The loss of Gaussian noise is normal: mean g²/2s², deviation g/s. It strays beyond what is left, either way.
    mean, deviation = geometry.gradient**2 / (2 * sigma**2), geometry.gradient / sigma
    outside = 2 * NORMAL.cdf(-(left - mean) / deviation)
    assert outside <= delta * (1 + 1e-9)
    assert outside == pytest.approx(delta, rel=1e-4)
    assert gaussian_delta(geometry.gradient, sigma, left) <= delta


def test_a_longer_gradient_needs_as_much_more_noise():
    assert term_sigma(1.0, 1e-6, Geometry(4.0, 0.25, 10.0)) == pytest.approx(
        4 * term_sigma(1.0, 1e-6, LOSS), rel=1e-6
    )


@pytest.mark.parametrize(
    ("epsilon", "delta", "pull"),
    [(math.log(1.025), 1e-6, 10.0), (0.01, 1e-6, 10.0), (1.0, 0.0, 10.0), (1.0, 1.0, 10.0), (1.0, 1e-6, 0.1)],
)
def test_a_pull_too_weak_and_a_delta_outside_are_refused(epsilon, delta, pull):
    with pytest.raises(InternalError):
        term_sigma(epsilon, delta, Geometry(1.0, 0.25, pull))


def test_the_finish_is_the_classical_gaussian_mechanism():
    # Two points within slack / pull of the minimum are 2 slack / pull apart (Dwork and Roth 2014, Theorem 3.22).
    found = finish_sigma(0.1, 1e-6, LOSS, slack=0.5)
    assert found == pytest.approx(2 * 0.05 * math.sqrt(2 * math.log(1.25e6)) / 0.1, rel=1e-8)
    assert gaussian_delta(0.1, found, 0.1) <= 1e-6
    for epsilon in (0.0, 1.0):
        with pytest.raises(InternalError):
            finish_sigma(epsilon, 1e-6, LOSS, slack=0.5)


@pytest.fixture
def ledger():
    return Ledger.in_memory(limit=ApproxDP(10, "1e-3"), unit=Row())


def test_a_permit_for_something_else_or_none_is_refused_and_not_used(ledger):
    other = ledger.charge(DiscreteLaplace(1), why="a fit")
    for wrong in (other, None, "permit"):
        with pytest.raises(PermitMismatch):
            perturbation(wrong, LOSS, 3)
    assert other.use() == DiscreteLaplace(1)


def test_a_permit_is_good_for_one_term(ledger):
    permit = ledger.charge(Opaque(1, "1e-6"), why="a fit")
    made = perturbation(permit, LOSS, 3)
    assert made.term.shape == (3,)
    with pytest.raises(PrivetError):
        perturbation(permit, LOSS, 3)


def test_a_pull_too_weak_leaves_the_permit_usable(ledger):
    permit = ledger.charge(Opaque("0.001", "1e-6"), why="a fit")
    with pytest.raises(InternalError):
        perturbation(permit, LOSS, 3)
    assert permit.use()


def test_term_and_finish_have_their_deviations(ledger):
    """10,000 draws of each: outside 10 % either way with a probability below 1e-40."""
    width = 10_000
    made = perturbation(ledger.charge(Opaque(1, "1e-6"), why="a fit"), LOSS, width)
    sigma = term_sigma((1 - FINISH) * 1.0, (1 - FINISH) * 1e-6, LOSS)
    assert 0.9 < float(np.std(made.term)) / sigma < 1.1
    weights = np.full(width, 7.0)
    told = made.finish(weights, 0.5)
    spread = finish_sigma(FINISH * 1.0, FINISH * 1e-6, LOSS, 0.5)
    assert 0.9 < float(np.std(told - weights)) / spread < 1.1
    assert abs(float(np.mean(told - weights))) < spread / 10
    assert abs(float(np.corrcoef(made.term, told)[0, 1])) < 0.1
    assert pytest.approx(0.01) == FINISH
    assert (weights == 7.0).all()  # exact: left as they were given


def test_term_and_finish_share_what_was_booked_and_no_more(ledger, monkeypatch):
    shares = []
    for name, real in (("term_sigma", term_sigma), ("finish_sigma", finish_sigma)):

        def priced(epsilon, delta, *rest, real=real):
            shares.append((epsilon, delta))
            return real(epsilon, delta, *rest)

        monkeypatch.setattr(_objective_noise, name, priced)
    perturbation(ledger.charge(Opaque(1, "1e-6"), why="a fit"), LOSS, 3).finish(np.zeros(3), 0.5)
    (term, finish) = shares
    assert term == pytest.approx((0.99, 0.99e-6), rel=1e-9)
    assert finish == pytest.approx((0.01, 0.01e-6), rel=1e-9)
