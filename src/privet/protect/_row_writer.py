"""Published rows on their way into a file: batch by batch, whole or not at all, and looked at before they count."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.artifact import (
    CsvRows,
    OwnerOnly,
    Publishable,
    refuse_unwritable,
    temporary_folder,
    written_whole,
)
from privet.errors import BadAnonymization, BadUsage, FileProblem

if TYPE_CHECKING:
    import pyarrow as pa

PARQUET, CSV = ".parquet", ".csv"


def checked_target(out: str | Path | None, source: Path | None = None) -> Path | None:
    """The file to write, refused before any work if it cannot become a table, or would replace its own `source`."""
    if out is None:
        return None
    target = Path(out)
    if target.suffix not in (PARQUET, CSV):
        raise BadUsage(f"a table cannot be written as {target.name}.", "End the name in .parquet or .csv.")
    if not target.resolve().parent.is_dir():
        raise FileProblem(f"the folder of {target.name} does not exist.", "Create it first.")
    if target.is_dir():
        raise FileProblem(f"{target.name} is a folder.", "Name a file.")
    if source is not None and target.exists() and source.exists() and target.samefile(source):
        raise BadAnonymization("the result would replace the table it is made from.", "Name another file.")
    refuse_unwritable(target)
    return target


def publish(
    target: Path | None,
    schema: pa.Schema,
    batches: Iterable[pa.RecordBatch],
    *,
    metadata: dict[bytes, bytes],
    check: Callable[[Path, str], None],
    promised: bool = True,
) -> pa.Table | None:
    """Write the rows, let `check` read the file, and only then give it its name.

    `check` gets the unfinished file and its format; what it raises leaves no file behind. Without a target the
    rows go through a temporary file all the same, and are returned. Rows that are not `promised` anything, such as
    those with pseudonyms, are readable by their owner alone.
    """

    def fill(partial: Path, ending: str) -> None:
        with _writer(partial, ending, schema.with_metadata(metadata)) as writer:
            for batch in batches:
                writer.write_batch(batch)
        check(partial, ending)

    if target is not None:
        ending = target.suffix
        written_whole(
            target,
            Publishable(lambda partial: fill(partial, ending), "released under a promise")
            if promised
            else OwnerOnly(lambda partial: fill(partial, ending)),
        )
        return None
    import pyarrow.parquet as pq

    with temporary_folder() as room:
        partial = room / "table.parquet"
        fill(partial, PARQUET)
        return pq.read_table(partial, memory_map=False).replace_schema_metadata(None)


def _writer(path: Path, ending: str, schema: pa.Schema) -> AbstractContextManager[Any]:
    if ending == PARQUET:
        import pyarrow.parquet as pq

        parquet: AbstractContextManager[Any] = pq.ParquetWriter(path, schema, compression="zstd")
        return parquet
    return CsvRows(path, schema)
