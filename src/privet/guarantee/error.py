"""How far noise moves an answer: known before anything is spent.

Figures are exact for the distribution that is drawn, in the unit of the noise (fixed-point steps for integer
noise), or rounded up where the docstring says so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache, singledispatch
from statistics import NormalDist

from privet.errors import BadAmount, UnsupportedEvent
from privet.guarantee.amounts import float_up
from privet.guarantee.events import (
    DiscreteGaussian,
    DiscreteLaplace,
    Event,
    Gaussian,
    Laplace,
    ThresholdedKeys,
    TruncatedKeys,
)

# Up to here a discrete Gaussian is summed integer by integer.
_LARGEST_SUM = 2_000
# Up to here truncated noise is.
_LARGEST_BOUND = 100_000


@dataclass(frozen=True)
class Spread:
    """The size of the noise on one coordinate."""

    standard_deviation: float
    mean_absolute: float
    event: Event = field(repr=False)

    def half_width(self, confidence: float) -> float:
        """How far the noise strays at most, on either side, with at least this probability.

        For integer noise the smallest whole number w with P[|Z| <= w] >= confidence.
        """
        return half_width(self.event, confidence)


def half_width(event: Event, confidence: float) -> float:
    """The half-width of an event's noise, without the rest of its spread."""
    if not 0 < confidence < 1:
        raise BadAmount("confidence must lie between 0 and 1.", "Write confidence=0.95.")
    return _half_width(event, confidence)


@singledispatch
def spread(event: Event) -> Spread:
    """The spread of the noise that an additive event draws."""
    raise UnsupportedEvent(f"a {event.kind} event adds no noise to a number.", kind=event.kind)


@singledispatch
def _half_width(event: Event, confidence: float) -> float:
    del confidence
    raise UnsupportedEvent(f"a {event.kind} event adds no noise to a number.", kind=event.kind)


# --- continuous --------------------------------------------------------------------------------


@spread.register(Laplace)
def _(event: Laplace) -> Spread:
    scale = float(event.scale)
    return Spread(math.sqrt(2) * scale, scale, event)


@_half_width.register(Laplace)
def _(event: Laplace, confidence: float) -> float:
    return -float(event.scale) * math.log1p(-confidence)


@spread.register(Gaussian)
def _(event: Gaussian) -> Spread:
    sigma = float(event.sigma)
    return Spread(sigma, sigma * math.sqrt(2 / math.pi), event)


@_half_width.register(Gaussian)
def _(event: Gaussian, confidence: float) -> float:
    return float(event.sigma) * _normal_quantile(confidence)


def _normal_quantile(confidence: float) -> float:
    # From the lower tail: (1 - confidence) / 2 keeps its digits where (1 + confidence) / 2 has lost them.
    return -NormalDist().inv_cdf((1 - confidence) / 2)


# --- discrete Laplace --------------------------------------------------------------------------


@spread.register(DiscreteLaplace)
@spread.register(ThresholdedKeys)
def _(event: DiscreteLaplace | ThresholdedKeys) -> Spread:
    """Variance 2a / (1 - a)² and mean absolute value 2a / (1 - a²), where a = exp(-1/scale)."""
    decay = 1 / float(event.scale)
    rest = -math.expm1(-decay)
    variance = 2 * math.exp(-decay) / rest**2
    mean_absolute = 2 * math.exp(-decay) / -math.expm1(-2 * decay)
    return Spread(math.sqrt(variance), mean_absolute, event)


@_half_width.register(DiscreteLaplace)
@_half_width.register(ThresholdedKeys)
def _(event: DiscreteLaplace | ThresholdedKeys, confidence: float) -> float:
    """From P[|Z| > w] = 2 a^(w + 1) / (1 + a)."""
    decay = 1 / float(event.scale)
    log_share = math.log(2) - math.log1p(math.exp(-decay))
    log_outside = math.log1p(-confidence)
    # The comparison allows for the last digits, so that a bound met exactly counts as met.
    width = math.ceil((log_share - log_outside) / decay * (1 - 1e-12) - 1)
    return float(max(0, width))


@spread.register(TruncatedKeys)
def _(event: TruncatedKeys) -> Spread:
    """Summed exactly up to a bound of 100,000; beyond, that of the noise before it is cut off, which is above."""
    if event.bound > _LARGEST_BOUND:
        whole = spread(DiscreteLaplace(event.scale))
        return Spread(whole.standard_deviation, whole.mean_absolute, event)
    weights = [math.exp(-z / float(event.scale)) for z in range(event.bound + 1)]
    total = 2 * math.fsum(weights) - 1
    variance = 2 * math.fsum(z * z * weight for z, weight in enumerate(weights)) / total
    mean_absolute = 2 * math.fsum(z * weight for z, weight in enumerate(weights)) / total
    return Spread(math.sqrt(variance), mean_absolute, event)


@_half_width.register(TruncatedKeys)
def _(event: TruncatedKeys, confidence: float) -> float:
    """From P[|Z| > w] = 2a (a^w - a^k) / (1 - a + 2a (1 - a^k)) for w up to the bound k."""
    decay = 1 / float(event.scale)
    rest, least = -math.expm1(-decay), math.exp(-decay * event.bound)
    total = rest + 2 * math.exp(-decay) * (1 - least)
    # The comparison allows for the last digits, so that a bound met exactly counts as met.
    allowed = (1 - confidence) * (1 + 1e-12) * total / (2 * math.exp(-decay))
    low, high = -1, event.bound
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if math.exp(-decay * middle) - least <= allowed else (middle, high)
    return float(high)


# --- discrete Gaussian -------------------------------------------------------------------------


@spread.register(DiscreteGaussian)
def _(event: DiscreteGaussian) -> Spread:
    """Summed exactly up to sigma 2,000; beyond, bounds that are above by less than one step.

    There the standard deviation is at most sigma, and P[Z >= m] <= P[N >= m - 1] for the continuous N of the
    same sigma (Canonne, Kamath, Steinke 2020, Section 2.2), which adds at most 1 to E|N|.
    """
    if event.sigma > _LARGEST_SUM:
        sigma = float_up(event.sigma)
        return Spread(sigma, sigma * math.sqrt(2 / math.pi) + 1, event)
    weights = _weights(float(event.sigma))
    total = 2 * math.fsum(weights) - 1
    variance = 2 * math.fsum(z * z * weight for z, weight in enumerate(weights)) / total
    mean_absolute = 2 * math.fsum(z * weight for z, weight in enumerate(weights)) / total
    return Spread(math.sqrt(variance), mean_absolute, event)


@_half_width.register(DiscreteGaussian)
def _(event: DiscreteGaussian, confidence: float) -> float:
    """Summed from the outside in; for large sigma the continuous quantile rounded up, which the bound above covers."""
    if event.sigma > _LARGEST_SUM:
        return float(math.ceil(float_up(event.sigma) * _normal_quantile(confidence)))
    weights = _weights(float(event.sigma))
    allowed = (1 - confidence) * (2 * math.fsum(weights) - 1) * (1 + 1e-12)
    outside, width = 0.0, len(weights) - 1
    while width > 0 and outside + 2 * weights[width] <= allowed:
        outside += 2 * weights[width]
        width -= 1
    return float(width)


@lru_cache(maxsize=8)
def _weights(sigma: float) -> tuple[float, ...]:
    """exp(-z² / 2 sigma²) for z = 0, 1, … until it is below 1e-40 of the first."""
    last = math.ceil(13.6 * sigma) + 1
    return tuple(math.exp(-((z / sigma) ** 2) / 2) for z in range(last + 1))
