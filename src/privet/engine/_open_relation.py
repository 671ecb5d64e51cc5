"""Opening: a file, a frame in memory, a database's table or another engine's table, as a lazy `Relation`.

Nothing is scanned beyond what the schema needs (SQLite files, pandas frames and lazy Polars frames are copied
into memory, since the embedded engine cannot read them in place). Each opened thing gets an embedded engine of
its own: a fault in one cannot reach another. What goes wrong is said in our own words, never in the engine's,
whose messages quote rows and addresses with passwords.
"""

from __future__ import annotations

import os
import urllib.parse
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from privet.artifact import is_there
from privet.engine import _sqlite_files as sqlite_files
from privet.engine import _text_files as text_files
from privet.engine._connections import alone, give_frame, own
from privet.engine._dialects import without_collations
from privet.engine._engine_speed import Speed
from privet.engine._error_guard import guarded, unreachable
from privet.engine._identifiers import checked_names, did_you_mean
from privet.engine._in_memory_frames import arrow_of
from privet.engine._relation import DUCKDB, ENGINES, POSTGRES, SPARK, Relation
from privet.engine._sqlite_files import COMPUTED, STORED, VIEW
from privet.engine._text_files import Types
from privet.errors import (
    BadDeclaration,
    ComputedTable,
    MalformedSource,
    MissingExtra,
    NoSuchTable,
    PrivetError,
    SourceMissing,
    SourceUnreachable,
    UnknownFormat,
)

_MOST_DIGITS = 38
_KNOWN = ".csv, .tsv, .jsonl, .parquet, .duckdb, .sqlite"
_SCHEMES = ("postgresql", "postgres")
# Encodings of PostgreSQL in which every byte that a text can hold stands for a letter.
_UNICODE = ("UTF8", "LATIN1", "LATIN2", "LATIN5", "LATIN9")


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
        return Opened(relation, relation.engine, _table_in(thing).rpartition(".")[2])
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
    where, inner = split_file(path)
    kind = _kind_of_file(where)
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
        "duckdb": lambda connection: _duckdb_table(connection, where, inner),
        "sqlite": lambda connection: _registered(
            connection, sqlite_files.copied(where, _chosen(sqlite_files.tables(where), inner))
        ),
    }
    opener = openers[kind]
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


