"""What a mechanism costs, as numbers that add up: (epsilon, delta), and delta-approximate rho-zCDP.

Beside them the steps by which chances become costs, each rounded up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from privet.guarantee.exact_amounts import DELTA_UNIT, float_up, from_float_up

# What a few operations of the mathematics library can be off by, with a wide margin.
ROUNDING = 1e-12
# The logarithm of a chance that a float still tells from none.
_LOG_OF_LEAST = -700.0


@dataclass(frozen=True)
class BasicCost:
    """An (epsilon, delta) that covers an event: exact, or rounded up."""

    epsilon: Fraction
    delta: Fraction = Fraction(0)

    def sampled(self, q: Fraction) -> BasicCost:
        """Amplified by a Poisson sample: (log(1 + q (e^epsilon - 1)), q delta).

        Balle, Barthe, Gaboardi 2018, Theorem 8.
        """
        if self.epsilon > 500 or q == 1:
            return self
        gained = 1 + q * Fraction(math.expm1(float_up(self.epsilon)) * (1 + ROUNDING))
        return BasicCost(min(log_up(gained), self.epsilon), q * self.delta)


@dataclass(frozen=True)
class ConcentratedCost:
    """delta-approximate rho-zCDP that covers an event."""

    rho: Fraction
    delta: Fraction = Fraction(0)


def chance_of_any(count: int, log_one: float) -> Fraction:
    """The chance that one of `count` independent events of this log-chance happens, rounded up and never zero."""
    one = math.exp(max(log_one, _LOG_OF_LEAST))
    any_of_them = -math.expm1(float_up(Fraction(count)) * math.log1p(-one))
    return min(max(from_float_up(any_of_them * (1 + ROUNDING), DELTA_UNIT), DELTA_UNIT), Fraction(1))


def log_up(ratio: Fraction) -> Fraction:
    """The natural logarithm of a number not below 1, rounded up to a whole number of budget units."""
    if ratio == 1:
        return Fraction(0)
    excess = ratio - 1
    if excess < 1:
        value = math.log1p(float_up(excess))
    else:
        value = math.log(ratio.numerator) - math.log(ratio.denominator)
        # Numerator and denominator may both be huge: the rounding error is that of their logarithms.
        value += ROUNDING * 1e-3 * (1 + math.log(ratio.denominator))
    return from_float_up(value * (1 + ROUNDING))
