"""CSV files that spreadsheets can open."""

import csv
from pathlib import Path

import pyarrow as pa

from privet.artifact import CsvRows, write_csv

TABLE = pa.table({"=name": ["=1+1", "@x", "-5", None, "", 'a"b,c'], "number": [-1, 2, -3, 4, 5, None]})
WANTED = [
    ["'=name", "number"],
    ["'=1+1", "-1"],
    ["'@x", "2"],
    ["-5", "-3"],
    ["", "4"],
    ["", "5"],
    ['a"b,c', ""],
]


def written(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_no_cell_or_heading_is_a_formula(tmp_path: Path) -> None:
    write_csv(TABLE, tmp_path / "a.csv")
    assert written(tmp_path / "a.csv") == WANTED


def test_batches_make_the_same_file(tmp_path: Path) -> None:
    with CsvRows(tmp_path / "b.csv", TABLE.schema) as file:
        for batch in TABLE.to_batches(max_chunksize=2):
            file.write_batch(batch)
    assert written(tmp_path / "b.csv") == WANTED
