"""Lines of JSON that devices sent: read in blocks, and a line that is no report costs that line alone.

A block is parsed whole. Where the parser refuses it, it is halved until the lines at fault stand alone; so that one bad
line among millions costs a few parses more and not a walk through all of them. Lines beyond a length are not parsed.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from privet.errors import FileProblem
from privet.evidence import given_file

if TYPE_CHECKING:
    import pyarrow as pa

_BLOCK = 1 << 25
LONGEST_LINE = 1 << 22


def report_lines(path: Path, schema: pa.Schema) -> Iterator[tuple[pa.Table, int]]:
    """Tables of the lines that can be read in these columns, each with the number of lines that cannot."""
    try:
        with given_file(path) as raw:
            file: Any = gzip.GzipFile(fileobj=raw) if path.suffix == ".gz" else raw
            yield from lines_in(file, schema)
    except (OSError, EOFError) as problem:
        reason = (getattr(problem, "strerror", None) or "not whole").lower()
        raise FileProblem(f"{path.name} cannot be read ({reason}).", "Check the file.") from None


def lines_in(file: BinaryIO, schema: pa.Schema) -> Iterator[tuple[pa.Table, int]]:
    """The same for lines that lie in memory or in an open file."""
    for lines, too_long in _blocks(file):
        tables, wrong = _parsed(lines, schema)
        yield tables, wrong + too_long


def _blocks(file: BinaryIO) -> Iterator[tuple[list[bytes], int]]:
    """Lines in blocks; of a line beyond the limit no more than the limit is held."""
    rest, skipping = b"", False
    while block := file.read(_BLOCK):
        lines = (rest + block).split(b"\n")
        rest = lines.pop()
        too_long = 0
        if skipping and lines:
            lines, skipping, too_long = lines[1:], False, 1
        if skipping or len(rest) > LONGEST_LINE:
            rest, skipping = b"", True
        kept = [line for line in lines if 0 < len(line) <= LONGEST_LINE and not line.isspace()]
        too_long += sum(len(line) > LONGEST_LINE for line in lines)
        yield kept, too_long
    if skipping:
        yield [], 1
    elif rest and not rest.isspace():
        yield [rest], 0


def _parsed(lines: list[bytes], schema: pa.Schema) -> tuple[pa.Table, int]:
    import pyarrow as pa

    todo, tables, wrong = [lines], [schema.empty_table()], 0
    while todo:
        part = todo.pop()
        if not part:
            continue
        table = _table(part, schema)
        if table is not None:
            tables.append(table)
        elif len(part) == 1:
            wrong += 1
        else:
            todo += [part[len(part) // 2 :], part[: len(part) // 2]]
    return pa.concat_tables(tables), wrong


def _table(lines: list[bytes], schema: pa.Schema) -> pa.Table | None:
    """The lines as a table, or None where one of them is no object in these columns."""
    import pyarrow as pa
    from pyarrow import json

    content = b"\n".join(lines)
    read = json.ReadOptions(use_threads=False, block_size=len(content) + 1)
    parse = json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
    try:
        found = json.read_json(io.BytesIO(content), read_options=read, parse_options=parse)
    except (pa.ArrowException, ValueError):
        return None
    # An object may hold a line break only in our splitting, so as many rows as lines must come out.
    if found.num_rows != len(lines):
        return None
    return found.select(schema.names).cast(schema)
