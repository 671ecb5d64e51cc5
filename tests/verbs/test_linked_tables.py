"""Several tables through a policy and the command line: what a purpose allows of each, and twins that join."""

import json

import pytest
from tests.app.doors import inside
from tests.verbs.linked_policy import project

import privet as pv


def test_a_policy_makes_twins_that_join(tmp_path, monkeypatch) -> None:
    project(tmp_path)
    monkeypatch.chdir(tmp_path)
    planned = inside("plan", "--json")
    assert planned.code == 0, planned.err
    said = inside("run", "--json")
    assert said.code in (0, 1), said.err
    twins = pv.ReleasedTwins.load(next(tmp_path.rglob("twins.json")).parent)
    assert list(twins) == ["patients", "stays"]
    persons, rows = (one.to_arrow() for one in twins.values())
    assert set(rows["pid"].to_pylist()) <= set(persons["pid"].to_pylist())
    assert rows.column_names == ["pid", "ward", "days"]
    with pv.Ledger(tmp_path / "patients.ledger") as book:
        assert len([one for one in book.history() if one.kind == "spend"]) == 1


@pytest.mark.parametrize(
    ("columns", "to", "said"),
    [
        ("stays.warp", "twins", "is not declared"),
        ("stays.ward", "twins.parquet", "folder"),
        ("name", "twins", "file"),
    ],
)
def test_what_does_not_fit_is_found_by_the_plan(tmp_path, monkeypatch, columns, to, said) -> None:
    project(tmp_path, columns, to)
    monkeypatch.chdir(tmp_path)
    refused = inside("plan")
    assert refused.code != 0
    assert said in refused.err


def test_a_purpose_that_names_no_column_of_another_table_gets_none(tmp_path, monkeypatch) -> None:
    project(tmp_path, "name", "twin.parquet")
    monkeypatch.chdir(tmp_path)
    table = pv.DataSet.find().table(purpose="course")
    assert not table.children
    wider = pv.DataSet.read(project(tmp_path, "stays.ward")).table(purpose="course")
    assert list(wider.children["stays"].columns) == ["pid", "ward"]
    with pytest.raises(pv.errors.PrivetError):
        pv.DataSet.read(tmp_path / "privet.yaml").table(purpose="course", columns=["stays.days"])


def test_persons_kept_apart_are_apart_in_every_table(tmp_path) -> None:
    from privet.dataset import split_persons
    from privet.engine import fetch

    whole = pv.DataSet.read(project(tmp_path)).table(purpose="course")
    stay, apart = split_persons(whole, 0.3)
    seen = [
        {
            name: set(fetch(one.relation.table, "duckdb")["pid"].to_pylist())
            for name, one in {"patients": side, **side.children}.items()
        }
        for side in (stay, apart)
    ]
    assert not seen[0]["patients"] & seen[1]["patients"]
    assert not seen[0]["stays"] & seen[1]["stays"]
    assert seen[1]["stays"] - {605} <= seen[1]["patients"]
    assert 100 < len(seen[1]["patients"]) < 260


def test_the_command_line_takes_other_tables(tmp_path) -> None:
    project(tmp_path)
    (tmp_path / "privet.yaml").unlink()
    words = [
        "synthesize",
        str(tmp_path / "patients.csv"),
        "--unit",
        "pid",
        "--epsilon",
        "4",
        "--delta",
        "1e-6",
    ]
    words += ["--table", f"stays={tmp_path / 'stays.csv'}", "--method", "mst", "--rows", "100"]
    short = inside(*words, "-o", str(tmp_path / "twins"))
    assert "--max-children stays=10" in short.err
    words += ["--max-children", "stays=4"]
    assert "folder" in inside(*words, "-o", str(tmp_path / "twins.parquet")).err
    assert not list(tmp_path.glob("*.ledger"))
    said = inside(*words, "-o", str(tmp_path / "twins"), "--json")
    assert said.code == 0, said.err
    record = json.loads(said.out)
    assert record["links"] == [{"table": "stays", "column": "pid", "to": "patients", "key": "pid"}]
    assert pv.ReleasedTwins.load(tmp_path / "twins")["patients"].rows == 100
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("mine")
    assert "other things" in inside(*words, "-o", str(tmp_path / "notes")).err


def test_a_declared_data_set_has_said_which_tables_it_has(tmp_path) -> None:
    project(tmp_path)
    said = inside(
        "synthesize",
        str(tmp_path / "patients.csv"),
        *("--purpose", "course", "--table", "stays=x.csv", "--epsilon", "1", "--delta", "1e-6"),
        *("-o", str(tmp_path / "twins")),
    )
    assert said.code != 0
    assert "--table" in said.err
