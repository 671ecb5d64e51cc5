"""Basic composition: epsilons add, and so do deltas.

The one accounting that needs no delta to be chosen, that is exact for pure mechanisms, and that stays valid
when every parameter is chosen after seeing the answers before (Dwork, McSherry, Nissim, Smith 2006;
Rogers, Roth, Ullman, Vadhan 2016). `leaf_cost` prices one event; `pure_cost` is the only place where prices
are multiplied by counts and added.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch

from privet.errors import UnsupportedEvent
from privet.guarantee.amounts import DELTA_UNIT, float_down, float_up, from_float_up
from privet.guarantee.events import (
    DiscreteLaplace,
    Event,
    Exponential,
    Laplace,
    NonPrivate,
    Opaque,
    PermuteAndFlip,
    PoissonSampled,
    RandomizedResponse,
    Selected,
    ThresholdedKeys,
    TruncatedKeys,
    TruncatedPoissonSampled,
    Unsupported,
    leaves,
)
from privet.guarantee.units import Change

# What a few operations of the mathematics library can be off by, with a wide margin.
ROUNDING = 1e-12
# The logarithm of a chance that a float still tells from none.
_LOG_OF_LEAST = -700.0


@dataclass(frozen=True)
class BasicCost:
    """An (epsilon, delta) that covers an event: exact, or rounded up."""

    epsilon: Fraction
    delta: Fraction


def pure_cost(event: Event, *, change: Change = Change.ADD_OR_REMOVE) -> BasicCost:
    """The sum of the (epsilon, delta) of all that `event` composes.

    Raises `UnsupportedEvent` where there is no finite epsilon until a delta is chosen (Gaussian noise,
    concentrated promises, sampled Gaussian noise), and for whatever is not private at all.
    """
    priced = [(leaf_cost(leaf, change), count) for leaf, count in leaves(event).items()]
    return BasicCost(
        sum((cost.epsilon * count for cost, count in priced), Fraction(0)),
        min(sum((cost.delta * count for cost, count in priced), Fraction(0)), Fraction(1)),
    )


@singledispatch
def leaf_cost(event: Event, change: Change) -> BasicCost:
    """The (epsilon, delta) of one event. Sealed plans are added by `composing`, which certifies them."""
    del change
    if isinstance(event, NonPrivate):
        raise UnsupportedEvent("a non-private release has no finite loss.", "Protect it, or leave it out.")
    if isinstance(event, Unsupported):
        raise UnsupportedEvent("no accountant can bound this event.", "Replace it by one that can.")
    raise UnsupportedEvent(
        f"a {event.kind} event has no finite epsilon without a delta.",
        "State a delta and use zCDP, Rényi or loss-distribution accounting.",
        kind=event.kind,
    )


@leaf_cost.register(Laplace)
@leaf_cost.register(DiscreteLaplace)
def _(event: Laplace | DiscreteLaplace, change: Change) -> BasicCost:
    del change
    return BasicCost(event.sensitivity / event.scale, Fraction(0))


@leaf_cost.register(Exponential)
@leaf_cost.register(PermuteAndFlip)
@leaf_cost.register(Opaque)
def _(event: Exponential | PermuteAndFlip | Opaque, change: Change) -> BasicCost:
    del change
    return BasicCost(event.epsilon, event.delta if isinstance(event, Opaque) else Fraction(0))


@leaf_cost.register(RandomizedResponse)
def _(event: RandomizedResponse, change: Change) -> BasicCost:
    """The odds of the true bucket against another one: 1 + buckets (1 - p) / p.

    It covers what a report says, for any two answers of its person; that there is a report is not hidden.
    """
    del change
    return BasicCost(_log_up(1 + event.buckets * (1 - event.p) / event.p), Fraction(0))


@leaf_cost.register(ThresholdedKeys)
def _(event: ThresholdedKeys, change: Change) -> BasicCost:
    del change
    """The reach of all keys over the scale, and the chance that a key of one unit alone is shown."""
    delta = threshold_delta(event.scale, event.threshold, event.keys, event.reach, event.parts)
    return BasicCost(event.keys * event.reach / event.scale, delta)


@leaf_cost.register(TruncatedKeys)
def _(event: TruncatedKeys, change: Change) -> BasicCost:
    """1 / scale and the chance of the noise's largest value for each key, in up to `keys` keys."""
    del change
    return BasicCost(event.keys / event.scale, truncated_delta(event.scale, event.bound, event.keys))


