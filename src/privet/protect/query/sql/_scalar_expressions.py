"""Expressions of SQL as expressions of the closed list; everything else is refused at its word."""

from __future__ import annotations

import datetime
import difflib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from privet.engine import ColumnKind, check
from privet.engine import expressions as tree
from privet.errors import BadExpression, UnknownColumn
from privet.protect.query.sql._source_positions import refusal

if TYPE_CHECKING:
    from sqlglot import exp

_COMPARE = {"EQ": "=", "NEQ": "!=", "LT": "<", "LTE": "<=", "GT": ">", "GTE": ">="}
_ARITHMETIC = {"Add": "+", "Sub": "-", "Mul": "*", "Div": "/", "Mod": "%"}
_JOINED: dict[str, type[tree.And | tree.Or]] = {"And": tree.And, "Or": tree.Or}
_TEXT: dict[str, Callable[[tree.Expression], tree.Expression]] = {
    "Lower": tree.Lower,
    "Upper": tree.Upper,
    "Length": tree.Length,
    "Floor": tree.Floor,
    "Abs": tree.Abs,
}
_PARTS = ("year", "quarter", "month", "day", "hour", "minute", "second")
_LONGEST_NUMBER = 400  # digits; Python itself refuses to read whole numbers of more than 4,300
_KINDS = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INT", "BIGINT"), ColumnKind.INTEGER),
    **dict.fromkeys(("FLOAT", "DOUBLE"), ColumnKind.REAL),
    **dict.fromkeys(("TEXT", "VARCHAR", "CHAR"), ColumnKind.TEXT),
    "BOOLEAN": ColumnKind.BOOLEAN,
    "DATE": ColumnKind.DATE,
    "TIMESTAMP": ColumnKind.TIMESTAMP,
}
_INSTEAD = {
    "Like": "Compare whole values: ward IN ('ICU', 'Surgery'); or cut text with SUBSTRING first.",
    "ILike": "Compare whole values: LOWER(ward) = 'icu'.",
    "DPipe": "Group by both columns instead of joining their texts.",
    "Subquery": "A sub-query may stand in FROM, not in an expression: its exact value would steer the answer.",
    "Select": "A sub-query may stand in FROM, not in an expression: its exact value would steer the answer.",
    "Window": "Window functions look at other people's rows; nothing bounds what one person changes.",
    "Null": "Compare with IS NULL or IS NOT NULL.",
}


