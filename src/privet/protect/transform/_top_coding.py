"""Coarser numbers: rounding, and coding the ends of the range (top and bottom coding)."""

from __future__ import annotations

import datetime
import math

from privet.engine import (
    Arithmetic,
    Column,
    ColumnKind,
    Compare,
    Expression,
    Floor,
    Literal,
    Pick,
    Round,
    replace,
)
from privet.errors import BadTransform
from privet.protect.transform._rewritten_table import Rewritten, column_of, rewritten
from privet.source import Table

Edge = int | float | datetime.date
_NUMBERS = (ColumnKind.INTEGER, ColumnKind.REAL)
_ORDERED = (*_NUMBERS, ColumnKind.DATE)


def round_to(table: Table, column: str, base: float, *, down: bool = False) -> Rewritten:
    """Numbers rounded to the nearest multiple of a base (halves upwards), or with `down` to the one below."""
    kind = column_of(table, column, *_NUMBERS)
    if not (math.isfinite(base) and base > 0):
        raise BadTransform("the base to round to is a positive number.", "Write 5, or 0.1.")
    if kind is ColumnKind.INTEGER and base != int(base):
        raise BadTransform(f"column {column!r} holds whole numbers.", "Round to a whole number, such as 5.")
    step = Literal(int(base) if base == int(base) else float(base))
    steps = Arithmetic("/", Column(column), step)
    multiple: Expression = Arithmetic("*", Floor(steps) if down else Round(steps), step)
    if kind is ColumnKind.REAL and isinstance(step.value, int):
        multiple = Arithmetic("*", multiple, Literal(1.0))
    relation = replace(table.relation, {column: multiple})
    return rewritten(table, relation, {column: f"rounded {'down ' if down else ''}to multiples of {base:g}"})


def code_ends(
    table: Table,
    column: str,
    *,
    above: Edge | None = None,
    below: Edge | None = None,
    top: Edge | None = None,
    bottom: Edge | None = None,
) -> Rewritten:
    """Numbers or dates above one edge become `top` (the edge, if left out), those below the other `bottom`."""
    kind = column_of(table, column, *_ORDERED)
    if above is None and below is None:
        raise BadTransform("no edge was named.", "Write above=89, below=18, or both.")
    if above is not None and below is not None and not below <= above:  # type: ignore[operator]
        raise BadTransform("the lower edge lies above the upper one.", "Exchange them.")
    value: Expression = Column(column)
    said = []
    for edge, sign, into, word in ((above, ">", top, "above"), (below, "<", bottom, "below")):
        if edge is None:
            continue
        fitting, target = _fitting(edge, kind, column), _fitting(edge if into is None else into, kind, column)
        value = Pick(Compare(sign, Column(column), fitting), target, value)
        said.append(f"{word} {edge} coded as {target.value}")
    return rewritten(table, replace(table.relation, {column: value}), {column: "values " + ", ".join(said)})


def _fitting(edge: Edge, kind: ColumnKind, column: str) -> Literal:
    """An edge in the column's own kind, so that the column keeps it."""
    if (
        kind is ColumnKind.DATE
        and isinstance(edge, datetime.date)
        and not isinstance(edge, datetime.datetime)
    ):
        return Literal(edge)
    if kind is ColumnKind.REAL and isinstance(edge, int | float) and math.isfinite(edge):
        return Literal(float(edge))
    if kind is ColumnKind.INTEGER and isinstance(edge, int | float) and edge % 1 == 0:
        return Literal(int(edge))
    raise BadTransform(
        f"an edge does not fit column {column!r}, which holds {kind.value} values.", "Write it as such."
    )
