"""A rewritten table: chained, written whole or not at all, never over its own source."""

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

import privet as pv
from privet.errors import BadTransform, BadUsage, FileProblem, MalformedSource, SourceChanged
from privet.protect.transform import mask, placeholder, round_to, suppress_columns
from privet.protect.transform._rewritten_table import Rewritten

ROWS = pa.table({"name": ["Ada", None, 'B "x", y', ""], "age": [31, None, 58, 9], "t": ["1", "2", "3", "4"]})


def test_transforms_follow_each_other() -> None:
    result = (
        round_to(pv.open_table(ROWS), "age", 10).then(placeholder, "name", "?").then(suppress_columns, ["t"])
    )
    assert result.to_arrow().to_pydict() == {"name": ["?", None, "?", "?"], "age": [30, None, 60, 10]}
    assert list(result.done) == ["age", "name", "t"]
    twice = round_to(pv.open_table(ROWS), "age", 5).then(round_to, "age", 10)
    assert twice.done["age"] == "rounded to multiples of 5 Then: rounded to multiples of 10"


def test_a_rewritten_table_is_another_snapshot() -> None:
    table = pv.open_table(ROWS, version="1")
    names = {table.fingerprint, *(round_to(table, "age", 5).table.fingerprint for _ in range(2))}
    assert len(names) == 3


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
def test_files_hold_the_rows(ending: str, tmp_path: Path) -> None:
    out = tmp_path / f"safe{ending}"
    assert round_to(pv.open_table(ROWS), "age", 10).write(out) == 4
    read = pq.read_table(out) if ending == ".parquet" else pa_csv.read_csv(out)
    assert read["age"].to_pylist() == [30, None, 60, 10]
    assert [name or None for name in read["name"].to_pylist()] == ["Ada", None, 'B "x", y', None]
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


def test_a_broken_row_leaves_no_file_and_what_was_there(tmp_path: Path) -> None:
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text("age,name\n" + "1,secret\n" * 50_000 + "2,secret,too,many\n")
    out.write_text("before")
    with pytest.raises(MalformedSource) as caught:
        round_to(pv.open_table(source), "age", 5).write(out)
    assert "secret" not in str(caught.value)
    assert out.read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv", "out.csv"]


def test_a_source_that_changed_meanwhile_is_refused(tmp_path: Path) -> None:
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text("age,name\n1,Ada\n")
    masked = mask(pv.open_table(source), "name")
    source.write_text("age,name\n1,Ada\n2,Bob\n")
    os.utime(source, (1, 1))
    with pytest.raises(SourceChanged):
        masked.write(out)
    with pytest.raises(SourceChanged):
        masked.to_arrow()
    assert not out.exists()


def test_impossible_files_are_refused(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("age\n1\n2\n")
    result = round_to(pv.open_table(source), "age", 5)
    for out, error in (
        (source, BadTransform),
        (tmp_path / "x.txt", BadUsage),
        (tmp_path / "no" / "x.csv", FileProblem),
    ):
        with pytest.raises(error):
            result.write(out)
    assert source.read_text() == "age\n1\n2\n"


def test_rows_keep_their_order_through_joins_of_many() -> None:
    n = 250_000
    table = pv.open_table(pa.table({"id": [(at * 7919) % n for at in range(n)], "row": list(range(n))}))
    found = mask(table, "id", keep_last=2).to_arrow()
    assert found["row"].to_pylist() == list(range(n))
    assert isinstance(mask(table, "id"), Rewritten)
