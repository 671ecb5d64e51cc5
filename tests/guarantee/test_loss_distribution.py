import math
from fractions import Fraction

import pytest

from privet.errors import UnsupportedEvent
from privet.guarantee._events import (
    Composed,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    Opaque,
    PoissonSampled,
    RandomizedResponse,
    Repeated,
    ThresholdedKeys,
    TruncatedPoissonSampled,
    ZeroConcentrated,
)
from privet.guarantee._loss_distribution import (
    TooLargeForGrid,
    _chance_of_full,
    distribution_delta,
    distribution_epsilon,
    leaf_priced,
)
from privet.guarantee._loss_grid import sampled_mean_loss
from privet.guarantee._privacy_units import Change

DELTA = Fraction(1, 10**6)


def test_gaussians_merge_before_the_grid():
    apart = Composed([Gaussian(3), Gaussian(4), Repeated(Gaussian(10), 5)])
    together = Gaussian(Fraction(math.nextafter(1 / math.sqrt(1 / 9 + 1 / 16 + 5 / 100), 0)))
    assert distribution_epsilon(apart, DELTA) == pytest.approx(
        distribution_epsilon(together, DELTA), rel=1e-9
    )
    assert leaf_priced(Gaussian(3), Change.ADD_OR_REMOVE, 1e-4).distribution is None


@pytest.mark.parametrize("epsilon", ["0.3", "0.31415", "0.00003"])
@pytest.mark.parametrize("delta", ["0", "1e-8"])
def test_an_opaque_event_has_the_divergence_of_the_worst_mechanism(epsilon, delta):
    top, failing = float(epsilon), float(delta)
    for share in (0.0, 0.4, 0.9):
        at = top * share
        exact = failing + (1 - failing) * (math.exp(top) - math.exp(at)) / (1 + math.exp(top))
        found = distribution_delta(Opaque(epsilon, delta), Fraction(at))
        assert exact * (1 - 1e-12) <= found <= exact * 1.001 + 1e-4


def test_discrete_gaussian_against_the_sum_over_integers():
    sigma, shift = 3, 2
    reach = range(-60, 61)
    weights = {z: math.exp(-((z / sigma) ** 2) / 2) for z in range(-64, 65)}
    total = math.fsum(weights.values())
    for at in (0.1, 0.5, 1.5):
        exact = math.fsum(max(0.0, weights[z] - math.exp(at) * weights[z - shift]) / total for z in reach)
        found = distribution_delta(DiscreteGaussian(sigma, shift), Fraction(at))
        assert exact * (1 - 1e-12) <= found <= exact * 1.001


def test_a_narrow_discrete_gaussian_is_not_cut_off_inside_the_shift():
    # With the library's own cut at 11.6 sigma the loss would be infinite with a probability of two percent.
    assert distribution_epsilon(DiscreteGaussian(Fraction(1, 2), 5), DELTA) < 110


def test_truncated_sampling_is_the_mixture_it_should_be():
    def epsilon(batch, size):
        return distribution_epsilon(
            TruncatedPoissonSampled("0.05", batch, size, Gaussian(2)), DELTA, grid=1e-3
        )

    plain = distribution_epsilon(PoissonSampled("0.05", Gaussian(2)), DELTA, grid=1e-3)
    assert epsilon(1000, 1000) == plain
    assert plain < epsilon(80, 1000) < epsilon(60, 1000) < epsilon(40, 1000)
    assert epsilon(60, 500) < epsilon(60, 1000) < epsilon(60, 2000)


def test_truncated_sampling_is_never_below_the_librarys_value_for_any_size_up_to_ours():
    from dp_accounting.pld import privacy_loss_distribution as library

    ours = distribution_epsilon(TruncatedPoissonSampled("0.05", 50, 1500, Gaussian(2)), DELTA, grid=1e-3)
    for size in (50, 60, 500, 1000, 1500):
        theirs = library.from_truncated_subsampled_gaussian_mechanism(size, 0.05, 50, 2.0, 1e-3)
        assert theirs.get_epsilon_for_delta(1e-6) <= ours


def test_a_sensitivity_of_the_inner_noise_counts():
    two = TruncatedPoissonSampled("0.05", 60, 1000, Gaussian(4, 2))
    one = TruncatedPoissonSampled("0.05", 60, 1000, Gaussian(2, 1))
    assert distribution_epsilon(two, DELTA) == pytest.approx(distribution_epsilon(one, DELTA))


def test_threshold_adds_the_chance_of_showing_a_lonely_key():
    noise_only = distribution_delta(DiscreteLaplace(1, 2), Fraction(1))
    both = distribution_delta(ThresholdedKeys(1, 12, 2), Fraction(1))
    lonely = 1 - (1 - math.exp(-12) / (1 + math.exp(-1))) ** 2
    assert both == pytest.approx(noise_only + (1 - noise_only) * lonely, rel=1e-9)


