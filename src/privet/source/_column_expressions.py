"""Columns in conditions and derived values: `col("days") > 3`, written as Python, kept as a closed tree.

Every operation gives a value for every row and never an error that depends on one: see
`privet.engine.expressions`, whose trees these build.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn, cast

from privet.engine import MOST_NESTED, ColumnKind, literal_kind, measured
from privet.engine import expressions as tree
from privet.errors import BadQuery, checked

_NODES = tree.NODES


class ColumnExpression:
    """A value computed from the columns of one row. Combine with operators; `&`, `|` and `~` join conditions."""

    __slots__ = ("tree",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, expression: tree.Expression) -> None:
        self.tree = expression

    def __repr__(self) -> str:
        return worded(self.tree)

    def __bool__(self) -> NoReturn:
        raise BadQuery(
            "a condition on a column is not a truth value yet.", "Join conditions with & | ~ and brackets."
        )

    def __eq__(self, other: object) -> ColumnExpression:  # type: ignore[override]
        return self._compare("=", other)

    def __ne__(self, other: object) -> ColumnExpression:  # type: ignore[override]
        return self._compare("!=", other)

    def __lt__(self, other: object) -> ColumnExpression:
        return self._compare("<", other)

    def __le__(self, other: object) -> ColumnExpression:
        return self._compare("<=", other)

    def __gt__(self, other: object) -> ColumnExpression:
        return self._compare(">", other)

    def __ge__(self, other: object) -> ColumnExpression:
        return self._compare(">=", other)

    def __and__(self, other: object) -> ColumnExpression:
        return ColumnExpression(tree.And(self.tree, as_tree(other)))

    def __or__(self, other: object) -> ColumnExpression:
        return ColumnExpression(tree.Or(self.tree, as_tree(other)))

    def __invert__(self) -> ColumnExpression:
        return ColumnExpression(tree.Not(self.tree))

    def __add__(self, other: object) -> ColumnExpression:
        return self._arithmetic("+", other)

    def __sub__(self, other: object) -> ColumnExpression:
        return self._arithmetic("-", other)

    def __mul__(self, other: object) -> ColumnExpression:
        return self._arithmetic("*", other)

    def __truediv__(self, other: object) -> ColumnExpression:
        return self._arithmetic("/", other)

    def __mod__(self, other: object) -> ColumnExpression:
        return self._arithmetic("%", other)

    def __radd__(self, other: object) -> ColumnExpression:
        return self._arithmetic("+", other, swapped=True)

    def __rsub__(self, other: object) -> ColumnExpression:
        return self._arithmetic("-", other, swapped=True)

    def __rmul__(self, other: object) -> ColumnExpression:
        return self._arithmetic("*", other, swapped=True)

    def __rtruediv__(self, other: object) -> ColumnExpression:
        return self._arithmetic("/", other, swapped=True)

    def is_missing(self) -> ColumnExpression:
        """Whether the value is missing."""
        return ColumnExpression(tree.IsMissing(self.tree))

    def one_of(self, *values: Any) -> ColumnExpression:
        """Whether the value is one of these constants."""
        return ColumnExpression(tree.OneOf(self.tree, tuple(values)))

    def between(self, low: object, high: object) -> ColumnExpression:
        """Whether the value lies between these, ends included."""
        return ColumnExpression(tree.Between(self.tree, as_tree(low), as_tree(high)))

    @checked
    def part(self, name: str) -> ColumnExpression:
        """A part of a date or timestamp: year, quarter, month, day, weekday, hour, minute, second."""
        return ColumnExpression(tree.DatePart(name, self.tree))

    @checked
    def truncate(self, unit: str) -> ColumnExpression:
        """The start of the year, quarter, month, week, day, hour, minute or second."""
        return ColumnExpression(tree.Truncate(unit, self.tree))

    @checked
    def bin(
        self, *, width: float | None = None, edges: Sequence[float] = (), origin: float = 0.0
    ) -> ColumnExpression:
        """The number of the interval the value falls in: of equal `width`, or between `edges`."""
        return ColumnExpression(tree.Bin(self.tree, tuple(float(edge) for edge in edges), width, origin))

    @checked
    def cast(self, kind: ColumnKind | str) -> ColumnExpression:
        """The value as another kind; missing where it cannot be read as that."""
        known = [one.value for one in ColumnKind]
        if not isinstance(kind, ColumnKind) and kind not in known:
            raise BadQuery("there is no such kind of column.", f"Use one of {', '.join(known[:-1])}.")
        return ColumnExpression(tree.Cast(self.tree, ColumnKind(kind)))

    def lower(self) -> ColumnExpression:
        """Text in small letters."""
        return ColumnExpression(tree.Lower(self.tree))

    def upper(self) -> ColumnExpression:
        """Text in capital letters."""
        return ColumnExpression(tree.Upper(self.tree))

    def trim(self) -> ColumnExpression:
        """Text without white space at its ends."""
        return ColumnExpression(tree.Trim(self.tree))

    @checked
    def substring(self, start: int, length: int) -> ColumnExpression:
        """`length` characters from `start`, the first being 0."""
        return ColumnExpression(tree.Substring(self.tree, start, length))

    def length(self) -> ColumnExpression:
        """The number of characters."""
        return ColumnExpression(tree.Length(self.tree))

    def floor(self) -> ColumnExpression:
        """The largest whole number not above."""
        return ColumnExpression(tree.Floor(self.tree))

    def round(self) -> ColumnExpression:
        """The nearest whole number, halves upwards."""
        return ColumnExpression(tree.Round(self.tree))

    def abs(self) -> ColumnExpression:
        """The magnitude."""
        return ColumnExpression(tree.Abs(self.tree))

    def then(self, value: object, otherwise: object = None) -> ColumnExpression:
        """`value` where this condition holds, else `otherwise` (missing if left out)."""
        other = None if otherwise is None else as_tree(otherwise)
        return ColumnExpression(tree.Pick(self.tree, as_tree(value), other))

    def _compare(self, op: str, other: object) -> ColumnExpression:
        return ColumnExpression(tree.Compare(op, self.tree, as_tree(other)))

    def _arithmetic(self, op: str, other: object, *, swapped: bool = False) -> ColumnExpression:
        pair = (as_tree(other), self.tree) if swapped else (self.tree, as_tree(other))
        return ColumnExpression(tree.Arithmetic(op, *pair))


@checked
def col(name: str) -> ColumnExpression:
    """A column, for conditions and derived values: `pv.col("days") > 3`."""
    if not name:
        raise BadQuery("a column has a name.", 'Write col("days").')
    return ColumnExpression(tree.Column(name))


def as_tree(value: object) -> tree.Expression:
    """The tree of an expression, or of a constant."""
    if isinstance(value, ColumnExpression):
        return value.tree
    if isinstance(value, _NODES):
        return cast("tree.Expression", value)
    if value is None:
        raise BadQuery("nothing can be compared with a missing value.", "Use .is_missing().")
    literal_kind(value)
    return tree.Literal(value)  # type: ignore[arg-type]


def shallow(expression: tree.Expression) -> tree.Expression:
    """The expression itself; refuses one that is nested deeper than every engine's parser goes."""
    if measured(expression, _NODES)[0] <= MOST_NESTED:
        return expression
    raise BadQuery(
        f"an expression is nested more than {MOST_NESTED} levels deep.",
        'Use one_of for long lists: col("ward").one_of([…]).',
    )


