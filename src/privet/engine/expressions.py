"""The closed list of expressions: what a caller may compute from the columns of one row.

Every expression is a *total* function of its row: no row can make it raise. An error that appears only
when a certain value is present would tell everyone that the value is present, before any noise is added.
So division by zero, overflow, a malformed number and the like give *missing*, and the engine's own errors
are ruled out by masking operands before the engine sees them (see `privet.engine._expression_compiler`).

These rules hold everywhere:

- Not-a-number is missing. Expressions never produce it.
- Arithmetic on reals treats a magnitude above 1e150 (and infinity) as missing and one below 1e-150 as zero,
  so that no engine overflows or underflows; sums are taken as they come until they are multiplied or divided.
  Whole numbers beyond 2^62 give missing.
- Dates and timestamps outside the years 1 to 9999 are missing.
- Constants, depth and size keep to ranges that every engine takes (`privet.engine._constant_ranges`).

The tree is frozen, hashable and knows no engine. `check` finds its kind or refuses it.
"""

from __future__ import annotations

import datetime
import difflib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias, get_args

from privet.engine import _constant_ranges as limits
from privet.engine._relation import ColumnKind
from privet.errors import BadExpression, UnknownColumn

Constant: TypeAlias = bool | int | float | str | datetime.date | datetime.datetime

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")  # what the shell makes of bytes that are not UTF-8
COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
OPERATORS = ("+", "-", "*", "/", "%")
DATE_PARTS = ("year", "quarter", "month", "day", "weekday")
TIME_PARTS = ("hour", "minute", "second")
DATE_UNITS = ("year", "quarter", "month", "week", "day")
TIME_UNITS = ("hour", "minute", "second")


@dataclass(frozen=True, slots=True)
class Column:
    """The value of a column. Total: not-a-number and dates outside the years 1 to 9999 are missing."""

    name: str


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant: a truth value, a 64-bit whole number, a finite real, text, a date or a timestamp. Total."""

    value: Constant


@dataclass(frozen=True, slots=True)
class Compare:
    """`left op right` for op in = != < <= > >=. Total: missing if either side is missing.

    Text can only be compared with = and !=, because each database sorts text by its own rules.
    """

    op: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class And:
    """Both hold. Total, with SQL's three values (missing and false is false)."""

    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Or:
    """At least one holds. Total, with SQL's three values (missing or true is true)."""

    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite. Total: missing stays missing."""

    of: Expression


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`left op right` for op in + - * / %. Total: overflow and division by zero give missing.

    `/` always gives a real; `%` takes whole numbers only and has the sign of its left side.
    """

    op: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class IsMissing:
    """Whether a value is missing. Total, and never missing itself."""

    of: Expression


@dataclass(frozen=True, slots=True)
class OneOf:
    """Whether a value is among constants. Total: missing if the value is missing."""

    of: Expression
    values: tuple[Constant, ...]


@dataclass(frozen=True, slots=True)
class Between:
    """`low <= of <= high`. Total: missing if any of them is missing and the rest does not decide."""

    of: Expression
    low: Expression
    high: Expression


@dataclass(frozen=True, slots=True)
class Pick:
    """`then` where the condition holds, else `otherwise` (missing if left out). Total."""

    condition: Expression
    then: Expression
    otherwise: Expression | None = None


@dataclass(frozen=True, slots=True)
class DatePart:
    """A whole number read off a date or timestamp: year, quarter, month, day, weekday (Monday is 0),
    hour, minute or second. Total. Timestamps with a time zone are read in the session's zone.
    """  # noqa: D205

    part: str
    of: Expression


@dataclass(frozen=True, slots=True)
class Truncate:
    """The start of the year, quarter, month, week (Monday), day, hour, minute or second. Total."""

    unit: str
    of: Expression


@dataclass(frozen=True, slots=True)
class Lower:
    """Text in small letters. Total. Outside ASCII each engine follows its own tables."""

    of: Expression


