"""Where reports come from: tables in memory, files, databases and Spark. They are counted where they lie.

Reports that are whole numbers alone are a group-by on their engine. Others (sets, bits, seeds of their own) are streamed
through the tallies in columns. Neither passes through Python one by one.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.engine import (
    REPORTS,
    STORED,
    Opened,
    Relation,
    groupable,
    lines_in,
    open_anything,
    report_batches,
    report_groups,
    report_lines,
)
from privet.errors import BadUsage, ForeignReports, NoSuchTable
from privet.protect.collect._collected import Collected, collected, tallied
from privet.protect.collect._collection import Collection
from privet.protect.collect._counted_nouns import numbered
from privet.protect.collect._protocols import Sampled
from privet.protect.collect._report_tables import COLLECTION, NOT_PRIVATE, has_columns
from privet.source import Table

if TYPE_CHECKING:
    import pyarrow as pa

LINES = (".jsonl", ".ndjson")
Say = Callable[[str], None] | None


def collected_from(reports: Any, collection: Collection, progress: Say = None) -> Collected:
    """The tallies of reports wherever they are: a table, a path, an address, a frame, or a list of these."""
    import pyarrow as pa

    things = reports if isinstance(reports, list | tuple) else [reports]
    if not things:
        raise ForeignReports("no reports were named.", "Give a table or a file of reports.")
    total = Collected()
    for thing in things:
        if isinstance(thing, pa.Table):
            parts: Iterator[Collected] = iter([collected(thing, collection)])
        elif isinstance(thing, Table):
            parts = _of_relation(thing.relation, collection)
        elif _is_lines(thing):
            parts = _of_lines(Path(thing), collection)
        else:
            parts = _of_relation(_opened(thing).relation, collection)
        for part in parts:
            total = total + part
            if progress is not None:
                progress(f"{numbered(total.reports + total.left_out, 'report')} counted")
    return total


def tables_in(reports: Any) -> list[Table]:
    """The tables among reports, which may have terms."""
    things = reports if isinstance(reports, list | tuple) else [reports]
    return [one for one in things if isinstance(one, Table)]


def refuse_repeated(*sets: Any) -> None:
    """Refuse a table, file or address that is named twice: its reports would count double, as if twice as many people had given them."""
    things = [one for some in sets for one in (some if isinstance(some, list | tuple) else [some])]
    if len({_known_by(one) for one in things}) < len(things):
        raise BadUsage(
            "the same reports are named twice, and each counts once.", "Name each file or table once."
        )


def _known_by(thing: Any) -> object:
    """A file by itself, whatever it is called; anything else by its name or as the object that it is."""
    if not isinstance(thing, str | Path):
        return id(thing)
    name, _, inner = str(thing).partition("#")
    try:
        found = Path(name).stat()
    except (OSError, ValueError):  # an address, or nothing: said in proper words when it is opened
        return str(thing)
    return found.st_dev, found.st_ino, inner


def _opened(thing: Any) -> Opened:
    """What is named; of a collector's store the table need not be."""
    unnamed = isinstance(thing, str | Path) and "#" not in str(thing)
    if unnamed and str(thing).startswith(("postgresql://", "postgres://")):
        return open_anything(f"{thing}#{STORED[0]}")
    try:
        return open_anything(thing)
    except NoSuchTable as several:
        if not unnamed:
            raise
        try:
            return open_anything(f"{thing}#{STORED[0]}")
        except NoSuchTable:
            raise several from None


def refuse_other_columns(table: Table, collection: Collection) -> None:
    """Refuse a table that has not the columns of the reports, and is no collector's store; no row is read."""
    if not _is_store(table.relation):
        has_columns(list(table.columns), collection.protocol.columns())


def _is_lines(thing: Any) -> bool:
    if not isinstance(thing, str | Path):
        return False
    return Path(str(thing).removesuffix(".gz")).suffix.lower() in LINES


def _of_lines(path: Path, collection: Collection) -> Iterator[Collected]:
    for table, wrong in report_lines(path, line_schema(collection)):
        yield collected(table, collection) + Collected(left_out=wrong)


def line_schema(collection: Collection) -> pa.Schema:
    """The types of columns in lines of JSON."""
    import pyarrow as pa

    kinds = {"uint8": pa.int64(), "uint32": pa.int64(), "uint64": pa.string(), "bits": pa.string()}
    shape = collection.protocol.columns()
    return pa.schema(
        [(COLLECTION, pa.string())]
        + [(name, kinds.get(kind, pa.list_(pa.int64()))) for name, (kind, _) in shape.items()]
    )


def _of_relation(relation: Relation, collection: Collection) -> Iterator[Collected]:
    if _is_store(relation):
        yield from _of_store(relation, collection)
        return
    shape = collection.protocol.columns()
    has_columns(list(relation.columns), shape)
    numbers = all(kind in ("uint8", "uint32") for kind, _ in shape.values())
    if (
        numbers
        and not isinstance(collection.protocol, Sampled)
        and groupable(relation, COLLECTION, list(shape))
    ):
        yield _of_groups(relation, collection)
        return
    for table in report_batches(relation, [COLLECTION, *shape]):
        yield collected(table, collection)


def _is_store(relation: Relation) -> bool:
    return set(relation.columns) == {"id", STORED[1]}


def _of_store(relation: Relation, collection: Collection) -> Iterator[Collected]:
    """The lines that a collector stored, joined by Arrow and read like a file of them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for table in report_batches(relation, [STORED[1]]):
        column = pc.fill_null(table[STORED[1]].cast(pa.large_string()), "")
        joined = pc.binary_join_element_wise(
            column, *(pa.scalar(one, pa.large_string()) for one in ("", "\n"))
        )
        content = b"".join(bytes(one.buffers()[2] or b"") for one in joined.chunks)
        for found, wrong in lines_in(io.BytesIO(content), line_schema(collection)):
            yield collected(found, collection) + Collected(left_out=wrong)


def _of_groups(relation: Relation, collection: Collection) -> Collected:
    bounds = {name: bound for name, (_, bound) in collection.protocol.columns().items()}
    own, seeded = collection.fingerprint, collection.fingerprint + NOT_PRIVATE
    found = report_groups(relation, COLLECTION, [own, seeded], bounds)
    columns: dict[str, Any] = {
        name: np.asarray(found.groups[name].to_numpy(), np.int64) for name in (*bounds, REPORTS)
    }
    weights = columns.pop(REPORTS)
    marked = np.asarray(found.groups[COLLECTION].to_pylist()) == seeded if len(weights) else np.zeros(0, bool)
    many = int(weights.sum())
    if not many:
        return Collected(left_out=found.rows)
    cells, counts = tallied(collection.protocol, columns, many, weights)
    return Collected(cells, counts, many, found.rows - many, int(weights[marked].sum()))
