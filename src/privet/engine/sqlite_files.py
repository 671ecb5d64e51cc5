"""SQLite files: copied into the embedded engine, since it cannot read them by itself without a download.

SQLite stores any value in any column, so a declared type promises nothing: a value that is not of its column's
type is an error that names the column.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from privet.engine.guarding import guarded
from privet.engine.naming import checked_names
from privet.errors import MalformedSource

_BATCH = 50_000


def table_names(path: Path) -> list[str]:
    """The tables and views of the file."""
    with guarded("opening the file"), _reading(path) as database:
        rows = database.execute(
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name"
        )
        return [row[0] for row in rows]


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
    """A connection that cannot write and is closed at the end."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)

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
