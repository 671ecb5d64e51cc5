"""CSV and JSON lines, read by the embedded engine: strictly, lazily, and with one dialect for the whole file.

Guessing a dialect from the rows would let one row change how all the others are read, so only the first line
decides: it names the columns and shows the delimiter. A row that does not fit is an error when it is reached;
no row is ever skipped. Types of columns are guessed from the first 20,480 rows unless `types` states them.

A first column without a name, as data frames write their index, is called `index`. The engine would take yes and no for
truth values and give back true and false; only the words true and false are, and all others stay the words they are.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from privet.engine._error_guard import guarded
from privet.engine._identifiers import checked_names, did_you_mean
from privet.engine._locked_engine import escaped
from privet.engine._relation import ColumnKind
from privet.errors import BadDeclaration, MalformedSource, PrivetError, remark

_DELIMITERS = (",", ";", "\t", "|")
_FIRST_LINE = 1 << 20  # bytes
_DUCKDB_TYPES = {
    ColumnKind.INTEGER: "BIGINT",
    ColumnKind.REAL: "DOUBLE",
    ColumnKind.TEXT: "VARCHAR",
    ColumnKind.BOOLEAN: "BOOLEAN",
    ColumnKind.DATE: "DATE",
    ColumnKind.TIMESTAMP: "TIMESTAMP",
}
Types = Mapping[str, "ColumnKind | str"]
INDEX = "index"


def open_csv(connection: Any, path: Path, delimiter: str | None, types: Types | None) -> Any:
    """The file as a lazy table of the connection."""
    head = _head(path)
    names, delim = _header(head, delimiter)
    stated = _stated(types, names)
    if head.rows_missing and set(stated) != set(names):
        raise MalformedSource(
            "the file has a first line and no rows, so the types of its columns cannot be told.",
            "State them all: types={…}.",
        )
    dialect = {
        "compression": _compression(path),
        "delim": delim,
        "quote": '"',
        "escape": '"',
        "comment": "",
        "header": True,
        "skip": 0,
        "strict_mode": True,
        "ignore_errors": False,
        "null_padding": False,
        "hive_partitioning": False,  # columns are in the file, not in the names of the folders around it
    }
    named = {"names": names} if _nameless(_fields(head.text, delim)) else {}
    where = escaped(path)
    try:
        with guarded("opening the file", columns=names):
            table = connection.read_csv(where, types=stated or None, **named, **dialect)
            if words := _in_words(head, delim, table, stated):
                stated |= dict.fromkeys(words, _DUCKDB_TYPES[ColumnKind.TEXT])
                table = connection.read_csv(where, types=stated, **named, **dialect)
    except PrivetError:
        _blame_a_line(connection, where, names, dialect)
        raise
    if list(table.columns) != names:
        _blame_a_line(connection, where, names, dialect)
        raise MalformedSource(
            "the rows do not have as many fields as the first line has names.",
            "Check the delimiter: delimiter=…",
        )
    return table


def open_json_lines(connection: Any, path: Path, types: Types | None) -> Any:
    """The file as a lazy table of the connection: one object on each line, the first one naming the columns."""
    names = _first_object(_head(path))
    form = {
        "format": "newline_delimited",
        "compression": _compression(path),
        "hive_partitioning": False,
    }
    with guarded("opening the file", columns=names):
        table = connection.read_json(escaped(path), **form)
        found = dict(zip(table.columns, (str(dtype) for dtype in table.schema().types), strict=True))
    checked_names(list(found))
    if types:
        stated = _stated(types, list(found))
        with guarded("opening the file", columns=found):
            guessed = connection.con.sql(f"DESCRIBE {table.compile()}").fetchall()
            columns = {row[0]: row[1] for row in guessed} | stated
            table = connection.read_json(escaped(path), columns=columns, **form)
    return table


def _compression(path: Path) -> str:
    """As the reader of the first line has it, whatever else the engine would make of the name."""
    return "gzip" if path.suffix.lower() == ".gz" else "uncompressed"


class _Head:
    """The beginning of a text file: its first line, and whether anything follows."""

    def __init__(self, text: str, *, whole: bool) -> None:
        self.text = text
        self.lines = io.StringIO(text, newline="")
        self.whole = whole

    @property
    def rows_missing(self) -> bool:
        """Whether the file ends with its first line (of a header that has been read)."""
        return self.whole and not self.lines.read().strip()


def _head(path: Path) -> _Head:
    torn = MalformedSource("the file cannot be unpacked.", "Make it again, or unpack it first.")
    with guarded(instead=lambda _: torn), path.open("rb") as packed:
        file = gzip.GzipFile(fileobj=packed) if path.suffix.lower() == ".gz" else packed
        start = file.read(_FIRST_LINE)
    whole = len(start) < _FIRST_LINE
    if not start.strip():
        raise MalformedSource("the file is empty.", "Check that this is the right file.")
    text = start.decode("utf-8-sig", errors="replace")
    cut = len(text) if whole else max(text.rfind("\n"), 0)
    spoiled = text[:cut].find("\ufffd")
    if spoiled >= 0 and b"\xef\xbf\xbd" not in start:
        raise MalformedSource(
            f"line {text.count(chr(10), 0, spoiled) + 1} of the file is not UTF-8 text.",
            "Save the file as UTF-8: in a spreadsheet as 'CSV UTF-8', or with iconv -f latin1 -t utf-8 OLD > NEW.",
            line=text.count("\n", 0, spoiled) + 1,
        )
    return _Head(text, whole=whole)


def _first_line(head: _Head, delimiter: str | None) -> tuple[list[str], str]:
    """What stands in the first line, and the delimiter between it."""
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise BadDeclaration("the delimiter must be one letter, and neither a quote nor the end of a line.")
    found = [
        (_fields(head.text, one), one) for one in ([delimiter] if delimiter is not None else _DELIMITERS)
    ]
    fields, chosen = max(found, key=lambda pair: len(pair[0]))
    if not fields:
        raise MalformedSource(
            "the first line of the file cannot be read as names.", "Check its quotes and delimiter."
        )
    return fields, chosen


def _header(head: _Head, delimiter: str | None) -> tuple[list[str], str]:
    """The names of the columns and the delimiter between them."""
    names, chosen = _first_line(head, delimiter)
    if _nameless(names):
        names = [_index_name(names[1:]), *names[1:]]
    checked_names(names, from_text=True)
    # Step over the header, so that what is left of the lines is rows.
    next(csv.reader(head.lines, delimiter=chosen))
    return names, chosen


def _nameless(names: list[str]) -> bool:
    """Whether the first column alone has no name, as data frames write their index."""
    return len(names) > 1 and not names[0].strip() and all(name.strip() for name in names[1:])


def _index_name(others: list[str]) -> str:
    taken = {name.strip().lower() for name in others}
    return next(
        name for name in (INDEX, *(f"{INDEX}_{at}" for at in range(len(others) + 1))) if name not in taken
    )


def remarks_on(path: Path, delimiter: str | None) -> tuple[str, ...]:
    """What is done to a CSV file so that it can be read."""
    raw, _ = _first_line(_head(path), delimiter)
    if not _nameless(raw):
        return ()
    return (
        remark(
            f"the first column of {path.name} has no name in the file and is called {_index_name(raw[1:])!r} here. "
            "If it only numbers the rows, leave it out; if it says whose row it is, name it as the unit."
        ),
    )


def _in_words(head: _Head, delimiter: str, table: Any, stated: Mapping[str, str]) -> list[str]:
    """The columns that the engine takes for truth values, and whose words are others than true and false."""
    guessed = {
        at: name
        for at, (name, dtype) in enumerate(table.schema().items())
        if dtype.is_boolean() and name not in stated
    }
    if not guessed:
        return []
    rows = csv.reader(io.StringIO(head.text, newline=""), delimiter=delimiter)
    words: dict[int, set[str]] = {at: set() for at in guessed}
    lines = head.text.count("\n")
    with contextlib.suppress(csv.Error):  # what follows a field that is too long stays unseen
        next(rows)
        for row in rows:
            if rows.line_num > lines and not head.whole:
                break  # the last line may be cut
            for at in guessed:
                words[at].add(row[at].strip().lower() if at < len(row) else "")
    return [guessed[at] for at, found in words.items() if not found <= {"true", "false", ""}]


def _fields(text: str, delimiter: str) -> list[str]:
    """The fields of the first line under a delimiter; none if its quotes do not fit that delimiter."""
    try:
        return next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), [])
    except csv.Error:
        return []


def _first_object(head: _Head) -> list[str]:
    first = next((line for line in head.text.splitlines() if line.strip()), "")
    wrong = MalformedSource(
        "the first line of the file is not a JSON object.", 'Write one object on each line: {"days": 3, …}.'
    )
    with guarded(instead=lambda _: wrong):
        pairs = json.loads(first, object_pairs_hook=_Pairs)
    if not isinstance(pairs, _Pairs):
        raise wrong
    names = [name for name, _ in pairs]
    checked_names(names)
    return names


class _Pairs(list[tuple[str, Any]]):
    """The members of a JSON object in order, equal names kept."""


def _stated(types: Types | None, names: list[str]) -> dict[str, str]:
    """The stated types in the engine's words."""
    stated, faults = {}, []
    for name, kind in (types or {}).items():
        if name not in names:
            faults.append(f"types: there is no column {name!r}. {did_you_mean(name, names)}")
            continue
        try:
            stated[name] = _DUCKDB_TYPES[ColumnKind(kind)]
        except (ValueError, KeyError):
            known = ", ".join(one.value for one in _DUCKDB_TYPES)
            faults.append(f"types: {name!r} is given an unknown type. Use {known}.")
    if faults:
        raise BadDeclaration(" ".join(faults), "Correct types={…}.", faults=faults)
    return stated


def _blame_a_line(connection: Any, where: str, names: list[str], dialect: dict[str, Any]) -> None:
    """Read every field as text, so that the engine says which line is at fault; silent if none is."""
    with guarded("opening the file", columns=names):
        as_text = connection.read_csv(
            where, auto_detect=False, columns=dict.fromkeys(names, "VARCHAR"), **dialect
        )
        as_text.count().execute()
