"""The epsilon that a promise allows, at the delta that it is audited at."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

from privet.guarantee import ApproxDP, Promise, parts, promised_epsilon

USUAL_DELTA = 1e-5


def audit_delta(promise: Promise | None) -> float:
    """The promise's own delta; a usual one for promises that hold at every delta; 0 for pure ones."""
    deltas = [_above(part.delta) for part in parts(promise) if isinstance(part, ApproxDP)] if promise else []
    if deltas:
        return max(deltas)
    pure = promise is not None and promised_at(promise, 0.0) is not None
    return 0.0 if pure else USUAL_DELTA


def _above(exact: Fraction | Decimal) -> float:
    """The nearest number of the machine that is not smaller: below its own delta, a promise says nothing."""
    near = float(exact)
    return near if Fraction(near) >= Fraction(exact) else math.nextafter(near, 1.0)


def promised_at(promise: Promise | None, delta: float) -> float | None:
    """The smallest epsilon that a part of the promise means at this delta; None if it says nothing of it."""
    if promise is None:
        return None
    found = [_one(part, delta) for part in parts(promise)]
    return min((epsilon for epsilon in found if epsilon is not None), default=None)


def _one(promise: Promise, delta: float) -> float | None:
    from privet.guarantee import ZeroConcentratedDP

    if isinstance(promise, ZeroConcentratedDP) and delta <= 0:
        return None
    return promised_epsilon(promise, delta)
