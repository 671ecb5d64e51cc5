"""The guard around everything an engine runs: its exceptions quote cell contents, ours never do.

A lazy file is parsed when it is used, so a broken row on line 1,000,000 shows up in the middle of a
computation, and engines, drivers and file readers put that row's text into their message. `guarded` turns
whatever they raise into an error of ours that keeps the kind of trouble and, where it can be told from data,
the line and the column; the original is neither chained nor quoted.

    with guarded("counting", columns=relation.columns):
        table.to_pyarrow()
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

from privet.errors import EngineFailed, MalformedSource, PrivetError, SourceMissing, SourceUnreachable

# Engines put the line first, before any text of the file; anywhere else, digits could come from a cell.
_LINE = re.compile(
    r'\A[A-Za-z ]*Error: (?:CSV Error on Line: |JSON transform error in file "[^"\n]*", in line )(\d+)[:\n]'
)
_COLUMN = re.compile(r'Error when converting column "([^"]*)"\.')
# Drivers speak of the connection in these words only; matched to choose the error, never repeated.
_SHUT_OUT = ("authentication failed", "password", "permission denied", "no pg_hba.conf", "role ")


@contextmanager
def guarded(
    doing: str = "the computation",
    *,
    columns: Collection[str] = (),
    instead: Callable[[Exception], PrivetError] | None = None,
) -> Iterator[None]:
    """Run engine code; its exceptions leave as `E-ENGINE` or `E-SOURCE` errors without any value in them.

    `columns` are the known names of columns: one of them is named in the error if the engine blames it. Where
    the caller knows better what went wrong, `instead` chooses the error; it may look at the exception and must
    not repeat it. Errors of our own pass unchanged.
    """
    try:
        yield
    except PrivetError:
        raise
    except Exception as error:  # noqa: BLE001  every engine raises its own kinds
        if _interrupted(error):
            raise KeyboardInterrupt from None
        clean = instead(error) if instead else translated(error, doing, columns)
        try:
            raise clean from None
        finally:
            # `from None` hides the original from printing, yet keeps it: drop it, for it quotes data.
            clean.__context__ = None


def translated(
    error: BaseException, doing: str = "the computation", columns: Collection[str] = ()
) -> PrivetError:
    """The error of ours that says as much about an engine's exception as can be said without values."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    text = str(error)
    line, column = _line(text), _column(text, columns)
    if kinds & {"MemoryError", "OutOfMemoryException", "ArrowMemoryError", "OutOfMemory"}:
        return EngineFailed(
            f"{doing} ran out of memory.",
            "Give the engine more memory, or a temp_directory to spill to.",
            doing=doing,
        )
    if line is not None or any(
        said in text for said in ("CSV Error", "when sniffing file", "Malformed JSON")
    ):
        return malformed_rows(line, column, _trouble(text))
    if kinds & {"FileNotFoundError"} or "No files found that match" in text:
        return SourceMissing("the file behind the table is gone.", "Put it back, or open the table again.")
    if "PermissionException" in kinds and "disabled by configuration" in text:  # see `embedded`
        return SourceMissing(
            "the file behind the table is gone, or leads to another file now.",
            "Put it back, or open the table again.",
        )
    if _unreachable(error, kinds):
        return unreachable(text)
    if kinds & {"ArrowInvalid", "UnicodeDecodeError", "ConversionException", "InvalidInputException"}:
        return MalformedSource(
            f"{doing} met {_where(line, column)}that does not fit its declared type or format.",
            "Check the source, or state the column's type.",
            **_details(line, column),
        )
    return EngineFailed(
        f"{doing} failed in the engine ({type(error).__name__}).",
        "Its own message may quote data and is not repeated. Check that the source is whole, has not changed and, "
        "if it is a text file, is UTF-8 throughout.",
        doing=doing,
        kind=type(error).__name__,
    )


def _interrupted(error: Exception) -> bool:
    """Whether somebody stopped the work: DuckDB says so by a plain error. Errors that rows raise are of its own kinds."""
    return type(error) is RuntimeError and str(error) == "Query interrupted"


def malformed_rows(line: int | None, column: str | None, trouble: str) -> MalformedSource:
    """A text file has a row that breaks its form; the row is named by its line, its content is not shown."""
    where = f"line {line}" if line is not None else "a row"
    inside = f", column {column!r}" if column is not None else ""
    return MalformedSource(
        f"{where}{inside} of the file {trouble}.",
        "Correct the row: Privet never drops rows it cannot read. "
        "If a column's type was guessed wrongly, state it: types={…}; a delimiter: delimiter=…",
        **_details(line, column),
    )


def unreachable(text: str) -> SourceUnreachable:
    """A database did not answer, or did not let us in; its words choose ours and are not repeated."""
    lowered = text.lower()
    if any(word in lowered for word in _SHUT_OUT):
        return SourceUnreachable(
            "the database refused the login.",
            "Check user, password and rights; the address is not repeated here.",
        )
    return SourceUnreachable(
        "the database cannot be reached.",
        "Check host, port and database name, and that the server is running.",
    )


def _unreachable(error: BaseException, kinds: set[str]) -> bool:
    driver = type(error).__module__.split(".")[0] in {"psycopg", "psycopg2"}
    return bool(driver and kinds & {"OperationalError", "InterfaceError"}) or "ConnectionError" in kinds


def _line(text: str) -> int | None:
    found = _LINE.match(text)
    return int(found.group(1)) if found else None


def _column(text: str, columns: Collection[str]) -> str | None:
    """The column the engine blames, only if it is one we know: the text after it is data."""
    found = _COLUMN.search(text)
    return found.group(1) if found and found.group(1) in columns else None


def _trouble(text: str) -> str:
    """What is wrong with the row, in our words."""
    known = {
        "Error when converting column": "holds a value of another type than its column",
        "Expected Number of Columns": "has another number of fields than the header",
        "not utf-8 encoded": "is not UTF-8 text",
        "unterminated quote": "opens a quote and does not close it within the 2 MB that a line may have",
        "Maximum line size": "is longer than a line may be",
    }
    return next(
        (ours for theirs, ours in known.items() if theirs in text), "does not fit the form of the file"
    )


def _where(line: int | None, column: str | None) -> str:
    if column is not None:
        return f"a value in column {column!r} "
    return f"a value on line {line} " if line is not None else "a value "


def _details(line: int | None, column: str | None) -> dict[str, int | str]:
    details: dict[str, int | str] = {}
    if line is not None:
        details["line"] = line
    if column is not None:
        details["column"] = column
    return details
