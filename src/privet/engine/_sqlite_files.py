"""SQLite files: copied into the embedded engine, since it cannot read them by itself without a download.

SQLite stores any value in any column, so a declared type promises nothing: a value that is not of its column's
type is an error that names the column.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from privet.engine._error_guard import guarded, translated
from privet.engine._identifiers import checked_names
from privet.engine._reader_limits import DEFAULTS, ReaderLimits, exceeded
from privet.errors import EngineVersion, MalformedSource, PrivetError, SourceUnreachable

# How the rows of a table come about: as they are stored, or by SQL in the file that is run when they are read.
STORED, COMPUTED, VIEW = "stored", "computed", "view"
_BATCH = 50_000
_WRITE_AHEAD = b"\x02\x02"  # the versions of a file's format that say so, bytes 18 and 19
_DEFENSIVE = 1010  # SQLITE_DBCONFIG_DEFENSIVE
_PRAGMAS = ("table_list", "table_info", "table_xinfo")
# Far more than the statements here and a table's definition need.
_SQL_LIMITS = (
    (sqlite3.SQLITE_LIMIT_SQL_LENGTH, 4 << 20),
    (sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 100),
    (sqlite3.SQLITE_LIMIT_COMPOUND_SELECT, 10),
    (sqlite3.SQLITE_LIMIT_FUNCTION_ARG, 8),
    (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
    (sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    (sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0),
)
_LISTS = (3, 37)  # the first version with `PRAGMA table_list`


def tables(path: Path, limits: ReaderLimits = DEFAULTS) -> dict[str, str]:
    """The tables and views of the file, and how the rows of each come about.

    Asked of what SQLite made of the schema, not of the table that the schema stands in: there, anybody who writes the
    file can call a view a table.
    """
    if sqlite3.sqlite_version_info < _LISTS:
        raise EngineVersion(
            "this SQLite is too old to say which tables of a file are views.",
            "Use SQLite 3.37 or newer, or save the table as Parquet.",
        )
    with guarded(instead=_unreadable(limits, path)), _reading(path, limits) as database:
        listed = database.execute("PRAGMA main.table_list").fetchall()
        found = [
            (name, kind)
            for schema, name, kind, *_ in listed
            if schema == "main" and kind != "shadow" and not name.lower().startswith("sqlite_")
        ]
        limits.within("tables", len(found))
        return {name: _kind(database, name, kind) for name, kind in found}


def _unreadable(limits: ReaderLimits, path: Path) -> Callable[[Exception], PrivetError]:
    """What SQLite's trouble with a file is called; its words may quote the schema, and are not repeated."""

    def instead(error: Exception) -> PrivetError:
        if isinstance(error, sqlite3.DataError):
            return exceeded("cell_bytes", limits.cell_bytes, limits.cell_bytes)
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return SourceUnreachable(
                "another process holds the database file.", "Close it there, or copy the file."
            )
        if isinstance(error, sqlite3.OperationalError) and _log_size(path):
            return SourceUnreachable(
                "what was written last lies in a log beside the database file, which is taken in where the file is written.",
                "Run `sqlite3 FILE 'PRAGMA wal_checkpoint(TRUNCATE)'`, or of a collector's store "
                "`privet collect export reports.jsonl --store FILE`.",
            )
        if isinstance(error, sqlite3.Error):
            return MalformedSource(
                "the database file is damaged, or SQLite may not open what lies beside it.",
                "Restore a copy, or let `sqlite3 FILE .recover` save what it can.",
            )
        return translated(error, "reading the file")

    return instead


def _kind(database: sqlite3.Connection, name: str, kind: str) -> str:
    if kind != "table":  # a view, or a virtual table, whose rows come from a program
        return VIEW
    columns = database.execute(f"PRAGMA main.table_xinfo({_quoted(name)})").fetchall()
    return COMPUTED if any(hidden for *_, hidden in columns) else STORED


def copied(path: Path, table: str, limits: ReaderLimits = DEFAULTS) -> Any:
    """The rows of a table, as an Arrow table."""
    import pyarrow as pa

    with guarded(instead=_unreadable(limits, path)), _reading(path, limits) as database:
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


def _log_size(path: Path) -> int:
    """Bytes in the write-ahead log beside the file."""
    try:
        return Path(f"{path.resolve()}-wal").stat().st_size
    except OSError:
        return 0


def _is_settled(path: Path) -> bool:
    """Whether the file is one with a write-ahead log, and all of it is in the file.

    SQLite would make files beside it, as for any such file that nobody has open, which a process that may only read cannot.
    """
    with path.open("rb") as file:
        return file.read(20)[18:] == _WRITE_AHEAD and not _log_size(path)


class _reading:  # noqa: N801  used like a function
    """A connection that cannot write, trusts no SQL in the file, loads nothing, and is closed at the end.

    The authorizer is asked about whatever a statement would do (https://sqlite.org/c3ref/set_authorizer.html): reading
    columns and asking what tables there are is all that passes, whatever the schema of the file says.
    """

    def __init__(self, path: Path, limits: ReaderLimits = DEFAULTS) -> None:
        self._path, self._settled, self._before = path, _is_settled(path), _state(path)
        mode = "mode=ro&immutable=1" if self._settled else "mode=ro"
        self._connection = sqlite3.connect(f"{path.resolve().as_uri()}?{mode}", uri=True)
        for limit, most in (
            (sqlite3.SQLITE_LIMIT_LENGTH, limits.cell_bytes),
            *_SQL_LIMITS,
        ):
            self._connection.setlimit(limit, most)
        for pragma in ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON", "mmap_size = 0"):
            self._connection.execute(f"PRAGMA {pragma}")
        if hasattr(self._connection, "setconfig"):  # from Python 3.12 on
            self._connection.setconfig(_DEFENSIVE, True)  # noqa: FBT003  it has no name
        self._connection.set_authorizer(_permitted)

    def __enter__(self) -> sqlite3.Connection:
        return self._connection

    def __exit__(self, *_: object) -> None:
        self._connection.close()
        # A file that is read as one that nobody writes is the same file afterwards, or what was read is none of its states.
        if self._settled and _state(self._path) != self._before:
            raise SourceUnreachable(
                "another process wrote to the database file while it was read.", "Try again."
            )


def _state(path: Path) -> tuple[int, int, int]:
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


def _permitted(action: int, first: str | None, second: str | None, *_: object) -> int:
    allowed = (
        action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ)
        or (action == sqlite3.SQLITE_PRAGMA and first in _PRAGMAS)
        or (action == sqlite3.SQLITE_FUNCTION and second == "typeof")
    )
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


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
