"""Records in files: what is written is read back, and what is no record is refused by name."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet.artifact._record_files import load_record, save_record
from privet.errors import BadUsage, FileProblem, UnknownRecord

RECORD = {"kind": "test", "größe": 3}


@pytest.mark.parametrize("ending", ["json", "parquet"])
def test_a_record_comes_back(tmp_path: Path, ending: str) -> None:
    where = save_record(tmp_path / f"a.{ending}", "a test", RECORD, lambda: pa.table({"x": [1, 2]}))
    assert load_record(where, "a test") == RECORD


def test_rows_stand_beside_their_record(tmp_path: Path) -> None:
    where = save_record(tmp_path / "a.parquet", "a test", RECORD, lambda: pa.table({"x": [1, 2]}))
    assert pq.read_table(where).to_pydict() == {"x": [1, 2]}


def test_other_endings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadUsage, match=r"A test cannot be saved as \.csv"):
        save_record(tmp_path / "a.csv", "A test", RECORD, lambda: pa.table({}))
    assert not list(tmp_path.iterdir())


def test_a_missing_file_is_a_file_problem(tmp_path: Path) -> None:
    for name in ("none.json", "none.parquet"):
        with pytest.raises(FileProblem, match="cannot be read"):
            load_record(tmp_path / name, "a test")


@pytest.mark.parametrize("name", ["a.json", "a.parquet"])
@pytest.mark.parametrize("content", [b"secret,value\n1,2\n", b"\xff\xfe\x00", b"[1, 2]"])
def test_what_is_no_record_is_refused_without_its_content(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UnknownRecord) as refused:
        load_record(tmp_path / name, "a test")
    assert "secret" not in str(refused.value)
