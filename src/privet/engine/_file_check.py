"""A rehearsal of opening a file: its sizes against the limits, and its first rows through the engine.

It runs in a process without rights where there is one (`_reader_process`), so that a file which brings a parser down,
keeps it busy for ever or eats all memory does that there. It decides nothing else: a file that is merely malformed
passes, and is refused in proper words when it is opened.

Checked are the size of the file; how much a gzipped file unpacks to (its first 64 MB are unpacked and their ratio taken;
deflate cannot make more than 1,032 bytes of one, which bounds the rest); of Parquet the footer's figures, how deep
types are nested and what values take that runs and dictionaries repeat; of JSON lines how deep the first megabyte is nested; of DuckDB files the number of tables.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from privet.artifact import opened_parquet, values_size
from privet.engine._locked_engine import AT_START, escaped, lock, quoted, real
from privet.engine._reader_limits import ReaderLimits
from privet.errors import PrivetError

_CELLS = 500_000  # of the rehearsal: so many values are read, at least one row
_CHUNK, _HEAD = 1 << 20, 1 << 20
_MOST_OF_DEFLATE = 1032  # RFC 1951: a match of 258 bytes takes two bits
# A string runs to its end or to that of the line, and is never tried again from a quote inside it.
_TOKENS = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[\[{\]}]', re.DOTALL)
_READERS = {
    "csv": "read_csv({}, all_varchar=true, header=true, strict_mode=true, compression={}, hive_partitioning=false)",
    "json": "read_json({}, format='newline_delimited', compression={}, hive_partitioning=false)",
    "parquet": "read_parquet({}, hive_partitioning=false)",
}


def fresh_engine() -> Any:
    """A DuckDB of one thread. It looks at the system when it starts, and at nothing later."""
    import duckdb

    settings: Any = {**AT_START, "threads": 1, "temp_directory": ""}
    return duckdb.connect(":memory:", config=settings)


def check(kind: str, path: Path, inner: str | None, limits: ReaderLimits, engine: Any = None) -> None:
    """Refuse a file that is beyond a limit, and try to open it; what is merely malformed passes."""
    limits.within("file_bytes", path.stat().st_size)
    with suppress(OSError, zlib.error):
        if path.suffix.lower() == ".gz":
            _unpacking(path, limits)
        if kind == "json":
            _nesting(path, limits)
    if kind == "parquet":
        _parquet(path, limits)
    if kind != "sqlite":
        _rehearsal(kind, path, inner, limits, engine or fresh_engine())


def _unpacking(path: Path, limits: ReaderLimits) -> None:
    size, most = path.stat().st_size, limits.ratio_from
    unpacked = packed = 0
    for taken, made in _inflated(path):
        packed, unpacked = taken, unpacked + made
        if unpacked > most:
            break
    if unpacked > most:
        limits.within("ratio", unpacked // max(packed, 1))
    limits.within("unpacked_bytes", unpacked + (size - packed) * min(_MOST_OF_DEFLATE, limits.ratio))


def _inflated(path: Path) -> Iterator[tuple[int, int]]:
    """How many bytes of the file have been taken in, and how many came out for the last of them."""
    with path.open("rb") as file:
        unpacker, rest = zlib.decompressobj(31), b""
        while rest := rest or file.read(_CHUNK // 16):
            made = unpacker.decompress(rest, _CHUNK)
            rest = unpacker.unconsumed_tail or unpacker.unused_data
            yield file.tell() - len(rest), len(made)
            if unpacker.eof:
                unpacker = zlib.decompressobj(31)


def _nesting(path: Path, limits: ReaderLimits) -> None:
    unpacker = zlib.decompressobj(31) if path.suffix.lower() == ".gz" else None
    with path.open("rb") as file:
        start = file.read(_HEAD)
    start = unpacker.decompress(start, _HEAD) if unpacker else start
    limits.within("depth", max((_depth(line) for line in start.split(b"\n")), default=0))


def _depth(line: bytes) -> int:
    deepest = now = 0
    for token in _TOKENS.finditer(line):
        first = line[token.start()]
        if first in b"[{":
            now += 1
            deepest = max(deepest, now)
        elif first in b"]}":
            now -= 1
    return deepest


def _parquet(path: Path, limits: ReaderLimits) -> None:
    try:
        with path.open("rb") as file:
            found = opened_parquet(file)
            facts, schema = found.metadata, found.schema
            deepest = max((schema.column(place).path.count(".") for place in range(len(schema))), default=0)
            _footer(facts, deepest, limits)
            pages = sum(
                max(facts.row_group(group).total_byte_size, 0) for group in range(facts.num_row_groups)
            )
            _tightly_packed(path, pages, limits)
            _tightly_packed(path, values_size(found), limits)
    except PrivetError:
        raise
    except Exception:  # noqa: BLE001  said in proper words when it is opened
        return


def _footer(facts: Any, deepest: int, limits: ReaderLimits) -> None:
    limits.within("columns", facts.num_columns)
    limits.within("rows", facts.num_rows)
    limits.within("depth", deepest)


def _tightly_packed(path: Path, unpacked: int, limits: ReaderLimits) -> None:
    limits.within("unpacked_bytes", unpacked)
    if unpacked > limits.ratio_from:
        limits.within("ratio", unpacked // max(path.stat().st_size, 1))


def _rehearsal(kind: str, path: Path, inner: str | None, limits: ReaderLimits, connection: Any) -> None:
    try:
        memory = limits.memory_bytes >> 21  # half: the rest is for what the engine does not count
        connection.execute(f"SET memory_limit = '{memory}MiB'")
        lock(connection, (path,))
        relation = _attached(connection, path, inner, limits) if kind == "duckdb" else _read(kind, path)
        if relation is None:
            return
        types = connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()  # noqa: S608  names are quoted
        limits.within("columns", len(types))
        limits.within("depth", max(_levels(str(one[1])) for one in types))
        rows = max(_CELLS // len(types), 1)
        reader = connection.execute(f"SELECT * FROM {relation} LIMIT {rows}").to_arrow_reader(10_000)  # noqa: S608
        for _ in reader:
            pass
    except PrivetError:
        raise
    except Exception:  # noqa: BLE001  said in proper words when it is opened
        return
    finally:
        connection.close()


def _levels(kind: str) -> int:
    """How deep a type of the engine's is nested: STRUCT(a INTEGER[]) is two deep."""
    deepest = now = 0
    for letter in re.sub(r'"[^"]*"', "", kind):
        now += (letter == "(") - (letter == ")")
        deepest = max(deepest, now)
    return deepest + kind.count("[]")


def _read(kind: str, path: Path) -> str:
    packed = "'gzip'" if path.suffix.lower() == ".gz" else "'uncompressed'"
    return _READERS[kind].format(quoted(escaped(path)), packed)


def _attached(connection: Any, path: Path, inner: str | None, limits: ReaderLimits) -> str | None:
    """The table to rehearse: the one that was named, or the only one; none if it is not one with stored rows."""
    connection.execute(f"ATTACH {quoted(real(path))} AS foreign_file (READ_ONLY, TYPE duckdb)")
    found = connection.execute(
        "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'foreign_file' "
        "AND sql NOT LIKE '%GENERATED ALWAYS AS%'"
    ).fetchall()
    limits.within("tables", len(found))
    wanted = [
        (schema, table)
        for schema, table in found
        if inner is None
        or inner.removeprefix("main.") in (table if schema == "main" else f"{schema}.{table}",)
    ]
    if len(wanted) != 1:
        return None
    return ".".join('"' + part.replace('"', '""') + '"' for part in ("foreign_file", *wanted[0]))
