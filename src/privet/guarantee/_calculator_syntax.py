"""Reading the calculator's language into a tree of what was written, with places; and refusing with a caret.

    text      = together
    together  = term { "+" term }
    term      = [ count times ] ( call | "(" together ")" )
    times     = "x" | "X" | "*" | "×"
    call      = name "(" [ argument { "," argument } ] ")"
    argument  = [ name "=" ] number | together        (the latter only inside sampling and sealed plans)
    number    = decimal [ "/" decimal ] | "?"

Nothing here knows what a number means: `notation` builds events from the tree.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from typing import NoReturn, TypeAlias

from privet.errors import BadNotation
from privet.guarantee._calculator_vocabulary import BY_NAME, Word

TIMES = "xX*×"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NOT_NUMBERS = frozenset({"nan", "inf", "infinity"})
# Longer numbers, larger powers of ten and deeper nesting have no use and would only exhaust the machine.
_LONGEST_NUMBER, _LARGEST_POWER, _DEEPEST, _LONGEST_TEXT = 400, 300, 30, 100_000
_WINDOW = 60


@dataclass(frozen=True, slots=True)
class QuantitySyntax:
    """A number and where it stands; None is the `?`."""

    value: Fraction | None
    position: int


@dataclass(frozen=True, slots=True)
class CallSyntax:
    """A mechanism with the numbers it was given and, for those that wrap others, what is inside."""

    mechanism: Word
    numbers: dict[str, QuantitySyntax]
    inner: Node | None
    position: int


@dataclass(frozen=True, slots=True)
class Repeat:
    """A count of something."""

    count: QuantitySyntax
    node: Node
    position: int


@dataclass(frozen=True, slots=True)
class Together:
    """Several things composed."""

    parts: tuple[Node, ...]
    position: int


Node: TypeAlias = CallSyntax | Repeat | Together


def read(text: str, argument: int = 1) -> Node:
    """The tree of what was written. `argument` says which text it was, for the error's details."""
    if len(text) > _LONGEST_TEXT:
        raise BadNotation(f"the text is longer than {_LONGEST_TEXT} characters.", "Shorten it.", position=0)
    return _Reader(text, argument).everything()


def read_number(text: str) -> Fraction:
    """One number on its own, in the same grammar; `?` is not one."""
    reader = _Reader(text, 1)
    quantity = reader.quantity()
    if quantity is None or quantity.value is None or reader.peek():
        reader.refuse(f"expected a number, found {reader.said()}", "Write 10, 1.5, 1e-6 or 1/3.")
    return quantity.value


def refusal(text: str, position: int, fact: str, hint: str = "", argument: int = 1) -> BadNotation:
    """The error for one place in a text: the fact, the text, and a caret under the character."""
    return BadNotation(
        f"{fact} (character {position + 1}).\n\n{_picture(text, position)}\n",
        hint,
        position=position,
        argument=argument,
        text=text[:_LONGEST_NUMBER],
    )


