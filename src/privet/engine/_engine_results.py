"""The border of an engine: results come out and public tables go in, in Arrow and without a detour.

A question is planned first and run later: `planned` is for before it is booked, `fetch` for after.

Ibis moves Spark's results and public tables through pandas, where a column of 64-bit integers with a missing
value turns into floating point; so Spark is spoken to directly. An engine's own error messages may quote
data: `guarded` keeps them here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from privet.engine._connections import alone, apart, give_up, here, is_own
from privet.engine._dialects import any_hash
from privet.engine._error_guard import guarded, translated
from privet.engine._relation import DUCKDB, POSTGRES, SPARK, Relation
from privet.errors import EngineFailed, PrivetError

if TYPE_CHECKING:
    import pyarrow as pa

_BATCH = 100_000  # rows


def written(table: Any, engine: str) -> str:
    """A lazy table in its engine's words: what cannot be asked, or not in this process, is refused here."""
    with guarded(f"writing the question for {engine}"):
        backend = table.get_backend()
        here(backend)
        return str(backend.compile(table))


def fetch(table: Any, engine: str, words: str | None = None) -> pa.Table:
    """The rows of a lazy table; `words` if it has been `written`. With `stream`, the only place where rows leave an engine."""
    asked = words or written(table, engine)
    with guarded(f"the computation on {engine}", columns=_source_columns(table)):
        backend = table.get_backend()
        if engine == SPARK:
            here(backend)
            return backend.raw_sql(asked).toArrow()
        with alone(backend):
            return _embedded(table, backend.con, asked) if is_own(backend) else backend.to_pyarrow(table)


def _embedded(table: Any, connection: Any, words: str) -> pa.Table:
    """The rows from an engine of ours; public tables are there for this one question."""
    public = _public_tables(table)
    try:
        for name, rows in public.items():
            connection.register(name, rows)
        found = connection.sql(words).to_arrow_table()
    finally:
        for name in public:
            connection.unregister(name)
    return _typed(found, table)


def _typed(rows: pa.Table, table: Any) -> pa.Table:
    """Rows in the types that the lazy table has."""
    from ibis.backends.duckdb.converter import DuckDBPyArrowData

    return DuckDBPyArrowData.convert_table(rows, table.schema())


def _public_tables(table: Any) -> dict[str, pa.Table]:
    """The tables in memory that a lazy table is computed from, by the names that its words have for them."""
    import ibis.expr.operations as ops

    return {one.name: one.data.to_pyarrow(one.schema) for one in table.op().find(ops.InMemoryTable)}


def planned(table: Any, engine: str, words: str) -> pa.Table:
    """Have the engine accept the very statement that `fetch` will run; gives back the result of no rows. Reads no row.

    What an engine refuses, it refuses here, before anybody has paid. Whether it does must not depend on a row, so
    DuckDB and Spark only parse and bind: their optimisers look at the ranges of values, and compute rows that are at
    hand. PostgreSQL's planner looks at statistics, on which it does nothing but compare.
    """
    with guarded(instead=lambda error: _refused(error, engine)):
        backend = table.get_backend()
        here(backend)
        if engine == SPARK:
            backend.raw_sql(words)
        else:
            with alone(backend):
                _refuse_transaction(backend)
                _bound(table, backend, words)
        return table.schema().to_pyarrow().empty_table()


def _refuse_transaction(backend: Any) -> None:
    """A failure would end a transaction of the caller's, and that the next question is refused would tell of it."""
    if is_own(backend):
        return
    if backend.name == POSTGRES:
        inside = backend.con.info.transaction_status.name != "IDLE"
    else:
        try:
            backend.con.execute("BEGIN TRANSACTION")
            backend.con.execute("ROLLBACK")
            inside = False
        except Exception as error:
            if type(error).__name__ != "TransactionException":
                raise
            inside = True
    if inside:
        raise EngineFailed(
            "the connection is inside a transaction.",
            "Nothing was booked. End the transaction, or set the connection to autocommit: each question stands alone.",
        )


def _bound(table: Any, backend: Any, words: str) -> None:
    """Let DuckDB bind a statement, or PostgreSQL plan it; public tables must be there for that."""
    if is_own(backend):
        public = _public_tables(table)
        try:
            for name, rows in public.items():
                backend.con.register(name, rows)
            backend.con.sql(words)
        finally:
            for name in public:
                backend.con.unregister(name)
        return
    backend._run_pre_execute_hooks(table)  # noqa: SLF001
    if backend.name == DUCKDB:
        backend.con.sql(words)
    else:
        backend.con.execute(f"EXPLAIN {words}").fetchall()


def _refused(error: Exception, engine: str) -> PrivetError:
    clean = translated(error, f"planning the question on {engine}")
    if not isinstance(clean, EngineFailed):
        return clean
    return EngineFailed(
        f"{engine} does not take this question ({type(error).__name__}).",
        "Nothing was booked. Its own message may quote constants and is not repeated: check that you may read the "
        "table, and ask for less at once.",
        doing=f"planning the question on {engine}",
        kind=type(error).__name__,
    )


def read_through(relation: Relation) -> None:
    """Read every value of a file once and keep nothing: a malformed one shows here, not in the middle of a release.

    Its outcome depends on the file alone, not on what is asked of it. Values are hashed, because a file's statistics
    would answer simpler questions about them without a look.
    """
    for source in relation.sources:
        read_through(source)
    table = relation.table
    if relation.unread and table.columns:
        read = {f"c{at}": any_hash(table[name]).max() for at, name in enumerate(table.columns)}
        fetch(table.aggregate(**read), relation.engine)


def stream(table: Any) -> Iterator[pa.RecordBatch]:
    """The rows of a lazy table on DuckDB or PostgreSQL, batch by batch; its connection is free in between.

    Over a DuckDB connection of the caller's, which may have a state of its own, rows are read in one piece.
    """
    backend = table.get_backend()
    words = written(table, backend.name)
    with guarded(f"the computation on {backend.name}", columns=_source_columns(table)):
        if backend.name == POSTGRES:
            yield from _held(table, backend, words)
        elif is_own(backend):
            yield from _apart(table, backend, words)
        else:
            yield from fetch(table, DUCKDB, words).to_batches(_BATCH)


def _apart(table: Any, backend: Any, words: str) -> Iterator[pa.RecordBatch]:
    """Batches of an embedded engine of ours, in a conversation of their own."""
    import ibis.expr.operations as ops
    import pyarrow as pa

    with apart(backend, {source.name for source in table.op().find(ops.DatabaseTable)}) as conversation:
        for name, rows in _public_tables(table).items():
            conversation.register(name, rows)
        for batch in conversation.execute(words).to_arrow_reader(_BATCH):
            yield from _typed(pa.Table.from_batches([batch]), table).to_batches()
            here(backend)


def _held(table: Any, backend: Any, words: str) -> Iterator[pa.RecordBatch]:
    """Batches of a result that PostgreSQL keeps beyond its transaction, so that others may ask in between."""
    import ibis
    import pyarrow as pa

    shape = table.schema().as_struct().to_pyarrow()
    with alone(backend):
        backend._run_pre_execute_hooks(table)  # noqa: SLF001  hands over public tables
        cursor = backend.con.cursor(name=ibis.util.gen_name("privet"), withhold=True)
        with backend.con.transaction():
            cursor.execute(words)
    try:
        while True:
            with alone(backend):
                rows = cursor.fetchmany(_BATCH)
                if not rows:
                    cursor.close()
                    return
            yield pa.RecordBatch.from_struct_array(pa.array(rows, type=shape))
    finally:
        if not cursor.closed:
            give_up(backend, cursor)


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
