"""Columns as they are written: no leading zero is lost, and what is needed as a number stays one."""

import pytest

from privet.dataset._text_columns import as_written
from privet.engine import ColumnKind
from privet.source import open_table


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "people.csv"
    file.write_text("zip,age,born\n01234,40,1980-01-02\n56789,5,1990-01-02\n")
    return file


def written(path, ending, **more):
    def read_as(types):
        return open_table(str(path), types=types)

    table = as_written(open_table(str(path)), read_as, ending, **more)
    return {name: kind.value for name, kind in table.columns.items()}


def guessed(path):
    return {name: kind.value for name, kind in open_table(str(path)).columns.items()}


def test_into_csv_everything_is_text_but_what_is_needed(path):
    assert set(written(path, ".csv").values()) == {written(path, ".csv")["zip"]}
    kept = written(path, ".csv", typed=["age"])
    assert kept["age"] == guessed(path)["age"]
    assert kept["zip"] == kept["born"] != kept["age"]


def test_into_parquet_whole_numbers_are_kept_where_no_zero_is_lost(tmp_path):
    file = tmp_path / "numbers.csv"
    file.write_text("zip,zero,age\n01234,0,40\n56789,10,5\n")
    whole = dict.fromkeys(("zip", "zero", "age"), ColumnKind.INTEGER)
    asked = []

    def read_as(types):
        asked.append(dict(types))
        return open_table(str(file), types=types)

    as_written(open_table(str(file), types=whole), read_as, ".parquet")
    # First everything as it is written, to look for zeros; then only what has one before other digits.
    assert asked == [dict.fromkeys(("zip", "zero", "age"), "text"), {"zip": "text"}]


def test_what_is_asked_for_as_text_is_text_in_any_case(path):
    assert written(path, ".parquet", as_text=["age", "nothing"])["age"] == written(path, ".csv")["zip"]
    assert written(path, ".csv", typed=["age"], as_text=["age"])["age"] == written(path, ".csv")["zip"]


def test_files_with_types_and_other_sources_are_left_alone(tmp_path, path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = tmp_path / "people.parquet"
    pq.write_table(pa.table({"a": [1]}), file)
    table = open_table(str(file))
    assert as_written(table, lambda _: pytest.fail("read again"), ".csv") is table
    csv = open_table(str(path))
    assert as_written(csv, None, ".csv") is csv


def test_lines_of_json_keep_their_types(tmp_path):
    file = tmp_path / "people.jsonl"
    file.write_text('{"a": 1, "b": "01"}\n')
    table = open_table(str(file))
    assert as_written(table, lambda _: pytest.fail("read again"), ".csv") is table
    kinds = written(file, ".csv", as_text=["a"])
    assert kinds["a"] == kinds["b"]