def _picture(text: str, position: int) -> str:
    start = max(0, position - _WINDOW // 2)
    shown = "".join(c if c.isprintable() else "·" for c in text[start : start + _WINDOW])
    before, after = "…" * (start > 0), "…" * (start + _WINDOW < len(text))
    width = sum(_columns(character) for character in before + shown[: position - start])
    return f"    {before}{shown}{after}\n    {' ' * width}^"


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _short(name: str) -> str:
    return name if len(name) <= 40 else f"{name[:39]}…"


def _meant(name: str, known: Iterable[str]) -> str:
    names = list(known)
    close = get_close_matches(name.lower().replace("-", "_"), names, n=1, cutoff=0.5)
    return f"Did you mean {close[0]}?" if close else f"Known: {', '.join(names)}."


class _Reader:
    """A cursor over one text."""

    def __init__(self, text: str, argument: int) -> None:
        self.text, self.argument, self.at, self.depth = text, argument, 0, 0

    def refuse(self, fact: str, hint: str = "", at: int | None = None) -> NoReturn:
        raise refusal(self.text, self.at if at is None else at, fact, hint, self.argument)

    def peek(self) -> str:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        return self.text[self.at : self.at + 1]

    def take(self, *characters: str) -> bool:
        found = self.peek() in characters and self.at < len(self.text)
        self.at += found
        return found

    def said(self) -> str:
        """What stands at the cursor, for a message."""
        here = self.peek()
        return (
            f"{here!r}" if here and here.isprintable() else "an unprintable character" if here else "the end"
        )

    def name(self) -> str | None:
        self.peek()
        match = _NAME.match(self.text, self.at)
        if match is None:
            return None
        self.at = match.end()
        return match.group()

    # --- structure ---

    def everything(self) -> Node:
        if not self.peek():
            self.refuse("nothing is written here", "Write laplace(scale=10), for example.")
        node = self.together()
        if self.peek() == ")":
            self.refuse("this parenthesis closes nothing", "Take it away.")
        if self.peek():
            self.refuse(f"expected the end or '+', found {self.said()}", "Mechanisms are joined by '+'.")
        return node

    def together(self) -> Node:
        self.peek()
        start, parts = self.at, [self.term()]
        while self.take("+"):
            parts.append(self.term())
        return parts[0] if len(parts) == 1 else Together(tuple(parts), start)

    def term(self) -> Node:
        self.peek()
        start = self.at
        count = self.quantity()
        if count is None:
            return self.factor()
        return self.repeat(count, start)

    def repeat(self, count: QuantitySyntax, start: int) -> Node:
        if not self.take(*TIMES):
            self.refuse(
                f"expected a times sign after the count, found {self.said()}",
                "Write 100 x laplace(scale=10).",
            )
        return Repeat(count, self.factor(), start)

    def factor(self) -> Node:
        self.depth += 1
        if self.depth > _DEEPEST:
            self.refuse("nested too deeply", f"At most {_DEEPEST} levels.")
        node = self.group() if self.peek() == "(" else self.call()
        self.depth -= 1
        return node

    def group(self) -> Node:
        opened = self.at
        self.take("(")
        node = self.together()
        self.close(opened)
        return node

    def close(self, opened: int) -> None:
        if self.take(")"):
            return
        if not self.peek():
            self.refuse("this parenthesis is never closed", "Add ')'.", opened)
        self.refuse(f"expected ',' or ')', found {self.said()}", "Separate parameters by ','.")

    # --- mechanisms ---

    def call(self) -> Node:
        start = self.at
        name = self.name()
        if name is None:
            self.refuse(f"expected a mechanism, found {self.said()}", _meant("", BY_NAME))
        mechanism = BY_NAME.get(name)
        if mechanism is None:
            self.refuse(f"there is no mechanism {_short(name)!r}", _meant(name, BY_NAME), start)
        self.peek()
        opened = self.at
        if not self.take("("):
            self.refuse(f"expected '(' after {name}, found {self.said()}", f"Write {mechanism.form()}.")
        numbers, inner = self.arguments(mechanism)
        self.close(opened)
        self.complete(mechanism, numbers, inner, start)
        return CallSyntax(mechanism, numbers, inner, start)

    def complete(
        self, mechanism: Word, numbers: dict[str, QuantitySyntax], inner: Node | None, start: int
    ) -> None:
        missing = [p.name for p in mechanism.parameters if not p.optional and p.name not in numbers]
        if missing:
            self.refuse(
                f"{mechanism.name} lacks {' and '.join(missing)}", f"Write {mechanism.form()}.", start
            )
        if mechanism.takes_event and inner is None:
            self.refuse(
                f"{mechanism.name} lacks the mechanism inside it", f"Write {mechanism.form()}.", start
            )

    def arguments(self, mechanism: Word) -> tuple[dict[str, QuantitySyntax], Node | None]:
        numbers: dict[str, QuantitySyntax] = {}
        inner: Node | None = None
        named = False
        if self.peek() == ")":
            return numbers, inner
        while True:
            self.peek()
            start = self.at
            key = self.key()
            named = named or key is not None
            value = self.value(mechanism, only_number=key is not None)
            if not isinstance(value, QuantitySyntax):
                if inner is not None:
                    self.refuse(f"{mechanism.name} holds one mechanism", "Write one line for each.", start)
                inner = self.admitted(mechanism, value, start)
            else:
                name = self.parameter(mechanism, numbers, key, start, named=named)
                numbers[name] = value
            if not self.take(","):
                return numbers, inner

    def key(self) -> str | None:
        """The name before an `=`, or nothing, with the cursor back where it was."""
        start = self.at
        name = self.name()
        if name is not None and self.take("="):
            return name
        self.at = start
        return None

    def value(self, mechanism: Word, *, only_number: bool) -> QuantitySyntax | Node:
        self.peek()
        start = self.at
        quantity = self.quantity()
        number_wanted = only_number or not mechanism.takes_event
        if quantity is not None and (number_wanted or self.peek() not in tuple(TIMES)):
            return quantity
        if number_wanted:
            self.refuse(f"expected a number, found {self.said()}", "Write 10, 1.5, 1e-6 or 1/3.")
        if quantity is None:
            return self.together()
        node = self.repeat(quantity, start)
        parts = [node]
        while self.take("+"):
            parts.append(self.term())
        return node if len(parts) == 1 else Together(tuple(parts), start)

    def admitted(self, mechanism: Word, node: Node, start: int) -> Node:
        """What may stand inside: anything in a plan; one mechanism, with a count or without, in a sample."""
        if mechanism.plan:
            return node
        held = node.node if isinstance(node, Repeat) else node
        if not isinstance(held, CallSyntax):
            self.refuse(
                f"{mechanism.name} holds one mechanism, with a count or without",
                "Write one line for each: every round draws its own sample.",
                start,
            )
        if held.mechanism.name not in mechanism.inside:
            self.refuse(
                f"{mechanism.name} cannot hold {held.mechanism.name}",
                f"It holds one of: {', '.join(sorted(mechanism.inside))}.",
                held.position,
            )
        return node

    def parameter(
        self, mechanism: Word, numbers: dict[str, QuantitySyntax], key: str | None, start: int, *, named: bool
    ) -> str:
        known = [parameter.name for parameter in mechanism.parameters]
        if key is None:
            if named:
                self.refuse("a number without a name after a named one", "Write its name too.", start)
            if len(numbers) == len(known):
                self.refuse(f"too many numbers for {mechanism.name}", f"Write {mechanism.form()}.", start)
            return known[len(numbers)]
        if key not in known:
            self.refuse(f"{mechanism.name} has no parameter {_short(key)!r}", _meant(key, known), start)
        if key in numbers:
            self.refuse(f"{key} is given twice", "Give it once.", start)
        return key

    # --- numbers ---

    def quantity(self) -> QuantitySyntax | None:
        """A number or `?` at the cursor, if there is one."""
        self.peek()
        start = self.at
        if self.take("?"):
            return QuantitySyntax(None, start)
        value = self.decimal()
        if value is None:
            return None
        if self.take("/"):
            self.peek()
            place = self.at
            divisor = self.decimal()
            if divisor is None:
                self.refuse(f"expected a number after '/', found {self.said()}", "Write 1/3.")
            if divisor == 0:
                self.refuse("division by zero", "Write 1/3, for example.", place)
            value /= divisor
        return QuantitySyntax(value, start)

    def decimal(self) -> Fraction | None:
        self.peek()
        match = _DECIMAL.match(self.text, self.at)
        if match is None:
            self.not_a_number()
            return None
        digits = match.group()
        _, _, power = digits.lower().partition("e")
        if len(digits) > _LONGEST_NUMBER or len(power) > 5 or abs(int(power or 0)) > _LARGEST_POWER:
            self.refuse("this number is beyond any use", "Check it for a slip.")
        self.at = match.end()
        return Fraction(digits)

    def not_a_number(self) -> None:
        match = _NAME.match(self.text, self.at + (self.peek() in ("+", "-") and self.peek() != ""))
        if match is not None and match.group().lower() in _NOT_NUMBERS:
            self.refuse(f"{match.group()} is not a number that can be promised", "Write a finite number.")
