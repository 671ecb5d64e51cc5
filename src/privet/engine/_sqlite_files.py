"""SQLite files: copied into the embedded engine, since it cannot read them by itself without a download.

SQLite stores any value in any column, so a declared type promises nothing: a value that is not of its column's
type is an error that names the column.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from privet.engine._error_guard import guarded
from privet.engine._identifiers import checked_names
from privet.errors import EngineVersion, MalformedSource

# How the rows of a table come about: as they are stored, or by SQL in the file that is run when they are read.
STORED, COMPUTED, VIEW = "stored", "computed", "view"
_BATCH = 50_000
_LISTS = (3, 37)  # the first version with `PRAGMA table_list`


def tables(path: Path) -> dict[str, str]:
    """The tables and views of the file, and how the rows of each come about.

    Asked of what SQLite made of the schema, not of the table that the schema stands in: there, anybody who writes the
    file can call a view a table.
    """
    if sqlite3.sqlite_version_info < _LISTS:
        raise EngineVersion(
            "this SQLite is too old to say which tables of a file are views.",
            "Use SQLite 3.37 or newer, or save the table as Parquet.",
        )
    with guarded("opening the file"), _reading(path) as database:
        found = database.execute("SELECT name, type FROM pragma_table_list WHERE schema = 'main'").fetchall()
        return {
            name: _kind(database, name, kind)
            for name, kind in found
            if kind != "shadow" and not name.lower().startswith("sqlite_")
        }


def _kind(database: sqlite3.Connection, name: str, kind: str) -> str:
    if kind != "table":  # a view, or a virtual table, whose rows come from a program
        return VIEW
    columns = database.execute(f"PRAGMA main.table_xinfo({_quoted(name)})").fetchall()
    return COMPUTED if any(hidden for *_, hidden in columns) else STORED


def copied(path: Path, table: str) -> Any:
    """The rows of a table, as an Arrow table."""
    import pyarrow as pa

    with guarded("reading the file"), _reading(path) as database:
        declared = database.execute(f"PRAGMA table_info({_quoted(table)})").fetchall()
        names = [row[1] for row in declared]
        checked_names(names)
        fields = [_field(database, table, name, str(kind or "")) for _, name, kind, *_ in declared]
        cursor = database.execute(f"SELECT * FROM {_quoted(table)}")  # noqa: S608  the name is quoted
        schema = pa.schema([(name, as_stored) for name, as_stored, _ in fields])
        batches = [_batch(rows, schema) for rows in _chunks(cursor)]
    stored = pa.Table.from_batches(batches, schema=schema)
    for place, (name, as_stored, meant) in enumerate(fields):
        if meant != as_stored:
            stored = stored.set_column(place, name, _cast(stored[name], name, meant))
    return stored


class _reading:  # noqa: N801  used like a function
    """A connection that cannot write, trusts no SQL in the file, and is closed at the end."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        for pragma in ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON"):
            self._connection.execute(f"PRAGMA {pragma}")

    def __enter__(self) -> sqlite3.Connection:
        return self._connection

    def __exit__(self, *_: object) -> None:
        self._connection.close()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _chunks(cursor: sqlite3.Cursor) -> Iterator[list[tuple[Any, ...]]]:
    while rows := cursor.fetchmany(_BATCH):
        yield rows


def _field(database: sqlite3.Connection, table: str, name: str, declared: str) -> tuple[str, Any, Any]:
    """Name, stored type and meant type of a column, by SQLite's rules of affinity and the usual words for dates."""
    import pyarrow as pa

    word = declared.upper().split("(")[0].strip()
    exact = {
        "DATE": (pa.string(), pa.date32()),
        "DATETIME": (pa.string(), pa.timestamp("us")),
        "TIMESTAMP": (pa.string(), pa.timestamp("us")),
        "BOOLEAN": (pa.int64(), pa.bool_()),
        "BOOL": (pa.int64(), pa.bool_()),
        "BLOB": (pa.binary(), pa.binary()),
    }
    if word in exact:
        return (name, *exact[word])
    if "INT" in word:
        kind = pa.int64()
    elif any(part in word for part in ("CHAR", "CLOB", "TEXT")):
        kind = pa.string()
    elif any(part in word for part in ("REAL", "FLOA", "DOUB", "DEC", "NUM")):
        kind = pa.float64()
    else:
        kind = _type_in_use(database, table, name)
    return name, kind, kind


def _type_in_use(database: sqlite3.Connection, table: str, name: str) -> Any:
    """The type of a column that declares none: the one its values have."""
    import pyarrow as pa

    asked = f"SELECT DISTINCT typeof({_quoted(name)}) FROM {_quoted(table)}"  # noqa: S608  names are quoted
    used = {row[0] for row in database.execute(asked)} - {"null"}
    if used <= {"integer"}:
        return pa.int64() if used else pa.string()
    if used <= {"integer", "real"}:
        return pa.float64()
    return pa.binary() if used == {"blob"} else pa.string()


def _batch(rows: list[tuple[Any, ...]], schema: Any) -> Any:
    import pyarrow as pa

    columns = []
    for field, values in zip(schema, zip(*rows, strict=True), strict=True):
        columns.append(_column(field, values))
    return pa.record_batch(columns, schema=schema)


def _column(field: Any, values: tuple[Any, ...]) -> Any:
    import pyarrow as pa

    kinds: dict[Any, tuple[type, ...]] = {
        pa.int64(): (int,),
        pa.float64(): (int, float),
        pa.string(): (str,),
        pa.binary(): (bytes,),
    }
    wanted = kinds[field.type]
    if all(value is None or isinstance(value, wanted) for value in values):
        return pa.array(values, field.type)
    raise MalformedSource(
        f"column {field.name!r} holds values of another type than it declares.",
        "SQLite lets any value into any column: correct the values, or the declaration.",
        column=field.name,
    )


def _cast(column: Any, name: str, meant: Any) -> Any:
    """Text as dates and times, and 0 and 1 as truth values."""
    wrong = MalformedSource(
        f"column {name!r} holds values that are not of its declared type ({meant}).",
        "Write dates as 2026-11-01 and times as 2026-11-01 12:30:00, or declare the column as TEXT.",
        column=name,
    )
    with guarded(instead=lambda _: wrong):
        return column.cast(meant)
