"""What only the owner may look at: ranges and keys read off the data. Nothing here is public.

These go to the owner's audit and to `Bounds.read_off` and `KeySet.read_off`, which mark what they return.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from privet.engine._engine_results import fetch
from privet.engine._expression_kinds import column_kind
from privet.engine._relation import Relation
from privet.errors import BadExpression, BadKeySet

if TYPE_CHECKING:
    import pyarrow as pa


def extent(relation: Relation, column: str) -> tuple[int | float | Decimal, int | float | Decimal] | None:
    """The smallest and largest finite number in a column, or None if it has none."""
    if not column_kind(column, relation.columns).is_number:
        raise BadExpression(f"column {column!r} does not hold numbers.", "Bounds are for numbers.")
    values = relation.table[column]
    usable = values.notnull()
    if values.type().is_floating():
        usable = usable & ~values.isnan() & ~values.isinf()
    finite = relation.table.filter(usable)
    ends = finite.aggregate(low=finite[column].min(), high=finite[column].max())
    found = fetch(ends, relation.engine).to_pylist()[0]
    return None if found["low"] is None else (found["low"], found["high"])


def number_of_rows(relation: Relation) -> int:
    """How many rows there are."""
    return int(fetch(relation.table.aggregate(n=relation.table.count()), relation.engine)["n"][0].as_py())


def occurring(relation: Relation, columns: Sequence[str], most: int) -> list[tuple[Any, ...]]:
    """The distinct values (or combinations) that occur, sorted."""
    rows = _distinct(relation, columns, most)
    return sorted(rows, key=lambda row: tuple((part is None, part) for part in row))


def listed(relation: Relation, columns: Sequence[str], most: int) -> list[tuple[Any, ...]]:
    """The rows of a list, in order, repeated ones once: for public files only."""
    for name in columns:
        column_kind(name, relation.columns)
    table = fetch(relation.table.select(*columns).limit(most + 1), relation.engine)
    if table.num_rows > most:
        raise BadKeySet(f"the list has more than {most:,} rows.", "Use a shorter list.")
    return list(dict.fromkeys(tuple(row.values()) for row in table.to_pylist()))


def public_rows(relation: Relation, most: int) -> pa.Table:
    """A whole table as it is: for public ones only."""
    table = fetch(relation.table.limit(most + 1), relation.engine)
    if table.num_rows > most:
        raise BadKeySet(f"the public table has more than {most:,} rows.", "Use a shorter one.")
    return table


def _distinct(relation: Relation, columns: Sequence[str], most: int) -> list[tuple[Any, ...]]:
    if not columns:
        raise BadKeySet("no column was named.", "Name the columns whose keys are wanted.")
    for name in columns:
        column_kind(name, relation.columns)
    table = fetch(relation.table.select(*columns).distinct().limit(most + 1), relation.engine)
    if table.num_rows > most:
        raise BadKeySet(f"there are more than {most:,} keys.", "Group by coarser columns.")
    return [tuple(row.values()) for row in table.to_pylist()]
