"""How far a weighted sum of independent noises strays: the error bar of everything computed from noisy counts.

Only the noise is covered. What clamping to bounds and bounding contributions change is stated beside an
answer, since measuring it would need the data.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from privet.errors import InternalError
from privet.guarantee._events import Event
from privet.guarantee._expected_error import spread
from privet.guarantee.mechanisms import GaussianNoise, LaplaceNoise

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Points of the integral that turns a characteristic function into a probability, and the most there may be.
_POINTS, _MOST_POINTS = 1_024, 400_000
_NEGLIGIBLE = 1e-10


@dataclass(frozen=True, slots=True)
class Term:
    """Independent integer noise, as `event` describes it, multiplied by `weight`."""

    weight: float
    event: Event


def mixture_half_width(terms: Sequence[Term], confidence: float) -> float:
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
    laplace, gaussian = _scales(live)
    if not laplace:
        return gaussian * _normal_quantile(confidence)
    if len(laplace) == 2 and not gaussian:
        first, second = laplace
        return _bisected(
            lambda width: _two_laplace_tail(first, second, width), 1 - confidence, 60 * sum(laplace)
        )
    found = _inverted(laplace, gaussian, confidence)
    return _union_bound(live, confidence) if found is None else found


def strays_beyond(terms: Sequence[Term], distance: float, confidence: float) -> bool:
    """Whether a distance is more than `mixture_half_width`, which need not be found for it."""
    live = [term for term in terms if term.weight]
    laplace, gaussian = _scales(live)
    if len(live) < 2 or not laplace or (len(laplace) == 2 and not gaussian):
        return distance > mixture_half_width(live, confidence)
    integral = _integral(laplace, gaussian, confidence)
    if integral is None:
        return distance > _union_bound(live, confidence)
    return distance > 0 and _tail(integral, distance) < 1 - confidence


def _scales(terms: list[Term]) -> tuple[tuple[float, ...], float]:
    """The scales of the Laplace terms, largest first, and the one deviation of all Gaussian terms."""
    if not all(isinstance(t.event, LaplaceNoise | GaussianNoise) for t in terms):
        raise InternalError("an interval was asked for noise that is neither Laplace nor Gaussian.")
    laplace = [abs(t.weight) * float(t.event.scale) for t in terms if isinstance(t.event, LaplaceNoise)]
    gaussian = [
        t.weight * t.event.spread().standard_deviation for t in terms if isinstance(t.event, GaussianNoise)
    ]
    return tuple(sorted(laplace, reverse=True)), math.hypot(*gaussian)


def _union_bound(terms: list[Term], confidence: float) -> float:
    shared = 1 - (1 - confidence) / len(terms)
    return sum(abs(term.weight) * spread(term.event).half_width(shared) for term in terms)


def _bisected(tail: Callable[[float], float], error: float, high: float) -> float:
    low = 0.0
    for _ in range(60):
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


@lru_cache(maxsize=4_096)
def _inverted(laplace: tuple[float, ...], gaussian: float, confidence: float) -> float | None:
    """The width by P[|S| <= w] = 2/π ∫ sin(wt)/t φ(t) dt; None if the integral needs too many points."""
    integral = _integral(laplace, gaussian, confidence)
    if integral is None:
        return None
    most = 4 * _far(laplace, gaussian, confidence)
    return _bisected(lambda width: _tail(integral, width), 1 - confidence, most)


def _tail(integral: tuple[NDArray[np.float64], NDArray[np.float64]], width: float) -> float:
    import numpy as np

    times, weights = integral
    return 1 - float((np.sin(width * times) * weights).sum())


def _far(laplace: tuple[float, ...], gaussian: float, confidence: float) -> float:
    """A distance well beyond the width that is looked for."""
    deviation = math.sqrt(2 * sum(scale * scale for scale in laplace) + gaussian**2)
    return deviation * max(_normal_quantile(confidence), -math.log(1 - confidence)) * 2


def _integral(
    laplace: tuple[float, ...], gaussian: float, confidence: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """The points and weights of the integral, fine enough for all distances that matter; None if too many."""
    import numpy as np

    scales = np.asarray(laplace)
    most = _far(laplace, gaussian, confidence)
    end = 1 / math.sqrt(2 * float((scales**2).sum()) + gaussian**2)
    while _log_characteristic(np.array([end]), scales, gaussian)[0] > math.log(_NEGLIGIBLE):
        end *= 1.3
        if end * most > _MOST_POINTS:
            return None
    points = int(max(_POINTS, 8 * end * most))
    if points > _MOST_POINTS:
        return None
    times = np.asarray((np.arange(points) + 0.5) * (end / points), np.float64)
    weights = np.exp(_log_characteristic(times, scales, gaussian)) / times * (2 * end / points / math.pi)
    return times, weights


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
