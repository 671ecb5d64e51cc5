"""Expressions over released numbers: the plain value for HAVING and ORDER BY, and value with error bar to show.

Sums and differences carry the noise of their parts along; a ratio has the interval of all ratios that the noise
explains (`privet.artifact._answer_arithmetic`). What has no sound error bar, and constants that nothing can be computed with, are
refused before anything is spent: see `form_of`. After that nothing fails: what noisy numbers bring out of the range that
arithmetic takes is missing.
"""

from __future__ import annotations

import datetime
import operator
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from privet.artifact import Answer, Draw, Quantity, Ratio, ReleasedAnswer
from privet.engine import expressions as tree
from privet.errors import BadQuery, InternalError
from privet.guarantee import Event
from privet.protect.query.sql._constant_folding import (
    calculated,
    constant,
    is_constant,
    is_sized,
    require_sized,
)

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
EXACT, SUM, RATIO, SINGLE = "exact", "sum", "ratio", "single"
Span = tuple[Any, Any, Any]


@dataclass(frozen=True)
class ReleasedRow:
    """One row of a released answer; `level` says of which query."""

    level: int
    answer: ReleasedAnswer
    at: int

    def value(self, name: str) -> Any:
        """A key's or an answer's value; a key that this level does not have is missing."""
        if name in self.answer.keys:
            return self.answer.keys[name][self.at]
        found = self.column(name)
        return None if found is None else found.values[self.at]

    def column(self, name: str) -> Answer | None:
        """The answer column of this name."""
        return next((one for one in self.answer.answers if one.name == name), None)


@dataclass(frozen=True)
class NoisyValue:
    """A number to show: value, low and high; and its noise by draw, where it is a sum of draws."""

    span: Span
    noise: Mapping[Draw, tuple[Event, float]] | None = field(default=None)


def form_of(expression: tree.Expression, summable: Collection[str]) -> str:
    """Whether an expression is an exact number, a sum of noisy ones, a ratio of sums, or one noisy number moved.

    `summable` are the answers whose noise is known as a sum of draws. Refuses everything else: the product of two
    noisy numbers is biased, and no interval is known for sums of ratios.
    """
    match expression:
        case tree.Literal(bool()):
            raise BadQuery("a truth value is not a number to compute with.")
        case tree.Literal(int() | float()):
            return EXACT
        case tree.Column(name):
            return SUM if name in summable else SINGLE
        case tree.Arithmetic(op, left, right):
            return require_sized(expression, _form(op, form_of(left, summable), form_of(right, summable)))
        case tree.Cast(of, _):
            return form_of(of, summable)
        case tree.Pick(tree.Compare("!=", value, tree.Literal()), then, None) if value == then:
            return form_of(then, summable)
    raise BadQuery(
        "noisy numbers are added, subtracted, multiplied by exact numbers and divided; nothing else has an error bar.",
        "Compute it from the released answer, and mind the noise.",
    )


def _form(op: str, left: str, right: str) -> str:
    if left == right == EXACT:
        return EXACT
    if op in ("+", "-"):
        if {left, right} <= {SUM, EXACT}:
            return SUM
        if EXACT in (left, right):
            return left if right == EXACT else right
        raise BadQuery(
            "this sum or difference has no sound error bar: one side is a ratio, or an answer that is no sum.",
            "Ask for both, and compare their intervals.",
        )
    if op == "*":
        if EXACT in (left, right):
            return left if right == EXACT else right
        raise BadQuery(
            "two noisy numbers are not multiplied: their product is biased and has no sound error bar.",
            "Ask for the product inside one aggregate, as in SUM(price * amount).",
        )
    if op == "/" and right == EXACT:
        return left
    if op == "/" and right == SUM and left in (SUM, EXACT):
        return RATIO
    raise BadQuery("this has no sound error bar.", "Divide sums and counts by sums and counts.")


def combined(expression: tree.Expression, row: ReleasedRow, confidence: float) -> NoisyValue:
    """The number to show for one row."""
    if isinstance(expression, tree.Column):
        column = row.column(expression.name)
        if column is None:
            raise InternalError("a column of the question has no answer.")
        span = (column.values[row.at], column.low[row.at], column.high[row.at])
        quantity = _quantity(column, row.at, confidence)
        return NoisyValue(span, None if quantity is None else quantity.noise)
    found = _number(expression, row, confidence)
    if found is None:
        return NoisyValue((None, None, None), {})
    if isinstance(found, Quantity):
        return NoisyValue((found.value, found.low, found.high), found.noise)
    if isinstance(found, Ratio):
        return NoisyValue((found.value, found.low, found.high))
    if isinstance(found, tuple):
        return NoisyValue(found)
    return NoisyValue((found, found, found), {})


def _quantity(column: Answer, at: int, confidence: float) -> Quantity | None:
    value = column.values[at]
    weights = {term: term.weight(at) for term in column.noise}
    if value is None or not weights or None in weights.values():
        return None
    noise = {term.draw("", at): (term.event, float(weight or 0)) for term, weight in weights.items()}
    return Quantity(float(value), noise, confidence)


