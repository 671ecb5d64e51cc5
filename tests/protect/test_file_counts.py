"""A written file counted without the engine: gaps, texts of no letters and batches make no difference."""

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from privet.engine import FrequencyTable
from privet.protect import _file_counts as file_counts
from privet.protect._file_counts import COUNT, codes_of, codes_of_frequencies, counted, grouped
from privet.protect._row_writer import publish

ROWS = pa.table(
    {
        "town": ["b", None, "", "b", 'a, "x"', None, "b"],
        "age": pa.array([2, 1, None, 2, 2, 1, 3], pa.int64()),
        "other": list(range(7)),
    }
)


def written(path: Path, table: pa.Table) -> Path:
    publish(path, table.schema, table.to_batches(max_chunksize=2), metadata={}, check=lambda *_: None)
    return path


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
@pytest.mark.parametrize("held", [0, 1_000_000])
def test_combinations_are_counted(
    tmp_path: Path, ending: str, held: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_counts, "_BATCH", 2)
    monkeypatch.setattr(file_counts, "_MERGE", held)
    path = written(tmp_path / f"t{ending}", ROWS)
    found = counted(path, ending, ROWS.schema, ["town", "age"])
    rows = [(row["town"], row["age"]) for row in ROWS.to_pylist()]
    assert {(row["town"], row["age"]): row[COUNT] for row in found.to_pylist()} == Counter(rows)
    assert found.schema.field("age").type == pa.int64()


def test_an_empty_file_holds_nothing(tmp_path: Path) -> None:
    path = written(tmp_path / "t.parquet", ROWS.slice(0, 0))
    found = counted(path, ".parquet", ROWS.schema, ["town"])
    assert found.num_rows == 0
    codes, labels = codes_of(found, ["town"])
    assert (len(codes), codes.cardinalities, len(labels["town"])) == (0, (1,), 0)


def test_codes_are_in_the_order_of_values_and_missing_is_last() -> None:
    table = pa.table({"town": ["b", None, "a"], "age": [1, 2, 1], COUNT: [5, 7, 9]})
    codes, labels = codes_of(table, ["town", "age"])
    assert codes.codes.tolist() == [[1, 0], [2, 1], [0, 0]]
    assert codes.counts.tolist() == [5, 7, 9]
    assert codes.missing == (2, None)
    assert codes.cardinalities == (3, 2)
    assert labels["town"].to_pylist() == ["a", "b", None]


def test_frequencies_of_the_engine_are_the_same_codes() -> None:
    found = FrequencyTable(
        ("town",), np.array([[1], [2], [0]], np.int32), np.array([5, 7, 9]), (pa.array(["a", "b", None]),)
    )
    codes = codes_of_frequencies(found)
    assert (codes.missing, codes.cardinalities, codes.rows) == ((2,), (3,), 21)


def test_counts_add_up_over_the_columns_that_are_left_out() -> None:
    table = pa.table({"town": ["a", "a", None], "age": [1, 2, 2], COUNT: [5, 7, 9]})
    assert {row["town"]: row[COUNT] for row in grouped(table, ["town"]).to_pylist()} == {"a": 12, None: 9}
