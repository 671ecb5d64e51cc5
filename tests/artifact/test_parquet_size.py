"""Small files of many rows: what their values take is known before they are read, and records of ours are held to it."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet import errors
from privet.artifact import _parquet_size as parquet_size
from privet.artifact._parquet_size import opened_parquet, read_rows, values_size


def size_of(path):
    with path.open("rb") as file:
        return values_size(opened_parquet(file))


def written(path, values, **options):
    pq.write_table(pa.table({"v": values}), path, compression="zstd", **options)
    return path


def repeated(text, times):
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(times, np.int32)), pa.array([text]))


def test_a_text_counts_as_often_as_rows_name_it(tmp_path):
    path = written(tmp_path / "t.parquet", repeated("x" * 100_000, 30_000))
    assert path.stat().st_size < 50_000
    assert 3_000_000_000 <= size_of(path) < 3_001_000_000


def test_of_two_long_texts_each_counts_as_often_as_it_is_named(tmp_path):
    values = pa.DictionaryArray.from_arrays(
        pa.array([0, 0, 1, 2, None], pa.int32()), pa.array(["a" * 5_000, "b" * 7_000, "c"])
    )
    assert size_of(written(tmp_path / "t.parquet", values)) == 5 * 4 + 2 * 5_000 + 7_000 + 1


@pytest.mark.parametrize("wrap", ["list", "struct"])
def test_texts_inside_lists_and_objects_count(tmp_path, wrap):
    texts = pa.array(["x" * 10_000] * 1_000)
    values = (
        pa.ListArray.from_arrays(pa.array([0, 500, 1_000], pa.int32()), texts)
        if wrap == "list"
        else pa.StructArray.from_arrays([texts], ["a"])
    )
    assert 10_000_000 <= size_of(written(tmp_path / "t.parquet", values)) < 10_100_000


@pytest.mark.parametrize(
    ("kind", "width"),
    [(pa.int64(), 8), (pa.int8(), 4), (pa.float64(), 8), (pa.bool_(), 1), (pa.binary(16), 16)],
)
def test_runs_of_one_value_count_at_their_width(tmp_path, kind, width):
    one = b"0" * 16 if width == 16 else 0 if width > 1 else False
    path = written(tmp_path / "t.parquet", pa.array([one] * 50_000, kind))
    assert size_of(path) == 50_000 * width


def test_ordinary_words_are_not_looked_at(tmp_path, monkeypatch):
    path = written(tmp_path / "t.parquet", pa.array(["ward"] * 200_000))
    looks = []
    leaves = parquet_size._leaves
    monkeypatch.setattr(parquet_size, "_leaves", lambda values: looks.append(1) or leaves(values))
    assert size_of(path) == 800_000
    assert len(looks) == 1  # the first rows show that no text in the dictionary is long


def test_rows_of_a_record_that_would_fill_the_memory_are_refused_unread(tmp_path, monkeypatch):
    path = written(tmp_path / "t.parquet", repeated("x" * 1_000_000, 100_000))
    monkeypatch.setattr(pq, "read_table", lambda *_: pytest.fail("they were read"))
    with pytest.raises(errors.SourceTooLarge) as caught:
        read_rows(path)
    assert "xxx" not in str(caught.value)


def test_rows_of_ordinary_records_are_read(tmp_path):
    table = pa.table({"v": ["a", None, "b" * 10_000], "n": [1, 2, None]})
    pq.write_table(table, tmp_path / "t.parquet")
    assert read_rows(tmp_path / "t.parquet").equals(table)