@dataclass(frozen=True, slots=True)
class Upper:
    """Text in capital letters. Total. Outside ASCII each engine follows its own tables."""

    of: Expression


@dataclass(frozen=True, slots=True)
class Trim:
    """Text without white space at its ends (space, tab, line feeds). Total."""

    of: Expression


@dataclass(frozen=True, slots=True)
class Substring:
    """`length` characters from position `start`, the first being 0. Total: shorter where the text ends."""

    of: Expression
    start: int
    length: int


@dataclass(frozen=True, slots=True)
class Length:
    """The number of characters. Total."""

    of: Expression


@dataclass(frozen=True, slots=True)
class Floor:
    """The largest whole number not above. Total: missing beyond 2^62."""

    of: Expression


@dataclass(frozen=True, slots=True)
class Round:
    """The nearest whole number, halves upwards. Total: missing beyond 2^62."""

    of: Expression


@dataclass(frozen=True, slots=True)
class Abs:
    """The magnitude. Total: missing for whole numbers beyond 2^62."""

    of: Expression


@dataclass(frozen=True, slots=True)
class Bin:
    """The whole number of the interval a value falls in. Total: missing where the number is beyond 2^62.

    With `edges` it counts the edges not above the value (0 below the first edge); with `width` it is
    floor((value - origin) / width).
    """

    of: Expression
    edges: tuple[float, ...] = ()
    width: float | None = None
    origin: float = 0.0


@dataclass(frozen=True, slots=True)
class Cast:
    """The value as another kind. Total: what cannot be read as that kind is missing.

    Reals become whole numbers by rounding, halves upwards. Text is read as a decimal number (at most 18
    digits for whole numbers) or as a date in the form 2026-01-31, ignoring white space around it.
    """

    of: Expression
    kind: ColumnKind


Expression: TypeAlias = (
    Column
    | Literal
    | Compare
    | And
    | Or
    | Not
    | Arithmetic
    | IsMissing
    | OneOf
    | Between
    | Pick
    | DatePart
    | Truncate
    | Lower
    | Upper
    | Trim
    | Substring
    | Length
    | Floor
    | Round
    | Abs
    | Bin
    | Cast
)

NODES: tuple[type, ...] = get_args(Expression)
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


def check(expression: Expression, columns: Mapping[str, ColumnKind]) -> ColumnKind:
    """The kind of an expression over these columns, or a refusal that says what does not fit."""
    if not isinstance(expression, NODES):
        raise BadExpression("this is not an expression of the closed list.", "See privet.engine.expressions.")
    limits.require_size(expression, NODES)
    return kind(expression, columns)


def kind(expression: Expression, columns: Mapping[str, ColumnKind]) -> ColumnKind:
    """`check` for parts of an expression whose size is known to be right."""
    match expression:
        case Column(name):
            return column_kind(name, columns)
        case Literal(value):
            return literal_kind(value)
        case And(left, right) | Or(left, right):
            return _all(_B, "and/or", kind(left, columns), kind(right, columns))
        case Not(of):
            return _all(_B, "not", kind(of, columns))
        case IsMissing(of):
            kind(of, columns)
            return _B
        case Lower(of) | Upper(of) | Trim(of) | Substring(of) | Length(of):
            return _check_text(expression, kind(of, columns))
        case DatePart(word, of) | Truncate(word, of):
            return _check_time(expression, word, kind(of, columns))
        case _:
            return _check_mixed(expression, columns)


