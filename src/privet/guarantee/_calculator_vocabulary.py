"""The words of the calculator's language: names, parameters in order, and sentences.

Each mechanism brings its own; those that hold others are written here. A parameter says whether it is a whole number
and which way it moves the loss, so that it can be solved for; what values it may take is decided by the event class
alone.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, TypeAlias

from privet.guarantee import _events as events
from privet.guarantee._events import Event
from privet.guarantee.exact_amounts import readable
from privet.guarantee.mechanisms import MECHANISMS, Parameter, costlier

# The most repetitions one mechanism may have: more is a slip, and would only keep an accountant busy.
LARGEST_COUNT = 10**9

Class: TypeAlias = type[Event]


@dataclass(frozen=True, slots=True)
class Word:
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


# Mechanisms that act on data directly: what sampling may hold, and what is composed.
_DIRECT = tuple(
    Word(cls.notation.name, cls, cls.notation.parameters, cls.notation.words) for cls in MECHANISMS
)

_AROUND = (
    Word(
        "poisson",
        events.PoissonSampled,
        (costlier("q"),),
        "on a fresh Poisson sample that holds each unit with probability {q}: ",
        # A sample amplifies nothing where a mechanism does not hide who is in it.
        inside=frozenset(cls.notation.name for cls in MECHANISMS if cls.hides_presence),
    ),
    Word(
        "truncated_poisson",
        events.TruncatedPoissonSampled,
        (
            costlier("q"),
            Parameter("batch", whole=True, larger_is_safer=None),
            Parameter("size", whole=True, larger_is_safer=None),
        ),
        "on a fresh Poisson sample (probability {q}) cut to {batch} of at most {size} units: ",
        inside=frozenset(cls.notation.name for cls in MECHANISMS if cls.is_gaussian),
    ),
    Word(
        "sealed_plan",
        events.SealedPlan,
        (Parameter("delta", larger_is_safer=None),),
        "a sealed plan certified at delta {delta}: ",
        plan=True,
    ),
)

BY_NAME: dict[str, Word] = {mechanism.name: mechanism for mechanism in (*_DIRECT, *_AROUND)}
BY_EVENT: dict[Class, Word] = {mechanism.event: mechanism for mechanism in BY_NAME.values()}


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
