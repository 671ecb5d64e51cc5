"""Verbs that keep, drop or compute per row: each row's fate depends on that row alone.

Their stability is 1: adding or removing one row of the input adds or removes at most one row of the output,
and a person's rows stay that person's rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from privet.engine._expression_compiler import compile as compile_
from privet.engine._expression_kinds import check, column_kind
from privet.engine._relation import ColumnKind, Relation
from privet.engine.expressions import Expression
from privet.errors import BadExpression


def filter_rows(relation: Relation, condition: Expression) -> Relation:
    """Rows for which the condition holds (not: is missing). Stability 1."""
    if check(condition, relation.columns) is not ColumnKind.BOOLEAN:
        raise BadExpression("a filter needs a condition.", "Compare something, as in age >= 18.")
    return relation.with_table(relation.table.filter(compile_(condition, relation)))


def project(relation: Relation, columns: Sequence[str]) -> Relation:
    """Only these columns, in this order. Stability 1; rows are not merged."""
    known = dict.fromkeys(relation.columns, ColumnKind.TEXT)
    for name in columns:
        column_kind(name, known)
    if not columns or len(set(columns)) < len(columns):
        raise BadExpression("columns must be named, and each only once.")
    again = relation.elsewhere
    return replace(
        relation,
        table=relation.table.select(*columns),
        elsewhere=None if again is None else lambda connection: again(connection).select(*columns),
    )


def derive(relation: Relation, named: Mapping[str, Expression]) -> Relation:
    """New columns computed from each row, beside the old ones. Stability 1.

    A new column may not take the name of an old one: the privacy unit might be among them, and replacing
    it would change whose rows are whose.
    """
    for name in named:
        if name in relation.columns:
            raise BadExpression(f"there is already a column {name!r}.", "Choose another name.")
    if not named:
        return relation
    values = {name: compile_(expression, relation) for name, expression in named.items()}
    return relation.with_table(relation.table.mutate(**values))
