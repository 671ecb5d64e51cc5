"""Verbs that put other values in the place of a column's own, for tables that are handed over.

Unlike `derive` these replace: they are for copies with masked, coarsened or exchanged values, not for questions
whose sensitivity rests on whose rows are whose. Rows keep their order on the embedded engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from privet.engine._dialects import canonical_key
from privet.engine._engine_results import fetch, stream
from privet.engine._expression_compiler import compile as compile_
from privet.engine._expression_kinds import column_kind
from privet.engine._open_relation import open_frame
from privet.engine._public_joins import LEFT, join_public
from privet.engine._public_keys import arrow_type
from privet.engine._relation import DUCKDB, SPARK, ColumnKind, Relation
from privet.engine.expressions import Expression

if TYPE_CHECKING:
    import pyarrow as pa

INTO, COUNT = "privet_into", "privet_count"
_PLACE = "privet_place"


def replace(relation: Relation, named: Mapping[str, Expression]) -> Relation:
    """Columns computed anew from each row, in their old places. Stability 1."""
    columns = relation.columns
    for name in named:
        column_kind(name, columns)
    values = {name: compile_(expression, relation) for name, expression in named.items()}
    return relation.with_table(relation.table.mutate(**values).select(*columns))


def distinct(relation: Relation, columns: Sequence[str]) -> pa.Table:
    """The distinct combinations that occur, without those that miss a part, and how many rows have each.

    Owner only. The count stands in the column `COUNT`.
    """
    kinds = relation.columns
    for name in columns:
        column_kind(name, kinds)
    table = relation.table
    chosen = table.select(**{name: canonical_key(table[name], relation.engine) for name in columns})
    for name in columns:
        chosen = chosen.filter(chosen[name].notnull())
    counted = chosen.group_by(list(columns)).aggregate(**{COUNT: chosen.count()})
    found = fetch(counted, relation.engine)
    for at, name in enumerate(columns):
        found = found.set_column(at, name, found[name].cast(arrow_type(kinds[name])))
    return found


def present(relation: Relation, columns: Sequence[str]) -> int:
    """How many rows miss none of these columns, whatever is in them. Owner only."""
    table = relation.table
    for name in columns:
        table = table.filter(table[name].notnull())
    return int(fetch(table.aggregate(n=table.count()), relation.engine)["n"][0].as_py())


def replace_by(relation: Relation, column: str, lookup: pa.Table) -> Relation:
    """A column's values looked up by the other columns of `lookup`, whose column `INTO` holds the new ones.

    What the lookup does not list becomes missing. Stability 1.
    """
    on = [name for name in lookup.column_names if name != INTO]
    columns = relation.columns
    if lookup.num_rows == 0:
        return relation.with_table(_emptied(relation, column, lookup.schema.field(INTO).type))
    kept_order = relation.engine == DUCKDB
    numbered = relation.with_table(_numbered(relation)) if kept_order else relation
    joined = join_public(numbered, lookup, on, LEFT).table
    if kept_order:
        joined = joined.order_by(_PLACE)
    return relation.with_table(joined.mutate(**{column: joined[INTO]}).select(*columns))


def rows(relation: Relation) -> Iterator[pa.RecordBatch]:
    """All rows, batch by batch, to be written down. Spark hands its rows over in one piece."""
    if relation.engine == SPARK:
        yield from fetch(relation.table, relation.engine).to_batches()
    else:
        yield from stream(relation.table)


def settled(relation: Relation) -> pa.Table:
    """All rows in memory, in their order."""
    return fetch(relation.table, relation.engine)


def with_columns(arrow: pa.Table, changed: Mapping[str, pa.Array]) -> Relation:
    """A table in memory with some of its columns exchanged, as a relation of the embedded engine."""
    for name, column in changed.items():
        arrow = arrow.set_column(arrow.column_names.index(name), name, column)
    return open_frame(arrow)


def kind_type(kind: ColumnKind) -> pa.DataType:
    """The Arrow type of values of this kind."""
    return arrow_type(kind)


def _numbered(relation: Relation) -> object:
    import ibis

    return relation.table.mutate(**{_PLACE: ibis.row_number()})


def _emptied(relation: Relation, column: str, wanted: pa.DataType) -> object:
    import ibis

    missing = ibis.null(ibis.dtype(wanted) if isinstance(wanted, str) else _ibis_type(wanted))
    return relation.table.mutate(**{column: missing}).select(*relation.columns)


def _ibis_type(wanted: pa.DataType) -> object:
    from ibis.formats.pyarrow import PyArrowType

    return PyArrowType.to_ibis(wanted)
