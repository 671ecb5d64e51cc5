"""What a mechanism did: a frozen tree of events, with no data and no randomness in it.

An event names a mechanism and every parameter its privacy depends on; accountants turn events into losses,
mechanisms draw what a permit's event says, and ledgers keep events for ever. Therefore the rules of
evolution, which a test holds against old records:

1. a class is never removed, and neither its meaning nor that of a parameter ever changes;
2. parameters are only ever added, as optional ones whose default means what their absence meant before;
3. a reader refuses classes and parameters it does not know: guessing could only understate a loss;
4. every ledger ever written replays to the loss it was admitted at, or to more.

Sensitivities are with respect to one privacy unit and the change its ledger states (`units.Change`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import MISSING, dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar, get_type_hints

from privet.errors import BadAmount, UnknownRecord
from privet.guarantee.amounts import Number, delta, loss, positive, probability, whole, written

SCHEMA = 1
_KINDS: dict[str, type[Event]] = {}


@dataclass(frozen=True)
class Event:
    """One node of the tree. Equal events are equal values; all parameters are exact."""

    kind: ClassVar[str] = ""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.kind:
            _KINDS[cls.kind] = cls

    def to_json(self) -> dict[str, Any]:
        """A stable record; parameters equal to their default are left out, so old records stay canonical."""
        record: dict[str, Any] = {"kind": self.kind}
        for field in fields(self):
            value = getattr(self, field.name)
            if field.default is MISSING or value != field.default:
                record[field.name] = _value_to_json(value)
        return record

    def canonical(self) -> str:
        """The one text of this event: for digests, comparisons and ordering."""
        return json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"))

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)


def _value_to_json(value: Any) -> Any:
    if isinstance(value, Fraction):
        return written(value)
    if isinstance(value, Event):
        return value.to_json()
    if isinstance(value, tuple):
        return [_value_to_json(item) for item in value]
    return value


def event_kinds() -> dict[str, type[Event]]:
    """Every event class by its name in records: what the laws are tested over."""
    return dict(_KINDS)


def event_from_json(record: dict[str, Any]) -> Event:
    """The event a record describes; refuses kinds and parameters it does not know."""
    parameters = dict(record)
    cls = _KINDS.get(str(parameters.pop("kind", "")))
    if cls is None or set(parameters) - {field.name for field in fields(cls)}:
        raise UnknownRecord(
            "this event is of a kind, or has a parameter, that is not known here.",
            "Was it written by a newer version?",
        )
    hints = get_type_hints(cls)
    for name, value in parameters.items():
        if hints[name] is Event:
            parameters[name] = event_from_json(value)
        elif hints[name] == tuple[Event, ...]:
            parameters[name] = tuple(event_from_json(item) for item in value)
    try:
        return cls(**parameters)
    except TypeError:
        raise UnknownRecord(f"the record of a {cls.kind} event lacks a parameter.") from None


# --- additive noise ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Laplace(Event):
    """Continuous Laplace noise of the given scale on a vector whose L1 sensitivity is `sensitivity`."""

    scale: Fraction
    sensitivity: Fraction = Fraction(1)
    kind: ClassVar[str] = "laplace"

    def __init__(self, scale: Number, sensitivity: Number = 1) -> None:
        self._set(scale=positive(scale, "scale"), sensitivity=positive(sensitivity, "sensitivity"))


@dataclass(frozen=True)
class DiscreteLaplace(Event):
    """Integer noise with P[z] proportional to exp(-|z| / scale), on an integer vector of L1 sensitivity `sensitivity`."""

    scale: Fraction
    sensitivity: int = 1
    kind: ClassVar[str] = "discrete-laplace"

    def __init__(self, scale: Number, sensitivity: int = 1) -> None:
        self._set(
            scale=positive(scale, "scale", at_most=_HUGE), sensitivity=whole(sensitivity, "sensitivity")
        )


@dataclass(frozen=True)
class Gaussian(Event):
    """Continuous Gaussian noise of standard deviation sigma on a vector whose L2 sensitivity is `sensitivity`."""

    sigma: Fraction
    sensitivity: Fraction = Fraction(1)
    kind: ClassVar[str] = "gaussian"

    def __init__(self, sigma: Number, sensitivity: Number = 1) -> None:
        self._set(sigma=positive(sigma, "sigma"), sensitivity=positive(sensitivity, "sensitivity"))


@dataclass(frozen=True)
class DiscreteGaussian(Event):
    """Integer noise with P[z] proportional to exp(-z² / 2 sigma²), independent in each coordinate.

    One unit changes at most `coordinates` coordinates, each by at most `sensitivity` (so that the squared
    L2 sensitivity is coordinates · sensitivity², with no root to round).
    """

    sigma: Fraction
    sensitivity: int = 1
    coordinates: int = 1
    kind: ClassVar[str] = "discrete-gaussian"

    def __init__(self, sigma: Number, sensitivity: int = 1, coordinates: int = 1) -> None:
        self._set(
            sigma=positive(sigma, "sigma", at_most=_HUGE),
            sensitivity=whole(sensitivity, "sensitivity"),
            coordinates=whole(coordinates, "coordinates"),
        )


# Scales of integer noise are in fixed-point steps, so they are far larger than scales in people's units.
_HUGE = Fraction(2**62)


# --- selection ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Exponential(Event):
    """The exponential mechanism (or Gumbel noisy max) at pure level epsilon: it has bounded range epsilon."""

    epsilon: Fraction
    kind: ClassVar[str] = "exponential"

    def __init__(self, epsilon: Number) -> None:
        self._set(epsilon=loss(epsilon, "epsilon"))


@dataclass(frozen=True)
class PermuteAndFlip(Event):
    """Permute-and-flip selection (McKenna and Sheldon 2020) at pure level epsilon."""

    epsilon: Fraction
    kind: ClassVar[str] = "permute-and-flip"

    def __init__(self, epsilon: Number) -> None:
        self._set(epsilon=loss(epsilon, "epsilon"))


@dataclass(frozen=True)
class ThresholdedKeys(Event):
    """Unknown keys shown where the noisy number of distinct persons *exceeds* the threshold (strictly).

    Discrete Laplace noise of the given scale on the number of persons of each key; a person counts once
    in at most `keys` keys. Keys that nobody has are not noised and not shown.

    With a `reach` it is any number that one unit moves by at most so much in each of its keys, such as the number of
    rows. With two `parts` a key has two such numbers, noised each for itself, and is shown by their sum; a unit moves
    all numbers by at most `keys` times `reach` together.
    """

    scale: Fraction
    threshold: int
    keys: int = 1
    reach: int = 1
    parts: int = 1
    kind: ClassVar[str] = "thresholded-keys"

    def __init__(self, scale: Number, threshold: int, keys: int = 1, reach: int = 1, parts: int = 1) -> None:
        self._set(
            scale=positive(scale, "scale", at_most=_HUGE),
            keys=whole(keys, "keys"),
            reach=whole(reach, "reach"),
            parts=whole(parts, "parts"),
        )
        if self.parts > 2:
            raise BadAmount("a key has one part or two.", "Write parts=2.")
        # A key of one unit alone must need noise to be shown.
        self._set(threshold=whole(threshold, "threshold", at_least=self.parts * self.reach + 1))


@dataclass(frozen=True)
class TruncatedKeys(Event):
    """Unknown keys shown where the noisy number of distinct persons *exceeds* the bound of the noise (strictly).

    Integer noise with P[z] proportional to exp(-|z| / scale) for |z| <= bound and zero beyond, on the number of
    persons of each key (Desfontaines, Voss, Gipson, Mandayam 2022); a person counts once in at most `keys` keys.
    Keys that nobody has are not noised and not shown.
    """

    scale: Fraction
    bound: int
    keys: int = 1
    kind: ClassVar[str] = "truncated-keys"

    def __init__(self, scale: Number, bound: int, keys: int = 1) -> None:
        self._set(scale=positive(scale, "scale"), bound=whole(bound, "bound"), keys=whole(keys, "keys"))


@dataclass(frozen=True)
class RandomizedResponse(Event):
    """A person's own answer among `buckets`, replaced with probability p by a uniformly random bucket."""

    p: Fraction
    buckets: int = 2
    kind: ClassVar[str] = "randomized-response"

    def __init__(self, p: Number, buckets: int = 2) -> None:
        self._set(p=probability(p, "p", one=True), buckets=whole(buckets, "buckets", at_least=2))


