"""Example tables as files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from privet.errors import BadExample

if TYPE_CHECKING:
    import pyarrow as pa


def write(path: str | Path, table: pa.Table) -> Path:
    """Write a table as CSV or Parquet, as the file's ending says. The same table gives the same bytes."""
    target = Path(path)
    if target.suffix.lower() == ".csv":
        from pyarrow import csv

        csv.write_csv(table, target)
    elif target.suffix.lower() == ".parquet":
        from pyarrow import parquet

        parquet.write_table(table, target)
    else:
        raise BadExample("an example is written as CSV or Parquet.", "End the file name in .csv or .parquet.")
    return target
