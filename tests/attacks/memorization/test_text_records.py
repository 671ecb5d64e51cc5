"""Texts from lists, tables and files; what is none is refused without being shown."""

import pyarrow as pa
import pytest

from privet.attacks.memorization._text_records import text_column, texts_of
from privet.errors import BadAttack, FileProblem


def test_texts_come_from_lists_tables_and_files(tmp_path) -> None:
    table = pa.table({"id": [1, 2, 3], "note": ["one", None, "two"]})
    assert texts_of(["one", None, "", "two"]) == ["one", "two"]
    assert texts_of(table) == ["one", "two"]
    (tmp_path / "t.csv").write_text("note,n\none,1\ntwo,2\n")
    assert texts_of(tmp_path / "t.csv", "note") == ["one", "two"]
    (tmp_path / "t.jsonl").write_text('{"note": "one"}\n{"note": "two"}\n')
    assert texts_of(str(tmp_path / "t.jsonl")) == ["one", "two"]
    (tmp_path / "t.txt").write_text("one\n\ntwo\n")
    assert texts_of(tmp_path / "t.txt") == ["one", "two"]


def test_what_is_unclear_is_asked_for() -> None:
    table = pa.table({"a": ["x"], "b": ["y"]})
    with pytest.raises(BadAttack, match="which column"):
        texts_of(table)
    assert text_column(table, "b") == "b"
    with pytest.raises(BadAttack, match="no column"):
        text_column(table, "c")
    with pytest.raises(BadAttack, match="something else"):
        texts_of([1, 2])


def test_a_file_that_is_no_text_is_refused(tmp_path) -> None:
    (tmp_path / "t.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileProblem):
        texts_of(tmp_path / "t.txt")
    with pytest.raises(FileProblem):
        texts_of(tmp_path / "none.txt")