def _number(expression: tree.Expression, row: ReleasedRow, confidence: float) -> Any:
    """An exact number, a Quantity, a Ratio, a span (value, low, high), or None where there is too little to tell."""
    if is_constant(expression):
        exact = constant(expression)
        return None if exact is None else float(exact)
    match expression:
        case tree.Column(name):
            column = row.column(name)
            if column is None or column.values[row.at] is None:
                return None
            span = (column.values[row.at], column.low[row.at], column.high[row.at])
            return _quantity(column, row.at, confidence) or span
        case tree.Cast(of, _):
            return _number(of, row, confidence)
        case tree.Pick(tree.Compare(_, _, tree.Literal(edge)), then, None):
            return None if value_of(then, row) == edge else _number(then, row, confidence)
        case tree.Arithmetic(op, left, right):
            first, second = _number(left, row, confidence), _number(right, row, confidence)
            if first is None or second is None:
                return None
            found = _computed(op, first, second, confidence)
            return found if all(map(is_sized, _sizes(found))) else None
    raise InternalError("an expression without an error bar was let through.")


def _sizes(found: Any) -> tuple[float | None, ...]:
    """All numbers that a result is made of."""
    match found:
        case Quantity():
            return (found.value, *(weight for _, weight in found.noise.values()))
        case Ratio():
            return (found.value, found.low, found.high)
        case tuple():
            return found
    return (found,)


def _computed(op: str, first: Any, second: Any, confidence: float) -> Any:
    if op == "/":
        if isinstance(second, Quantity):
            above = first if isinstance(first, Quantity) else Quantity(first, {}, confidence)
            return Ratio.of(above, second)
        return _computed("*", first, 1 / second, confidence)
    if op == "-":
        return _computed("+", first, _computed("*", second, -1.0, confidence), confidence)
    if isinstance(first, float) and not isinstance(second, float):
        first, second = second, first
    if isinstance(first, tuple):
        return _span_moved(op, first, second)
    if isinstance(first, Ratio):
        return first * second if op == "*" else first - (-second)
    return first * second if op == "*" else first + second


def _span_moved(op: str, span: Span, number: float) -> Span:
    if None in span:
        return span
    moved = [end * number if op == "*" else end + number for end in span]
    value, low, high = moved
    return (value, high, low) if op == "*" and number < 0 else (value, low, high)


def truth(expression: tree.Expression, row: ReleasedRow) -> bool:
    """Whether a condition holds for the noisy values; missing counts as no."""
    return value_of(expression, row) is True


def value_of(expression: tree.Expression, row: ReleasedRow) -> Any:
    """The plain value of an expression for one row; None where it is missing."""
    match expression:
        case tree.Literal(value):
            return value
        case tree.Column(name):
            return row.value(name)
        case tree.Pick(condition, then, otherwise):
            chosen = then if value_of(condition, row) is True else otherwise
            return None if chosen is None else value_of(chosen, row)
        case tree.Arithmetic(op, left, right):
            return calculated(op, value_of(left, row), value_of(right, row))
        case tree.Cast(of, _):
            return value_of(of, row)
        case tree.Abs(of):
            inner = value_of(of, row)
            return None if inner is None else abs(inner)
    return _condition(expression, row)


def _condition(expression: tree.Expression, row: ReleasedRow) -> bool | None:
    match expression:
        case tree.IsMissing(of):
            return value_of(of, row) is None
        case tree.And(left, right):
            return _both(value_of(left, row), value_of(right, row))
        case tree.Or(left, right):
            return _opposite(_both(_opposite(value_of(left, row)), _opposite(value_of(right, row))))
        case tree.Not(of):
            return _opposite(value_of(of, row))
        case tree.Compare(op, left, right):
            return _compared(op, value_of(left, row), value_of(right, row))
        case tree.Between(of, low, high):
            value = value_of(of, row)
            return _both(
                _compared(">=", value, value_of(low, row)), _compared("<=", value, value_of(high, row))
            )
        case tree.OneOf(of, values):
            value = value_of(of, row)
            return None if value is None else any(_compared("=", value, one) for one in values)
    raise InternalError("an expression over noisy values was let through that cannot be computed.")


def check_plain(expression: tree.Expression) -> None:
    """Refuse what `value_of` cannot compute, before anything is spent."""
    from privet.source import shallow

    nodes: list[Any] = [shallow(expression)]
    known = (
        tree.Literal, tree.Column, tree.IsMissing, tree.And, tree.Or, tree.Not, tree.Pick,
        tree.Compare, tree.Between, tree.OneOf, tree.Arithmetic, tree.Abs,
    )  # fmt: skip
    while nodes:
        node = nodes.pop()
        if not isinstance(node, known):
            raise BadQuery(
                f"{type(node).__name__.lower()} cannot be applied to noisy values here.",
                "Use comparisons, AND, OR, NOT and arithmetic.",
            )
        parts = [getattr(node, name) for name in node.__slots__]
        nodes += [part for part in parts if type(part).__module__ == tree.__name__]


def _both(left: Any, right: Any) -> bool | None:
    if left is False or right is False:
        return False
    return None if left is None or right is None else True


def _opposite(value: Any) -> bool | None:
    return None if value is None else not value


def _compared(op: str, left: Any, right: Any) -> bool | None:
    if left is None or right is None:
        return None
    if isinstance(left, datetime.datetime) != isinstance(right, datetime.datetime):
        left, right = (_moment(side) for side in (left, right))
    return _COMPARE[op](left, right)


def _moment(value: Any) -> Any:
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return datetime.datetime.combine(value, datetime.time())
    return value
