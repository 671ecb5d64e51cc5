"""How little noise a whole plan needs: its scales are lowered together until the plan's certificate meets the promise.

Also the selection of unknown keys, whose threshold moves with its scale.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from privet.errors import PromiseUnmeetable, UnsupportedEvent
from privet.guarantee import (
    GRID,
    ApproxDP,
    Composed,
    DiscreteGaussian,
    DiscreteLaplace,
    Event,
    Repeated,
    SealedPlan,
    ThresholdedKeys,
    TruncatedKeys,
    bound_for,
    certify,
    epsilon_for,
    float_down,
    float_up,
    threshold_for,
)
from privet.guarantee.mechanisms import CandidateSelection
from privet.sealed import Sensitivity

# How closely the lowest scales are searched for, and how long.
_CLOSE, _TRIES = 2e-3, 8


def lowered(noise: tuple[Event, ...], keys_delta: Fraction, promise: ApproxDP) -> tuple[Event, ...]:
    """The same noise with all scales lowered by the factor that the certificate of the whole plan allows.

    `keys_delta` is what each selection of unknown keys may use up of the promise's delta.
    """
    factor = _lowest_factor(noise, keys_delta, promise)
    return tuple(_scaled(event, factor, keys_delta) for event in noise)


def select_keys(scale: Fraction, moved: Sensitivity, delta: Fraction, selection: str | None) -> Event:
    """How unknown keys are selected: as named, or by whichever shows keys of fewer persons; by rows, a threshold."""
    keys = moved.blocks
    if moved.largest > 1 or moved.block > 1:
        threshold = threshold_for(scale, keys, delta, moved.largest, moved.block)
        return ThresholdedKeys(scale, threshold, keys, moved.largest, moved.block)
    thresholded = ThresholdedKeys(scale, threshold_for(scale, keys, delta), keys)
    truncated = TruncatedKeys(scale, bound_for(scale, keys, delta), keys)
    if selection == "thresholded" or (selection is None and truncated.bound > thresholded.threshold):
        return thresholded
    return truncated


@lru_cache(maxsize=64)
def _lowest_factor(noise: tuple[Event, ...], keys_delta: Fraction, promise: ApproxDP) -> Fraction:
    """The smallest factor on all scales whose plan is certified, to a few thousandths.

    The search is done on a grid as coarse as epsilon is large, which only overstates losses, and what it finds is
    certified once more as it will be booked.
    """
    # Losses are rounded up on any grid, so a coarse one may cost accuracy and never privacy.
    grid = GRID * max(1.0, 4 * float(promise.epsilon))

    def plan(factor: float) -> Event:
        return Composed(_scaled(event, Fraction(factor), keys_delta) for event in noise)

    def excess(factor: float) -> float:
        """The logarithm of the loss over the promise."""
        try:
            loss = epsilon_for(plan(factor), promise.delta, accountant="pld", grid=grid).epsilon
        # No finite loss at this factor: as if it were far outside, so that the search goes on with more
        # noise.
        except UnsupportedEvent:
            return math.inf
        return math.log(loss / float(promise.epsilon)) if loss > 0 else -math.inf

    inside = _edge(excess)
    # Selections may be certified without loss distributions at less noise than with them.
    for factor in (min(inside, 1.0), inside, 1.0, 2.0 * inside):
        if certify(SealedPlan(plan(factor), promise.delta)).epsilon <= promise.epsilon:
            return Fraction(factor)
    raise PromiseUnmeetable("no noise of this kind can be certified for the promise.", "Raise epsilon.")


def _edge(excess: Callable[[float], float]) -> float:
    """The smallest factor that fits, between a half and eight; 8 where none does."""
    outside, inside = 0.5, 1.0
    while excess(inside) > 0 and inside < 8:
        outside, inside = inside, 2 * inside
    low, high = excess(outside), excess(inside)
    if low <= 0:
        return outside
    for _ in range(_TRIES):
        if inside - outside < _CLOSE * inside:
            break
        line = 0.5 * (math.log(outside) + math.log(inside))
        if math.isfinite(low) and math.isfinite(high) and low > high:
            part = low / (low - high)
            line = math.log(outside) + min(max(part + 0.01, 0.02), 0.98) * (
                math.log(inside) - math.log(outside)
            )
        middle = math.exp(line)
        found = excess(middle)
        if found <= 0:
            inside, high = middle, found
        else:
            outside, low = middle, found
    return inside


def _scaled(event: Event, factor: Fraction, keys_delta: Fraction) -> Event:
    if factor == 1:
        return event
    match event:
        case DiscreteLaplace():
            return DiscreteLaplace(_float(event.scale * factor), event.sensitivity)
        case DiscreteGaussian():
            return DiscreteGaussian(_float(event.sigma * factor), event.sensitivity, event.coordinates)
        case ThresholdedKeys():
            scale = _float(event.scale * factor)
            threshold = threshold_for(scale, event.keys, keys_delta, event.reach, event.parts)
            return ThresholdedKeys(scale, threshold, event.keys, event.reach, event.parts)
        case TruncatedKeys():
            scale = _float(event.scale * factor)
            return TruncatedKeys(scale, bound_for(scale, event.keys, keys_delta), event.keys)
        case Repeated(event=CandidateSelection() as choice):
            return Repeated(type(choice)(Fraction(float_down(choice.epsilon / factor))), event.count)
    raise PromiseUnmeetable(f"{event.kind} noise has no scale to choose.")


def _float(amount: Fraction) -> Fraction:
    return Fraction(float_up(amount))
