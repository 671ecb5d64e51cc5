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

The tree is frozen, hashable and knows no engine. `privet.engine._expression_kinds` finds its kind or refuses it.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import TypeAlias, get_args

from privet.engine._relation import ColumnKind

Constant: TypeAlias = bool | int | float | str | datetime.date | datetime.datetime

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
