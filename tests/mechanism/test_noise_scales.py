"""Scales: exact in, floats out, never less noise; refusals on public grounds."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import InternalError, OutOfRange
from privet.guarantee._events import (
    DiscreteGaussian,
    DiscreteLaplace,
    Exponential,
    Opaque,
    PermuteAndFlip,
    RandomizedResponse,
    ThresholdedKeys,
)
from privet.mechanism._noise_scales import (
    LARGEST_SCALE,
    LARGEST_THRESHOLD,
    LEAST_SCALE,
    check_drawable,
    check_exact_scale,
    exact_scale,
    scale_of,
)
from privet.sealed import Sensitivity

ONE = Sensitivity(1, 1, 1)


@given(st.fractions(Fraction(1, 10**9), 2**62, max_denominator=10**9))
def test_rounding_is_up_and_by_less_than_the_proof_allows(scale):
    for event in (DiscreteLaplace(scale), DiscreteGaussian(scale)):
        drawn = Fraction(scale_of(event, ONE))
        assert scale <= drawn <= scale * (1 + Fraction(1, 2**52))


def test_a_scale_that_is_a_float_stays_as_it_is():
    assert scale_of(DiscreteLaplace(Fraction(0.1)), ONE) == pytest.approx(0.1)
    assert scale_of(ThresholdedKeys("2.5", 10), ONE) == pytest.approx(2.5)


@pytest.mark.parametrize("kind", [Exponential, PermuteAndFlip])
def test_selections_scale_with_the_scores(kind):
    assert exact_scale(kind("0.5"), Sensitivity(7, 3, 21)) == 12
    assert scale_of(kind(3), ONE) > Fraction(2, 3)


@pytest.mark.parametrize(
    ("event", "sensitivity"),
    [
        (DiscreteLaplace(Fraction(1, 2**41)), ONE),
        (DiscreteGaussian(Fraction(1, 10**300)), ONE),
        (Exponential("1e-12"), Sensitivity(1, 2**62, 2**62)),
        (ThresholdedKeys(1, 2**50 + 1), ONE),
        (RandomizedResponse(Fraction(1, 2**61)), ONE),
        (RandomizedResponse(Fraction(1, 2), 2**32 + 1), ONE),
    ],
)
def test_what_cannot_be_drawn_is_refused(event, sensitivity):
    with pytest.raises(OutOfRange):
        check_drawable(event, sensitivity)


@pytest.mark.parametrize(
    "event",
    [
        DiscreteLaplace(Fraction(1, 2**40)),
        DiscreteLaplace(2**62),
        DiscreteGaussian(2**62),
        RandomizedResponse(1, 2**32),
        ThresholdedKeys(10**9, 2**50),
    ],
)
def test_the_ends_of_the_range_are_drawn(event):
    check_drawable(event, ONE)


def test_an_event_without_a_scale_is_our_bug():
    with pytest.raises(InternalError):
        exact_scale(Opaque(1), ONE)


def test_the_range_of_scales_is_the_one_that_is_told():
    assert Fraction(1, 2**40) == LEAST_SCALE
    assert LARGEST_SCALE == 2**100
    assert LARGEST_THRESHOLD == 2**50


def test_a_scale_that_must_be_a_float_is_refused_where_it_would_be_rounded():
    check_exact_scale(DiscreteLaplace("2.5"), ONE)
    for scale in ("1/3", "0.1"):
        with pytest.raises(OutOfRange, match="floats"):
            check_exact_scale(DiscreteLaplace(scale), ONE)
