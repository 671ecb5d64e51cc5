"""Opening: a file, a frame in memory, a database's table or another engine's table, as a lazy `Relation`.

Nothing is scanned beyond what the schema needs (SQLite files, pandas frames and lazy Polars frames are copied
into memory, since the embedded engine cannot read them in place). Each opened thing gets an embedded engine of
its own: a fault in one cannot reach another. What goes wrong is said in our own words, never in the engine's,
whose messages quote rows and addresses with passwords.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privet.engine import _reader_process as reader
from privet.engine import _text_files as text_files
from privet.engine._connections import alone, give_frame, own
from privet.engine._database_files import chosen_name, open_table, stored_names, tables_of
from privet.engine._dialects import without_collations
from privet.engine._engine_speed import Speed
from privet.engine._error_guard import guarded
from privet.engine._file_kinds import kind_of_file, split_file
from privet.engine._identifiers import checked_names
from privet.engine._in_memory_frames import arrow_of
from privet.engine._locked_engine import AT_START, escaped, lock
from privet.engine._postgres_addresses import open_url, refuse_other_text, table_in, tables_at_url
from privet.engine._reader_limits import in_force
from privet.engine._relation import DUCKDB, ENGINES, POSTGRES, SPARK, Relation
from privet.engine._spill_folder import spill_folder
from privet.engine._text_files import Types
from privet.errors import (
    BadDeclaration,
    MalformedSource,
    UnknownFormat,
)

_MOST_DIGITS = 38


@dataclass(frozen=True)
class Opened:
    """A relation, and what it was opened from."""

    relation: Relation
    kind: str  # "csv", "parquet", "postgres", "pandas", …
    name: str
    file: Path | None = None


def open_anything(
    thing: Any, *, delimiter: str | None = None, types: Types | None = None, speed: Speed | None = None
) -> Opened:
    """Whatever can be opened: a path, an address, a frame, or another engine's table."""
    if isinstance(thing, Path) or (isinstance(thing, str) and "://" not in thing):
        relation = open_file(thing, delimiter=delimiter, types=types, speed=speed)
        file, inner = split_file(thing)
        return Opened(relation, file.suffix.lower().lstrip("."), inner or file.name.split(".")[0], file)
    if delimiter is not None or types:
        raise BadDeclaration("only text files have a delimiter and types to state.", "Leave them out.")
    library = type(thing).__module__.split(".")[0]
    if speed is not None and (isinstance(thing, str) or library in ("ibis", "pyspark")):
        raise BadDeclaration(
            "speed is for the embedded engine, and this table stays on its own.",
            "Leave it out, and set limits on that engine.",
        )
    if isinstance(thing, str):
        relation = open_url(thing)
        return Opened(relation, relation.engine, table_in(thing).rpartition(".")[2])
    if library == "ibis":
        relation = open_ibis(thing)
        return Opened(relation, relation.engine, getattr(thing.op(), "name", None) or "table")
    if library == "pyspark":
        return Opened(open_spark(thing), SPARK, "table")
    return Opened(open_frame(thing, speed=speed), library, "table")


def open_file(
    path: str | Path, *, delimiter: str | None = None, types: Types | None = None, speed: Speed | None = None
) -> Relation:
    """A file by its ending: CSV, TSV, JSON lines (also gzipped), Parquet, DuckDB or SQLite.

    A table inside a database file is named after `#`, as in `records.duckdb#stays` or `records.duckdb#main.stays`;
    it may be left out if there is only one. `delimiter` and `types` ({"zip": "text"}) are for text files.
    """
    reader.start()
    where, inner = split_file(path)
    kind = kind_of_file(where)
    if kind not in ("csv", "json") and types:
        raise BadDeclaration(
            "only text files have types to state.", "Leave types out: this source has its own."
        )
    if kind != "csv" and delimiter is not None:
        raise BadDeclaration("only CSV files have a delimiter.", "Leave delimiter out.")
    if inner is not None and kind not in ("duckdb", "sqlite"):
        raise UnknownFormat("a table is named after # in database files only.", "Leave out what follows #.")
    openers: dict[str, Callable[[Any], Any]] = {
        "csv": lambda connection: text_files.open_csv(connection, where, _delimiter(where, delimiter), types),
        "json": lambda connection: text_files.open_json_lines(connection, where, types),
        "parquet": lambda connection: _parquet(connection, where),
        "duckdb": lambda connection: open_table(connection, where, inner),
        "sqlite": lambda connection: _registered(
            connection, reader.rows(where, chosen_name(reader.tables(where), inner))
        ),
    }
    opener = openers[kind]
    reader.check(kind, where, inner)
    files = () if kind == "sqlite" else (where,)  # SQLite files are not read by the engine
    return Relation(
        opener(embedded(speed, files)),
        DUCKDB,
        unread=kind in ("csv", "json", "parquet"),  # databases let in only what fits
        elsewhere=opener,
        files=files,
        speed=speed,
        remarks=text_files.remarks_on(where, _delimiter(where, delimiter)) if kind == "csv" else (),
    )


