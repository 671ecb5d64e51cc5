"""Tilted compositions: tails to the digit, and bounds that hold, against exact distributions and golden values."""

import math
from fractions import Fraction

import numpy
import pytest
from scipy import stats

from privet.guarantee._events import (
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    Opaque,
    PoissonSampled,
    RandomizedResponse,
    Repeated,
)
from privet.guarantee._loss_distribution import (
    _fitting,
    distribution_delta,
    distribution_epsilon,
    leaf_priced,
)
from privet.guarantee._loss_grid import gaussian_distribution, worst_distribution
from privet.guarantee._privacy_units import Change
from privet.guarantee._tilted_composition import TiltedComposition, _Direction, _folded, _Part, _part

GRID = 1e-3
HAS_EXTENDED = numpy.finfo(numpy.longdouble).eps < numpy.finfo(numpy.float64).eps


def sampled(sigma, q, steps):
    return Repeated(PoissonSampled(q, Gaussian(sigma)), steps)


# Noise multiplier, sampling rate, steps, delta and epsilon of the loss distribution with steps of 2e-5; the last is
# VaultGemma's training as it was published, which Rényi orders price at 7.
GOLDEN = [
    ("1", "0.01", 1000, 1e-5, 1.8282),
    ("0.6", "0.01", 1000, 1e-5, 7.4336),
    ("15.059", "0.25", 200, 1e-6, 0.9997),
    ("1.1", Fraction(256, 60000), 14062, 1e-5, 2.3816),
    ("0.614", "4.08016e-5", 100_000, 1.1e-10, 1.7103),
]


@pytest.mark.parametrize(("sigma", "q", "steps", "delta", "epsilon"), GOLDEN)
def test_golden_values_of_private_training(sigma, q, steps, delta, epsilon):
    event = sampled(sigma, q, steps)
    found = distribution_epsilon(event, Fraction(delta))
    assert epsilon * 0.9995 <= found <= epsilon * 1.002
    assert distribution_delta(event, Fraction(found)) == pytest.approx(delta, rel=1e-3)


def tail_of_one_step(sigma, q, epsilon):
    """Delta of one step, in closed form: removing from a Poisson sample with Gaussian noise."""
    shifted = math.log1p(math.expm1(epsilon) / q)
    lower = math.exp(shifted + float(stats.norm.logsf(shifted * sigma + 1 / (2 * sigma))))
    return q * (float(stats.norm.sf(shifted * sigma - 1 / (2 * sigma))) - lower)


@pytest.mark.skipif(not HAS_EXTENDED, reason="this machine has no extended precision")
@pytest.mark.parametrize(("sigma", "q"), [(0.7, 1e-4), (0.5, 1e-4)])
def test_where_large_losses_are_rare_delta_is_the_number_of_steps_times_that_of_one(sigma, q):
    # Two large losses in a thousand steps are too rare to matter, and all the others add up to next to nothing.
    event = sampled(Fraction(str(sigma)), Fraction(str(q)), 1000)
    found = distribution_epsilon(event, Fraction(1, 10**12))
    assert 0.99 * 1e-12 <= 1000 * tail_of_one_step(sigma, q, found) <= 1e-12
    assert 1000 * tail_of_one_step(sigma, q, found * 0.99) > 1.02e-12


def test_very_many_very_small_losses_follow_the_normal_distribution():
    # By the central limit theorem: mean v / 2 and variance v, as of Gaussian noise with the square v.
    sigma, q, steps = 20, 1e-6, 10**6
    square = steps * q**2 * math.expm1(1 / sigma**2)
    exact = distribution_epsilon(Gaussian(Fraction(1 / math.sqrt(square))), Fraction(1, 10**9), grid=1e-7)
    found = distribution_epsilon(sampled(sigma, Fraction(1, 10**6), steps), Fraction(1, 10**9))
    assert exact * 0.999 <= found <= exact * 1.03


def exact_delta(step, count, epsilon, chance):
    """Of `count` losses of `step`, positive with this chance and negative otherwise."""
    wins = numpy.arange(count + 1)
    losses = step * (2 * wins - count)
    masses = stats.binom.pmf(wins, count, chance)
    return float(numpy.sum(masses * -numpy.expm1(numpy.minimum(epsilon - losses, 0))))


@pytest.mark.parametrize("epsilon", [-0.5, 0.0, 0.35, 1.2, 2.6, 4.0])
def test_delta_is_exact_on_both_sides_of_the_mean(epsilon):
    # The worst mechanism with a loss on the grid has two losses, so that a composition is binomial.
    step, count = 0.05, 100
    composed = TiltedComposition(
        [(worst_distribution(Fraction(1, 20), Fraction(0), 0.05).distribution, count)], 0.05
    )
    exact = exact_delta(step, count, epsilon, 1 / (1 + math.exp(-step)))
    assert exact * (1 - 1e-9) <= composed.delta(epsilon) <= exact * (1 + 1e-5) + 1e-15


def two_points(chance, count):
    """A loss of one step of the grid with this chance, and else of none."""
    return _Part(0, numpy.array([1 - chance, chance]), 0.0, count)


def test_what_lies_past_the_window_and_what_wraps_around_is_bounded():
    chance, count, tilt = 0.1, 400, 0.6
    direction = _Direction([two_points(chance, count)], GRID, 0.0)
    log_beyond = math.log(1e-10)
    tail = direction._tail(-1, tilt, log_beyond, precise=False)
    end = tail.start + len(tail.composed)
    assert stats.binom.sf(end - 1, count, chance) <= tail.beyond == pytest.approx(1e-10)
    leaning = chance * math.exp(tilt) / (1 - chance + chance * math.exp(tilt))
    exact = stats.binom.pmf(tail.start + numpy.arange(len(tail.composed)), count, leaning)
    assert numpy.all(tail.composed + tail.error >= exact * (1 - 1e-10))
    assert numpy.all(tail.composed - exact <= tail.error + 1e-12)
    assert stats.binom.sf(end - 1, count, leaning) + stats.binom.cdf(tail.start - 1, count, leaning) <= 2e-12


