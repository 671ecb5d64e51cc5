"""How far a weighted sum of independent noises strays: the error bar of everything computed from noisy counts.

Only the noise is covered. What clamping to bounds and bounding contributions change is stated beside an
answer, since measuring it would need the data.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from privet.errors import InternalError
from privet.guarantee.error import spread
from privet.guarantee.events import DiscreteGaussian, DiscreteLaplace, Event, ThresholdedKeys, TruncatedKeys

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Points of the integral that turns a characteristic function into a probability, and the most there may be.
_POINTS, _MOST_POINTS = 4_096, 400_000
_NEGLIGIBLE = 1e-10


@dataclass(frozen=True, slots=True)
class Term:
    """Independent integer noise, as `event` describes it, multiplied by `weight`."""

    weight: float
    event: Event


def half_width(terms: Sequence[Term], confidence: float) -> float:
    """The smallest w with P[|sum of the terms| <= w] >= confidence.

    One term: exact for the discrete distribution. Two Laplace terms: the exact tail of a sum of two
    independent Laplace variables, by partial fractions of its characteristic function
    1 / ((1 + a²t²)(1 + b²t²)). All Gaussian: a Gaussian. Any other mixture: its characteristic function is
    inverted numerically (Gil-Pelaez 1951); where one term is so large beside the others that this would take
    too many points, the widths at a confidence shared between the terms are added up (the union bound).
    """
    live = [term for term in terms if term.weight]
    if not live:
        return 0.0
    if len(live) == 1:
        return abs(live[0].weight) * spread(live[0].event).half_width(confidence)
    laplace = [
        abs(term.weight) * _scale(term.event) for term in live if not isinstance(term.event, DiscreteGaussian)
    ]
    gaussian = math.hypot(
        *(
            term.weight * spread(term.event).standard_deviation
            for term in live
            if isinstance(term.event, DiscreteGaussian)
        )
    )
    if not laplace:
        return gaussian * _normal_quantile(confidence)
    if len(laplace) == 2 and not gaussian:
        first, second = laplace
        return _bisected(
            lambda width: _two_laplace_tail(first, second, width), 1 - confidence, 60 * sum(laplace)
        )
    found = _inverted(laplace, gaussian, confidence)
    if found is not None:
        return found
    shared = 1 - (1 - confidence) / len(live)
    return sum(abs(term.weight) * spread(term.event).half_width(shared) for term in live)


def _scale(event: Event) -> float:
    if isinstance(event, DiscreteLaplace | ThresholdedKeys | TruncatedKeys):
        return float(event.scale)
    raise InternalError("an interval was asked for noise that is neither Laplace nor Gaussian.")


def _bisected(tail: Callable[[float], float], error: float, high: float) -> float:
    low = 0.0
    for _ in range(100):
        middle = (low + high) / 2
        if tail(middle) > error:
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


def _inverted(laplace: list[float], gaussian: float, confidence: float) -> float | None:
    """The width by P[|S| <= w] = 2/π ∫ sin(wt)/t φ(t) dt; None if the integral needs too many points."""
    import numpy as np

    scales = np.asarray(laplace)
    deviation = math.sqrt(2 * float((scales**2).sum()) + gaussian**2)
    most = deviation * max(_normal_quantile(confidence), -math.log(1 - confidence)) * 2
    end = 1 / deviation
    while _log_characteristic(np.array([end]), scales, gaussian)[0] > math.log(_NEGLIGIBLE):
        end *= 1.3
        if end * most > _MOST_POINTS:
            return None
    points = int(max(_POINTS, 8 * end * most))
    if points > _MOST_POINTS:
        return None
    times = np.asarray((np.arange(points) + 0.5) * (end / points), np.float64)
    weight = np.exp(_log_characteristic(times, scales, gaussian)) / times * (2 * end / points / math.pi)
    return _bisected(
        lambda width: 1 - float((np.sin(width * times) * weight).sum()), 1 - confidence, most * 4
    )


def _log_characteristic(
    times: NDArray[np.float64], scales: NDArray[np.float64], gaussian: float
) -> NDArray[np.float64]:
    import numpy as np

    different, numbers = np.unique(scales, return_counts=True)
    found = -(gaussian**2) * times**2 / 2
    for scale, number in zip(different, numbers, strict=True):
        found = found - number * np.log1p((scale * times) ** 2)
    return np.asarray(found, np.float64)


def _normal_quantile(confidence: float) -> float:
    from statistics import NormalDist

    return NormalDist().inv_cdf((1 + confidence) / 2)
