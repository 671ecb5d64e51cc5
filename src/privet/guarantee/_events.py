"""What a mechanism did: a frozen tree of events, with no data and no randomness in it.

An event names a mechanism and every parameter its privacy depends on; accountants turn events into losses,
mechanisms draw what a permit's event says, and ledgers keep events for ever. Therefore the rules of
evolution, which a test holds against old records:

1. a class is never removed, and neither its meaning nor that of a parameter ever changes;
2. parameters are only ever added, as optional ones whose default means what their absence meant before;
3. a reader refuses classes and parameters it does not know: guessing could only understate a loss;
4. every ledger ever written replays to the loss it was admitted at, or to more.

The events of single mechanisms are written in `privet.guarantee.mechanisms`, one module each with all that is known of
the mechanism; those that combine others are written here. This is where all of them are imported from.

Sensitivities are with respect to one privacy unit and the change its ledger states (`Change`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from privet.errors import BadAmount
from privet.guarantee._event_record import Event, event_from_json, event_kinds
from privet.guarantee.exact_amounts import Number, delta, loss, positive, probability, whole
from privet.guarantee.mechanisms import (
    BandedGaussian,
    BandedInverseGaussian,
    DiscreteGaussian,
    DiscreteLaplace,
    DistributedGaussian,
    Exponential,
    Gaussian,
    Laplace,
    NormedGaussian,
    Opaque,
    PermuteAndFlip,
    RandomizedResponse,
    ShuffledReports,
    ThresholdedKeys,
    TruncatedKeys,
    ZeroConcentrated,
)

__all__ = [
    "BandedGaussian",
    "BandedInverseGaussian",
    "Composed",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "DistributedGaussian",
    "Event",
    "Exponential",
    "Gaussian",
    "Laplace",
    "NonPrivate",
    "NormedGaussian",
    "Opaque",
    "PacRelease",
    "PermuteAndFlip",
    "PoissonSampled",
    "RandomizedResponse",
    "Repeated",
    "SealedPlan",
    "Selected",
    "ShuffledReports",
    "ThresholdedKeys",
    "TruncatedKeys",
    "TruncatedPoissonSampled",
    "Unsupported",
    "ZeroConcentrated",
    "event_from_json",
    "event_kinds",
    "leaves",
]

SCHEMA = 1

# --- what no mechanism protects ----------------------------------------------------------------


@dataclass(frozen=True)
class NonPrivate(Event):
    """Something released with no protection: the loss is infinite, and no ledger admits it."""

    kind: ClassVar[str] = "non-private"


@dataclass(frozen=True)
class Unsupported(Event):
    """Something no accountant here can bound. It is refused wherever a loss is asked for."""

    description: str
    kind: ClassVar[str] = "unsupported"


# --- what is priced in a currency of its own ----------------------------------------------------


@dataclass(frozen=True)
class PacRelease(Event):
    """An output computed on a secret world and noised so that it carries at most so many nats about which world it was.

    No epsilon follows from it: it is booked in an account of mutual information, or nowhere. Over releases the nats add
    up, whether each has a fresh secret or all have one whose posterior is tracked.
    """

    mutual_information: Fraction
    kind: ClassVar[str] = "pac-release"

    def __init__(self, mutual_information: Number) -> None:
        self._set(mutual_information=loss(mutual_information, "mutual_information"))


# --- combinations ------------------------------------------------------------------------------


@dataclass(frozen=True)
class PoissonSampled(Event):
    """The inner event on a sample that holds each unit independently with probability q; needs add-or-remove.

    The inner event must hide whether a unit is there, which randomised response does not.
    """

    q: Fraction
    event: Event
    kind: ClassVar[str] = "poisson-sampled"

    def __init__(self, q: Number, event: Event) -> None:
        self._set(q=probability(q, "q", one=True), event=_event(event))


@dataclass(frozen=True)
class TruncatedPoissonSampled(Event):
    """Poisson sampling whose batch is cut to `batch` units at random when larger; `size` bounds the units in the data.

    The inner event must be Gaussian noise on a sum. Needs add-or-remove.
    """

    q: Fraction
    batch: int
    size: int
    event: Event
    kind: ClassVar[str] = "truncated-poisson-sampled"

    def __init__(self, q: Number, batch: int, size: int, event: Event) -> None:
        self._set(
            q=probability(q, "q", one=True),
            batch=whole(batch, "batch"),
            size=whole(size, "size"),
            event=_event(event),
        )


@dataclass(frozen=True)
class Repeated(Event):
    """The same event `count` times over, each with fresh randomness (and, if sampled, a fresh sample)."""

    event: Event
    count: int
    kind: ClassVar[str] = "repeated"

    def __init__(self, event: Event, count: int) -> None:
        self._set(event=_event(event), count=whole(count, "count"))


@dataclass(frozen=True)
class Composed(Event):
    """All of these events, in any order, each free to depend on the outputs of those before."""

    events: tuple[Event, ...]
    kind: ClassVar[str] = "composed"

    def __init__(self, events: Iterable[Event]) -> None:
        self._set(events=tuple(_event(event) for event in events))
        if not self.events:
            raise BadAmount("a composition needs at least one event.", "Leave it out instead.")


@dataclass(frozen=True)
class SealedPlan(Event):
    """A composition all of whose parameters are written down before the first answer, priced as one at `delta`.

    Only such a plan may be certified by privacy-loss distributions (`certify`).
    """

    event: Event
    delta: Fraction
    kind: ClassVar[str] = "sealed-plan"

    def __init__(self, event: Event, delta: Number) -> None:
        self._set(event=_event(event), delta=_delta(delta))


@dataclass(frozen=True)
class Selected(Event):
    """The best of a random number of trials (Liu and Talwar 2019; Papernot and Steinke 2022); only it is released.

    How many trials there are is drawn from `law`, with this `mean`: "logarithmic" and "geometric" (truncated negative
    binomial laws of shape 0 and 1: at least one trial) or "poisson" (perhaps none). Each trial is one of `events`,
    picked uniformly at random, and tells a result *and its score*; neither the number of trials nor the results of
    the others are told.
    """

    events: tuple[Event, ...]
    mean: Fraction
    law: str = "logarithmic"
    kind: ClassVar[str] = "selected"

    def __init__(self, events: Iterable[Event], mean: Number, law: str = "logarithmic") -> None:
        self._set(
            events=tuple(_event(event) for event in events),
            mean=positive(mean, "mean", at_most=_MOST),
            law=law,
        )
        if not self.events or self.mean < 1:
            raise BadAmount(
                "a selection needs a candidate, and a mean of at least one trial.", "Write mean=10."
            )
        if law not in TRIAL_LAWS:
            raise BadAmount(
                "the law of the number of trials is unknown.", f"Use one of {', '.join(TRIAL_LAWS)}."
            )


TRIAL_LAWS = ("logarithmic", "geometric", "poisson")
_MOST = Fraction(10**6)
_delta = delta


def _event(value: Event) -> Event:
    if not isinstance(value, Event):
        raise BadAmount(
            f"expected an event, not {type(value).__name__}.", "Use the classes of privet.guarantee._events."
        )
    return value


# What accountants know, and ledgers book: these classes, and no subclass of them made elsewhere.
EVENT_CLASSES = frozenset(event_kinds().values())


def leaves(event: Event) -> dict[Event, int]:
    """The multiset of events that a tree composes: the one place where repeat counts are multiplied out.

    Sampled events, selections and sealed plans count as leaves: what is inside them is not composed outside them.
    """
    found: dict[Event, int] = {}
    todo: list[tuple[Event, int]] = [(event, 1)]
    while todo:
        node, count = todo.pop()
        if isinstance(node, Repeated):
            todo.append((node.event, count * node.count))
        elif isinstance(node, Composed):
            todo.extend((part, count) for part in node.events)
        else:
            found[node] = found.get(node, 0) + count
    return dict(sorted(found.items(), key=lambda item: item[0].canonical()))
