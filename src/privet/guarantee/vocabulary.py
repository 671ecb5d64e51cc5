"""The mechanisms that the calculator's language knows: their names, their parameters in order, and their words.

One row per event class. A parameter says whether it is a whole number and which way it moves the loss, so
that it can be solved for; what values it may take is decided by the event class alone.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, TypeAlias

from privet.guarantee import events
from privet.guarantee.amounts import readable
from privet.guarantee.events import Event

# The most repetitions one mechanism may have: more is a slip, and would only keep an accountant busy.
LARGEST_COUNT = 10**9


@dataclass(frozen=True, slots=True)
class Parameter:
    """One named number. `larger_is_safer` is None where the loss is not known to be monotone in it."""

    name: str
    whole: bool = False
    optional: bool = False
    larger_is_safer: bool | None = False


Class: TypeAlias = type[Event]


@dataclass(frozen=True, slots=True)
class Mechanism:
    """One word of the language. `words` is a sentence with the parameters' names in braces.

    A sampling mechanism names in `inside` those it may hold; a `plan` holds anything.
    """

    name: str
    event: Class
    parameters: tuple[Parameter, ...]
    words: str
    inside: frozenset[str] = frozenset()
    plan: bool = False

    def __post_init__(self) -> None:
        expected = [field.name for field in fields(self.event) if field.name != "event"]
        if sorted(expected) != sorted(parameter.name for parameter in self.parameters):
            raise TypeError(f"{self.name} does not list the parameters of {self.event.__name__}")

    @property
    def takes_event(self) -> bool:
        """Whether it wraps other mechanisms."""
        return bool(self.inside) or self.plan

    def form(self) -> str:
        """How it is written, for help and hints: `laplace(scale=…, sensitivity=1)`."""
        defaults: dict[str, Any] = {f.name: f.default for f in fields(self.event)}
        shown = [
            f"{p.name}={readable(defaults[p.name])}" if p.optional else f"{p.name}=…" for p in self.parameters
        ]
        return f"{self.name}({', '.join([*shown, *(['…'] if self.takes_event else [])])})"


def _safer(name: str) -> Parameter:
    return Parameter(name, larger_is_safer=True)


def _costlier(name: str, *, whole: bool = False, optional: bool = False) -> Parameter:
    return Parameter(name, whole=whole, optional=optional)


_SENSITIVITY = _costlier("sensitivity", optional=True)
_STEPS = _costlier("sensitivity", whole=True, optional=True)

# Mechanisms that act on data directly: what sampling may hold, and what is composed.
_DIRECT = (
    Mechanism(
        "laplace",
        events.Laplace,
        (_safer("scale"), _SENSITIVITY),
        "Laplace noise of scale {scale}, sensitivity {sensitivity}",
    ),
    Mechanism(
        "discrete_laplace",
        events.DiscreteLaplace,
        (_safer("scale"), _STEPS),
        "integer Laplace noise of scale {scale}, sensitivity {sensitivity}",
    ),
    Mechanism(
        "gaussian",
        events.Gaussian,
        (_safer("sigma"), _SENSITIVITY),
        "Gaussian noise of standard deviation {sigma}, sensitivity {sensitivity}",
    ),
    Mechanism(
        "discrete_gaussian",
        events.DiscreteGaussian,
        (_safer("sigma"), _STEPS, _costlier("coordinates", whole=True, optional=True)),
        "integer Gaussian noise with sigma {sigma}, sensitivity {sensitivity} in each of {coordinates} coordinate(s)",
    ),
    Mechanism(
        "randomized_response",
        events.RandomizedResponse,
        (_safer("p"), _costlier("buckets", whole=True, optional=True)),
        "randomized response among {buckets} answers, with probability {p} a uniformly random one",
    ),
    Mechanism(
        "exponential",
        events.Exponential,
        (_costlier("epsilon"),),
        "the exponential mechanism at epsilon {epsilon}",
    ),
    Mechanism(
        "permute_and_flip",
        events.PermuteAndFlip,
        (_costlier("epsilon"),),
        "permute-and-flip selection at epsilon {epsilon}",
    ),
    Mechanism(
        "thresholded_keys",
        events.ThresholdedKeys,
        (
            _safer("scale"),
            Parameter("threshold", whole=True, larger_is_safer=True),
            _costlier("keys", whole=True, optional=True),
            _costlier("reach", whole=True, optional=True),
            _costlier("parts", whole=True, optional=True),
        ),
        "keys shown above {threshold} after integer Laplace noise of scale {scale} on {parts} number(s) of each, {keys} "
        "key(s) a person, moved by {reach}",
    ),
    Mechanism(
        "truncated_keys",
        events.TruncatedKeys,
        (
            _safer("scale"),
            Parameter("bound", whole=True, larger_is_safer=True),
            _costlier("keys", whole=True, optional=True),
        ),
        "keys shown above {bound} persons after integer Laplace noise of scale {scale} cut off at {bound}, {keys} key(s) a person",
    ),
    Mechanism(
        "opaque",
        events.Opaque,
        (_costlier("epsilon"), _costlier("delta", optional=True)),
        "something known to be differentially private at epsilon {epsilon} and delta {delta}",
    ),
    Mechanism(
        "zcdp",
        events.ZeroConcentrated,
        (_costlier("rho"),),
        "something known to be zero-concentrated differentially private at rho {rho}",
    ),
)

_AROUND = (
    Mechanism(
        "poisson",
        events.PoissonSampled,
        (_costlier("q"),),
        "on a fresh Poisson sample that holds each unit with probability {q}: ",
        # A sample does not hide who is in it from randomised response, so it amplifies nothing there.
        inside=frozenset(mechanism.name for mechanism in _DIRECT) - {"randomized_response"},
    ),
    Mechanism(
        "truncated_poisson",
        events.TruncatedPoissonSampled,
        (
            _costlier("q"),
            Parameter("batch", whole=True, larger_is_safer=None),
            Parameter("size", whole=True, larger_is_safer=None),
        ),
        "on a fresh Poisson sample (probability {q}) cut to {batch} of at most {size} units: ",
        inside=frozenset({"gaussian"}),
    ),
    Mechanism(
        "sealed_plan",
        events.SealedPlan,
        (Parameter("delta", larger_is_safer=None),),
        "a sealed plan certified at delta {delta}: ",
        plan=True,
    ),
)

BY_NAME: dict[str, Mechanism] = {mechanism.name: mechanism for mechanism in (*_DIRECT, *_AROUND)}
BY_EVENT: dict[Class, Mechanism] = {mechanism.event: mechanism for mechanism in BY_NAME.values()}


def in_words(event: Event) -> str:
    """What an event does, for people: `50 times: Gaussian noise of standard deviation 20, sensitivity 1`."""
    if isinstance(event, events.Repeated):
        return f"{event.count:,} times: {in_words(event.event)}"
    if isinstance(event, events.Composed):
        return "; and ".join(in_words(part) for part in event.events)
    if isinstance(event, events.Selected):
        among = "; or ".join(in_words(part) for part in event.events)
        return f"the best of a {event.law} number of trials, {readable(event.mean)} on average, each: {among}"
    if isinstance(event, events.NonPrivate):
        return "a release without protection"
    if isinstance(event, events.Unsupported):
        return f"something no accountant here can bound: {event.description}"
    mechanism = BY_EVENT[type(event)]
    values = {parameter.name: _short(getattr(event, parameter.name)) for parameter in mechanism.parameters}
    inner = in_words(event.event) if mechanism.takes_event else ""  # type: ignore[attr-defined]
    return mechanism.words.format(**values) + inner


def _short(value: Fraction | int) -> str:
    return f"{value:,}" if isinstance(value, int) else readable(value)