@pytest.mark.skipif(not HAS_EXTENDED, reason="this machine has no extended precision")
def test_rounding_errors_of_the_transform_are_within_their_bound():
    direction = _Direction([two_points(0.3, 100_000), two_points(0.01, 7)], GRID, 0.0)
    rough, fine = (direction._tail(-1, 0.2, math.log(1e-12), precise=precise) for precise in (False, True))
    off = float(numpy.max(numpy.abs(rough.composed - fine.composed)))
    assert 0 < off <= rough.error < 1e-8
    assert fine.error < rough.error / 1000


def test_rounding_errors_count_towards_delta():
    direction = _Direction([two_points(0.3, 1000)], GRID, 0.0)
    tail = direction._tail(-1, 0.2, math.log(1e-12), precise=False)
    epsilon = 0.36
    worse = type(tail)(**{**vars_of(tail), "error": 1e-4})
    assert worse.delta(epsilon) > 1.01 * tail.delta(epsilon)
    assert worse.epsilon(1e-3) > tail.epsilon(1e-3)
    assert type(tail)(**{**vars_of(tail), "swell": 0.5}).delta(epsilon) > 1.5 * tail.delta(epsilon)
    assert type(tail)(**{**vars_of(tail), "beyond": 1e-3}).delta(epsilon) > 1e-3


def vars_of(tail):
    return {name: getattr(tail, name) for name in tail.__dataclass_fields__}


@pytest.mark.parametrize(
    ("event", "count"),
    [
        (DiscreteLaplace(30), 20),
        (DiscreteLaplace(5), 3),
        (Laplace(10), 5),
        (Opaque("0.1"), 40),
        (RandomizedResponse("0.5"), 10),
        (DiscreteGaussian(4, 2), 6),
        (PoissonSampled("0.1", Laplace(2)), 50),
    ],
)
@pytest.mark.parametrize("delta", [1e-6, 1e-3])
def test_few_and_bounded_losses_cost_what_the_library_says(event, count, delta):
    # Chernoff's bound lies at the largest loss there is: a tilt by it would leave the masses in question no digit.
    priced = leaf_priced(event, Change.ADD_OR_REMOVE, GRID)
    library = priced.distribution.self_compose(count).get_epsilon_for_delta(delta)
    found = TiltedComposition([(priced.distribution, count)], GRID).epsilon(delta)
    assert library * 0.9999 - 1e-9 <= found <= library * 1.001 + 1e-9


def test_infinite_losses_of_both_kinds_are_in_delta():
    distribution = gaussian_distribution(Fraction(1), GRID)
    alone = TiltedComposition([(distribution, 10)], GRID)
    beside = TiltedComposition([(distribution, 10)], GRID, apart=[(1e-3, 10)])
    failing = -math.expm1(10 * math.log1p(-1e-3))
    without = alone.delta(8.0)
    assert beside.delta(8.0) == pytest.approx(failing + (1 - failing) * without, rel=1e-9)
    assert beside.epsilon(failing / 2) == math.inf
    assert beside.epsilon(failing * 2) > alone.epsilon(failing * 2)


def test_both_directions_are_asked():
    q, delta = 0.3, 1e-5
    distribution = gaussian_distribution(Fraction(4), GRID, q)
    swapped = type(distribution)(distribution._pmf_add, distribution._pmf_remove)
    one, other = (TiltedComposition([(each, 5)], GRID).epsilon(delta) for each in (distribution, swapped))
    assert one == pytest.approx(other)
    library = distribution.self_compose(5).get_epsilon_for_delta(delta)
    assert one == pytest.approx(library, rel=1e-4)


def test_shares_go_around_the_circle():
    assert list(_folded(numpy.array([1.0, 2, 3, 4, 5]), -1, 3)) == [2 + 5, 3, 1 + 4]


def test_the_grid_fits_the_losses():
    assert _fitting(sampled(1, "0.01", 1000), 1e-4) == pytest.approx(1e-4)
    assert 1e-8 < _fitting(sampled(2, Fraction(1, 10**6), 1000), 1e-4) < 2e-7
    assert _fitting(sampled(2, Fraction(1, 10**6), 1), 1e-4) == pytest.approx(1e-4)
    assert 1e-4 < _fitting(sampled(5, "0.5", 10**6), 1e-4) <= 1e-2
    assert _fitting(Repeated(Gaussian(2), 1000), 1e-4) == pytest.approx(8e-4)


@pytest.mark.parametrize(
    ("sigma", "q", "grid"), [(0.7, 0.004, 1e-4), (0.614, 4.08e-5, 1e-5), (5.0, 0.3, 1e-3)]
)
def test_a_good_tilt_is_found_with_neighbours_put_together(sigma, q, grid):
    # Only where to look follows from this; every bound is then computed on all points.
    distribution = gaussian_distribution(Fraction(1 / sigma**2), grid, q)
    part = _part(distribution._pmf_remove, 1)
    assert len(part.rough[0]) < 6000
    for loss in (-0.5, 0.01, 0.5, 3.0):
        assert part.rough_moment(loss * grid) == pytest.approx(
            part.tilted(loss * grid)[0], rel=1e-3, abs=1e-9
        )
