"""Whether a file or folder is something that Privet makes: only such things are ever replaced or removed by a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from privet.artifact._record_files import load_record
from privet.artifact._released_model import is_model
from privet.errors import PrivetError

# What the records of things that verbs make call themselves.
_ARTIFACTS = frozenset(
    [
        "attack-report",
        "released-answer",
        "released-hierarchy",
        "released-mobility",
        "released-table",
        "rewritten-records",
        "tradeoff",
    ]
)
_AUDIT = "privet-audit/"  # how the schema of an audit begins


def is_own_work(path: Path) -> bool:
    """Whether what stands there is an answer, a table, a model, an audit or a report of ours, and nothing else."""
    if path.is_symlink():
        return False
    if path.is_dir():
        return is_model(path)
    if not path.is_file() or path.suffix not in (".json", ".parquet"):
        return False
    try:
        record = load_record(path, "a record of ours")
    except (PrivetError, RecursionError):
        return False
    answers = record.get("answers")
    if set(record) == {"answers"} and isinstance(answers, list) and answers:
        return all(_is_record(answer) for answer in answers)
    return _is_record(record)


def _is_record(record: Any) -> bool:
    if not isinstance(record, dict) or "schema" not in record:
        return False
    return record.get("artifact") in _ARTIFACTS or str(record["schema"]).startswith(_AUDIT)
