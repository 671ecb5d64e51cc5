"""From an expression of the closed list to an Ibis value that cannot raise on any row.

Operands are masked *before* an operation that could fail, rather than the result afterwards: a missing
operand is harmless whatever order the engine evaluates in, while a guard around a failing operation relies
on the engine not looking ahead.
"""

from __future__ import annotations

import functools
import operator
from dataclasses import dataclass, field
from typing import Any

from privet.engine import _dialects as dialects
from privet.engine import _expression_kinds as kinds
from privet.engine import expressions as ex
from privet.engine._constant_ranges import LARGE, SMALL
from privet.engine._dialects import WHOLE_LIMIT, keep_if, real, whole
from privet.engine._magnitudes import is_tame, largest_whole
from privet.engine._relation import POSTGRES, ColumnKind, Relation

_COMPARE = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_EXACT = {"+": operator.add, "-": operator.sub, "*": operator.mul}
_UNITS = {
    "year": "Y",
    "quarter": "Q",
    "month": "M",
    "week": "W",
    "day": "D",
    "hour": "h",
    "minute": "m",
    "second": "s",
}
_WHOLE_TEXT = "^[+-]?[0-9]{1,18}$"
# At most 1e30 * 1e99 and at least 1e-30 * 1e-99: inside the range of doubles, so no engine objects.
_REAL_TEXT = "^[+-]?([0-9]{1,30}([.][0-9]{0,30})?|[.][0-9]{1,30})([eE][+-]?[0-9]{1,2})?$"
_DATE_TEXT = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"


def compile(expression: ex.Expression, relation: Relation) -> Any:  # noqa: A001
    """The Ibis value of an expression over a relation; refuses what `check` refuses."""
    columns = relation.columns
    kinds.check(expression, columns)
    found = _Compiler(relation, columns).value(expression)
    dialects.require_short(found)
    return found


