"""Rows in CSV files: the one place that writes them, so that no cell of any is a formula."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from privet._outgoing_text import csv_rows, csv_schema

if TYPE_CHECKING:
    import pyarrow as pa


class CsvRows:
    """A CSV file that is filled batch by batch."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        import pyarrow.csv as text

        options = text.WriteOptions(quoting_style="needed")
        self._writer: Any = text.CSVWriter(path, csv_schema(schema), write_options=options)

    def write_batch(self, batch: pa.RecordBatch) -> None:
        """Add rows."""
        self._writer.write_batch(csv_rows(batch))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._writer.close()


def write_csv(table: pa.Table, path: Path) -> None:
    """Write a table that is in memory."""
    with CsvRows(path, table.schema) as file:
        for batch in table.to_batches():
            file.write_batch(batch)
