"""A lazy table on one engine, and the few kinds of column that Privet tells apart.

A `Relation` is a description: nothing is read until a verb asks the engine for a result. Verbs never change
a relation, they return a new one.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from privet.errors import AnotherProcess

if TYPE_CHECKING:
    import ibis
    import pyarrow as pa

    from privet.engine._engine_speed import Speed

DUCKDB, SPARK, POSTGRES = "duckdb", "pyspark", "postgres"
ENGINES = (DUCKDB, SPARK, POSTGRES)


class ColumnKind(enum.Enum):
    """What a column holds, as far as expressions, keys and measures care."""

    INTEGER = "integer"
    REAL = "real"
    TEXT = "text"
    BOOLEAN = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"
    OTHER = "other"

    @property
    def is_number(self) -> bool:
        """Whether values can be added, compared with numbers and binned."""
        return self in (ColumnKind.INTEGER, ColumnKind.REAL)


@dataclass(frozen=True, eq=False)
class Relation:
    """A lazy table on one engine ("duckdb", "pyspark" or "postgres").

    `unread` marks files whose values are known to be well-formed only once they have been read; a relation
    made from several remembers such files in `sources`. `elsewhere` opens the same table over another connection
    of the engine, where that is possible: tables can only be joined over one. `files` are what an embedded engine
    must be let read for it, and `speed` is what that engine was started with. `remarks` say what was done to read it.
    """

    table: ibis.Table
    engine: str
    unread: bool = False
    sources: tuple[Relation, ...] = ()
    elsewhere: Callable[[Any], Any] | None = None
    files: tuple[Path, ...] = ()
    speed: Speed | None = None
    remarks: tuple[str, ...] = ()

    @property
    def columns(self) -> dict[str, ColumnKind]:
        """The columns in order, with their kinds; asks the engine for types only, never for rows."""
        return {name: kind_of(dtype) for name, dtype in self.table.schema().items()}

    def __reduce__(self) -> NoReturn:
        raise AnotherProcess(
            "a table cannot be handed to another process: its connection stays in this one.",
            "Open the table in the process that uses it.",
        )

    def with_table(self, table: ibis.Table) -> Relation:
        """The same engine with another table."""
        return Relation(table, self.engine, self.unread, self.sources, remarks=self.remarks)


def kinds_in(rows: pa.Table) -> dict[str, ColumnKind]:
    """The columns of a table in memory, with their kinds."""
    import ibis

    return {name: kind_of(dtype) for name, dtype in ibis.Schema.from_pyarrow(rows.schema).items()}


def kind_of(dtype: Any) -> ColumnKind:
    """The kind of an Ibis data type. Decimals count as real numbers, identifiers (UUID) as text."""
    tests = (
        (ColumnKind.BOOLEAN, dtype.is_boolean()),
        (ColumnKind.INTEGER, dtype.is_integer()),
        (ColumnKind.REAL, dtype.is_floating() or dtype.is_decimal()),
        (ColumnKind.TEXT, dtype.is_string() or dtype.is_uuid()),
        (ColumnKind.DATE, dtype.is_date()),
        (ColumnKind.TIMESTAMP, dtype.is_timestamp()),
    )
    return next((kind for kind, holds in tests if holds), ColumnKind.OTHER)
