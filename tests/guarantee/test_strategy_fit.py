"""Fitted strategies: as good as those of another library, better than closed forms, and always falling."""

from itertools import pairwise

import pytest

from privet.errors import BadAmount
from privet.guarantee import (
    BandedInverseGaussian,
    BandedStrategy,
    BufferedStrategy,
    Participation,
    fitted_bands,
    fitted_buffers,
)
from privet.guarantee._toeplitz_strategy import UNIT, root_coefficients


def error(strategy, momentum=0.0):
    """Of running sums, at the privacy of Gaussian(1, 1)."""
    return strategy.running_error(momentum) * float(strategy.sensitivity())


@pytest.mark.parametrize(
    ("steps", "bands", "least"),
    [(1_024, 8, 8.444300832568674), (1_024, 64, 4.0659134395436105), (2_000, 16, 8.534628364849477)],
)
def test_bands_are_as_good_as_those_of_jax_privacy(steps, bands, least):
    """jax-privacy 2.0.0, `optimize_banded_toeplitz(n, bands)`, for one participation."""
    assert error(fitted_bands(Participation(steps, 1, steps), bands)) == pytest.approx(least, rel=1e-4)


@pytest.mark.parametrize(
    ("pattern", "decays", "weights"),
    [
        (
            (1_024, 1, 1_024),
            (0.9962441592918102, 0.873194187516191),
            (0.09028226573675954, 0.33069701298487153),
        ),
        ((2_000, 5, 400), (0.9943538868701817, 0.8059344408862467), (0.1311812029604162, 0.328941300437927)),
    ],
)
def test_buffers_are_as_good_as_those_of_jax_privacy(pattern, decays, weights):
    """jax-privacy 2.0.0, `buffered_toeplitz.optimize(n, min_sep, max_participations, error="mean")` with two buffers."""
    pattern = Participation(*pattern)
    theirs = BufferedStrategy(pattern, *(tuple(round(v * UNIT) for v in each) for each in (decays, weights)))
    assert error(fitted_buffers(pattern, 2)) <= error(theirs) * 1.001


def test_a_fit_is_better_than_the_closed_forms_and_than_independent_noise():
    pattern = Participation(200, 10, 20)
    root = BandedStrategy(pattern, root_coefficients(20))
    inverse = BandedInverseGaussian(1, 200, 16, 10, 20)
    fitted, buffered, independent = (
        fitted_bands(pattern, 20),
        fitted_buffers(pattern, 2),
        fitted_bands(pattern, 1),
    )
    assert error(independent) == pytest.approx((10 * 201 / 2) ** 0.5)
    assert error(fitted) == pytest.approx(9.9815, abs=1e-3)
    assert error(fitted) < error(root) < error(independent) / 3
    assert error(fitted) < error(buffered) < inverse.running_error() * float(inverse.squares()) ** 0.5


def test_a_fit_to_momentum_is_better_for_it():
    pattern = Participation(120, 4, 30)
    for fit, size in ((fitted_bands, 12), (fitted_buffers, 2)):
        assert error(fit(pattern, size, momentum=0.9), 0.9) < error(fit(pattern, size), 0.9)


def test_a_fit_to_the_largest_error_makes_it_smaller():
    pattern = Participation(100, 2, 50)

    def largest(strategy):
        sums = strategy._response.cumsum()
        return float(sums @ sums) * float(strategy.squares())

    assert largest(fitted_bands(pattern, 10, error="max")) < largest(fitted_bands(pattern, 10))


@pytest.mark.parametrize("pattern", [(1, 1, 1), (2, 1, 2), (3, 3, 1), (17, 2, 9), (40, 40, 1)])
def test_the_smallest_and_the_closest_runs_can_be_fitted(pattern):
    pattern = Participation(*pattern)
    banded, buffered = fitted_bands(pattern, min(3, pattern.steps)), fitted_buffers(pattern, 2)
    assert all(later <= earlier for earlier, later in pairwise(banded.coefficients))
    assert error(banded) <= error(fitted_bands(pattern, 1)) * (1 + 1e-9)
    assert error(buffered) <= error(fitted_bands(pattern, 1)) * 1.001


def test_what_cannot_be_fitted_is_refused():
    pattern = Participation(10, 2, 5)
    for wrong in (
        lambda: fitted_bands(pattern, 11),
        lambda: fitted_bands(pattern, 0),
        lambda: fitted_bands(pattern, 2, momentum=1.0),
        lambda: fitted_bands(pattern, 2, error="least"),
        lambda: fitted_buffers(pattern, 9),
        lambda: fitted_buffers(Participation(20_001, 1, 20_001), 2),
    ):
        with pytest.raises(BadAmount):
            wrong()
