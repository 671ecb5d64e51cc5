"""Error bars from formulas: how far noise can move an answer that is a weighted sum of noisy counts.

Only the noise is covered. What clamping to bounds and bounding contributions change is stated beside the
answer, since measuring it would need the data.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from privet.errors import InternalError
from privet.guarantee.error import spread
from privet.guarantee.events import DiscreteGaussian, DiscreteLaplace, Event, ThresholdedKeys


@dataclass(frozen=True, slots=True)
class Term:
    """Independent integer noise, as `event` describes it, multiplied by `weight`."""

    weight: float
    event: Event


def half_width(terms: Sequence[Term], confidence: float) -> float:
    """The smallest w with P[|sum of the terms| <= w] >= confidence; conservative where noise types are mixed.

    One term: exact for the discrete distribution. Two Laplace terms: the exact tail of a sum of two
    independent Laplace variables, by partial fractions of its characteristic function
    1 / ((1 + a²t²)(1 + b²t²)). All Gaussian: a Gaussian. Anything else: the widths of the terms at a
    confidence shared between them by the union bound.
    """
    live = [term for term in terms if term.weight]
    if not live:
        return 0.0
    if len(live) == 1:
        return abs(live[0].weight) * spread(live[0].event).half_width(confidence)
    if all(isinstance(term.event, DiscreteGaussian) for term in live):
        deviation = math.hypot(*(term.weight * spread(term.event).standard_deviation for term in live))
        return deviation * _normal_quantile(confidence)
    if len(live) == 2 and all(isinstance(term.event, DiscreteLaplace | ThresholdedKeys) for term in live):
        first, second = (abs(term.weight) * _scale(term.event) for term in live)
        return _two_laplace_width(first, second, confidence)
    shared = 1 - (1 - confidence) / len(live)
    return sum(abs(term.weight) * spread(term.event).half_width(shared) for term in live)


def _scale(event: Event) -> float:
    if isinstance(event, DiscreteLaplace | ThresholdedKeys):
        return float(event.scale)
    raise InternalError("a Laplace interval was asked for noise that is not Laplace.")


def _two_laplace_width(a: float, b: float, confidence: float) -> float:
    low, high = 0.0, 60 * (a + b)
    for _ in range(200):
        middle = (low + high) / 2
        if _two_laplace_tail(a, b, middle) > 1 - confidence:
            low = middle
        else:
            high = middle
    return high


def _two_laplace_tail(a: float, b: float, width: float) -> float:
    """P[|X + Y| > width] for Laplace variables of scales a and b."""
    if abs(a - b) < 1e-6 * max(a, b):
        scale = max(a, b)
        return (1 + width / (2 * scale)) * math.exp(-width / scale)
    return (a * a * math.exp(-width / a) - b * b * math.exp(-width / b)) / (a * a - b * b)


def _normal_quantile(confidence: float) -> float:
    from statistics import NormalDist

    return NormalDist().inv_cdf((1 + confidence) / 2)
