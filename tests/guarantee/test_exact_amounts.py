"""Exact numbers: what they stand for, what is refused, and which way they are rounded."""

import math
import sys
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import BadAmount
from privet.guarantee.exact_amounts import (
    DELTA_UNIT,
    LOSS_UNIT,
    delta,
    exact,
    float_down,
    float_up,
    from_float_up,
    loss,
    positive,
    probability,
    readable,
    units_down,
    units_up,
    whole,
    written,
)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (0.1, Fraction(1, 10)),
        ("0.1", Fraction(1, 10)),
        (Decimal("0.1"), Fraction(1, 10)),
        ("1/3", Fraction(1, 3)),
        ("1e-6", Fraction(1, 10**6)),
        (3, Fraction(3)),
    ],
)
def test_a_number_stands_for_what_a_person_sees(value, number):
    assert exact(value, "x") == number


@pytest.mark.parametrize(
    "value",
    [
        True,
        None,
        [],
        float("nan"),
        float("inf"),
        "nan",
        "",
        "abc",
        "1/0",
        Decimal("NaN"),
        Decimal("Infinity"),
    ],
)
def test_what_is_no_finite_number_is_refused(value):
    with pytest.raises(BadAmount):
        exact(value, "x")


@pytest.mark.parametrize(
    "value", ["1e999999999", "1E-999999999", "1e+00099999", "1e999_999_999", Decimal("1e99999")]
)
def test_powers_that_would_exhaust_the_machine_are_refused_at_once(value):
    with pytest.raises(BadAmount, match="beyond any use"):
        exact(value, "x")


@pytest.mark.parametrize(
    ("check", "value"),
    [
        (positive, 0),
        (positive, -1),
        (positive, 10**10),
        (loss, "1e-13"),
        (delta, 0),
        (delta, 1),
        (delta, "1e-31"),
        (probability, 0),
        (probability, 1),
        (whole, 0),
        (whole, 1.0),
        (whole, True),
    ],
)
def test_amounts_outside_their_range_are_refused_by_name(check, value):
    with pytest.raises(BadAmount, match="thing"):
        check(value, "thing")


@given(st.fractions(min_value=0, max_value=10**6))
def test_spends_round_up_and_limits_down(amount):
    assert Fraction(float_down(amount)) <= amount <= Fraction(float_up(amount))
    assert units_down(amount, LOSS_UNIT) * LOSS_UNIT <= amount <= units_up(amount, LOSS_UNIT) * LOSS_UNIT


@given(st.floats(min_value=0, max_value=1e6))
def test_computed_losses_are_booked_in_whole_units_and_never_below(amount):
    booked = from_float_up(amount)
    assert booked >= Fraction(amount)
    assert (booked / LOSS_UNIT).denominator == 1


@given(st.fractions())
def test_written_amounts_are_exact(amount):
    assert Fraction(written(amount)) == amount


def test_amounts_beyond_floats_keep_their_side():
    huge = Fraction(10) ** 400
    assert (float_down(huge), float_up(huge)) == (
        sys.float_info.max,
        math.inf,
    )  # exact: rounding is what is tested
    assert (float_down(-huge), float_up(-huge)) == (
        -math.inf,
        -sys.float_info.max,
    )  # exact: rounding is what is tested
    assert float_down(1 / huge) == 0 < float_up(1 / huge)  # exact: rounding is what is tested
    assert readable(huge) == "1.00000e+400"


def test_books_are_kept_in_powers_of_ten():
    assert units_up(Fraction(1, 10), LOSS_UNIT) == 10**11
    assert units_down(Fraction(1, 10**6), DELTA_UNIT) == 10**24


def test_decimals_have_at_most_forty_places():
    assert written(Fraction(1, 2**40)).startswith("0.0000000000009094947017729282379150390625")
    assert written(Fraction(1, 2**41)) == f"1/{2**41}"
    assert written(Fraction(-3, 5**40)).startswith("-0.")
    assert written(Fraction(1, 5**41)) == f"1/{5**41}"
