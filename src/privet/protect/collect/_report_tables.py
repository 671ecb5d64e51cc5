"""Reports as Arrow tables and as lines of JSON: one row or line for each report, with the specification's fingerprint.

| kind | in a table | in a line of JSON |
| --- | --- | --- |
| uint8, uint32 | a number of this type | a number |
| uint64 | a number of this type | its decimal digits, as a text |
| bits | bytes: bit i is bit i mod 8 of byte i div 8; bits beyond the last are 0 | base64 of the bytes |
| list | a list of uint32, strictly ascending | an array of numbers |
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import ForeignReports
from privet.mechanism import Columns, fresh_bytes
from privet.protect.collect._protocols import Shape

if TYPE_CHECKING:
    import pyarrow as pa

# The column of the fingerprint. Reports that were drawn from a stated seed carry it with this mark behind.
COLLECTION = "collection"
NOT_PRIVATE = "-not-private"


def arrow_type(kind: str) -> pa.DataType:
    """The type of a column in a table."""
    import pyarrow as pa

    return {"bits": pa.binary(), "list": pa.list_(pa.uint32())}.get(kind) or getattr(pa, kind)()


def table_of(shape: Shape, columns: Columns, count: int, stamp: str) -> pa.Table:
    """Drawn columns as a table; a column drawn for some of the rows only is empty for the others."""
    import pyarrow as pa

    stamps = pa.DictionaryArray.from_arrays(pa.array(np.zeros(count, np.int8)), pa.array([stamp]))
    found: dict[str, Any] = {COLLECTION: stamps}
    for name, (kind, bound) in shape.items():
        values = columns[name]
        partial = isinstance(values, tuple) and (kind != "list" or isinstance(values[1], tuple))
        rows, values = values if partial else (None, values)
        column = _column(kind, bound, values)
        found[name] = column if rows is None else _scattered(column, rows, count)
    return pa.table(found)


def _column(kind: str, bound: int, values: Any) -> pa.Array:
    import pyarrow as pa

    if kind == "bits":
        width = -(-bound // 8)
        return pa.FixedSizeBinaryArray.from_buffers(
            pa.binary(width), len(values), [None, pa.py_buffer(np.ascontiguousarray(values))]
        )
    if kind == "list":
        offsets, places = values
        return pa.LargeListArray.from_arrays(
            pa.array(offsets.astype(np.int64)), pa.array(places.astype(np.uint32))
        )
    return pa.array(values.astype(kind))


def _scattered(column: pa.Array, rows: Any, count: int) -> pa.Array:
    import pyarrow as pa

    places = np.zeros(count, np.int64)
    places[rows] = np.arange(len(rows))
    absent = np.ones(count, np.bool_)
    absent[rows] = False
    return column.take(pa.array(places, mask=absent))


def lines_of(table: pa.Table, shape: Shape) -> list[str]:
    """Reports as lines of JSON, as devices send them."""
    columns = {name: table[name].to_pylist() for name in (COLLECTION, *shape)}
    lines = []
    for row in zip(*columns.values(), strict=True):
        given = dict(zip(columns, row, strict=True))
        said = {
            name: value if name == COLLECTION else _written(value, shape[name][0])
            for name, value in given.items()
            if value is not None
        }
        lines.append(json.dumps(said, separators=(",", ":")))
    return lines


def named_lines(lines: Sequence[str | bytes]) -> bytes:
    """Lines of a batch: each report under a random name that no other has."""
    if not all(isinstance(line, (str, bytes)) for line in lines):
        raise ForeignReports(
            "a batch is made of a table of reports or of a list of devices' reports.",
            "Write batch(spec.randomize(values)) or batch([phone.report(value)]).",
        )
    said = [line.decode("utf-8", "replace") if isinstance(line, bytes) else line for line in lines]
    if any("\n" in line.strip() for line in said):
        raise ForeignReports("a report is one line.", "Put each report into the list by itself.")
    return "".join(f'{{"id":"{fresh_bytes(16).hex()}","report":{line.strip()}}}\n' for line in said).encode()


def _written(value: Any, kind: str) -> Any:
    if kind == "uint64":
        return str(value)
    return base64.b64encode(value).decode() if kind == "bits" else value


def has_columns(names: list[str], shape: Shape) -> None:
    """Refuse what has not the columns of the reports."""
    missing = [name for name in (COLLECTION, *shape) if name not in names]
    if missing:
        raise ForeignReports(
            f"reports of this collection have the column {missing[0]!r}, and these have not.",
            "Check that they were made with this specification.",
        )