def open_frame(frame: Any, *, speed: Speed | None = None) -> Relation:
    """A pandas or Polars frame or an Arrow table (or batch, or reader), as it is now."""
    arrow = arrow_of(frame)
    return Relation(
        _registered(embedded(speed), arrow),
        DUCKDB,
        elsewhere=lambda connection: _registered(connection, arrow),
        speed=speed,
    )


def tables_at(thing: str) -> list[str] | None:
    """The tables of a database that can be named after `#`; None where one is named, or there is only one."""
    if "://" in thing:
        return None if table_in(thing) else tables_at_url(thing)
    where, inner = split_file(thing)
    kind = kind_of_file(where)
    if inner is not None or kind not in ("duckdb", "sqlite"):
        return None
    reader.check(kind, where, None)
    tables = reader.tables(where) if kind == "sqlite" else tables_of(embedded(files=(where,)), where).kinds
    found = stored_names(tables)
    return found if len(found) > 1 else None


def open_ibis(table: Any) -> Relation:
    """An Ibis table on DuckDB, Spark or PostgreSQL; its connection is used as it is, with all that it may reach."""
    with guarded("asking the table for its engine"):
        engine = table.get_backend().name
    if engine not in ENGINES:
        raise UnknownFormat(
            f"tables of the {engine} engine are not supported.", f"Supported are {', '.join(ENGINES)}."
        )
    with guarded("asking the engine for the table's columns"):
        names = list(table.columns)
    checked_names(names)
    if engine == DUCKDB:
        _refuse_default_collation(table.get_backend())
    if engine == POSTGRES:
        refuse_other_text(table.get_backend())
    with guarded("asking the engine for the table's columns"):
        return Relation(without_collations(table, engine), engine)


def _refuse_default_collation(connection: Any) -> None:
    with guarded("asking the engine for its settings"), alone(connection):
        ((collation,),) = connection.con.execute("SELECT current_setting('default_collation')").fetchall()
    if collation:
        raise BadDeclaration(
            "the connection compares text by a default collation, which merges different values.",
            "Take it off: SET default_collation = ''.",
        )


def open_spark(frame: Any) -> Relation:
    """A Spark DataFrame, on its own session."""
    import ibis

    checked_names(list(frame.columns))
    with guarded("handing the frame to Spark"):
        connection = ibis.pyspark.connect(frame.sparkSession)
        name = ibis.util.gen_name("privet_frame")
        frame.createOrReplaceTempView(name)
        return Relation(
            without_collations(connection.table(name), SPARK),
            SPARK,
            elsewhere=lambda other: without_collations(other.table(name), SPARK),
        )


def embedded(speed: Speed | None = None, files: Sequence[Path] = ()) -> Any:
    """A DuckDB of our own, in memory, that reads the named files and the folder it spills to, and nothing else.

    A database file can hold SQL of its maker's. Whatever that asks for, no other file is opened, no extension loaded
    and no setting changed: the engine is locked before the file is attached.
    """
    import ibis

    settings = {"temp_directory": str(spill_folder()), **(speed.duckdb_settings() if speed else {})}
    with guarded("starting the engine"):
        connection = ibis.duckdb.connect(":memory:", **AT_START, **settings)
        lock(connection.con, files, in_force().spill_bytes)
        own(connection)
        return connection


def _delimiter(path: Path, given: str | None) -> str | None:
    tabbed = given is None and ".tsv" in [suffix.lower() for suffix in path.suffixes]
    return "\t" if tabbed else given


def _parquet(connection: Any, path: Path) -> Any:
    from pyarrow import parquet

    torn = MalformedSource(
        "the file is not a whole Parquet file.",
        "It may be cut short, encrypted or of another format: make it again.",
    )
    with guarded(instead=lambda _: torn), path.open("rb") as file:
        schema = parquet.read_schema(file)
    names = schema.names
    checked_names(names)
    wide = [field.name for field in schema if getattr(field.type, "precision", 0) > _MOST_DIGITS]
    if wide:
        raise MalformedSource(
            f"decimals of more than {_MOST_DIGITS} digits are in {', '.join(repr(name) for name in wide)}.",
            "The engine would read other numbers: store them with fewer digits, or as floating point.",
            columns=wide,
        )
    with guarded("opening the file", columns=names):
        return connection.read_parquet(escaped(path), hive_partitioning=False)


def _registered(connection: Any, arrow: Any) -> Any:
    import ibis

    checked_names(arrow.schema.names)
    with guarded("opening the frame", columns=arrow.schema.names):
        name = ibis.util.gen_name("privet_frame")
        give_frame(connection, name, arrow)
        return connection.table(name)
