"""Conditions of SQL as expressions of the closed list; everything else is refused at its word."""

from __future__ import annotations

import datetime
import difflib
from functools import partial
from typing import TYPE_CHECKING, Any

from privet.engine import expressions as tree
from privet.engine.relation import ColumnKind
from privet.errors import BadQuestion

if TYPE_CHECKING:
    from sqlglot import exp

    from privet.source.table import Table

_COMPARE = {"EQ": "=", "NEQ": "!=", "LT": "<", "LTE": "<=", "GT": ">", "GTE": ">="}
_ARITHMETIC = {"Add": "+", "Sub": "-", "Mul": "*", "Div": "/", "Mod": "%"}
_LONGEST_NUMBER = 400  # digits; Python itself refuses to read whole numbers of more than 4,300
_JOINED: dict[str, type[tree.And | tree.Or]] = {"And": tree.And, "Or": tree.Or}


def condition(text: str, node: exp.Expression, table: Table) -> tree.Expression:
    """A condition or value; `text` is the whole question, for pointing at words."""
    from sqlglot import exp

    inner = partial(condition, text, table=table)
    name = type(node).__name__
    if name in _COMPARE:
        left, right = inner(node.this), inner(node.expression)
        return tree.Compare(_COMPARE[name], _beside(right, left, table), _beside(left, right, table))
    if name in _ARITHMETIC:
        return tree.Arithmetic(_ARITHMETIC[name], inner(node.this), inner(node.expression))
    if name in _JOINED:
        return _JOINED[name](inner(node.this), inner(node.expression))
    match node:
        case exp.Literal() | exp.Boolean() | exp.Neg() | exp.Cast():
            return _constant(text, node)
        case exp.Paren():
            return inner(node.this)
        case exp.Column():
            return tree.Column(column_of(text, node, table))
        case exp.Not():
            return tree.Not(inner(node.this))
        case exp.Is() if isinstance(node.expression, exp.Null):
            return tree.IsMissing(inner(node.this))
        case exp.Between() | exp.In():
            return _range(text, node, table)
    raise refusal(text, node, "this expression is not on the list of those known to be safe.")


def _range(text: str, node: exp.Between | exp.In, table: Table) -> tree.Expression:
    from sqlglot import exp

    of = condition(text, node.this, table)
    if node.args.get("symmetric"):
        raise refusal(text, node, "BETWEEN takes the lower end first, without SYMMETRIC.")
    if isinstance(node, exp.Between):
        low, high = (_beside(of, condition(text, node.args[end], table), table) for end in ("low", "high"))
        return tree.Between(of, low, high)
    values = [_beside(of, condition(text, value, table), table) for value in node.expressions]
    constants = tuple(value.value for value in values if isinstance(value, tree.Literal))
    if not values or len(constants) != len(values):
        raise refusal(text, node, "IN takes a list of constants.")
    return tree.OneOf(of, constants)


def _constant(text: str, node: exp.Expression) -> tree.Literal:
    from sqlglot import exp

    match node:
        case exp.Boolean():
            return tree.Literal(bool(node.this))
        case exp.Neg():
            value = _constant(text, node.this).value
            if isinstance(value, int | float):
                return tree.Literal(-value)
        case exp.Cast() if isinstance(node.this, exp.Literal) and node.to.this == exp.DataType.Type.DATE:
            return tree.Literal(_date(node.this.this))
        case exp.Literal() if node.is_string:
            return tree.Literal(str(node.this))
        case exp.Literal():
            number = str(node.this)
            if len(number) <= _LONGEST_NUMBER:
                return tree.Literal(int(number) if number.isdigit() else float(number))
    raise refusal(text, node, "this constant could not be read.")


def _beside(other: tree.Expression, value: tree.Expression, table: Table) -> tree.Expression:
    """Text beside a date column means a date: '2026-01-31'."""
    dated = isinstance(other, tree.Column) and table.columns.get(other.name) is ColumnKind.DATE
    if dated and isinstance(value, tree.Literal) and isinstance(value.value, str):
        return tree.Literal(_date(value.value))
    return value


def _date(written: str) -> datetime.date:
    try:
        return datetime.date.fromisoformat(written)
    except ValueError:
        raise BadQuestion("a date is written as DATE '2026-01-31'.", "Year, month, day.") from None


def column_of(text: str, node: Any, table: Table) -> str:
    """The name of the column that a node is; refuses names the table does not have."""
    from sqlglot import exp

    if not isinstance(node, exp.Column) or not isinstance(node.this, exp.Identifier):
        raise refusal(text, node, "a plain column is needed here.")
    columns = table.columns
    if node.name in columns:
        return str(node.name)
    folded = [column for column in columns if column.lower() == node.name.lower()]
    if len(folded) == 1 and not node.this.quoted:
        return folded[0]
    near = difflib.get_close_matches(node.name, columns, n=3)
    raise refusal(
        text, node, f"there is no column {node.name!r}.", f"Did you mean {' or '.join(near)}?" if near else ""
    )


def refusal(text: str, node: Any, fact: str, hint: str = "") -> BadQuestion:
    """A refusal that points at the first word of a node."""
    position = _position(node)
    shown = f"{fact}\n{pointed(text, position)}" if position is not None else fact
    return BadQuestion(
        shown, hint or "See docs/guide/private-queries.md for what can be asked.", position=position
    )


def _position(node: Any) -> int | None:
    """Where the first word of a node stands, if sqlglot kept it."""
    from sqlglot import exp

    nodes = node if isinstance(node, list) else [node]
    starts = [
        n.meta["start"]
        for part in nodes
        if isinstance(part, exp.Expression)
        for n in part.walk()
        if "start" in n.meta
    ]
    return min(starts, default=None)


def pointed(text: str, position: int) -> str:
    """The line of the question with a caret under the word."""
    begin = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    line = text[begin : end if end >= 0 else len(text)]
    return f"  {line}\n  {' ' * (position - begin)}^"
