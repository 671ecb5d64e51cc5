"""Records of artifacts in files: as JSON, or inside a Parquet file whose rows they describe."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.artifact._atomic_write import written_whole
from privet.artifact._audience import Publishable
from privet.errors import BadUsage, FileProblem, UnknownRecord
from privet.evidence import read_json, record_text, refuse_special

if TYPE_CHECKING:
    import pyarrow as pa

METADATA = b"privet"


def save_record(path: str | Path, what: str, record: dict[str, Any], rows: Callable[[], pa.Table]) -> Path:
    """Write `.json` (the record) or `.parquet` (the rows, with the record in its metadata), whole or not at all."""
    target = Path(path)
    if target.suffix == ".json":
        text = json.dumps(record, ensure_ascii=False, indent=1) + "\n"
        return written_whole(target, Publishable(text, "released under a promise"))
    if target.suffix == ".parquet":
        return written_whole(
            target,
            Publishable(lambda partial: write_rows(partial, rows(), record), "released under a promise"),
        )
    raise BadUsage(
        f"{what} cannot be saved as {target.suffix or 'a file without an ending'}.", "Use .json or .parquet."
    )


def write_rows(path: Path, table: pa.Table, record: dict[str, Any]) -> None:
    """Rows as Parquet, with their record in the file's metadata."""
    import pyarrow.parquet as pq

    metadata = {**(table.schema.metadata or {}), METADATA: json.dumps(record, ensure_ascii=False).encode()}
    pq.write_table(table.replace_schema_metadata(metadata), path)


def load_record(path: str | Path, what: str) -> dict[str, Any]:
    """The record in a file that `save_record` wrote; a file that cannot be read or holds none is refused."""
    source = Path(path)
    try:
        text = _inside(source) if source.suffix == ".parquet" else record_text(source)
        record = read_json(text, what=source.name)
    except OSError as problem:
        raise FileProblem(
            f"{source.name} cannot be read ({(problem.strerror or 'unreadable').lower()}).", "Check the name."
        ) from None
    except ValueError:
        raise UnknownRecord(f"{source.name} is not {what}.") from None
    if not isinstance(record, dict):
        raise UnknownRecord(f"{source.name} is not {what}.")
    return record


def _inside(source: Path) -> str:
    """What stands in the metadata; a file that is no Parquet raises Arrow's ValueError."""
    import pyarrow.parquet as pq

    refuse_special(source)
    with source.open("rb") as file:  # a name alone could be taken for an address or a folder
        return str((pq.read_schema(file).metadata or {}).get(METADATA, b"{}"), "utf-8")