@dataclass(frozen=True)
class _Compiler:
    relation: Relation
    columns: dict[str, ColumnKind]
    done: dict[int, Any] = field(default_factory=dict)

    def kind(self, expression: ex.Expression) -> ColumnKind:
        return kinds.kind(expression, self.columns)

    def value(self, expression: ex.Expression) -> Any:
        """The value; of a part that a tree has several times, one and the same."""
        if id(expression) not in self.done:
            self.done[id(expression)] = self._value(expression)
        return self.done[id(expression)]

    def _value(self, expression: ex.Expression) -> Any:
        match expression:
            case ex.Column(name):
                return dialects.canonical(self.relation.table[name], self.relation.engine)
            case ex.Literal(value):
                return _literal(value)
            case ex.And(left, right) | ex.Or(left, right):
                joined = operator.and_ if isinstance(expression, ex.And) else operator.or_
                return joined(self.value(left), self.value(right))
            case ex.Not(of):
                return ~self.value(of)
            case ex.IsMissing(of):
                return self.value(of).isnull()
            case ex.Compare(op, left, right):
                return self._compare(op, left, right)
            case ex.Between(of, low, high):
                return self._compare(">=", of, low) & self._compare("<=", of, high)
            case ex.OneOf(of, values):
                return self._one_of(of, values)
            case ex.Pick():
                return self._pick(expression)
            case _:
                return self._function(expression)

    def _function(self, expression: Any) -> Any:
        of = expression.left if isinstance(expression, ex.Arithmetic) else expression.of
        match expression:
            case ex.Arithmetic():
                return self._arithmetic(expression)
            case ex.DatePart(part, _):
                return _date_part(self.value(of), part)
            case ex.Truncate(unit, _):
                return _truncate(self.value(of), unit, self.kind(of))
            case ex.Floor() | ex.Round() | ex.Abs():
                return _rounded(expression, self.value(of), self.kind(of))
            case ex.Bin():
                return _bin(expression, self.value(of).cast("float64"))
            case ex.Cast(_, kind):
                return self._cast(self.value(of), self.kind(of), kind)
            case _:
                return self._text(expression, self.value(of))

    def _text(self, expression: Any, value: Any) -> Any:
        match expression:
            case ex.Lower():
                return value.lower()
            case ex.Upper():
                return value.upper()
            case ex.Trim():
                return dialects.trim(value, self.relation.engine)
            case ex.Substring(_, start, length):
                return value.substr(start, length)
            case _:
                return value.length().cast("int64")

    def _compare(self, op: str, left: ex.Expression, right: ex.Expression) -> Any:
        first, second = self._alike(left, right)
        return _COMPARE[op](first, second)

    def _alike(self, left: ex.Expression, right: ex.Expression) -> tuple[Any, Any]:
        """Both sides in the kind that both can be read as."""
        both = self.kind(left), self.kind(right)
        first, second = self.value(left), self.value(right)
        return _widen(first, *both), _widen(second, *reversed(both))

    def _one_of(self, of: ex.Expression, values: tuple[ex.Constant, ...]) -> Any:
        kind, tested = self.kind(of), self.value(of)
        for each in values:
            other = kinds.literal_kind(each)
            tested, kind = _widen(tested, kind, other), _wider(kind, other)
        return tested.isin([_widen(_literal(each), kinds.literal_kind(each), kind) for each in values])

    def _pick(self, expression: ex.Pick) -> Any:
        """One CASE for a chain of picks: code generators do not take it nested."""
        import ibis

        wanted = self.kind(expression)
        branches: list[tuple[Any, Any]] = []
        rest: ex.Expression | None = expression
        while isinstance(rest, ex.Pick):
            branches.append((self.value(rest.condition), self._as(rest.then, wanted)))
            rest = rest.otherwise
        otherwise = ibis.null(branches[0][1].type()) if rest is None else self._as(rest, wanted)
        return ibis.cases(*branches, else_=otherwise)

    def _as(self, expression: ex.Expression, wanted: ColumnKind) -> Any:
        return _widen(self.value(expression), self.kind(expression), wanted)

    def _arithmetic(self, expression: ex.Arithmetic) -> Any:
        op, left, right = expression.op, expression.left, expression.right
        both_whole = {self.kind(left), self.kind(right)} == {ColumnKind.INTEGER}
        if op == "/":
            divisor = self._factor(right)
            return self._factor(left) / keep_if(divisor != real(0.0), divisor)
        if op == "%":
            divisor = self.value(right)
            return keep_if(_within(self.value(left)), self.value(left)) % keep_if(
                divisor != whole(0), divisor
            )
        if both_whole and largest_whole(expression, self.columns) <= WHOLE_LIMIT:
            return _EXACT[op](self.value(left), self.value(right))
        if both_whole and op == "*":
            return _product(self.value(left), self.value(right))
        if both_whole:
            return self._whole_sum(expression)
        operand = self._factor if op == "*" else self._summand
        return _EXACT[op](operand(left), operand(right))

    def _whole_sum(self, expression: ex.Arithmetic) -> Any:
        """Whole numbers added up one after the other, exactly, where every sum on the way stays within 2^62.

        Their sizes are judged in doubles, whose error is far below the factor of two that is left to 2^63. All
        sums are judged before the first is taken, so that none has to be written out inside the next.
        """
        first: ex.Expression = expression
        added: list[tuple[str, Any]] = []
        while isinstance(first, ex.Arithmetic) and first.op in ("+", "-"):
            added.insert(0, (first.op, self.value(first.right)))
            first = first.left
        total = self.value(first)
        so_far, sized = total.cast("float64"), []
        for op, term in added:
            so_far = _EXACT[op](so_far, term.cast("float64"))
            sized.append(so_far.abs() <= real(WHOLE_LIMIT))
        total = keep_if(functools.reduce(operator.and_, sized), total)
        for op, term in added:
            total = _EXACT[op](total, term)
        return total

    def _factor(self, expression: ex.Expression) -> Any:
        """A real that can be multiplied with and divided by another such real without over- or underflow."""
        value = self.value(expression).cast("float64")
        return value if is_tame(expression, self.columns) else _masked(value)

    def _summand(self, expression: ex.Expression) -> Any:
        """A real that can be added: results of arithmetic are, however many there are (see `limits`)."""
        if isinstance(expression, ex.Arithmetic):
            return self.value(expression).cast("float64")
        return self._factor(expression)

    def _cast(self, value: Any, kind: ColumnKind, wanted: ColumnKind) -> Any:
        engine = self.relation.engine
        if kind is wanted:
            return value
        if kind is ColumnKind.TEXT:
            return _read_text(dialects.trim(value, engine), wanted, engine)
        if kind is ColumnKind.REAL:
            return dialects.floor_to_whole(value + real(0.5))
        if kind is ColumnKind.DATE and wanted is ColumnKind.TEXT:
            return dialects.day_text(value, engine)
        if kind is ColumnKind.BOOLEAN:
            words = (_literal("true"), _literal("false"))
            return _truth(value, *(words if wanted is ColumnKind.TEXT else (whole(1), whole(0))))
        if wanted is ColumnKind.BOOLEAN:
            return value != whole(0)
        return value.cast(dialects.TYPES[wanted])


