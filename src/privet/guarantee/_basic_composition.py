"""Basic composition: epsilons add, and so do deltas.

The one accounting that needs no delta to be chosen, that is exact for pure mechanisms, and that stays valid
when every parameter is chosen after seeing the answers before (Dwork, McSherry, Nissim, Smith 2006;
Rogers, Roth, Ullman, Vadhan 2016). `leaf_cost` asks each mechanism for its price; `pure_cost` is the only
place where prices are multiplied by counts and added.
"""

from __future__ import annotations

from fractions import Fraction
from functools import singledispatch

from privet.errors import UnsupportedEvent
from privet.guarantee._costs import BasicCost
from privet.guarantee._events import (
    Event,
    NonPrivate,
    PacRelease,
    PoissonSampled,
    Selected,
    TruncatedPoissonSampled,
    Unsupported,
    leaves,
)
from privet.guarantee._privacy_units import Change
from privet.guarantee.mechanisms import Mechanism

__all__ = ["BasicCost", "leaf_cost", "pure_cost", "require_add_or_remove"]


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
    """The (epsilon, delta) of one event. Sealed plans are added by `_composition`, which certifies them."""
    del change
    if isinstance(event, NonPrivate):
        raise UnsupportedEvent("a non-private release has no finite loss.", "Protect it, or leave it out.")
    if isinstance(event, Unsupported):
        raise UnsupportedEvent("no accountant can bound this event.", "Replace it by one that can.")
    if isinstance(event, PacRelease):
        raise UnsupportedEvent(
            "a PAC release has no epsilon: mutual information is a currency of its own.",
            "Charge it to an account of nats; it never adds to epsilon.",
        )
    raise UnsupportedEvent(
        f"a {event.kind} event has no finite epsilon without a delta.",
        "State a delta and use zCDP, Rényi or loss-distribution accounting.",
        kind=event.kind,
    )


@leaf_cost.register(Mechanism)
def _(event: Mechanism, change: Change) -> BasicCost:
    """Its own, which holds for either change."""
    cost = event.basic_cost()
    return leaf_cost.dispatch(Event)(event, change) if cost is None else cost


@leaf_cost.register(PoissonSampled)
def _(event: PoissonSampled, change: Change) -> BasicCost:
    require_add_or_remove(event, change)
    return pure_cost(event.event, change=change).sampled(event.q)


@leaf_cost.register(Selected)
def _(event: Selected, change: Change) -> BasicCost:
    """Two or three times the epsilon of the costliest candidate, which must be pure.

    Papernot and Steinke 2022, Theorem 2 with both orders sent to infinity: (2 + shape) epsilon, whatever the mean. A
    delta is not allowed for: it would count once for every trial. A Poisson number of trials has no such bound.
    """
    # By the costliest: which candidate wins depends on the data, so each of them has to be paid for as if it
    # did.
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
    if any(isinstance(leaf, Mechanism) and not leaf.hides_presence for leaf in leaves(event.event)):
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