class ScalarExpressions:
    """Reads expressions over named columns; `columns` gives each name its expression over the table's own columns."""

    def __init__(
        self,
        text: str,
        columns: Mapping[str, tree.Expression],
        kinds: Mapping[str, ColumnKind],
        qualified: Mapping[tuple[str, str], str] | None = None,
        ambiguous: Mapping[str, str] | None = None,
    ) -> None:
        self.text, self.columns, self.kinds = text, columns, kinds
        self.qualified, self.ambiguous = qualified or {}, ambiguous or {}

    def read(self, node: exp.Expression) -> tree.Expression:
        """The expression, with kinds checked: what does not go together is refused at its word."""
        found = self._read(node)
        try:
            check(found, self.kinds)
        except (BadExpression, UnknownColumn) as fault:
            raise refusal(self.text, node, fault.fact, fault.hint) from None
        return found

    def kind(self, expression: tree.Expression) -> ColumnKind:
        """The kind of an expression that `read` gave."""
        return check(expression, self.kinds)

    def _read(self, node: exp.Expression) -> tree.Expression:
        from sqlglot import exp

        name = type(node).__name__
        self._refuse_ambiguous(node)
        if name in _COMPARE:
            left, right = self.read(node.this), self.read(node.expression)
            return tree.Compare(_COMPARE[name], self._beside(right, left), self._beside(left, right))
        if name in _ARITHMETIC:
            return tree.Arithmetic(_ARITHMETIC[name], self.read(node.this), self.read(node.expression))
        if name in _JOINED:
            return _JOINED[name](self.read(node.this), self.read(node.expression))
        if name in _TEXT:
            self._plain(node, {"this"})
            return _TEXT[name](self.read(node.this))
        if isinstance(node, exp.Literal | exp.Boolean):
            return self._constant(node)
        if isinstance(node, exp.Column):
            return self.column(node)
        return self._simple(node)

    def _refuse_ambiguous(self, node: Any) -> None:
        """Refuse what the parser groups otherwise than databases do: a + b % 2, a % b * 2, a = b IS NULL."""
        from sqlglot import exp

        if isinstance(node, exp.Mod):
            loose = isinstance(node.this, exp.Add | exp.Sub) or isinstance(node.expression, exp.Mul | exp.Div)
        elif type(node).__name__ in _COMPARE:
            loose = any(isinstance(side, exp.Is | exp.Not) for side in (node.this, node.expression))
        else:
            return
        if loose:
            raise refusal(
                self.text, node, "it cannot be told what belongs together here.", "Write parentheses."
            )

    def _simple(self, node: Any) -> tree.Expression:
        from sqlglot import exp

        match node:
            case exp.Paren():
                return self.read(node.this)
            case exp.Not():
                return tree.Not(self.read(node.this))
            case exp.Neg():
                return self._negative(node)
            case exp.Is() if isinstance(node.expression, exp.Null):
                return tree.IsMissing(self.read(node.this))
            case exp.Between() | exp.In():
                return self._range(node)
        return self._function(node)

    def _function(self, node: exp.Expression) -> tree.Expression:
        name = type(node).__name__
        readers: dict[str, Callable[[Any], tree.Expression]] = {
            "Case": self._case,
            "If": self._if,
            "Coalesce": self._coalesce,
            "Nullif": self._nullif,
            "Cast": self._cast,
            "TryCast": self._cast,
            "Trim": self._trim,
            "Substring": self._substring,
            "Round": self._round,
            "Least": self._limit,
            "Greatest": self._limit,
            "Anonymous": self._anonymous,
            "TimestampTrunc": self._truncate,
            "DateTrunc": self._truncate,
            "Extract": self._extract,
        }
        if name in readers:
            return readers[name](node)
        if name.lower() in _PARTS:
            return tree.DatePart(name.lower(), self.read(node.this))
        raise refusal(
            self.text,
            node,
            "this expression is not on the list of those known to be safe.",
            _INSTEAD.get(name, ""),
        )

    def column(self, node: Any) -> tree.Expression:
        """What a column's name stands for; refuses names that are not there."""
        from sqlglot import exp

        if not isinstance(node, exp.Column) or not isinstance(node.this, exp.Identifier):
            raise refusal(self.text, node, "a plain column is needed here.")
        name = self.name_of(node)
        return self.columns[name]

    def name_of(self, node: Any) -> str:
        """The visible name that a column of the question means."""
        table, name = node.table, node.name
        if table:
            known = {
                column: visible for (alias, column), visible in self.qualified.items() if _same(alias, table)
            }
            if not known and self.qualified:
                aliases = sorted({alias for alias, _ in self.qualified})
                raise refusal(
                    self.text, node, f"there is no table {table!r} here.", f"There are {', '.join(aliases)}."
                )
            if known:
                return known[self._found(node, name, list(known))]
        found = self._found(node, name, list(self.columns) + list(self.ambiguous))
        if found in self.ambiguous:
            raise refusal(
                self.text, node, f"several tables have a column {found!r}.", f"Write {self.ambiguous[found]}."
            )
        return found

    def _found(self, node: Any, name: str, known: list[str]) -> str:
        if name in known:
            return name
        folded = [column for column in known if _same(column, name)]
        if len(folded) == 1 and not node.this.quoted:
            return folded[0]
        near = difflib.get_close_matches(name, known, n=3)
        hint = f"Did you mean {' or '.join(near)}?" if near else f"There are {', '.join(known[:12])}."
        raise refusal(self.text, node, f"there is no column {name!r}.", hint)

    def _plain(self, node: Any, known: set[str]) -> None:
        for part, value in node.args.items():
            if value and part not in known:
                raise refusal(self.text, node, "this form of the function is not on the list.")

    def _negative(self, node: Any) -> tree.Expression:
        inner = self.read(node.this)
        if isinstance(inner, tree.Literal) and isinstance(inner.value, int | float):
            return tree.Literal(-inner.value)
        return tree.Arithmetic("-", tree.Literal(0), inner)

    def _range(self, node: Any) -> tree.Expression:
        from sqlglot import exp

        of = self.read(node.this)
        if node.args.get("symmetric"):
            raise refusal(self.text, node, "BETWEEN takes the lower end first, without SYMMETRIC.")
        if isinstance(node, exp.Between):
            low, high = (self._beside(of, self.read(node.args[end])) for end in ("low", "high"))
            return tree.Between(of, low, high)
        if node.args.get("query"):
            raise refusal(self.text, node, "IN takes a list of constants.", _INSTEAD["Subquery"])
        values = [self._beside(of, self._read(value)) for value in node.expressions]
        constants = tuple(value.value for value in values if isinstance(value, tree.Literal))
        if not values or len(constants) != len(values):
            raise refusal(self.text, node, "IN takes a list of constants.")
        return tree.OneOf(of, constants)

    def _case(self, node: Any) -> tree.Expression:
        from sqlglot import exp

        default = node.args.get("default")
        missing = default is None or isinstance(default, exp.Null)
        found: tree.Expression | None = None if missing else self.read(default)
        of = None if node.this is None else self.read(node.this)
        for branch in reversed(node.args["ifs"]):
            condition = self.read(branch.this)
            if of is not None:
                condition = tree.Compare("=", self._beside(condition, of), self._beside(of, condition))
            found = tree.Pick(condition, self.read(branch.args["true"]), found)
        if found is None:
            raise refusal(self.text, node, "CASE needs a WHEN.")
        return found

    def _if(self, node: Any) -> tree.Expression:
        other = node.args.get("false")
        return tree.Pick(
            self.read(node.this), self.read(node.args["true"]), None if other is None else self.read(other)
        )

    def _coalesce(self, node: Any) -> tree.Expression:
        *first, found = [self.read(part) for part in (node.this, *node.expressions)]
        for value in reversed(first):
            found = tree.Pick(tree.IsMissing(value), found, value)
        return found

    def _nullif(self, node: Any) -> tree.Expression:
        value, other = self.read(node.this), self.read(node.expression)
        return tree.Pick(tree.Compare("!=", value, self._beside(value, other)), value)

    def _cast(self, node: Any) -> tree.Expression:
        from sqlglot import exp

        self._plain(node, {"this", "to", "safe"})
        name = node.to.this.value if isinstance(node.to, exp.DataType) else ""
        if isinstance(node.this, exp.Literal) and node.this.is_string and name in ("DATE", "TIMESTAMP"):
            return self._moment(node, str(node.this.this), name)
        if name not in _KINDS:
            raise refusal(
                self.text, node, "values cannot be cast to this type.", f"Use {', '.join(sorted(_KINDS))}."
            )
        return tree.Cast(self.read(node.this), _KINDS[name])

    def _trim(self, node: Any) -> tree.Expression:
        self._plain(node, {"this"})
        return tree.Trim(self.read(node.this))

    def _substring(self, node: Any) -> tree.Expression:
        start, length = (self._whole(node.args.get(part), node) for part in ("start", "length"))
        if start < 1:
            raise refusal(self.text, node, "SUBSTRING counts characters from 1.")
        return tree.Substring(self.read(node.this), start - 1, length)

    def _round(self, node: Any) -> tree.Expression:
        self._plain(node, {"this"})
        return tree.Round(self.read(node.this))

    def _limit(self, node: Any) -> tree.Expression:
        """LEAST and GREATEST of a value and constants."""
        op = "<=" if type(node).__name__ == "Least" else ">="
        first, *others = [self.read(part) for part in (node.this, *node.expressions)]
        constants: list[Any] = [other.value for other in others if isinstance(other, tree.Literal)]
        if not others or len(constants) < len(others):
            raise refusal(self.text, node, "LEAST and GREATEST take one value and then constants.")
        try:
            end = tree.Literal(min(constants) if op == "<=" else max(constants))
        except TypeError:
            raise refusal(self.text, node, "the constants are of different kinds.") from None
        # A missing value stays missing: it must not turn into the constant.
        return tree.Pick(tree.Not(tree.IsMissing(first)), tree.Pick(tree.Compare(op, first, end), first, end))

    def _anonymous(self, node: Any) -> tree.Expression:
        name = str(node.this).upper()
        if name == "CLAMP" and len(node.expressions) == 3:
            value, low, high = (self.read(part) for part in node.expressions)
            ends = [end.value for end in (low, high) if isinstance(end, tree.Literal)]
            if len(ends) == 2 and all(isinstance(end, int | float) for end in ends) and ends[0] > ends[1]:  # type: ignore[operator]
                raise refusal(
                    self.text, node, "CLAMP takes the lower end before the upper one.", "Exchange them."
                )
            upper = tree.Pick(tree.Compare("<", value, high), value, high)
            both = tree.Pick(tree.Compare(">", upper, low), upper, low)
            return tree.Pick(tree.Not(tree.IsMissing(value)), both)
        raise refusal(self.text, node, f"the function {name} is not on the list of those known to be safe.")

    def _truncate(self, node: Any) -> tree.Expression:
        self._plain(node, {"this", "unit"})
        return tree.Truncate(str(node.args["unit"].name).lower(), self.read(node.this))

    def _extract(self, node: Any) -> tree.Expression:
        part, of = str(node.name).lower(), self.read(node.expression)
        if part in ("dow", "isodow"):
            # Monday is 0 in the closed list; SQL's days start at Sunday = 0, ISO's at Monday = 1.
            day = tree.Arithmetic("+", tree.DatePart("weekday", of), tree.Literal(1))
            return day if part == "isodow" else tree.Arithmetic("%", day, tree.Literal(7))
        return tree.DatePart(part, of)

    def _whole(self, node: Any, where: Any) -> int:
        value = None if node is None else self.read(node)
        if isinstance(value, tree.Literal) and isinstance(value.value, int):
            return value.value
        raise refusal(self.text, where, "a whole number is needed here.")

    def _constant(self, node: Any) -> tree.Literal:
        from sqlglot import exp

        if isinstance(node, exp.Boolean):
            return tree.Literal(bool(node.this))
        if node.is_string:
            return tree.Literal(str(node.this))
        number = str(node.this)
        if len(number) <= _LONGEST_NUMBER:
            return tree.Literal(int(number) if number.isdecimal() else float(number))
        raise refusal(self.text, node, "this constant could not be read.")

    def _beside(self, other: tree.Expression, value: tree.Expression) -> tree.Expression:
        """Text beside a date or timestamp means one: '2026-01-31'."""
        if not (isinstance(value, tree.Literal) and isinstance(value.value, str)):
            return value
        kind = self.kind(other)
        if kind is ColumnKind.DATE:
            return self._moment(None, value.value, "DATE")
        return self._moment(None, value.value, "TIMESTAMP") if kind is ColumnKind.TIMESTAMP else value

    def _moment(self, node: Any, written: str, name: str) -> tree.Literal:
        reader = datetime.date if name == "DATE" else datetime.datetime
        try:
            return tree.Literal(reader.fromisoformat(written))
        except ValueError:
            shape = "DATE '2026-01-31'" if name == "DATE" else "TIMESTAMP '2026-01-31 12:00:00'"
            raise refusal(
                self.text, node, f"a {name.lower()} is written as {shape}.", "Year, month, day."
            ) from None


def _same(one: str, other: str) -> bool:
    return one.lower() == other.lower()
