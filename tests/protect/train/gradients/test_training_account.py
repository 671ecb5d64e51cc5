"""The account of a run: golden values, the length that a noise allows, and cut batches accounted as such."""

from fractions import Fraction

import pytest
from torch import nn

import privet as pv
from privet.errors import NoSolution
from privet.guarantee import Change
from privet.guarantee._composition import certify, epsilon_for
from privet.guarantee._events import (
    Composed,
    Gaussian,
    PoissonSampled,
    Repeated,
    SealedPlan,
    TruncatedPoissonSampled,
)
from privet.protect.train.gradients import plan
from privet.protect.train.gradients._training_account import (
    TrainingAccount,
    draws_within,
    noise_for,
    quick_epsilon,
    sampling_rate,
)

MODEL = nn.Linear(3, 2)
RHO = pv.ZeroConcentratedDP("0.5")


@pytest.mark.parametrize(
    ("sigma", "q", "steps", "delta", "golden"),
    [
        ("1.0", "0.01", 1000, "1e-5", 1.8282),
        ("0.6", "0.01", 1000, "1e-5", 7.4336),
        ("15.059", "0.25", 200, "1e-6", 0.9997),
        ("1.1", Fraction(256, 60000), 14062, "1e-5", 2.3816),
    ],
)
def test_the_account_gives_the_golden_values(sigma, q, steps, delta, golden):
    event = Repeated(PoissonSampled(q, Gaussian(sigma, 1)), steps)
    found = epsilon_for(event, delta, accountant="pld").epsilon
    assert golden * 0.999 <= found <= golden * 1.02


def test_as_many_steps_as_the_noise_allows():
    assert plan(MODEL, RHO, records=9, batch=9, noise_multiplier=3, sampling="full").steps == 9
    made = plan(MODEL, pv.ApproxDP(2, "1e-5"), records=100, batch=100, noise_multiplier=4, sampling="full")
    assert certify(made.event).epsilon <= 2
    longer = SealedPlan(Repeated(Gaussian(4, 1), made.steps + 1), "1e-5")
    assert certify(longer).epsilon > 2


def test_truncated_samples_are_accounted_as_such():
    promise = pv.ApproxDP(2, "1e-5")
    made = plan(MODEL, promise, records=1000, batch=10, cut=25, steps=20, sampling="truncated")
    one = TruncatedPoissonSampled(Fraction(1, 100), 25, 1000, Gaussian(made.noise_multiplier, 1))
    assert made.event == SealedPlan(Repeated(one, 20), "1e-5")
    assert epsilon_for(made.event.event, "1e-5", accountant="pld", grid=1e-3).epsilon <= 2
    uncut = plan(MODEL, promise, records=1000, batch=10, steps=20)
    assert 1 < made.noise_multiplier / uncut.noise_multiplier < 1.5


def account(sampling="full", q=Fraction(1), promise=RHO, count_noise=None):
    return TrainingAccount(sampling, q, None, 100, count_noise, promise, Change.ADD_OR_REMOVE)


def test_noise_and_length_are_each_others_inverse():
    for draws in (1, 4, 25):
        sigma = noise_for(account(), draws)
        assert float(sigma) == pytest.approx(draws**0.5, rel=1e-6), "rho = draws / (2 sigma^2)"
        assert draws_within(account(), Fraction(draws**0.5)) in (draws, draws - 1)
    with pytest.raises(NoSolution):
        draws_within(account(), Fraction(1, 2))


def test_only_sampled_batches_are_amplified():
    noise = Gaussian(2, 1)
    assert account("poisson", Fraction(1, 4)).one(Fraction(2)) == PoissonSampled(Fraction(1, 4), noise)
    assert account("poisson").one(Fraction(2)) == account("shuffled").one(Fraction(2)) == noise
    counted = account(count_noise=Fraction(5)).one(Fraction(2))
    assert counted == Composed([noise, Gaussian(5, Fraction(1, 2))])
    assert sampling_rate("poisson", 100, 30) == Fraction(3, 10)
    assert sampling_rate("truncated", 10, 30) == 1
    assert sampling_rate("shuffled", 100, 30) == sampling_rate("full", 100, 30) == 1


def test_an_event_is_sealed_where_its_promise_has_a_delta():
    run = Repeated(Gaussian(3, 1), 7)
    assert account().event(Fraction(3), 7) == run
    assert account(promise=pv.ApproxDP(1, "1e-5")).event(Fraction(3), 7) == SealedPlan(run, "1e-5")


def test_the_quick_loss_bounds_the_tight_one():
    one = PoissonSampled("0.1", Gaussian(2, 1))
    tight = epsilon_for(Repeated(one, 20), "1e-5", accountant="pld").epsilon
    assert tight <= quick_epsilon(one, 20, Fraction(1, 10**5), Change.ADD_OR_REMOVE) <= 2 * tight
