"""Suppression: columns left out, and cells made missing."""

from __future__ import annotations

from collections.abc import Sequence

from privet.engine import (
    COUNT,
    INTO,
    And,
    Column,
    Expression,
    IsMissing,
    Not,
    Pick,
    project,
    replace,
    replace_by,
)
from privet.errors import BadTransform
from privet.protect.transform._rewritten_table import (
    Rewritten,
    checked_columns,
    column_of,
    distinct_values,
    rewritten,
)
from privet.source import ColumnExpression, Table, as_tree


def suppress_columns(table: Table, columns: Sequence[str]) -> Rewritten:
    """The table without these columns."""
    gone = checked_columns(table, columns)
    kept = [name for name in table.columns if name not in gone]
    if not kept:
        raise BadTransform("no column would be left.", "Keep at least one.")
    return rewritten(table, project(table.relation, kept), dict.fromkeys(gone, "left out"))


def suppress_cells(table: Table, column: str, where: ColumnExpression | Expression) -> Rewritten:
    """A column whose cells are missing wherever a condition on the row holds (not: is missing)."""
    column_of(table, column)
    condition = as_tree(where)
    keep = Not(And(Not(IsMissing(condition)), condition))
    relation = replace(table.relation, {column: Pick(keep, Column(column))})
    return rewritten(table, relation, {column: "cells that meet a condition are missing"})


def suppress_rare(table: Table, column: str, fewer_than: int) -> Rewritten:
    """A column whose values that occur in fewer rows than this are missing."""
    column_of(table, column)
    if fewer_than < 2:
        raise BadTransform("values are rare below a number of at least 2.", "Write fewer_than=5.")
    import pyarrow.compute as pc

    found = distinct_values(table, [column])
    often = pc.greater_equal(found[COUNT], fewer_than)
    kept = found.filter(often).select([column])
    relation = replace_by(table.relation, column, kept.append_column(INTO, kept[column]))
    figures = {"values_suppressed": found.num_rows - kept.num_rows}
    return rewritten(
        table, relation, {column: f"values in fewer than {fewer_than} rows are missing"}, figures
    )
