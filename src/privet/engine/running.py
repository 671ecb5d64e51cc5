"""The border of an engine: results come out and public tables go in, in Arrow and without a detour.

Ibis moves Spark's results and public tables through pandas, where a column of 64-bit integers with a missing
value turns into floating point; so Spark is spoken to directly. An engine's own error messages may quote
data: `guarded` keeps them here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from privet.engine.guarding import guarded
from privet.engine.relation import SPARK, Relation

if TYPE_CHECKING:
    import pyarrow as pa


def fetch(table: Any, engine: str) -> pa.Table:
    """The rows of a lazy table. With `stream`, the only place where rows leave an engine."""
    with guarded(f"the computation on {engine}", columns=_source_columns(table)):
        if engine == SPARK:
            backend = table.get_backend()
            return backend.raw_sql(backend.compile(table)).toArrow()
        return table.to_pyarrow()


def read_through(relation: Relation) -> None:
    """Read every value of a text file once and keep nothing: a malformed row shows here, not in the middle of a release.

    Its outcome depends on the file alone, not on what is asked of it.
    """
    for source in relation.sources:
        read_through(source)
    table = relation.table
    if relation.unread and table.columns:
        fetch(
            table.aggregate(**{f"c{at}": table[name].count() for at, name in enumerate(table.columns)}),
            relation.engine,
        )


def stream(table: Any) -> Iterator[pa.RecordBatch]:
    """The rows of a lazy table on the embedded engine, batch by batch."""
    with guarded("the computation on duckdb", columns=_source_columns(table)):
        yield from table.to_pyarrow_batches(chunk_size=100_000)


def _source_columns(table: Any) -> set[str]:
    """The names of all columns that a lazy table is computed from."""
    import ibis.expr.operations as ops

    return {name for source in table.op().find(ops.PhysicalTable) for name in source.schema}


def public_side(public: pa.Table, relation: Relation) -> Any:
    """A public table on the relation's engine, to be joined with it."""
    import ibis

    if relation.engine != SPARK:
        return ibis.memtable(public)
    backend = relation.table.get_backend()
    name = ibis.util.gen_name("privet_public")
    session = backend.raw_sql("SELECT 1").sparkSession
    session.createDataFrame(public).createOrReplaceTempView(name)
    return backend.table(name)
