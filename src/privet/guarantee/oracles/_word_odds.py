"""Probabilities as counts of 64-bit words, rounded so that the odds between two values never exceed what is promised.

A device compares a random word with a whole number. The number is the largest, or the smallest, for which the odds are
at most exp(epsilon); the exponential itself is enclosed between two rationals. At epsilon 16 the odds miss the promise
by less than 1e-11, and no probability becomes 0 or 1 (thresholds of 16 bits do that from epsilon 12 on).
"""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction

from privet.errors import BadAmount
from privet.guarantee.exact_amounts import readable

WORD = 2**64
# Beyond it, 64 bits no longer come near the promise, and there is nothing left of it either: e^32 is 79 trillion.
LARGEST_EPSILON = Fraction(32)
_DIGITS = Context(prec=60)
_SLACK = Fraction(1, 10**50)


def exp_below(epsilon: Fraction) -> Fraction:
    """A rational number just below exp(epsilon), by less than one part in 10^49."""
    power = _DIGITS.divide(Decimal(epsilon.numerator), Decimal(epsilon.denominator))
    return Fraction(_DIGITS.exp(power)) * (1 - _SLACK)


def admitted(epsilon: Fraction) -> Fraction:
    """The epsilon of a report; refuses what 64-bit words cannot keep."""
    if epsilon > LARGEST_EPSILON:
        raise BadAmount(
            f"a report may have an epsilon of at most {readable(LARGEST_EPSILON)}.",
            "Beyond it a report hides nothing worth a promise: check the value for a slip.",
        )
    return epsilon


def likely_words(epsilon: Fraction, outputs: int, likely: int) -> int:
    """How many words lead into the likely set: `likely` of `outputs`, each at most exp(epsilon) times as probable as others."""
    gain = exp_below(epsilon) * likely
    return int(WORD * gain / (gain + outputs - likely))


def flip_words(epsilon: Fraction) -> int:
    """How many words turn a bit over, so that the odds of the bit are at most exp(epsilon)."""
    return math.ceil(WORD / (exp_below(epsilon) + 1))
