"""One row for each person (or for each person and group): what a person's own rows say together.

Every number is computed from that person's rows alone and in whole numbers, so it does not depend on the order
in which an engine meets the rows: a sum of floating-point numbers would, and removing one person could then
move another's sum by a last digit. Stability 1 for persons: one person's rows become that person's rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from privet.engine import _dialects as dialects
from privet.engine import _group_measures as measures
from privet.engine._expression_kinds import column_kind
from privet.engine._group_measures import Measure
from privet.engine._relation import ColumnKind, Relation
from privet.errors import BadAggregate
from privet.sealed import FixedPoint

KINDS = ("rows", "valid", "sum", "mean", "min", "max")
_ORDERED = (ColumnKind.INTEGER, ColumnKind.REAL, ColumnKind.DATE, ColumnKind.TIMESTAMP)


@dataclass(frozen=True, slots=True)
class PersonSummary:
    """One number about a person's rows; `sum` and `mean` need public bounds, which each value is clamped to."""

    kind: str
    column: str | None = None
    fixed: FixedPoint | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise BadAggregate("unknown number about a person.", f"Use one of {', '.join(KINDS)}.")
        if (self.column is None) != (self.kind == "rows"):
            raise BadAggregate(f"{self.kind!r} of a person's rows needs a column, unless it counts them.")
        if (self.fixed is None) != (self.kind not in ("sum", "mean")):
            raise BadAggregate(
                f"{self.kind!r} of a person's rows needs public bounds for sums and means only."
            )


def collapse(relation: Relation, keys: Sequence[str], told: Mapping[str, PersonSummary]) -> Relation:
    """One row for each combination of `keys`, the first of which is the person column. Stability 1 for persons.

    Rows without a person are dropped: they are nobody's. Missing values are left out of everything but `rows`;
    a number of no values is missing, a count of none is 0.
    """
    columns = relation.columns
    kinds = {name: column_kind(name, columns) for name in keys}
    if not kinds or kinds[keys[0]] is ColumnKind.REAL:
        raise BadAggregate("rows are put together by the person column.", "Name it first.")
    table = relation.table
    table = table.filter(table[keys[0]].notnull())
    grouped = {f"k{at}": _key(table[name], at, relation.engine) for at, name in enumerate(keys)}
    values = {
        f"v{at}": _value(table, one, columns, relation.engine)
        for at, one in enumerate(told.values())
        if one.column is not None
    }
    rows = table.select(**grouped, **values)
    found = rows.group_by(list(grouped)).aggregate(
        **{
            f"{part}{at}": value
            for at, one in enumerate(told.values())
            for part, value in _parts(rows, at, one)
        }
    )
    shown = {name: found[f"k{at}"] for at, name in enumerate(keys)}
    shown |= {name: _read(found, at, one) for at, (name, one) in enumerate(told.items())}
    return relation.with_table(found.select(**shown))


def _key(value: Any, at: int, engine: str) -> Any:
    """The person as it is, since it is matched with itself only; other keys as every engine reads them."""
    return value if at == 0 else dialects.canonical_key(value, engine)


def _value(table: Any, one: PersonSummary, columns: Mapping[str, ColumnKind], engine: str) -> Any:
    column = str(one.column)
    kind = column_kind(column, columns)
    if one.fixed is not None:
        if not (kind.is_number or kind is ColumnKind.BOOLEAN):
            raise BadAggregate(f"column {column!r} holds {kind.value}: it cannot be added up.")
        return measures.steps(table[column], Measure("sum", column, one.fixed), engine).cast("int64")
    if one.kind in ("min", "max"):
        if kind not in _ORDERED:
            raise BadAggregate(
                f"column {column!r} holds {kind.value}: it has no order that all engines agree on."
            )
        return dialects.canonical(table[column], engine)
    return measures.presence(table[column], engine)


def _parts(rows: Any, at: int, one: PersonSummary) -> list[tuple[str, Any]]:
    if one.kind == "rows":
        return [("n", rows.count())]
    value = rows[f"v{at}"]
    if one.kind == "valid":
        return [("n", value.count())]
    if one.kind in ("min", "max"):
        return [("e", value.min() if one.kind == "min" else value.max())]
    return [("n", value.count()), ("t", value.sum())]


def _read(found: Any, at: int, one: PersonSummary) -> Any:
    if one.kind in ("min", "max"):
        return found[f"e{at}"]
    count = found[f"n{at}"]
    if one.fixed is None:
        return count.cast("int64")
    # count * lower + steps * step, of whole numbers that doubles hold exactly: the same on every engine.
    lower, step = dialects.real(float(one.fixed.lower)), dialects.real(float(one.fixed.step))
    number = count.cast("float64")
    total = number * lower + found[f"t{at}"].cast("float64") * step
    there = count > dialects.whole(0)
    if one.kind == "sum":
        return dialects.keep_if(there, total)
    return dialects.keep_if(there, total / dialects.keep_if(there, number))