def _check_mixed(expression: Expression, columns: Mapping[str, ColumnKind]) -> ColumnKind:
    match expression:
        case Compare(op, left, right):
            return _check_compare(op, kind(left, columns), kind(right, columns))
        case Between(of, low, high):
            _check_compare("<=", kind(low, columns), kind(of, columns))
            return _check_compare("<=", kind(of, columns), kind(high, columns))
        case OneOf(of, values):
            return _check_one_of(kind(of, columns), values)
        case Arithmetic(op, left, right):
            return _check_arithmetic(op, kind(left, columns), kind(right, columns))
        case Pick(condition, then, otherwise):
            _all(_B, "a condition", kind(condition, columns))
            first = kind(then, columns)
            return first if otherwise is None else _unify(first, kind(otherwise, columns))
        case Floor(of) | Round(of) | Abs(of):
            found = _number(kind(of, columns), type(expression).__name__.lower())
            return found if isinstance(expression, Abs) else _I
        case Bin(of, edges, width, origin):
            _number(kind(of, columns), "bin")
            return _check_bin(edges, width, origin)
        case Cast(of, wanted):
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
        if len(value) <= limits.LONGEST_TEXT:
            return _T
        raise BadExpression(f"a text constant has at most {limits.LONGEST_TEXT:,} characters.")
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
    if op not in COMPARISONS:
        raise BadExpression("unknown comparison.", f"Use one of {' '.join(COMPARISONS)}.")
    if _unify(left, right) is _T and op not in ("=", "!="):
        raise BadExpression(
            "text has no order that all databases agree on.", "Compare text with = and != or OneOf."
        )
    return _B


def _check_one_of(kind: ColumnKind, values: tuple[Constant, ...]) -> ColumnKind:
    limits.require_values(values)
    for value in values:
        _unify(kind, literal_kind(value))
    return _B


def _check_arithmetic(op: str, left: ColumnKind, right: ColumnKind) -> ColumnKind:
    if op not in OPERATORS:
        raise BadExpression("unknown operator.", f"Use one of {' '.join(OPERATORS)}.")
    both = {_number(left, op), _number(right, op)}
    if op == "%" and both != {_I}:
        raise BadExpression("% needs whole numbers.", "Take the floor first.")
    return _I if both == {_I} and op != "/" else _R


def _check_text(expression: Expression, kind: ColumnKind) -> ColumnKind:
    _all(_T, type(expression).__name__.lower(), kind)
    if isinstance(expression, Substring):
        limits.require_substring(expression.start, expression.length)
    return _I if isinstance(expression, Length) else _T


def _check_time(expression: Expression, word: str, kind: ColumnKind) -> ColumnKind:
    if kind not in (_D, _S):
        raise BadExpression(f"a date or timestamp is needed, not {kind.value}.", "Cast the value first.")
    day, clock = (DATE_PARTS, TIME_PARTS) if isinstance(expression, DatePart) else (DATE_UNITS, TIME_UNITS)
    allowed = day + clock if kind is _S else day
    if word not in allowed:
        raise BadExpression(f"{kind.value}s have no {word!r}.", f"Use one of {', '.join(allowed)}.")
    return _I if isinstance(expression, DatePart) else kind


def _check_bin(edges: tuple[float, ...], width: float | None, origin: float) -> ColumnKind:
    if bool(edges) == (width is not None):
        raise BadExpression("a bin needs either edges or a width.", "Write edges=(0, 18, 65) or width=10.")
    if any(not math.isfinite(edge) for edge in edges) or list(edges) != sorted(set(edges)):
        raise BadExpression("bin edges must be finite and rising.", "Sort them and drop repeats.")
    if len(edges) > limits.MOST_EDGES:
        raise BadExpression(f"a bin has at most {limits.MOST_EDGES:,} edges.", "Use a width instead.")
    if width is not None:
        limits.require_width(width, origin)
    return _I


def _check_cast(kind: ColumnKind, wanted: ColumnKind) -> ColumnKind:
    if wanted not in CASTS.get(kind, ()):
        raise BadExpression(
            f"{kind.value} cannot be cast to {wanted.value} in the same way on every engine.",
            f"From {kind.value}: {', '.join(each.value for each in CASTS.get(kind, ()))}.",
        )
    return wanted
