"""Exact numbers for privacy parameters.

A parameter is a rational number, so that adding, splitting and comparing budgets involves no rounding.
A float stands for the decimal number a person sees when it is printed (`0.1` is one tenth), not for the
nearest binary fraction. Where a real number must be turned into budget units, spends are rounded up and
limits are rounded down.
"""

from __future__ import annotations

import math
import re
import sys
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Real
from typing import Any, TypeAlias

from privet.errors import BadAmount

Number: TypeAlias = int | float | str | Decimal | Fraction

# The smallest amounts a ledger books: 1e-12 of epsilon or rho, 1e-30 of delta. Powers of ten, so that
# ten spends of 0.1 fill a limit of 1 exactly.
LOSS_UNIT = Fraction(1, 10**12)
DELTA_UNIT = Fraction(1, 10**30)

# Powers of ten with four digits or more have no use as amounts, and writing them out would exhaust the machine.
_ENDLESS = re.compile(r"[eE][+-]?0*[1-9][0-9_]{3}")

# Nothing real lies outside; a parameter beyond is a slip, and would only produce overflow later.
LARGEST = Fraction(10**9)


def exact(value: Number, name: str) -> Fraction:
    """The rational number `value` stands for; refuses what is not a finite number."""
    given: Any = value  # numbers of other libraries are numbers, which type checkers do not know
    if isinstance(given, bool) or not isinstance(given, Real | str | Decimal):
        raise BadAmount(
            f"{name} must be a number, not {type(value).__name__}.", f"Write {name}=0.5, for example."
        )
    if isinstance(given, str | Decimal) and _ENDLESS.search(str(given)):
        raise BadAmount(f"{name} is beyond any use.", "Check it for a slip.")
    try:
        if isinstance(given, str | Decimal | Fraction):
            return Fraction(given)
        if isinstance(given, Integral):
            return Fraction(int(given))
        if not math.isfinite(given):
            raise BadAmount(f"{name} must be finite.", f"Give {name} a positive, finite value.")
        return Fraction(str(given))
    except (ValueError, OverflowError, ZeroDivisionError):
        raise BadAmount(f"{name} is not a finite number.", f"Write {name} as 0.5, 1e-6 or 1/3.") from None


def positive(value: Number, name: str, *, at_most: Fraction = LARGEST) -> Fraction:
    """An exact number in (0, at_most]; amounts too small for a ledger to book are refused too."""
    number = exact(value, name)
    if number <= 0:
        raise BadAmount(f"{name} must be greater than zero.", f"Give {name} a positive value.")
    if number > at_most:
        raise BadAmount(f"{name} must be at most {readable(at_most)}.", "Check the value for a slip.")
    return number


def loss(value: Number, name: str) -> Fraction:
    """An epsilon or rho: positive, bounded, and not below what a ledger can book."""
    number = positive(value, name)
    if number < LOSS_UNIT:
        raise BadAmount(
            f"{name} is smaller than the smallest amount a ledger books (1e-12).", f"Raise {name}."
        )
    return number


def probability(value: Number, name: str, *, zero: bool = False, one: bool = False) -> Fraction:
    """An exact probability, strictly between 0 and 1 unless the ends are allowed."""
    number = exact(value, name)
    inside = (number > 0 or (zero and number == 0)) and (number < 1 or (one and number == 1))
    if not inside:
        raise BadAmount(
            f"{name} must be a probability {'from' if zero else 'above'} 0 {'to' if one else 'and below'} 1.",
            f"Write {name}=1e-6, for example.",
        )
    return number


def delta(value: Number, name: str = "delta") -> Fraction:
    """A failure probability in (0, 1) that is not below what a ledger can book."""
    number = probability(value, name)
    if number < DELTA_UNIT:
        raise BadAmount(
            f"{name} is smaller than the smallest amount a ledger books (1e-30).", f"Raise {name}."
        )
    return number


def whole(value: object, name: str, *, at_least: int = 1) -> int:
    """A whole number not below `at_least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < at_least:
        raise BadAmount(
            f"{name} must be a whole number, {at_least} or more.", f"Write {name}={max(at_least, 5)}."
        )
    return int(value)


def units_up(amount: Fraction, unit: Fraction) -> int:
    """How many budget units cover `amount`: for spends."""
    return math.ceil(amount / unit)


def units_down(amount: Fraction, unit: Fraction) -> int:
    """How many whole budget units `amount` holds: for limits."""
    return math.floor(amount / unit)


def float_up(amount: Fraction) -> float:
    """The smallest float not below `amount`; infinity where that is none."""
    try:
        nearest = float(amount)
    except OverflowError:
        return math.inf if amount > 0 else -sys.float_info.max
    return nearest if Fraction(nearest) >= amount else math.nextafter(nearest, math.inf)


def float_down(amount: Fraction) -> float:
    """The largest float not above `amount`; minus infinity where that is none."""
    return 0.0 - float_up(-amount)


def from_float_up(amount: float, unit: Fraction = LOSS_UNIT) -> Fraction:
    """A computed loss as a whole number of units, rounded up; refuses what is not finite."""
    if not math.isfinite(amount):
        raise BadAmount("the loss is not finite.", "Use more noise.")
    return units_up(Fraction(amount), unit) * unit


def readable(amount: Fraction | int | float) -> str:
    """A short decimal for people: 0.5, 1e-06, 2.3026."""
    try:
        return f"{float(amount):.6g}"
    except OverflowError:
        return f"{Decimal(math.floor(amount)):.5e}"


def written(amount: Fraction) -> str:
    """An exact, canonical text: a decimal when there is a finite one, otherwise p/q."""
    twos = fives = 0
    rest = amount.denominator
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1 or max(twos, fives) > 40:
        return str(amount)
    places = max(twos, fives)
    digits = abs(amount.numerator) * 10**places // amount.denominator
    sign = "-" if amount < 0 else ""
    if places == 0:
        return f"{sign}{digits}"
    text = f"{digits:0{places + 1}d}"
    return f"{sign}{text[:-places]}.{text[-places:]}"
