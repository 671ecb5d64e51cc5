"""Signatures on artifacts in files: put there once a file stands, and checked whenever one is read.

The signature stands in the artifact's own record: in the JSON file, in the metadata of a Parquet file, in a model's
`model.json`. Rows are bound to it by a digest of their values, weights by that of their file. A CSV file has no place for
a record: what it belongs to is said by the journal of the run that made it.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.artifact._atomic_write import rewritten
from privet.artifact._parquet_size import read_rows
from privet.artifact._record_files import load_record, write_rows
from privet.errors import EvidenceBroken, PrivetError
from privet.evidence import KeyHistory, Signing, Standing, read_json, record_bytes, standing_of

if TYPE_CHECKING:
    import pyarrow as pa

ROWS, ANSWERS = "rows_sha256", "answers"
MODEL_RECORD = "model.json"
_AT_ONCE = 65_536  # values of a column that are hashed together


def sign_file(path: Path, signing: Signing | None) -> bool:
    """Sign the artifact at a place, where there is a signer and the artifact has a place for it; says whether it did."""
    if signing is None:
        return False
    if path.is_dir():
        return (path / MODEL_RECORD).is_file() and _sign_model(path / MODEL_RECORD, signing)
    if path.suffix == ".json":
        return _sign_json(path, signing)
    return path.suffix == ".parquet" and _sign_rows(path, signing)


def _sign_json(path: Path, signing: Signing) -> bool:
    record = read_json(record_bytes(path), what=path.name)
    if isinstance(record, dict) and ANSWERS in record and "artifact" not in record:
        answers = [signing.signed(one) for one in record[ANSWERS]]
        record = {"schema": 1, "artifact": "released-answers", ANSWERS: answers}
    if not isinstance(record, dict) or "artifact" not in record:
        return False
    _write(path, signing.signed(record), indent=1)
    return True


def _sign_rows(path: Path, signing: Signing) -> bool:
    try:
        record = load_record(path, "an artifact")
    except PrivetError:
        return False
    if "artifact" not in record:
        return False
    table = read_rows(path)
    bound = {**record, ROWS: rows_digest(table)}
    rewritten(path, lambda part: write_rows(part, table, signing.signed(bound)))
    return True


def _sign_model(path: Path, signing: Signing) -> bool:
    record = read_json(record_bytes(path), what=path.name)
    record.pop("digest", None)
    signed = signing.signed(record)
    signed["digest"] = record_digest(signed)
    _write(path, signed, indent=2)
    return True


def _write(path: Path, record: dict[str, Any], *, indent: int) -> None:
    text = json.dumps(record, ensure_ascii=False, indent=indent) + "\n"
    rewritten(path, text)


def record_digest(record: dict[str, Any]) -> str:
    """Of everything in a model's record but the digest itself: finds accidents, not forgers."""
    kept = {name: value for name, value in record.items() if name != "digest"}
    return hashlib.sha256(json.dumps(kept, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def file_standing(path: Path, record: dict[str, Any], keys: KeyHistory | None = None) -> Standing:
    """The standing of an artifact that was read from a file; its rows must be those that were signed."""
    found = standing_of(record, keys)
    bound = path.suffix == ".parquet" and "signature" in record
    if bound and record.get(ROWS) != rows_digest(read_rows(path)):
        raise EvidenceBroken(
            f"the rows in {path.name} are not those that were signed.",
            "Use the file as it was signed; `privet verify` says what fails.",
        )
    return found


def rows_digest(table: pa.Table) -> str:
    """SHA-256 of names, types and values of rows in their order, however a file keeps them."""
    found = hashlib.sha256()
    for name, column in zip(table.column_names, table.columns, strict=True):
        kind = column.type
        values = column.cast(kind.value_type) if str(kind).startswith("dictionary") else column
        found.update(json.dumps([name, str(values.type), len(values)]).encode())
        for start in range(0, len(values), _AT_ONCE):  # the same parts, whatever parts a file has
            found.update(json.dumps(values.slice(start, _AT_ONCE).to_pylist(), default=repr).encode())
    return found.hexdigest()
