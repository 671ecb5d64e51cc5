"""Tables in a database file: those that a DuckDB file has, and the one that is meant, whose rows are stored there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from privet.engine._dialects import without_collations
from privet.engine._error_guard import guarded
from privet.engine._identifiers import checked_names, did_you_mean
from privet.engine._locked_engine import quoted, real
from privet.engine._relation import DUCKDB
from privet.engine._sqlite_files import COMPUTED, STORED, VIEW
from privet.errors import (
    ComputedTable,
    MalformedSource,
    NoSuchTable,
    PrivetError,
    SourceUnreachable,
)


class Listing(NamedTuple):
    """The tables and views of a DuckDB file, by the name to use: where each is, and how its rows come about."""

    database: str
    places: dict[str, tuple[str, str]]  # schema and table
    kinds: dict[str, str]


def tables_of(connection: Any, path: Path) -> Listing:
    """What a DuckDB file has."""
    found = Listing(_attached(connection, path), {}, {})
    listing = (
        "SELECT schema_name, table_name, sql LIKE '%GENERATED ALWAYS AS%' FROM duckdb_tables() "
        "WHERE database_name = $name UNION ALL "
        "SELECT schema_name, view_name, NULL FROM duckdb_views() WHERE database_name = $name AND NOT internal"
    )
    with guarded("opening the file"):
        rows = connection.con.execute(listing, {"name": found.database}).fetchall()
    for schema, table, computed in rows:
        name = table if schema == "main" else f"{schema}.{table}"
        found.places[name] = (schema, table)
        found.kinds[name] = VIEW if computed is None else COMPUTED if computed else STORED
    return found


def open_table(connection: Any, path: Path, inner: str | None) -> Any:
    """One table of a DuckDB file."""
    found = tables_of(connection, path)
    schema, table = found.places[chosen_name(found.kinds, inner.removeprefix("main.") if inner else None)]
    with guarded("opening the file"):
        opened = connection.table(table, database=(found.database, schema))
    checked_names(list(opened.columns))
    return without_collations(opened, DUCKDB)


def _attached(connection: Any, path: Path) -> str:
    """The name under which the connection has the file; a file can be attached once only."""
    import ibis

    with guarded("asking the engine for its databases"):
        known = connection.con.execute("SELECT database_name, path FROM duckdb_databases()").fetchall()
    for database, where in known:
        if where and Path(where).resolve() == path.resolve():
            return str(database)
    name: str = ibis.util.gen_name("privet_file")
    with guarded(instead=_not_attached):
        connection.con.execute(f"ATTACH {quoted(real(path))} AS {name} (READ_ONLY, TYPE duckdb)")
    return name


def _not_attached(error: Exception) -> PrivetError:
    if "Could not set lock" in str(error):
        return SourceUnreachable(
            "another process holds the database file.", "Close it there, or copy the file."
        )
    return MalformedSource(
        "the database file cannot be opened.", "It may be damaged, or written by a newer DuckDB."
    )


def stored_names(tables: Mapping[str, str]) -> list[str]:
    """The names of tables; views are not offered."""
    return sorted(name for name, kind in tables.items() if kind != VIEW)


def chosen_name(tables: Mapping[str, str], wanted: str | None) -> str:
    """The table asked for, or the only one there is; its rows are stored in the file, not computed when it is read."""
    stored = stored_names(tables)
    if wanted is None and len(stored) != 1:
        raise NoSuchTable(
            f"the file has {len(stored)} tables and none was named.",
            f"Name one after #. {did_you_mean('', stored)}",
        )
    chosen = stored[0] if wanted is None else wanted
    if chosen not in tables:
        raise NoSuchTable("the file has no such table.", did_you_mean(chosen, stored))
    if tables[chosen] != STORED:
        raise ComputedTable(
            "this is a view." if tables[chosen] == VIEW else "columns of this table are computed.",
            "What it shows is decided by SQL in the file whenever it is read, and can change while the file stays the "
            "same: store its rows there with CREATE TABLE … AS, and name that table.",
        )
    return chosen
