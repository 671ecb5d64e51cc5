"""The border of an engine: results come out and public tables go in, in Arrow and without a detour.

Ibis moves Spark's results and public tables through pandas, where a column of 64-bit integers with a missing
value turns into floating point; so Spark is spoken to directly. An engine's own error messages may quote
data: they stay here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from privet.engine.relation import SPARK, Relation
from privet.errors import EngineFailed

if TYPE_CHECKING:
    import pyarrow as pa


def fetch(table: Any, engine: str) -> pa.Table:
    """The rows of a lazy table. This is the only place where rows leave an engine."""
    try:
        if engine == SPARK:
            backend = table.get_backend()
            return backend.raw_sql(backend.compile(table)).toArrow()
        return table.to_pyarrow()
    except Exception as problem:  # noqa: BLE001 (each engine has its own errors, and all may quote values)
        kind = type(problem).__name__
    raise EngineFailed(
        f"the engine ({engine}) stopped with {kind}.",
        "Check that the source can be read and that memory and disk suffice (see Speed). The engine's own "
        "message is not shown because it may quote data.",
        engine=engine,
        kind=kind,
    )


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