def _literal(value: ex.Constant) -> Any:
    import ibis

    kind = kinds.literal_kind(value)
    return real(float(value)) if kind is ColumnKind.REAL else ibis.literal(value, type=dialects.TYPES[kind])  # type: ignore[arg-type]


def _wider(kind: ColumnKind, other: ColumnKind) -> ColumnKind:
    pairs = {ColumnKind.INTEGER: ColumnKind.REAL, ColumnKind.DATE: ColumnKind.TIMESTAMP}
    return other if pairs.get(kind) is other else kind


def _widen(value: Any, kind: ColumnKind, other: ColumnKind) -> Any:
    """Whole numbers beside reals become reals, dates beside timestamps become timestamps."""
    wanted = _wider(kind, other)
    return value if wanted is kind else value.cast(dialects.TYPES[wanted])


def _masked(number: Any) -> Any:
    """Missing above the magnitudes that arithmetic takes, zero below."""
    import ibis

    size = number.abs()
    return ibis.cases(
        (size > real(LARGE), dialects.missing(ColumnKind.REAL)), (size < real(SMALL), real(0.0)), else_=number
    )


def _within(value: Any) -> Any:
    return (value >= whole(-WHOLE_LIMIT)) & (value <= whole(WHOLE_LIMIT))


def _product(left: Any, right: Any) -> Any:
    """A product of whole numbers, exactly, where it stays within 2^62; judged in doubles like a sum."""
    size = (left.cast("float64") * right.cast("float64")).abs()
    return keep_if(size <= real(WHOLE_LIMIT), left) * right


def _truth(value: Any, yes: Any, no: Any) -> Any:
    import ibis

    return ibis.cases((value, yes), (~value, no), else_=ibis.null(yes.type()))


def _date_part(value: Any, part: str) -> Any:
    found = value.day_of_week.index() if part == "weekday" else getattr(value, part)()
    return found.cast("int64")


def _truncate(value: Any, unit: str, kind: ColumnKind) -> Any:
    if kind is ColumnKind.DATE:
        # Spark gives back a timestamp for a date, so the way there and back is made explicit.
        return value.cast("timestamp").truncate(_UNITS[unit]).date()
    return value.truncate(_UNITS[unit])


def _rounded(expression: Any, value: Any, kind: ColumnKind) -> Any:
    if kind is ColumnKind.REAL:
        if isinstance(expression, ex.Abs):
            return value.abs()
        return dialects.floor_to_whole(value + real(0.5) if isinstance(expression, ex.Round) else value)
    return keep_if(_within(value), value).abs() if isinstance(expression, ex.Abs) else value


def _bin(expression: ex.Bin, value: Any) -> Any:
    import ibis

    if expression.width is not None:
        return dialects.floor_to_whole((_masked(value) - real(expression.origin)) / real(expression.width))
    steps = [(value < real(edge), whole(at)) for at, edge in enumerate(expression.edges)]
    return ibis.cases(
        (value.isnull(), dialects.missing(ColumnKind.INTEGER)), *steps, else_=whole(len(expression.edges))
    )


def _read_text(text: Any, wanted: ColumnKind, engine: str) -> Any:
    patterns = {
        ColumnKind.INTEGER: _WHOLE_TEXT,
        ColumnKind.REAL: _REAL_TEXT,
        ColumnKind.DATE: _DATE_TEXT,
    }
    shaped = keep_if(text.re_search(patterns[wanted]), text)
    if wanted is ColumnKind.DATE and engine == POSTGRES:
        shaped = keep_if(_is_day(shaped), shaped)
    found = dialects.try_cast(shaped, dialects.TYPES[wanted], engine)
    return dialects.canonical(found, engine) if wanted is ColumnKind.DATE else found


def _is_day(text: Any) -> Any:
    """Whether text of the form 2026-01-31 names a day that exists; for engines whose cast would raise."""
    import ibis

    year, month, day = (
        text.substr(start, length).cast("int64") for start, length in ((0, 4), (5, 2), (8, 2))
    )
    leap = ((year % 4 == 0) & (year % 100 != 0)) | (year % 400 == 0)
    february = ibis.ifelse(leap, whole(29), whole(28))
    last = ibis.cases((month == 2, february), (month.isin([4, 6, 9, 11]), whole(30)), else_=whole(31))
    return (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1) & (day <= last)
