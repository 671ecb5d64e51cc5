"""SQL into a query: the part of the language whose stability is known; everything else is refused at its word.

SELECT key, …, COUNT(*), COUNT(DISTINCT person), SUM(x), AVG(x)
FROM anything [WHERE condition] [GROUP BY key, …]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from privet.errors import BadQuestion
from privet.guarantee.units import Person
from privet.protect.release.conditions import column_of, condition, pointed, refusal
from privet.source.aggregates import Aggregate, Count, Mean, Persons, Sum
from privet.source.query import Query, Selection

if TYPE_CHECKING:
    from sqlglot import exp

    from privet.source.table import Table

_CLAUSES = {
    "joins": "joins are not covered here",
    "having": "a filter on groups would look at exact values",
    "order": "sort the released answer instead, which costs nothing",
    "limit": "cut the released answer instead, which costs nothing",
    "distinct": "SELECT DISTINCT would show which values exist; use GROUP BY",
    "with_": "sub-queries are not covered here",
    "windows": "window functions show other people's rows",
    "qualify": "window functions show other people's rows",
}


def parse_sql(text: str, table: Table) -> Query:
    """The query that `text` asks of `table`; refuses what cannot be private, pointing at the word."""
    try:
        return _query(text, _parsed(text), table)
    except RecursionError:
        raise BadQuestion("the question is nested too deeply.", "Use IN (…) for long lists.") from None


def _query(text: str, select: exp.Select, table: Table) -> Query:
    for clause, reason in _CLAUSES.items():
        if select.args.get(clause):
            raise refusal(text, select.args[clause], f"{clause.strip('_').upper()} is refused: {reason}.")
    known = {"expressions", "from_", "where", "group", "kind", *_CLAUSES}
    for clause, value in select.args.items():
        if value and clause not in known:
            raise refusal(text, value, f"{clause.strip('_').upper()} cannot be part of a private question.")
    group = select.args.get("group")
    _refuse_extras(text, group, {"expressions"}, "GROUP BY takes plain columns only.")
    source = select.args["from_"].this
    _refuse_extras(text, source, {"this", "alias", "db", "catalog"}, "FROM takes one whole table.")
    _refuse_extras(text, source.args.get("alias"), {"this"}, "columns keep their own names.")
    keys = [column_of(text, key, table) for key in (group.expressions if group else [])]
    query: Table | Selection = table
    if where := select.args.get("where"):
        query = query.where(condition(text, where.this, table))
    aggregates = _aggregates(text, select, table, keys)
    return (query.group_by(*keys) if keys else query).agg(**aggregates)


def _refuse_extras(text: str, node: exp.Expression | None, known: set[str], fact: str) -> None:
    for part, value in (node.args if node is not None else {}).items():
        if value and part not in known:
            raise refusal(text, node, fact)


def _parsed(text: str) -> exp.Select:
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        statements = [statement for statement in sqlglot.parse(text, read="duckdb") if statement is not None]
    except SqlglotError as problem:
        places = getattr(problem, "errors", None) or [{"col": 1}]
        column = int(places[0].get("col") or 1)
        raise BadQuestion(
            f"this is not SQL that could be read, at character {column}.\n{pointed(text, column - 1)}",
            "Write SELECT ward, COUNT(*) AS n FROM t GROUP BY ward.",
            position=column,
        ) from None
    if len(statements) != 1 or not isinstance(statements[0], exp.Select):
        raise BadQuestion(
            "a question is one SELECT statement.", "Write SELECT ward, COUNT(*) AS n FROM t GROUP BY ward."
        )
    select = statements[0]
    source = select.args.get("from_")
    if (
        source is None
        or not isinstance(source.this, exp.Table)
        or not isinstance(source.this.this, exp.Identifier)
    ):
        raise BadQuestion(
            "a question reads FROM one table.", "Write … FROM t: any name stands for the table given."
        )
    return select


def _aggregates(text: str, select: exp.Select, table: Table, keys: list[str]) -> dict[str, Aggregate]:
    from sqlglot import exp

    found: dict[str, Aggregate] = {}
    for item in select.expressions:
        inner, name = (item.this, item.alias) if isinstance(item, exp.Alias) else (item, "")
        if isinstance(inner, exp.Column):
            column = column_of(text, inner, table)
            if column not in keys or (name and name != column):
                raise refusal(
                    text,
                    inner,
                    f"column {column!r} must stand in GROUP BY, under its own name: single values are never shown.",
                )
            continue
        aggregate, default = _aggregate(text, inner, table)
        label = name or default
        if label in found or label in keys:
            raise refusal(text, item, f"two columns of the answer are called {label!r}.")
        found[label] = aggregate
    if not found:
        raise BadQuestion(
            "the question asks for no aggregate.", "Add COUNT(*), COUNT(DISTINCT person), SUM(x) or AVG(x)."
        )
    return found


def _aggregate(text: str, node: exp.Expression, table: Table) -> tuple[Aggregate, str]:
    from sqlglot import exp

    if isinstance(node, exp.Count):
        if isinstance(node.this, exp.Star) and not any(node.this.args.values()):
            return Count(), "count"
        if isinstance(node.this, exp.Distinct) and len(node.this.expressions) == 1:
            column = column_of(text, node.this.expressions[0], table)
            if isinstance(table.unit, Person) and column == table.unit.column:
                return Persons(), "persons"
            raise refusal(text, node, "COUNT(DISTINCT …) counts persons only: name the unit's column.")
        raise refusal(text, node, "COUNT takes * or DISTINCT and the person column.")
    if isinstance(node, exp.Sum | exp.Avg):
        column = column_of(text, node.this, table)
        return (
            (Sum(column), f"sum_{column}") if isinstance(node, exp.Sum) else (Mean(column), f"avg_{column}")
        )
    raise refusal(
        text,
        node,
        "this cannot be answered privately here: ask for COUNT(*), COUNT(DISTINCT person), SUM(x) or AVG(x).",
    )
