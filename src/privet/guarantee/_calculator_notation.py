"""The privacy calculator's language: one line of text for what mechanisms did, and back.

    100 x laplace(scale=10)
    50 x gaussian(sigma=20) + exponential(epsilon=0.1)
    poisson(q=0.01, 1000 x gaussian(sigma=1))

`x` (or `X`, `*`, `×`) repeats, `+` composes, parentheses group. Numbers are exact: `10`, `1.5`, `1e-6`,
`1/3`. Parameters may be given in order instead of by name. Sampling means fresh samples: the last line is
1000 rounds, each on a new Poisson sample, the same as `1000 x poisson(q=0.01, gaussian(sigma=1))`. One
parameter or count may be `?`, to be solved for. What cannot be read is refused at the character.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from fractions import Fraction

from privet.errors import BadAmount, BadNotation
from privet.guarantee._calculator_syntax import (
    CallSyntax,
    Node,
    QuantitySyntax,
    Repeat,
    Together,
    read,
    refusal,
)
from privet.guarantee._calculator_vocabulary import BY_EVENT, LARGEST_COUNT, Word
from privet.guarantee._events import Composed, Event, NonPrivate, Repeated, Selected, Unsupported
from privet.guarantee.exact_amounts import whole, written
from privet.guarantee.mechanisms import Parameter

COUNT = Parameter("count", whole=True)
_ANY_COUNT = Parameter("count")


@dataclass(frozen=True, slots=True)
class Unknown:
    """The parameter written as `?`, and the mechanism it belongs to."""

    mechanism: str
    parameter: str
    whole: bool
    larger_is_safer: bool

    @property
    def trial(self) -> Fraction:
        """A value that is allowed wherever `?` is: to check the rest before solving starts."""
        return Fraction(2) if self.whole else Fraction(1, 2)


@dataclass(frozen=True)
class Template:
    """What was written, with at most one `?` in it. `event(value)` puts the value in its place."""

    texts: tuple[str, ...]
    nodes: tuple[Node, ...]
    unknown: Unknown | None

    def event(self, value: Fraction | int | None = None) -> Event:
        """The event: several texts compose. Values that the mechanism refuses raise `BadAmount`."""
        built = [
            _Builder(text, argument, _exactly(value)).event(node)
            for argument, (text, node) in enumerate(zip(self.texts, self.nodes, strict=True), 1)
        ]
        return built[0] if len(built) == 1 else Composed(built)


def parse(text: str) -> Event:
    """The event that `text` describes. Raises `BadNotation`, which points at the character."""
    template = parse_with_unknown([text])
    if template.unknown is not None:
        raise refusal(
            text,
            text.index("?"),
            f"{template.unknown.parameter} is '?', and nothing says what to solve for",
            "Write a number.",
        )
    return template.event()


def parse_with_unknown(texts: Sequence[str]) -> Template:
    """What the texts describe together; one parameter or count in them may be `?`."""
    if not texts:
        raise BadNotation("nothing was written.", "Write laplace(scale=10), for example.", position=0)
    nodes = tuple(read(text, argument) for argument, text in enumerate(texts, 1))
    unknown: Unknown | None = None
    for argument, (text, node) in enumerate(zip(texts, nodes, strict=True), 1):
        for mechanism, parameter, place in _unknowns(node):
            if unknown is not None:
                raise refusal(text, place, "a second '?'", "Solve for one number at a time.", argument)
            if parameter.larger_is_safer is None:
                raise refusal(
                    text,
                    place,
                    f"{parameter.name} cannot be solved for: the loss is not known to move one way with it",
                    "Write a number.",
                    argument,
                )
            unknown = Unknown(mechanism, parameter.name, parameter.whole, parameter.larger_is_safer)
    template = Template(tuple(texts), nodes, unknown)
    template.event(None if unknown is None else unknown.trial)
    return template


def _exactly(value: Fraction | int | None) -> Fraction | None:
    return None if value is None else Fraction(value)


def _unknowns(node: Node) -> list[tuple[str, Parameter, int]]:
    """Every `?` below a node: its mechanism, its parameter, its place."""
    if isinstance(node, Together):
        return [found for part in node.parts for found in _unknowns(part)]
    if isinstance(node, Repeat):
        own = [("repetition", COUNT, node.count.position)] if node.count.value is None else []
        return own + _unknowns(node.node)
    own = [
        (node.mechanism.name, parameter, node.numbers[parameter.name].position)
        for parameter in node.mechanism.parameters
        if parameter.name in node.numbers and node.numbers[parameter.name].value is None
    ]
    return own + ([] if node.inner is None else _unknowns(node.inner))


@dataclass(frozen=True, slots=True)
class _Builder:
    """Turns what was read into events, and says at which character an event class refused a number."""

    text: str
    argument: int
    unknown: Fraction | None

    def event(self, node: Node) -> Event:
        if isinstance(node, Together):
            return Composed(self.event(part) for part in node.parts)
        if isinstance(node, Repeat):
            return Repeated(self.event(node.node), self.count(node.count))
        return self.call(node)

    def call(self, node: CallSyntax) -> Event:
        values: dict[str, object] = {}
        for parameter in node.mechanism.parameters:
            if parameter.name in node.numbers:
                values[parameter.name] = self.number(node.numbers[parameter.name], parameter)
        inner, count = node.inner, 0
        if node.mechanism.inside and isinstance(inner, Repeat):
            count = self.count(inner.count)
            inner = inner.node
        if inner is not None:
            values["event"] = self.event(inner)
        try:
            event = node.mechanism.event(**values)
        except BadAmount as error:
            # The amounts' facts begin with the name of the parameter they speak of.
            blamed = node.numbers.get(error.fact.split()[0])
            if blamed is not None and blamed.value is None:
                raise
            place = node.position if blamed is None else blamed.position
            raise refusal(self.text, place, error.fact.rstrip("."), error.hint, self.argument) from None
        return Repeated(event, count) if count else event

    def number(self, quantity: QuantitySyntax, parameter: Parameter) -> Fraction | int:
        value = self.unknown if quantity.value is None else quantity.value
        if value is None:
            raise BadAmount(f"{parameter.name} is unknown.", "Give the value to put in the place of '?'.")
        if not parameter.whole:
            return value
        if value.denominator == 1:
            return value.numerator
        fact = f"{parameter.name} must be a whole number"
        if quantity.value is None:
            raise BadAmount(f"{fact}.", f"Give {parameter.name} a whole value.")
        raise refusal(self.text, quantity.position, fact, f"Write {parameter.name}=5.", self.argument)

    def count(self, quantity: QuantitySyntax) -> int:
        value = self.number(quantity, _ANY_COUNT)
        if value == int(value) and 1 <= value <= LARGEST_COUNT:
            return int(value)
        fact = "count must be a whole number from 1 to 1e9"
        if quantity.value is None:
            raise BadAmount(f"{fact}.", "Give it such a value.")
        raise refusal(self.text, quantity.position, fact, "Write 100 x laplace(scale=10).", self.argument)


# --- and back ----------------------------------------------------------------------------------


def unparse(event: Event) -> str:
    """The canonical text of an event: `parse(unparse(event)) == event` for all that the language can say.

    A composition of a single event is written as that event. What the language cannot say (no protection,
    an unsupported event, a selection, several mechanisms on one and the same sample) is described between angle brackets,
    which `parse` refuses.
    """
    if isinstance(event, Composed):
        return " + ".join(_grouped(part, Composed) for part in event.events)
    if isinstance(event, Repeated):
        return f"{whole(event.count, 'count')} x {_grouped(event.event, Composed, Repeated)}"
    if isinstance(event, Selected):
        return f"<best of {number_text(event.mean)} trials ({event.law}): {' | '.join(map(unparse, event.events))}>"
    if isinstance(event, NonPrivate):
        return "<no protection>"
    if isinstance(event, Unsupported):
        return f"<unsupported: {event.description}>"
    mechanism = BY_EVENT[type(event)]
    given = [
        f"{field.name}={number_text(getattr(event, field.name))}"
        for field in fields(event)
        if field.name != "event" and getattr(event, field.name) != field.default
    ]
    if mechanism.takes_event:
        given.append(_inside(mechanism, event.event))  # type: ignore[attr-defined]
    return f"{mechanism.name}({', '.join(given)})"


def _grouped(event: Event, *kinds: type[Event]) -> str:
    if isinstance(event, Composed) and len(event.events) == 1:
        return _grouped(event.events[0], *kinds)
    return f"({unparse(event)})" if isinstance(event, kinds) else unparse(event)


def _inside(mechanism: Word, event: Event) -> str:
    if isinstance(event, Composed) and len(event.events) == 1:
        return _inside(mechanism, event.events[0])
    word = BY_EVENT.get(type(event))
    if mechanism.plan or (word is not None and word.name in mechanism.inside):
        return unparse(event)
    return f"<on one sample: {unparse(event)}>"


def number_text(value: Fraction | int) -> str:
    """An exact number as short as people write it: 10, 0.25, 1e-6, 1/3."""
    text = written(Fraction(value))
    if "/" in text:
        return text
    sign, digits, power = Decimal(text).as_tuple()
    significant = "".join(map(str, digits)).rstrip("0") or "0"
    exponent = int(power) + len(digits) - 1
    if significant == "0" or -3 <= exponent < 12:
        return text
    rest = f".{significant[1:]}" if len(significant) > 1 else ""
    return f"{'-' if sign else ''}{significant[0]}{rest}e{exponent}"