@leaf_cost.register(PoissonSampled)
def _(event: PoissonSampled, change: Change) -> BasicCost:
    """Amplification by sampling: (log(1 + q (e^epsilon - 1)), q delta); Balle, Barthe, Gaboardi 2018, Theorem 8."""
    require_add_or_remove(event, change)
    inner = pure_cost(event.event, change=change)
    if inner.epsilon > 500 or event.q == 1:
        return inner
    gained = 1 + event.q * Fraction(math.expm1(float_up(inner.epsilon)) * (1 + ROUNDING))
    return BasicCost(min(_log_up(gained), inner.epsilon), event.q * inner.delta)


@leaf_cost.register(Selected)
def _(event: Selected, change: Change) -> BasicCost:
    """Two or three times the epsilon of the costliest candidate, which must be pure.

    Papernot and Steinke 2022, Theorem 2 with both orders sent to infinity: (2 + shape) epsilon, whatever the mean. A
    delta is not allowed for: it would count once for every trial. A Poisson number of trials has no such bound.
    """
    costs = [pure_cost(candidate, change=change) for candidate in event.events]
    if event.law == "poisson" or any(cost.delta for cost in costs):
        raise UnsupportedEvent(
            f"a {event.law} selection among such candidates has no finite epsilon without a delta.",
            "State a delta, or seal the plan with one.",
            kind=event.kind,
        )
    shape = 1 if event.law == "geometric" else 0
    return BasicCost((2 + shape) * max(cost.epsilon for cost in costs), Fraction(0))


def require_add_or_remove(event: PoissonSampled | TruncatedPoissonSampled, change: Change) -> None:
    """Theorems on Poisson sampling speak of one unit added or removed, and of nothing else.

    So the inner event must hide whether a unit is there. Randomised response does not: whoever is sampled
    gives a report, which tells as much about the answer as without sampling.
    """
    if any(isinstance(leaf, RandomizedResponse) for leaf in leaves(event.event)):
        raise UnsupportedEvent(
            "sampling does not amplify randomised response: it hides what a report says, not that there is one.",
            "Leave out the sampling.",
            kind=event.kind,
        )
    if change is not Change.ADD_OR_REMOVE:
        raise UnsupportedEvent(
            f"a {event.kind} event is only covered when one unit is added or removed.",
            "Use a unit with change=ADD_OR_REMOVE, or a mechanism that does not sample.",
            kind=event.kind,
        )


@leaf_cost.register(TruncatedPoissonSampled)
def _(event: TruncatedPoissonSampled, change: Change) -> BasicCost:
    require_add_or_remove(event, change)
    raise UnsupportedEvent(
        "sampled Gaussian noise has no finite epsilon without a delta.",
        "State a delta, or seal the plan with one.",
        kind=event.kind,
    )


def threshold_delta(scale: Fraction, threshold: int, keys: int, reach: int = 1, parts: int = 1) -> Fraction:
    """The chance that one of `keys` keys held by one person alone is shown, rounded up.

    Such a key has at most parts · reach, so it is shown when the noise is t = threshold - parts · reach + 1 or more.
    With a = exp(-1/scale) that has a chance of a^t / (1 + a) for discrete Laplace noise, and for the sum of two
    of a^t (t (1 - a) + (1 + a²) / (1 + a) + a) / (1 + a)². In logarithms, so that nothing underflows to a delta of
    zero.
    """
    decay, least = float_down(1 / scale), threshold - parts * reach + 1
    a = math.exp(-decay)
    log_one = -float_down(least / scale) - parts * math.log1p(a)
    if parts == 2:
        log_one += math.log(least * -math.expm1(-float_up(1 / scale)) + (1 + a * a) / (1 + a) + a)
    return _any_of(keys, max(log_one, _LOG_OF_LEAST))


def truncated_delta(scale: Fraction, bound: int, keys: int) -> Fraction:
    """The chance that the noise on one of `keys` keys takes its largest value, rounded up.

    Then, and only then, a key of one person alone is shown, and a count tells of a person that the neighbour
    lacks. With a = exp(-1/scale) and bound k that is a^k (1 - a) / (1 - a + 2a (1 - a^k)), which rises with the
    scale.
    """
    decay = float_down(1 / scale)
    reach = float_down(bound / scale)
    rest, inner = -math.expm1(-decay), -math.expm1(-reach)
    log_one = -reach + math.log(rest) - math.log(rest + 2 * math.exp(-decay) * inner)
    return _any_of(keys, max(log_one, _LOG_OF_LEAST))


def _any_of(keys: int, log_one: float) -> Fraction:
    """The chance that one of `keys` independent events of this log-chance happens, rounded up and never zero."""
    any_key = -math.expm1(float_up(Fraction(keys)) * math.log1p(-math.exp(log_one)))
    return min(max(from_float_up(any_key * (1 + ROUNDING), DELTA_UNIT), DELTA_UNIT), Fraction(1))


def _log_up(ratio: Fraction) -> Fraction:
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