# --- promises taken from elsewhere -------------------------------------------------------------


@dataclass(frozen=True)
class Opaque(Event):
    """Something known only to be (epsilon, delta)-differentially private."""

    epsilon: Fraction
    delta: Fraction = Fraction(0)
    kind: ClassVar[str] = "opaque"

    def __init__(self, epsilon: Number, delta: Number = 0) -> None:
        self._set(epsilon=loss(epsilon, "epsilon"), delta=probability(delta, "delta", zero=True))


@dataclass(frozen=True)
class ZeroConcentrated(Event):
    """Something known only to be rho-zero-concentrated differentially private."""

    rho: Fraction
    kind: ClassVar[str] = "zero-concentrated"

    def __init__(self, rho: Number) -> None:
        self._set(rho=loss(rho, "rho"))


@dataclass(frozen=True)
class NonPrivate(Event):
    """Something released with no protection: the loss is infinite, and no ledger admits it."""

    kind: ClassVar[str] = "non-private"


@dataclass(frozen=True)
class Unsupported(Event):
    """Something no accountant here can bound. It is refused wherever a loss is asked for."""

    description: str
    kind: ClassVar[str] = "unsupported"


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

    Only such a plan may be certified by privacy-loss distributions; see `guarantee.composing`.
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
            f"expected an event, not {type(value).__name__}.", "Use the classes of privet.guarantee.events."
        )
    return value


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
