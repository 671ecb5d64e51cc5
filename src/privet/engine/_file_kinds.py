"""Which file is meant by a path, which table in it, and which reader it needs."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from privet.artifact import is_there
from privet.engine._error_guard import guarded
from privet.engine._identifiers import did_you_mean
from privet.engine._locked_engine import real
from privet.errors import (
    MalformedSource,
    SourceMissing,
    UnknownFormat,
)

_KNOWN = ".csv, .tsv, .jsonl, .parquet, .duckdb, .sqlite"


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


def kind_of_file(path: Path) -> str:
    """Which reader a file needs: by its ending, and for `.db` by its first bytes."""
    if not is_there(path):
        raise SourceMissing(f"there is no file {path}.", _near(path))
    if path.is_dir():
        raise SourceMissing(f"{path} is a directory, not a file.", "Name one file inside it.")
    if not path.is_file():  # reading one may never end, and nothing can be read a second time
        raise SourceMissing(f"{path} is a pipe or a device, not a file.", "Write the rows to a file first.")
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
        if "?" in real(path):  # DuckDB would look for the file's log under another name than ours
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
