"""Zero-concentrated differential privacy: rho adds, and so does the delta of what is only approximately so.

delta-approximate rho-zCDP (Bun and Steinke 2016, Definition 8.1) composes by adding both numbers, also when
parameters are chosen as one goes (Whitehouse, Ramdas, Rogers, Wu 2023), which is why a ledger can admit with
it. It is turned into (epsilon, delta) by the conversion of Canonne, Kamath and Steinke 2020, Proposition 12.
Every number is exact or rounded to the safe side.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import singledispatch

from privet.errors import BadAmount, NoSolution, UnsupportedEvent
from privet.guarantee import _basic_composition as basic_composition
from privet.guarantee._costs import ROUNDING, ConcentratedCost
from privet.guarantee._events import Event, PoissonSampled, SealedPlan, TruncatedPoissonSampled, leaves
from privet.guarantee._privacy_units import Change
from privet.guarantee.exact_amounts import LOSS_UNIT, Number, exact, float_down, float_up, units_down
from privet.guarantee.mechanisms import Mechanism

__all__ = [
    "ConcentratedCost",
    "delta_of_rho",
    "epsilon_of_rho",
    "leaf_cost",
    "only_gaussian",
    "rho_within",
    "zcdp_cost",
]


def zcdp_cost(event: Event, *, change: Change = Change.ADD_OR_REMOVE) -> ConcentratedCost:
    """The sum of rho and delta over all that `event` composes (Bun and Steinke 2016, Lemma 8.2)."""
    priced = [(leaf_cost(leaf, change), count) for leaf, count in leaves(event).items()]
    return ConcentratedCost(
        sum((cost.rho * count for cost, count in priced), Fraction(0)),
        min(sum((cost.delta * count for cost, count in priced), Fraction(0)), Fraction(1)),
    )


@singledispatch
def leaf_cost(event: Event, change: Change) -> ConcentratedCost:
    """The cost of one event. Whatever has an (epsilon, delta) costs epsilon²/2 and delta.

    Bun and Steinke 2016, Proposition 3.3 for pure and Lemma 8.8 for approximate differential privacy.
    """
    basic = basic_composition.leaf_cost(event, change)
    return ConcentratedCost(basic.epsilon**2 / 2, basic.delta)


@leaf_cost.register(Mechanism)
def _(event: Mechanism, change: Change) -> ConcentratedCost:
    """Its own, where it knows a better one."""
    cost = event.concentrated_cost()
    return leaf_cost.dispatch(Event)(event, change) if cost is None else cost


@leaf_cost.register(PoissonSampled)
def _(event: PoissonSampled, change: Change) -> ConcentratedCost:
    """The cheaper of the inner event's cost and of the amplified pure one.

    Sampling never costs more than not sampling, because Rényi divergences are jointly quasi-convex and the
    neighbour's sample differs from ours by the inner event's neighbours, or not at all.
    """
    basic_composition.require_add_or_remove(event, change)
    inner = zcdp_cost(event.event, change=change)
    try:
        amplified = basic_composition.leaf_cost(event, change)
    except UnsupportedEvent:
        return inner
    return ConcentratedCost(min(inner.rho, amplified.epsilon**2 / 2), max(inner.delta, amplified.delta))


@leaf_cost.register(TruncatedPoissonSampled)
def _(event: TruncatedPoissonSampled, change: Change) -> ConcentratedCost:
    """Four times the inner cost: one unit can push another out of the batch, which doubles the sensitivity."""
    basic_composition.require_add_or_remove(event, change)
    if not only_gaussian(event.event):
        raise UnsupportedEvent("the inner event of a truncated sample must be Gaussian noise.")
    return ConcentratedCost(4 * zcdp_cost(event.event).rho, Fraction(0))


@leaf_cost.register(SealedPlan)
def _(event: SealedPlan, change: Change) -> ConcentratedCost:
    """The plan's own cost where that is no more than its certificate's in both numbers; otherwise the latter's."""
    basic = basic_composition.leaf_cost(event, change)
    certified = ConcentratedCost(basic.epsilon**2 / 2, basic.delta)
    try:
        own = zcdp_cost(event.event, change=change)
    except UnsupportedEvent:
        return certified
    # Neither dominates in general, and mixing the rho of one with the delta of the other would be true of
    # neither.
    return own if own.rho <= certified.rho and own.delta <= certified.delta else certified


