"""Which kind an expression has, or why it is refused: what an engine gets has passed here."""

from __future__ import annotations

import datetime
import difflib
import math
import re
from collections.abc import Mapping

from privet.engine import _constant_ranges as constant_ranges
from privet.engine import expressions as ex
from privet.engine._relation import ColumnKind
from privet.errors import BadExpression, UnknownColumn

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")  # what the shell makes of bytes that are not UTF-8
_B, _I, _R, _T = ColumnKind.BOOLEAN, ColumnKind.INTEGER, ColumnKind.REAL, ColumnKind.TEXT
_D, _S = ColumnKind.DATE, ColumnKind.TIMESTAMP

CASTS: dict[ColumnKind, tuple[ColumnKind, ...]] = {
    _I: (_I, _R, _T, _B),
    _R: (_R, _I),
    _T: (_T, _I, _R, _D),
    _B: (_B, _I, _T),
    _D: (_D, _S, _T),
    _S: (_S, _D),
}


def check(expression: ex.Expression, columns: Mapping[str, ColumnKind]) -> ColumnKind:
    """The kind of an expression over these columns, or a refusal that says what does not fit."""
    if not isinstance(expression, ex.NODES):
        raise BadExpression("this is not an expression of the closed list.", "See privet.engine.expressions.")
    constant_ranges.require_size(expression, ex.NODES)
    return kind(expression, columns)


def kind(expression: ex.Expression, columns: Mapping[str, ColumnKind]) -> ColumnKind:
    """`check` for parts of an expression whose size is known to be right."""
    match expression:
        case ex.Column(name):
            return column_kind(name, columns)
        case ex.Literal(value):
            return literal_kind(value)
        case ex.And(left, right) | ex.Or(left, right):
            return _all(_B, "and/or", kind(left, columns), kind(right, columns))
        case ex.Not(of):
            return _all(_B, "not", kind(of, columns))
        case ex.IsMissing(of):
            kind(of, columns)
            return _B
        case ex.Lower(of) | ex.Upper(of) | ex.Trim(of) | ex.Substring(of) | ex.Length(of):
            return _check_text(expression, kind(of, columns))
        case ex.DatePart(word, of) | ex.Truncate(word, of):
            return _check_time(expression, word, kind(of, columns))
        case _:
            return _check_mixed(expression, columns)


def _check_mixed(expression: ex.Expression, columns: Mapping[str, ColumnKind]) -> ColumnKind:
    match expression:
        case ex.Compare(op, left, right):
            return _check_compare(op, kind(left, columns), kind(right, columns))
        case ex.Between(of, low, high):
            _check_compare("<=", kind(low, columns), kind(of, columns))
            return _check_compare("<=", kind(of, columns), kind(high, columns))
        case ex.OneOf(of, values):
            return _check_one_of(kind(of, columns), values)
        case ex.Arithmetic(op, left, right):
            return _check_arithmetic(op, kind(left, columns), kind(right, columns))
        case ex.Pick(condition, then, otherwise):
            _all(_B, "a condition", kind(condition, columns))
            first = kind(then, columns)
            return first if otherwise is None else _unify(first, kind(otherwise, columns))
        case ex.Floor(of) | ex.Round(of) | ex.Abs(of):
            found = _number(kind(of, columns), type(expression).__name__.lower())
            return found if isinstance(expression, ex.Abs) else _I
        case ex.Bin(of, edges, width, origin):
            _number(kind(of, columns), "bin")
            return _check_bin(edges, width, origin)
        case ex.Cast(of, wanted):
            return _check_cast(kind(of, columns), wanted)
    raise BadExpression("this is not an expression of the closed list.", "See privet.engine.expressions.")


def column_kind(name: str, columns: Mapping[str, ColumnKind]) -> ColumnKind:
    """The kind of a column that can be used; refuses names that do not exist, naming near matches."""
    if name not in columns:
        near = difflib.get_close_matches(name, columns, n=3)
        hint = f"Did you mean {' or '.join(map(repr, near))}?" if near else "Look at the table's columns."
        raise UnknownColumn(f"there is no column {name!r}.", hint)
    if columns[name] is ColumnKind.OTHER:
        raise BadExpression(
            f"column {name!r} has a type that expressions cannot use (a list, a structure, bytes, …).",
            "Use columns of numbers, text, truth values, dates or timestamps.",
        )
    return columns[name]


