"""Frames in memory as Arrow tables in which every value is one that the embedded engine can read.

Arrow does not look at what it is handed: a text may hold bytes that are no UTF-8, and a moment may lie beyond all that
64 bits of microseconds can say. The engine looks when a question gets there, and fails on that row alone. So values are
looked at here, once, before anybody asks anything.
"""

from __future__ import annotations

from typing import Any

from privet.engine._error_guard import guarded
from privet.engine._identifiers import checked_names
from privet.errors import MalformedSource, UnknownFormat

_MOST = {"s": 2**63 // 10**6, "ms": 2**63 // 10**3}  # what still fits 64 bits in microseconds


def arrow_of(frame: Any) -> Any:
    """A pandas or Polars frame or an Arrow table (or batch, or reader) as a sound Arrow table.

    Text that is no UTF-8 is refused, as it is in files. Moments that are out of reach are far outside the years 1 to
    9999, and missing like all of these.
    """
    table = _arrow(frame)
    broken = [
        name for name, column in zip(table.column_names, table.columns, strict=True) if not _whole(column)
    ]
    if broken:
        raise MalformedSource(
            f"values that are not of their column's type are in {', '.join(repr(name) for name in broken)}.",
            "Text must be UTF-8 throughout: decode it with the encoding that it has.",
            columns=broken,
        )
    for place, field in enumerate(table.schema):
        if getattr(field.type, "unit", None) in _MOST and _is_moment(field.type):
            table = table.set_column(place, field, _in_reach(table.column(place)))
    return table


def _whole(column: Any) -> bool:
    """Whether the layout of a column is right, and text is UTF-8; other types have no values that do not fit."""
    import pyarrow as pa

    kinds = pa.types
    text = (kinds.is_string, kinds.is_large_string, kinds.is_string_view, kinds.is_dictionary)
    try:
        column.validate(full=any(holds(column.type) for holds in text))
    except pa.ArrowInvalid:
        return False
    return True


def _is_moment(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_timestamp(kind))


def _in_reach(column: Any) -> Any:
    """Moments as they are, those beyond the engine's reach missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    most, number = _MOST[column.type.unit], column.cast(pa.int64())
    inside = pc.and_(pc.greater(number, -most), pc.less(number, most))
    if pc.all(inside, min_count=0).as_py():
        return column
    return pc.if_else(inside, column, pa.scalar(None, column.type))


def _arrow(frame: Any) -> Any:
    import pyarrow as pa

    if isinstance(frame, pa.Table):
        return frame
    if isinstance(frame, pa.RecordBatch):
        return pa.Table.from_batches([frame])
    if isinstance(frame, pa.RecordBatchReader):
        with guarded("reading the batches"):
            return frame.read_all()
    library = type(frame).__module__.split(".")[0]
    if library == "polars" and type(frame).__name__ in ("DataFrame", "LazyFrame"):
        with guarded("reading the frame"):
            return (frame.collect() if type(frame).__name__ == "LazyFrame" else frame).to_arrow()
    if library == "pandas" and type(frame).__name__ == "DataFrame":
        return _from_pandas(frame)
    raise UnknownFormat(
        f"a {type(frame).__name__} is not a table that can be opened.",
        "Give a path, an address, a pandas, Polars or Spark frame, an Arrow table or an Ibis table.",
    )


def _from_pandas(frame: Any) -> Any:
    """A pandas frame column by column, so that a mixed column is named; missing marks become missing."""
    import pyarrow as pa

    names = list(frame.columns)
    checked_names(names)
    columns, mixed = [], []
    for name in names:
        try:
            columns.append(pa.array(frame[name], from_pandas=True))
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            mixed.append(name)
    if mixed:
        raise MalformedSource(
            f"values of different types are mixed in {', '.join(repr(name) for name in mixed)}.",
            "Give each column one type: frame.astype(…).",
            columns=mixed,
        )
    return pa.table(columns, names=names)
