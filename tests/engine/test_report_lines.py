"""Lines of JSON: good ones are read, bad ones cost themselves, however the blocks fall."""

import gzip
import json

import pyarrow as pa
import pytest

from privet.engine import _report_lines, report_lines
from privet.errors import FileProblem

SCHEMA = pa.schema([("a", pa.int64()), ("b", pa.list_(pa.int64()))])


def read(path) -> tuple[list, int]:
    parts = list(report_lines(path, SCHEMA))
    return [row for table, _ in parts for row in table.to_pylist()], sum(wrong for _, wrong in parts)


@pytest.mark.parametrize("block", [7, 64, 1 << 25])
@pytest.mark.parametrize("end", ["", "\n", "\n\n  \n"])
def test_rows_and_faults_do_not_depend_on_blocks(block: int, end: str, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(_report_lines, "_BLOCK", block)
    monkeypatch.setattr(_report_lines, "LONGEST_LINE", 60)
    good = [{"a": number, "b": [number]} for number in range(30)]
    lines = [json.dumps(row) for row in good]
    lines[10:10] = ["nonsense", "x" * 500, '{"a": "text"}']
    lines.append("y" * 61)
    (tmp_path / "r.jsonl").write_text("\n".join(lines) + end)
    rows, wrong = read(tmp_path / "r.jsonl")
    assert rows == good
    assert wrong == 4


def test_other_fields_are_ignored_and_missing_ones_empty(tmp_path) -> None:
    (tmp_path / "r.jsonl.gz").write_bytes(gzip.compress(b'{"c": 5}\n{"a": 1}\n'))
    assert read(tmp_path / "r.jsonl.gz") == ([{"a": None, "b": None}, {"a": 1, "b": None}], 0)


def test_a_file_that_is_not_there_or_not_whole_is_refused(tmp_path) -> None:
    with pytest.raises(FileProblem):
        read(tmp_path / "nothing.jsonl")
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress(b'{"a": 1}\n' * 1000)[:-10])
    with pytest.raises(FileProblem):
        read(tmp_path / "cut.jsonl.gz")
