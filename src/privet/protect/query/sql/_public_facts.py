"""What is public about a computed column because of how it is computed: its range, and its possible values.

A condition is true, false or missing; a month lies between 1 and 12; CASE gives one of the constants written in
it; a sum of two bounded columns is bounded. None of this looks at a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TypeAlias

from privet.engine import ColumnKind
from privet.engine import expressions as tree
from privet.source import Bounds, KeySet, Origin, Span

Interval: TypeAlias = tuple[Fraction, Fraction]

_PARTS = {
    "quarter": (1, 4),
    "month": (1, 12),
    "day": (1, 31),
    "weekday": (0, 6),
    "hour": (0, 23),
    "minute": (0, 59),
    "second": (0, 59),
}
_MOST_COUNTED = 1000
_ENDLESS = Fraction(10) ** 400  # where a range is open
_CONDITIONS = (tree.Compare, tree.And, tree.Or, tree.Not, tree.OneOf, tree.Between)


def range_of(expression: tree.Expression, bounds: Mapping[str, Bounds]) -> Bounds | None:
    """The public range of an expression, if it follows from those of its columns and constants."""
    if isinstance(expression, tree.Column):
        return bounds.get(expression.name)
    found = _interval(expression, bounds)
    if found is None or _endless(found):
        return None
    low, high = found
    used = [bounds[name] for name in sorted(_columns(expression)) if name in bounds]
    private = any(not one.is_public for one in used)
    why = (
        f"follows from {' and '.join(sorted(_columns(expression)))}" if used else "follows from the question"
    )
    return Bounds(low, high if high > low else low + 1, Origin.DATA if private else Origin.STATED, why)


def _interval(expression: tree.Expression, bounds: Mapping[str, Bounds]) -> Interval | None:
    match expression:
        case tree.Column(name):
            return (bounds[name].lower, bounds[name].upper) if name in bounds else None
        case tree.Literal(bool()):
            return None
        case tree.Literal(int() | float() as value):
            return Fraction(value), Fraction(value)
        case tree.Pick():
            return _picked(expression, bounds)
        case tree.DatePart(part, _) if part in _PARTS:
            return Fraction(_PARTS[part][0]), Fraction(_PARTS[part][1])
        case tree.Cast(of, kind) if kind is ColumnKind.INTEGER and isinstance(of, _CONDITIONS):
            return Fraction(0), Fraction(1)
        case tree.Cast(of, ColumnKind.REAL) | tree.Abs(of) | tree.Floor(of) | tree.Round(of):
            return _moved(expression, _interval(of, bounds))
        case tree.Arithmetic(op, left, right):
            return _combined(op, _interval(left, bounds), _interval(right, bounds))
    return None


def _picked(expression: tree.Pick, bounds: Mapping[str, Bounds]) -> Interval | None:
    """The ends of both branches; `CASE WHEN x < 3 THEN x ELSE 3 END` is narrower, see `_limited`."""
    first = _limited(expression, bounds) or _interval(expression.then, bounds)
    if expression.otherwise is None or first is None:
        return first
    second = _interval(expression.otherwise, bounds)
    return None if second is None else (min(first[0], second[0]), max(first[1], second[1]))


def _limited(expression: tree.Pick, bounds: Mapping[str, Bounds]) -> Interval | None:
    """The range of x in `x if x < c`: what CLAMP, LEAST and GREATEST are made of."""
    match expression.condition:
        case tree.Compare(op, value, tree.Literal(int() | float() as edge)) if (
            value == expression.then and op in ("<", "<=", ">", ">=") and not isinstance(edge, bool)
        ):
            low, high = _interval(value, bounds) or (-_ENDLESS, _ENDLESS)
            limit = Fraction(edge)
            kept = (low, min(high, limit)) if op in ("<", "<=") else (max(low, limit), high)
            return kept if kept[0] <= kept[1] else None
    return None


def _endless(interval: Interval) -> bool:
    return interval[0] <= -_ENDLESS or interval[1] >= _ENDLESS


def _moved(expression: tree.Expression, inner: Interval | None) -> Interval | None:
    if inner is None or _endless(inner) or isinstance(expression, tree.Cast):
        return inner
    low, high = inner
    if isinstance(expression, tree.Abs):
        return (Fraction(0) if low <= 0 <= high else min(abs(low), abs(high)), max(abs(low), abs(high)))
    return low - 1, high + 1


def _combined(op: str, left: Interval | None, right: Interval | None) -> Interval | None:
    if left is None or right is None or _endless(left) or _endless(right):
        return None
    if op == "+":
        return left[0] + right[0], left[1] + right[1]
    if op == "-":
        return left[0] - right[1], left[1] - right[0]
    if op == "/":
        if right[0] <= 0 <= right[1]:
            return None
        right = (1 / right[1], 1 / right[0])
    elif op == "%":
        exact = right[0] == right[1] > 0 and left[0] >= 0
        return (Fraction(0), right[0] - 1) if exact else None
    elif op != "*":
        return None
    corners = [one * other for one in left for other in right]
    return min(corners), max(corners)


def keys_of(
    expression: tree.Expression,
    kind: ColumnKind,
    spans: Mapping[str, Span],
    keys: Mapping[tuple[str, ...], KeySet],
) -> KeySet | None:
    """Every value that an expression can have, if that is public."""
    match expression:
        case tree.Column(name):
            stated = keys.get((name,))
            return stated or (
                _listed([True, False, None], "a truth value") if kind is ColumnKind.BOOLEAN else None
            )
        case tree.Truncate(unit, tree.Column(name)) if name in spans:
            return spans[name].windows(unit, kind)
        case tree.DatePart(part, _) if part in _PARTS:
            low, high = _PARTS[part]
            return _listed([*range(low, high + 1), None], f"every {part}")
        case tree.DatePart("year", tree.Column(name)) if name in spans:
            span = spans[name]
            return KeySet(list(range(span.first.year, span.last.year + 1)), span.origin, span.why)
        case tree.IsMissing():
            return _listed([True, False], "a condition")
    if isinstance(expression, tree.Arithmetic) and kind is ColumnKind.INTEGER and _of_calendar(expression):
        found = _interval(expression, {})
        if found is not None and found[1] - found[0] < _MOST_COUNTED:
            return _listed([*range(int(found[0]), int(found[1]) + 1), None], "every such number")
    if isinstance(expression, _CONDITIONS):
        return _listed([True, False, None], "a condition")
    constants = _constants(expression)
    return (
        None
        if constants is None
        else _listed(list(dict.fromkeys(constants)), "the constants of the question")
    )


def _of_calendar(expression: tree.Expression) -> bool:
    """Whether a whole number is computed from parts of dates and constants alone."""
    if isinstance(expression, tree.Arithmetic):
        return _of_calendar(expression.left) and _of_calendar(expression.right)
    return isinstance(expression, tree.DatePart | tree.Literal)


def _constants(expression: tree.Expression | None) -> list[tree.Constant | None] | None:
    if expression is None:
        return [None]
    if isinstance(expression, tree.Literal):
        return [expression.value]
    if isinstance(expression, tree.Pick):
        parts = [_constants(expression.then), _constants(expression.otherwise)]
        return None if None in parts else [value for part in parts for value in part or []]
    return None


def _listed(values: list[tree.Constant | None], why: str) -> KeySet:
    return KeySet(values, Origin.SCHEMA, why)


def _columns(expression: tree.Expression) -> set[str]:
    from privet.source import columns_in

    return columns_in(expression)