def literal_kind(value: object) -> ColumnKind:
    """The kind of a constant; refuses what could not be written the same way for every engine."""
    if isinstance(value, bool):
        return _B
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return _I
    if isinstance(value, float) and math.isfinite(value):
        return _R
    if isinstance(value, str) and "\0" not in value and not _LONE_SURROGATE.search(value):
        if len(value) <= constant_ranges.LONGEST_TEXT:
            return _T
        raise BadExpression(f"a text constant has at most {constant_ranges.LONGEST_TEXT:,} characters.")
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            return _S
    elif isinstance(value, datetime.date):
        return _D
    raise BadExpression(
        "this constant cannot be used in an expression.",
        "Constants are truth values, 64-bit whole numbers, finite reals, UTF-8 text without NUL, dates, and "
        "timestamps without a time zone.",
    )


def _number(kind: ColumnKind, what: str) -> ColumnKind:
    if not kind.is_number:
        raise BadExpression(f"{what} needs a number, not {kind.value}.", "Cast the value first.")
    return kind


def _all(wanted: ColumnKind, what: str, *kinds: ColumnKind) -> ColumnKind:
    for kind in kinds:
        if kind is not wanted:
            raise BadExpression(f"{what} needs {wanted.value}, not {kind.value}.", "Compare or cast first.")
    return wanted


def _unify(left: ColumnKind, right: ColumnKind) -> ColumnKind:
    """The kind both sides can be read as: equal kinds, numbers as reals, dates as timestamps."""
    if left is right:
        return left
    if left.is_number and right.is_number:
        return _R
    if {left, right} == {_D, _S}:
        return _S
    raise BadExpression(f"{left.value} and {right.value} do not go together.", "Cast one of them.")


def _check_compare(op: str, left: ColumnKind, right: ColumnKind) -> ColumnKind:
    if op not in ex.COMPARISONS:
        raise BadExpression("unknown comparison.", f"Use one of {' '.join(ex.COMPARISONS)}.")
    if _unify(left, right) is _T and op not in ("=", "!="):
        raise BadExpression(
            "text has no order that all databases agree on.", "Compare text with = and != or ex.OneOf."
        )
    return _B


def _check_one_of(kind: ColumnKind, values: tuple[ex.Constant, ...]) -> ColumnKind:
    constant_ranges.require_values(values)
    for value in values:
        _unify(kind, literal_kind(value))
    return _B


def _check_arithmetic(op: str, left: ColumnKind, right: ColumnKind) -> ColumnKind:
    if op not in ex.OPERATORS:
        raise BadExpression("unknown operator.", f"Use one of {' '.join(ex.OPERATORS)}.")
    both = {_number(left, op), _number(right, op)}
    if op == "%" and both != {_I}:
        raise BadExpression("% needs whole numbers.", "Take the floor first.")
    return _I if both == {_I} and op != "/" else _R


def _check_text(expression: ex.Expression, kind: ColumnKind) -> ColumnKind:
    _all(_T, type(expression).__name__.lower(), kind)
    if isinstance(expression, ex.Substring):
        constant_ranges.require_substring(expression.start, expression.length)
    return _I if isinstance(expression, ex.Length) else _T


def _check_time(expression: ex.Expression, word: str, kind: ColumnKind) -> ColumnKind:
    if kind not in (_D, _S):
        raise BadExpression(f"a date or timestamp is needed, not {kind.value}.", "Cast the value first.")
    day, clock = (
        (ex.DATE_PARTS, ex.TIME_PARTS)
        if isinstance(expression, ex.DatePart)
        else (ex.DATE_UNITS, ex.TIME_UNITS)
    )
    allowed = day + clock if kind is _S else day
    if word not in allowed:
        raise BadExpression(f"{kind.value}s have no {word!r}.", f"Use one of {', '.join(allowed)}.")
    return _I if isinstance(expression, ex.DatePart) else kind


def _check_bin(edges: tuple[float, ...], width: float | None, origin: float) -> ColumnKind:
    if bool(edges) == (width is not None):
        raise BadExpression("a bin needs either edges or a width.", "Write edges=(0, 18, 65) or width=10.")
    if any(not math.isfinite(edge) for edge in edges) or list(edges) != sorted(set(edges)):
        raise BadExpression("bin edges must be finite and rising.", "Sort them and drop repeats.")
    if len(edges) > constant_ranges.MOST_EDGES:
        raise BadExpression(
            f"a bin has at most {constant_ranges.MOST_EDGES:,} edges.", "Use a width instead."
        )
    if width is not None:
        constant_ranges.require_width(width, origin)
    return _I


def _check_cast(kind: ColumnKind, wanted: ColumnKind) -> ColumnKind:
    if wanted not in CASTS.get(kind, ()):
        raise BadExpression(
            f"{kind.value} cannot be cast to {wanted.value} in the same way on every engine.",
            f"From {kind.value}: {', '.join(each.value for each in CASTS.get(kind, ()))}.",
        )
    return wanted