def open_url(url: str) -> Relation:
    """A PostgreSQL table: `postgresql://user@host/database#schema.table`, or `?table=schema.table`."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in _SCHEMES:
        raise UnknownFormat(
            "addresses of this kind cannot be opened.",
            "Use postgresql://…, or connect with Ibis and open the Ibis table.",
        )
    query = {"connect_timeout": "10", **dict(urllib.parse.parse_qsl(parts.query))}
    query.pop("table", "")
    wanted = _table_in(url)
    bare = parts._replace(fragment="", query=urllib.parse.urlencode(query))
    if not wanted:
        raise NoSuchTable("the address names no table.", "End it with #schema.table.")
    connection = _postgres(bare.geturl())
    schema, _, table = wanted.rpartition(".")
    _refuse_other_text(connection)
    with guarded("asking the database for its tables"):
        known = connection.list_tables(database=schema or None)
    if table not in known:
        raise NoSuchTable("the database has no such table.", did_you_mean(table, known))
    with guarded("asking the database for the table's columns"):
        opened = connection.table(table, database=schema or None)
    checked_names(list(opened.columns))
    return Relation(
        without_collations(opened, POSTGRES),
        POSTGRES,
        elsewhere=lambda other: without_collations(other.table(table, database=schema or None), POSTGRES),
    )


def tables_at(thing: str) -> list[str] | None:
    """The tables of a database that can be named after `#`; None where one is named, or there is only one."""
    if "://" in thing:
        return None if _table_in(thing) else _tables_at_url(thing)
    where, inner = split_file(thing)
    kind = _kind_of_file(where)
    if inner is not None or kind not in ("duckdb", "sqlite"):
        return None
    tables = (
        sqlite_files.tables(where)
        if kind == "sqlite"
        else _duckdb_tables(embedded(files=(where,)), where).kinds
    )
    found = _stored(tables)
    return found if len(found) > 1 else None


def _tables_at_url(url: str) -> list[str]:
    parts = urllib.parse.urlsplit(url)
    query = {"connect_timeout": "10", **dict(urllib.parse.parse_qsl(parts.query))}
    query.pop("table", "")
    bare = parts._replace(fragment="", query=urllib.parse.urlencode(query))
    connection = _postgres(bare.geturl())
    with guarded("asking the database for its tables"):
        return sorted(connection.list_tables())


def _table_in(url: str) -> str:
    """The table that an address names, with its schema if that is named."""
    parts = urllib.parse.urlsplit(url)
    return urllib.parse.unquote(parts.fragment) or dict(urllib.parse.parse_qsl(parts.query)).get("table", "")


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
        _refuse_other_text(table.get_backend())
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


def _refuse_other_text(connection: Any) -> None:
    with guarded("asking the database for its encoding"), alone(connection):
        ((encoding,),) = connection.con.execute("SHOW server_encoding").fetchall()
    name = encoding.decode("ascii") if isinstance(encoding, bytes) else str(encoding)
    if name not in _UNICODE:
        raise UnknownFormat(
            f"the database keeps text as {name}, in which some text is no Unicode: a question would fail on it.",
            f"Copy the tables into a database of the encoding {_UNICODE[0]}.",
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

    settings = speed.duckdb_settings() if speed else {}
    allowed = [text for file in files for text in (text_files.real(file), text_files.escaped(file))]
    allowed += [f"{text_files.real(file)}.wal" for file in files]  # what a DuckDB file has not taken in yet
    with guarded("starting the engine"):
        connection = ibis.duckdb.connect(
            ":memory:",
            autoinstall_known_extensions=False,
            autoload_known_extensions=False,
            allow_community_extensions=False,
            **settings,
        )
        for setting, value in (
            # Ibis sets these two for one conversation; there will be others with this engine.
            ("GLOBAL TimeZone", "'UTC'"),
            ("GLOBAL python_enable_replacements", "false"),
            ("allowed_paths", f"[{', '.join(map(_quoted, allowed))}]"),
            ("enable_external_access", "false"),
            ("lock_configuration", "true"),
        ):
            connection.con.execute(f"SET {setting} = {value}")
        own(connection)
        return connection


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def split_file(path: str | Path) -> tuple[Path, str | None]:
    """The file, and the table named after `#`; a file whose own name holds `#` is taken as it is."""
    whole = _at_home(str(path))
    if isinstance(path, Path) or "#" not in path or is_there(whole):
        return whole, None
    file, _, inner = path.rpartition("#")
    return _at_home(file), inner or None


def _at_home(path: str) -> Path:
    """A path in which `~` stands for a home, unless a file has that very name."""
    return Path(path) if is_there(Path(path)) else Path(os.path.expanduser(path))  # noqa: PTH111  leaves unknown homes


def _kind_of_file(path: Path) -> str:
    """Which reader a file needs: by its ending, and for `.db` by its first bytes."""
    if not is_there(path):
        raise SourceMissing(f"there is no file {path}.", _near(path))
    if path.is_dir():
        raise SourceMissing(f"{path} is a directory, not a file.", "Name one file inside it.")
    suffixes = [suffix.lower() for suffix in path.suffixes]
    ending = suffixes[-2] if suffixes[-1:] == [".gz"] and len(suffixes) > 1 else "".join(suffixes[-1:])
    readers = {
        **dict.fromkeys((".csv", ".tsv"), "csv"),
        **dict.fromkeys((".jsonl", ".ndjson"), "json"),
        **dict.fromkeys((".parquet", ".pq"), "parquet"),
        **dict.fromkeys((".duckdb", ".ddb", ".sqlite", ".sqlite3", ".db"), "database"),
    }
    if ending not in readers:
        raise UnknownFormat(
            f"files with the ending {ending or '(none)'!r} cannot be opened.", f"Known are {_KNOWN}."
        )
    start = _first_bytes(path)
    if readers[ending] != "database":
        return readers[ending]
    if start[8:12] == b"DUCK":
        if "?" in text_files.real(path):  # DuckDB would look for the file's log under another name than ours
            raise UnknownFormat("the path of a DuckDB file holds a question mark.", "Rename it.")
        return "duckdb"
    if start.startswith(b"SQLite format 3\x00"):
        return "sqlite"
    raise MalformedSource(
        "the file is not a DuckDB or SQLite database.", "Check that this is the right file."
    )


def _near(path: Path) -> str:
    """Which file was probably meant: one beside it, with a name like it."""
    beside: list[str] = []
    with suppress(OSError):
        beside = [str(one) for one in path.parent.iterdir() if one.is_file() and one.name[:1] != "."]
    meant = did_you_mean(str(path), beside)
    return meant if meant.startswith("Did you mean") else "Check the name and the working directory."


def _first_bytes(path: Path) -> bytes:
    closed = SourceMissing(f"{path} may not be read.", "Check its rights.")
    with guarded(instead=lambda _: closed), path.open("rb") as file:
        start = file.read(16)
    if not start:
        raise MalformedSource("the file is empty.", "Check that this is the right file.")
    return start


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
        return connection.read_parquet(text_files.escaped(path), hive_partitioning=False)


class _Listing(NamedTuple):
    """The tables and views of a DuckDB file, by the name to use: where each is, and how its rows come about."""

    database: str
    places: dict[str, tuple[str, str]]  # schema and table
    kinds: dict[str, str]


def _duckdb_tables(connection: Any, path: Path) -> _Listing:
    found = _Listing(_attached(connection, path), {}, {})
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


def _duckdb_table(connection: Any, path: Path, inner: str | None) -> Any:
    found = _duckdb_tables(connection, path)
    schema, table = found.places[_chosen(found.kinds, inner.removeprefix("main.") if inner else None)]
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
        connection.con.execute(f"ATTACH {_quoted(text_files.real(path))} AS {name} (READ_ONLY, TYPE duckdb)")
    return name


def _not_attached(error: Exception) -> PrivetError:
    if "lock" in str(error):
        return SourceUnreachable(
            "another process holds the database file.", "Close it there, or copy the file."
        )
    return MalformedSource(
        "the database file cannot be opened.", "It may be damaged, or written by a newer DuckDB."
    )


def _stored(tables: Mapping[str, str]) -> list[str]:
    """The names of tables; views are not offered."""
    return sorted(name for name, kind in tables.items() if kind != VIEW)


def _chosen(tables: Mapping[str, str], wanted: str | None) -> str:
    """The table asked for, or the only one there is; its rows are stored in the file, not computed when it is read."""
    stored = _stored(tables)
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


def _registered(connection: Any, arrow: Any) -> Any:
    import ibis

    checked_names(arrow.schema.names)
    with guarded("opening the frame", columns=arrow.schema.names):
        name = ibis.util.gen_name("privet_frame")
        give_frame(connection, name, arrow)
        return connection.table(name)


def _postgres(url: str) -> Any:
    import ibis

    with guarded(instead=_not_connected):
        return ibis.connect(url)


def _not_connected(error: Exception) -> PrivetError:
    if isinstance(error, ImportError):
        return MissingExtra("PostgreSQL needs a driver.", "pip install 'privet[postgres]'")
    return unreachable(str(error))
