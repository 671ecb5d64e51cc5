"""Transforms of columns as a person types them."""

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet.app._cli import main

ROWS = (
    "name,zip,age,ward\nAda Stone,01234,17,A\nBob Stone,01235,95,A\nCy Stone,99999,42,B\nDee Stone,01234,,A\n"
)


class Desk:
    """A folder, and a command line in it."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys

    def __call__(self, command: str, *words: str, code: int = 0) -> Any:
        with pytest.raises(SystemExit) as stop:
            main([command, "in.csv", *words, "-o", "out.csv", "--json"])
        said = self.capsys.readouterr()
        assert stop.value.code == code, said.out + said.err
        assert "Stone" not in said.out + said.err
        return json.loads(said.out)

    def column(self, name: str) -> list[str]:
        with (self.folder / "out.csv").open(encoding="utf-8") as opened:
            return [row[name] for row in csv.DictReader(opened)]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Desk:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.csv").write_text(ROWS)
    return Desk(tmp_path, capsys)


def test_suppress(desk: Desk) -> None:
    said = desk("suppress", "--columns", "name", "--rare", "ward=2", "--values", "zip=01234,99999")
    assert said == {
        "rows": 4,
        "columns": {
            "ward": "values in fewer than 2 rows are missing",
            "zip": "cells that meet a condition are missing",
            "name": "left out",
        },
        "values_suppressed": 1,
        "saved": "out.csv",
    }
    assert desk.column("ward") == ["A", "A", "", "A"]
    assert desk.column("zip") == ["", "01235", "", ""]
    assert "name" not in (desk.folder / "out.csv").read_text().splitlines()[0]


def test_mask(desk: Desk) -> None:
    desk("mask", "--column", "zip", "--keep-first", "2")
    assert desk.column("zip") == ["01****", "01****", "99****", "01****"]
    desk("mask", "--column", "name", "--placeholder", "<name>")
    assert desk.column("name") == ["<name>"] * 4
    desk("mask", "--column", "name", "--number", "User_")
    assert sorted(desk.column("name")) == ["User_01", "User_02", "User_03", "User_04"]


def test_round_and_topcode(desk: Desk) -> None:
    desk("round", "--to", "age=10")
    assert desk.column("age") == ["20", "100", "40", ""]
    desk("round", "--to", "age=10", "--down")
    assert desk.column("age") == ["10", "90", "40", ""]
    desk("topcode", "--above", "age=89", "--top", "age=90", "--below", "age=18")
    assert desk.column("age") == ["18", "90", "42", ""]


def test_aggregate_swap_and_pram(desk: Desk) -> None:
    assert (
        desk("microaggregate", "--columns", "age", "--k", "2", code=2)["error"]["code"] == "E-ANONYMIZE-001"
    )
    assert desk("microaggregate", "--columns", "zip", "--k", "2", code=2)["error"]["details"] == {}
    assert desk("swap", "--columns", "name,zip", "--share", "1", "--within", "ward")["records_swapped"] == 2
    assert sorted(desk.column("name")) == ["Ada Stone", "Bob Stone", "Cy Stone", "Dee Stone"]
    assert desk("rank-swap", "--columns", "age", "--window", "1")["values_swapped"] == 2
    assert sorted(desk.column("age")) == ["", "17", "42", "95"]
    assert set(desk("pram", "--column", "ward", "--keep", "0.5")["columns"]) == {"ward"}
    assert set(desk.column("ward")) <= {"A", "B"}


def test_microaggregate(desk: Desk) -> None:
    (desk.folder / "in.csv").write_text("x,y\n1,10\n2,20\n9,90\n10,100\n")
    assert desk("microaggregate", "--columns", "x,y", "--k", "2")["groups"] == 2
    assert desk.column("y") == ["15", "15", "95", "95"]


@pytest.mark.parametrize(
    "words",
    [
        ["round", "--to", "age=10"],
        ["topcode", "--above", "age=89"],
        ["mask", "--column", "name"],
        ["suppress", "--columns", "name"],
        ["pram", "--column", "ward", "--keep", "0.5"],
        ["swap", "--columns", "ward", "--share", "0.5"],
    ],
)
def test_columns_that_nobody_named_come_out_as_they_were_written(desk: Desk, words: list[str]) -> None:
    desk(*words)
    assert desk.column("zip") == ["01234", "01235", "99999", "01234"]
    with pytest.raises(SystemExit):
        main([words[0], "in.csv", *words[1:], "-o", "out.parquet", "--json"])
    table = pq.read_table(desk.folder / "out.parquet")
    assert table["zip"].to_pylist() == ["01234", "01235", "99999", "01234"]
    assert table["age"].type == pa.int64(), "guessed where nothing is lost"


@pytest.mark.parametrize(
    "words",
    [
        ["suppress"],
        ["suppress", "--rare", "ward"],
        ["suppress", "--rare", "ward=2.5"],
        ["topcode"],
        ["topcode", "--above", "age=old"],
        ["topcode", "--above", "age=2024-02-31"],
        ["round", "--to", "age=x"],
        ["round", "--to", "age=5", "--to", "age=10"],
        ["mask", "--column", "name", "--placeholder", "x", "--number", "y"],
    ],
)
def test_what_cannot_be_read_is_said(desk: Desk, words: list[str]) -> None:
    assert desk(*words, code=2)["error"]["code"] == "E-GENERAL-003"
    assert not (desk.folder / "out.csv").exists()


def test_the_source_is_never_replaced(desk: Desk) -> None:
    with pytest.raises(SystemExit):
        main(["round", "in.csv", "--to", "age=10", "-o", "in.csv", "--json"])
    assert (desk.folder / "in.csv").read_text() == ROWS