def test_the_kinds_that_have_no_distribution():
    with pytest.raises(UnsupportedEvent):
        distribution_epsilon(ZeroConcentrated("0.1"), DELTA)
    with pytest.raises(UnsupportedEvent):
        distribution_epsilon(PoissonSampled("0.1", ZeroConcentrated("0.1")), DELTA)
    with pytest.raises(UnsupportedEvent):
        distribution_epsilon(PoissonSampled("0.1", Composed([Laplace(1), Gaussian(1)])), DELTA)
    with pytest.raises(UnsupportedEvent):
        distribution_epsilon(TruncatedPoissonSampled("0.1", 5, 9, Laplace(1)), DELTA)


@pytest.mark.parametrize(
    "event",
    [
        Laplace("0.001"),
        Gaussian("0.001"),
        DiscreteLaplace("0.001", 50),
        DiscreteGaussian("0.01"),
        Opaque(10**6),
        RandomizedResponse("1e-300"),
        Repeated(Laplace(1), 10**7),
        Repeated(PoissonSampled("0.9", Gaussian("0.1")), 10**6),
        TruncatedPoissonSampled("0.5", 5, 100, Gaussian("0.01")),
    ],
)
def test_losses_beyond_the_grid_are_refused(event):
    with pytest.raises(TooLargeForGrid):
        distribution_epsilon(event, DELTA)


def test_a_delta_that_numbers_cannot_hold_is_no_claim():
    assert distribution_epsilon(Repeated(DiscreteLaplace(10), 100), Fraction(1, 10**260)) == math.inf
    assert distribution_epsilon(Repeated(DiscreteLaplace(10), 100), Fraction(1, 10**13)) < 10


def exact_binary_epsilon(step: float, count: int, delta: float) -> float:
    """The epsilon of `count` two-sided randomised responses of `step` each, from the binomial distribution."""
    import numpy
    from scipy import stats

    k = numpy.arange(count + 1)
    losses = step * (2 * k - count)
    masses = stats.binom.pmf(k, count, 1 / (1 + math.exp(-step)))
    low, high = 0.0, float(losses[-1])
    for _ in range(100):
        middle = (low + high) / 2
        failing = float(numpy.sum(masses * -numpy.expm1(numpy.minimum(middle - losses, 0))))
        low, high = (middle, high) if failing > delta else (low, middle)
    return low


@pytest.mark.parametrize(
    ("step", "count"), [("0.001", 100_000), ("0.01", 10_000), ("0.0537", 1000), ("0.3", 100)]
)
@pytest.mark.parametrize("delta", [1e-5, 1e-8, 1e-12])
def test_long_compositions_against_the_binomial_distribution(step, count, delta):
    exact = exact_binary_epsilon(float(step), count, delta)
    found = distribution_epsilon(Repeated(Opaque(step), count), Fraction(delta))
    assert exact * (1 - 1e-12) <= found <= 1.002 * exact


def test_very_many_very_small_losses_fit_into_memory():
    # A single stage of the library would ask for gigabytes here.
    epsilon = distribution_epsilon(Repeated(Laplace(10**6), 10**9), Fraction(1, 100))
    assert 0.03 < epsilon < 3
    assert 5 < distribution_epsilon(Repeated(Laplace(10**6), 10**12), DELTA) < 10**6
    with pytest.raises(TooLargeForGrid):
        distribution_epsilon(Repeated(Laplace(10**6), 10**13), DELTA)
    assert distribution_delta(Repeated(Laplace(10**6), 10**12), Fraction(1)) <= 1


@pytest.mark.parametrize(
    "event", [PoissonSampled("0.1", Gaussian(2)), TruncatedPoissonSampled("0.1", 90, 1000, Gaussian(2))]
)
def test_sampling_says_nothing_of_units_that_are_replaced(event):
    with pytest.raises(UnsupportedEvent):
        leaf_priced(event, Change.REPLACE, 1e-3)


def test_the_mean_loss_of_a_full_batch_is_that_of_noise_four_times_as_small():
    event = TruncatedPoissonSampled("0.05", 60, 1000, Gaussian(2))
    wanted = sampled_mean_loss(Fraction(1, 20), 16 * Fraction(1, 4), 1e-3)
    assert leaf_priced(event, Change.ADD_OR_REMOVE, 1e-3).mean == pytest.approx(wanted)
    never_full = TruncatedPoissonSampled("0.05", 1000, 1000, Gaussian(2))
    wanted = sampled_mean_loss(Fraction(1, 20), Fraction(1, 4), 1e-3)
    assert leaf_priced(never_full, Change.ADD_OR_REMOVE, 1e-3).mean == pytest.approx(wanted)


def test_beyond_counting_every_batch_is_full():
    def chance(size):
        return _chance_of_full(TruncatedPoissonSampled("1e-16", 5, size, Gaussian(2)))

    assert chance(10**15) < 1e-6
    assert chance(10**15 + 1) == pytest.approx(1)
    assert chance(5) == pytest.approx(0, abs=0)
    # Four others that fill a batch of four: q to the fourth.
    full = _chance_of_full(TruncatedPoissonSampled("0.5", 4, 5, Gaussian(2)))
    assert full == pytest.approx(1 / 16)
    assert full >= 1 / 16
