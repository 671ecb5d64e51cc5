"""Fixed point: bounds, steps and anchors to the last step, since the sensitivity is counted in them."""

import math
from fractions import Fraction

import numpy as np
import pytest

from privet.errors import BadAmount
from privet.sealed._fixed_point import LARGEST_REACH, FixedPoint


def test_the_middle_counts_as_zero_and_bounds_clamp():
    scale = FixedPoint(0, 10, 1)
    assert (scale.offset, scale.span, scale.reach, scale.base) == (5, 10, 5, 5)
    values = [0, 5, 10, -3, 99, math.nan, 2.4, 2.5, -math.inf, math.inf]
    assert scale.encode(values).tolist() == [-5, 0, 5, -5, 5, 0, -3, -2, -5, 5]


def test_an_odd_range_has_its_zero_above_the_middle():
    scale = FixedPoint(0, 5, 1)
    assert (scale.offset, scale.span, scale.reach, scale.base) == (3, 5, 3, 3)
    assert scale.encode([0, 5]).tolist() == [-3, 2]


def test_a_range_that_is_no_whole_number_of_steps_ends_above_its_upper_bound():
    scale = FixedPoint(0, "2.5", 1)
    assert (scale.offset, scale.span, scale.reach) == (2, 3, 2)
    assert scale.encode([0, 2.5]).tolist() == [-2, 1]


@pytest.mark.parametrize(
    ("bounds", "lower", "offset", "span", "reach"),
    [
        ((-3, 10), -3, 3, 13, 10),
        (("-2.5", 10), -3, 3, 13, 10),
        ((2, 10), 2, -2, 8, 10),
        ((-10, -2), -10, 10, 8, 10),
        (("0.5", 2), 0, 0, 2, 2),
    ],
)
def test_zero_itself_may_count_as_zero(bounds, lower, offset, span, reach):
    scale = FixedPoint(*bounds, 1, anchor="zero")
    assert (scale.lower, scale.offset, scale.span, scale.reach, scale.base) == (lower, offset, span, reach, 0)
    if lower <= 0 <= scale.upper:
        assert scale.encode([0.0]).tolist() == [0]


@pytest.mark.parametrize(
    ("bounds", "anchor", "step"),
    [
        ((0, 60), "middle", Fraction(1, 2**14)),
        ((0, 2**20), "middle", Fraction(1)),
        ((0, 2**20 + 1), "middle", Fraction(2)),
        ((0, Fraction(3, 4)), "middle", Fraction(1, 2**20)),
        ((0, 60), "zero", Fraction(1, 2**14)),
        ((2**40, 2**40 + 1), "zero", Fraction(2**11)),
        ((-(2**40) - 1, -(2**40)), "zero", Fraction(2**11)),
        ((2**40 - 1, 2**40), "zero", Fraction(2**10)),
        ((2**40, 2**40 + 1), "middle", Fraction(1, 2**20)),
    ],
)
def test_the_step_is_the_smallest_power_of_two_that_is_fine_enough(bounds, anchor, step):
    assert FixedPoint(*bounds, anchor=anchor).step == step


def test_sums_fit_64_bits_to_the_last_step():
    assert LARGEST_REACH == 2**31
    assert FixedPoint(0, 2**32, 1).reach == LARGEST_REACH
    with pytest.raises(BadAmount, match="too fine"):
        FixedPoint(0, 2**32 + 1, 1)
    assert FixedPoint(0, 2**31, 1, anchor="zero").reach == LARGEST_REACH
    with pytest.raises(BadAmount, match="too fine"):
        FixedPoint(0, 2**31 + 1, 1, anchor="zero")


@pytest.mark.parametrize(
    ("bounds", "step", "anchor"),
    [
        ((1, 1), None, "middle"),
        ((2, 1), None, "middle"),
        ((0, 1), 2, "middle"),
        ((0, 1), 0, "zero"),
        ((0, 1), 1, "top"),
    ],
)
def test_what_is_no_range_step_or_anchor_is_refused(bounds, step, anchor):
    with pytest.raises(BadAmount):
        FixedPoint(*bounds, step, anchor=anchor)


def test_one_step_over_the_whole_range_is_allowed():
    assert (FixedPoint(0, 1, 1).span, FixedPoint(0, 1, 1).reach) == (1, 1)


def test_no_value_moves_a_sum_by_more_than_the_reach_and_some_value_does():
    values = np.array([-1e300, -7.0, -0.3, 0.0, 0.1, 3.7, 12.0, 1e300])
    for scale in (
        FixedPoint(-7, 12),
        FixedPoint(-7, 12, "0.3"),
        FixedPoint(-7, 12, "0.3", anchor="zero"),
        FixedPoint(3, 12, anchor="zero"),
    ):
        steps = np.abs(scale.encode(values))
        assert int(steps.max()) == scale.reach


def test_decoding_gives_the_values_back():
    scale = FixedPoint(-7, 12, "0.25")
    values = np.array([-7.0, -1.25, 0.0, 3.5, 12.0])
    found = scale.decode(scale.encode(values).sum(), len(values))
    assert float(found) == pytest.approx(values.sum(), abs=1e-9)
    assert float(scale.decode(0, 4)) == pytest.approx(4 * float(scale.base), abs=1e-9)