def only_gaussian(event: Event) -> bool:
    """Whether an event composes continuous Gaussian noise and nothing else: then it is one such noise, of twice its rho."""
    return all(isinstance(leaf, Mechanism) and leaf.is_gaussian for leaf in leaves(event))


# --- conversions -------------------------------------------------------------------------------


def epsilon_of_rho(rho: Number, delta: Number) -> float:
    """The epsilon that rho-zCDP implies at delta, rounded up (Canonne, Kamath, Steinke 2020, Corollary 13).

    The least over orders a > 1 of  a rho + log(1 / (a delta)) / (a - 1) + log(1 - 1/a).  Every order gives a
    valid epsilon; the best one solves rho (a - 1)² = log(1 / (a delta)), whose sides cross once.
    """
    concentration, slack = _rho_and_delta(rho, delta)
    if concentration in (0, math.inf):
        return concentration
    log_slack = math.log(slack)
    gap = _crossing(
        lambda gap: concentration * gap * gap + math.log1p(gap) + log_slack,
        math.sqrt(-log_slack / concentration) + 1e-9,
    )
    value = (1 + gap) * concentration - (math.log1p(gap) + log_slack) / gap - math.log1p(1 / gap)
    return max(0.0, value + ROUNDING * (1 + abs(value) + abs(log_slack) / gap))


def delta_of_rho(rho: Number, epsilon: Number) -> float:
    """The delta that rho-zCDP implies at epsilon, rounded up (same source and minimum, read the other way)."""
    concentration = float_up(exact(rho, "rho"))
    bound = float_down(exact(epsilon, "epsilon"))
    if concentration in (0, math.inf):
        return min(1.0, concentration)
    gap = _crossing(
        lambda gap: (1 + 2 * gap) * concentration - bound - math.log1p(1 / gap),
        (max(bound, 0.0) + 1) / concentration + 2,
    )
    exponent = gap * ((1 + gap) * concentration - bound) - (1 + gap) * math.log1p(1 / gap) - math.log(gap)
    return min(1.0, math.exp(min(0.0, exponent)) * (1 + ROUNDING * (1 + abs(exponent))))


def rho_within(epsilon: Number, delta: Number) -> Fraction:
    """The largest rho, rounded down to a whole number of budget units, that implies (epsilon, delta)."""
    target = exact(epsilon, "epsilon")
    if target <= 0:
        raise BadAmount("epsilon must be greater than zero.", "Give epsilon a positive value.")
    low, high = 0, units_down(target, LOSS_UNIT) + 1
    # By bisection on what will be booked, and not by a formula: what is returned was seen to fit, rounding
    # included.
    while epsilon_of_rho(high * LOSS_UNIT, delta) <= target:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if epsilon_of_rho(middle * LOSS_UNIT, delta) <= target:
            low = middle
        else:
            high = middle
    if low == 0:
        raise NoSolution("no rho a ledger can book fits into this epsilon and delta.", "Raise one of them.")
    return low * LOSS_UNIT


def _rho_and_delta(rho: Number, delta: Number) -> tuple[float, float]:
    concentration = exact(rho, "rho")
    slack = exact(delta, "delta")
    if concentration < 0 or not 0 < slack < 1:
        raise BadAmount("rho must not be negative, and delta must lie between 0 and 1.", "Write delta=1e-6.")
    return float_up(concentration), float_down(slack)


def _crossing(rising: Callable[[float], float], above: float) -> float:
    """Where a rising function crosses zero between 0 and `above`, near enough: any point gives a valid bound."""
    low, high = 0.0, above
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if rising(middle) < 0 else (low, middle)
    return high
