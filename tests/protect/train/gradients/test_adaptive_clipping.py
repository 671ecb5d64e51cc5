"""What adaptive clipping costs: the formula of the paper, golden values, and a count that never eats the budget."""

from fractions import Fraction

import pytest
from torch import nn

import privet as pv
from privet.errors import NoSolution
from privet.guarantee._composition import certify, epsilon_for
from privet.guarantee._events import Composed, Gaussian, PoissonSampled, Repeated
from privet.protect.train.gradients import Clipping, plan
from privet.protect.train.gradients._adaptive_clipping import count_noise

MODEL = nn.Linear(3, 2)
PROMISE = pv.ApproxDP(2, "1e-5")


def split(z, count):
    """The noise on gradients that leaves one Gaussian of noise z: theorem 1 of Andrew et al."""
    return (z**-2 - (2 * count) ** -2) ** -0.5


@pytest.mark.parametrize(
    ("z", "q", "steps", "delta", "golden"),
    [
        (1.0, "0.01", 1000, "1e-5", 1.8282),
        (0.6, "0.01", 1000, "1e-5", 7.4336),
        (15.059, "0.25", 200, "1e-6", 0.9997),
        (1.1, Fraction(256, 60000), 14062, "1e-5", 2.3816),
    ],
)
def test_two_noises_cost_what_the_paper_says(z, q, steps, delta, golden):
    """Golden values of one Gaussian of noise z, from outside: the split into two has to meet them."""
    count = 0.6 * z  # which is most of the cost
    both = Composed([Gaussian(Fraction(split(z, count)), 1), Gaussian(Fraction(count), Fraction(1, 2))])
    found = epsilon_for(Repeated(PoissonSampled(q, both), steps), delta, accountant="pld").epsilon
    assert golden * 0.999 <= found <= golden * 1.02


def test_a_plan_pays_for_both_and_no_more():
    flat = plan(MODEL, PROMISE, records=1000, batch=200, steps=5)
    made = plan(MODEL, PROMISE, records=1000, batch=200, steps=5, clipping=Clipping(1.0, "adaptive"))
    gradient, count = made.event.event.event.event.events
    assert count.sigma == 10
    assert count.sensitivity == Fraction(1, 2)
    assert float(gradient.sigma) == pytest.approx(split(float(flat.noise_multiplier), 10.0), rel=0.01)
    assert 0.99 * 2 < certify(made.event).epsilon <= 2


def test_where_the_promise_is_small_the_count_gets_more_noise():
    promise = pv.ZeroConcentratedDP("0.001")
    given = {"records": 400, "batch": 200, "steps": 50, "sampling": "full"}
    flat = plan(MODEL, promise, **given)
    made = plan(MODEL, promise, clipping=Clipping(1.0, "adaptive"), **given)
    assert 1 < made.noise_multiplier / flat.noise_multiplier < Fraction(106, 100)
    with pytest.raises(NoSolution, match="uncut"):
        plan(MODEL, promise, clipping=Clipping(1.0, "adaptive", count_noise=1.0), **given)


def test_as_many_steps_as_the_noise_allows():
    given = {"records": 400, "batch": 200, "noise_multiplier": 40.0}
    flat = plan(MODEL, PROMISE, **given)
    made = plan(MODEL, PROMISE, clipping=Clipping(1.0, "adaptive"), **given)
    assert 0.8 * flat.steps < made.steps <= flat.steps


def test_what_was_asked_for_is_taken():
    assert count_noise(0.5, 1000, Fraction(9)) == Fraction(1, 2)
    assert count_noise(None, 1000, Fraction(9)) == 50
    assert count_noise(None, 10, Fraction(1, 10)) == 1
    assert count_noise(None, 10, Fraction(10)) == 16
