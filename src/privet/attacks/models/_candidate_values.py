"""Candidate values of an attribute, and differences of two shares with their intervals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import IntervalEstimate
from privet.attacks._attack_scores import wilson
from privet.errors import BadAttack

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST = 50


def as_codes(column: NDArray[Any], values: Any = None) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The attribute's possible values and each record's position among them; the values may be stated."""
    if column.dtype.hasobject:
        column = np.array(column.tolist())
    if column.dtype.kind not in "biufU":
        raise BadAttack("an attribute that is guessed is numbers, text or yes and no.", "Choose another.")
    known = np.unique(column) if values is None else np.unique(np.asarray(values))
    if not 2 <= len(known) <= _MOST:
        raise BadAttack(
            f"an attribute that is guessed has between 2 and {_MOST} values.",
            "Choose another, or round it to classes first.",
        )
    at = np.clip(np.searchsorted(known, column), 0, len(known) - 1)
    if not (known[at] == column).all():
        raise BadAttack("some records have a value that is not among the stated ones.", "State all values.")
    return known, at


def difference(first: NDArray[np.bool_], second: NDArray[np.bool_], confidence: float) -> IntervalEstimate:
    """The difference of two independent shares with Newcombe's interval (1998, method 10)."""
    a, b = float(first.mean()), float(second.mean())
    (mid_a, half_a), (mid_b, half_b) = (
        wilson(int(one.sum()), len(one), confidence) for one in (first, second)
    )
    low = a - b - math.hypot(a - (mid_a - half_a), (mid_b + half_b) - b)
    high = a - b + math.hypot((mid_a + half_a) - a, b - (mid_b - half_b))
    return IntervalEstimate(a - b, min(low, a - b), max(high, a - b), confidence)


def paired_difference(
    first: NDArray[np.bool_], second: NDArray[np.bool_], confidence: float
) -> IntervalEstimate:
    """The difference of two shares on the same records (Agresti and Min 2005: Wald after half a count in each cell)."""
    from scipy.stats import norm

    n = len(first) + 2
    more, less = float((first & ~second).sum()) + 0.5, float((~first & second).sum()) + 0.5
    value = float(first.mean() - second.mean())
    centre = (more - less) / n
    half = float(norm.ppf((1 + confidence) / 2)) * math.sqrt((more + less - (more - less) ** 2 / n) / n**2)
    return IntervalEstimate(value, min(centre - half, value), max(centre + half, value), confidence)
