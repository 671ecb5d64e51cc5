"""What a promise for one unit means for something that stands in several: group privacy."""

from __future__ import annotations

import math
from fractions import Fraction

from privet.guarantee import ApproxDP, Promise, PureDP, ZeroConcentratedDP, parts

_LARGEST = 300.0  # an epsilon from here on is no limit, and its delta is above 1 in any case


def group_promise(promise: Promise | None, copies: int) -> Promise | None:
    """The promise for whatever stands in so many units; None where none follows.

    (epsilon, delta) becomes (c epsilon, delta (e^(c epsilon) - 1) / (e^epsilon - 1)) (Dwork and Roth 2014, Theorem 2.2;
    Vadhan 2017, Lemma 2.2), rho becomes c² rho (Bun and Steinke 2016, Proposition 1.9).
    """
    if promise is None or copies <= 1:
        return promise
    found = [one for part in parts(promise) if (one := _grouped(part, copies)) is not None]
    joined: Promise | None = None
    for one in found:
        joined = one if joined is None else joined & one
    return joined


def _grouped(promise: Promise, copies: int) -> Promise | None:
    match promise:
        case PureDP():
            return PureDP(Fraction(promise.epsilon) * copies)
        case ZeroConcentratedDP():
            return ZeroConcentratedDP(Fraction(promise.rho) * copies**2)
        case ApproxDP():
            epsilon = float(promise.epsilon)
            if epsilon * copies > _LARGEST:
                return None
            times = copies if epsilon == 0 else math.expm1(copies * epsilon) / math.expm1(epsilon)
            delta = float(promise.delta) * times * (1 + 1e-9)  # rounded up
            return ApproxDP(Fraction(promise.epsilon) * copies, Fraction(delta)) if delta < 1 else None
    return None