def columns_in(expression: tree.Expression) -> set[str]:
    """The columns that an expression reads."""
    if isinstance(expression, tree.Column):
        return {expression.name}
    parts = (getattr(expression, name) for name in expression.__slots__)
    return set().union(
        *(columns_in(cast("tree.Expression", part)) for part in parts if isinstance(part, _NODES))
    )


def worded(expression: tree.Expression) -> str:
    """An expression as text: the same text only for the same expression."""
    match expression:
        case tree.Column(name):
            return '"' + name.replace('"', '""') + '"'
        case tree.Literal(str() as text):
            return "'" + text.replace("'", "''") + "'"  # repr would write it's like a column of that name
        case tree.Literal(value):
            return repr(value)
        case tree.Compare(op, left, right) | tree.Arithmetic(op, left, right):
            return f"({worded(left)} {op} {worded(right)})"
        case tree.And(left, right):
            return f"({worded(left)} and {worded(right)})"
        case tree.Or(left, right):
            return f"({worded(left)} or {worded(right)})"
    parts = (getattr(expression, name) for name in expression.__slots__)
    inside = (
        worded(cast("tree.Expression", part)) if isinstance(part, _NODES) else _plain(part) for part in parts
    )
    return f"{type(expression).__name__.lower()}({', '.join(inside)})"


def _plain(part: object) -> str:
    return part.value if isinstance(part, ColumnKind) else repr(part)
