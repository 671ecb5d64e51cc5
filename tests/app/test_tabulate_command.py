"""`privet tabulate` as a person types it."""

import json

import pyarrow.parquet as pq
import pytest
from pyarrow import csv
from tests.app.doors import Said
from tests.protect.tabulate.people import LEAVES, people

import privet as pv
from privet.app._cli import main


@pytest.fixture
def privet(capsys):
    """Run a command in this process."""

    def run(*arguments):
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        return Said(ended.value.code, *capsys.readouterr())

    return run


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    csv.write_csv(people(), tmp_path / "people.csv")
    rows = "\n".join(f"{state},{county}" for state, county in LEAVES)
    (tmp_path / "leaves.csv").write_text(f"state,county\n{rows}\n")
    (tmp_path / "totals.csv").write_text("state,count\nN,220\nS,80\n")
    return tmp_path


ASKED = [
    "tabulate", "people.csv", "--levels", "state,county", "--cells", "sex,age", "--leaves", "leaves.csv",
    "--keys", "sex=f,m", "--keys", "age=young,middle,old", "--unit", "id",
]  # fmt: skip
EXACT = ["--exact", "state=totals.csv", "--origin", "gazette"]


def test_a_release_with_its_file(folder, privet):
    said = privet(*ASKED, *EXACT, "--rho", "1", "--budget", "rho=2", "-o", "out.parquet", "--json")
    assert said.code == 0, said.err
    record = said.json()
    assert [level["name"] for level in record["levels"]] == ["all", "state", "county"]
    assert [sum(place) for place in record["levels"][1]["counts"]] == [220, 80]
    assert "gazette" in record["sentence"]
    assert record["receipt"]["remaining"]["rho"] == "1"
    assert pq.read_table(folder / "out.parquet").num_rows == 24
    assert pv.ReleasedHierarchy.load(folder / "out.parquet").to_json() == record
    again = privet(*ASKED, *EXACT, "--rho", "1", "--json")
    assert again.json() == record


def test_what_is_shown_in_a_pipe_is_the_table_of_leaves(folder, privet):
    said = privet(*ASKED, "--rho", "1", "--budget", "rho=2", "--zero", "age=old,county=Bay", "--share", "all=1",
                  "--share", "county=2", "--query", "total=1", "--query", "detailed=2")  # fmt: skip
    assert said.code == 0, said.err
    lines = [line.split("\t") for line in said.out.splitlines()]
    assert lines[0] == ["state", "county", "sex", "age", "count", "unbiased", "low", "high"]
    assert len(lines) == 25
    assert {line[4] for line in lines if line[1] == "Bay" and line[3] == "old"} == {"0"}
    assert "counts add up at every level" in said.err


def test_an_explanation_spends_nothing(folder, privet):
    said = privet(*ASKED, "--epsilon", "1", "--delta", "1e-6", "--explain", "--change-one", "--json")
    assert said.code == 0, said.err
    told = said.json()
    assert len(told["expected_error"]) == 12
    assert "at most 2 entries" in " ".join(told["stages"])
    assert not (folder / "people.csv.ledger").exists()


@pytest.mark.parametrize(
    "extra",
    [
        [],
        ["--rho", "1"],
        ["--rho", "1", "--budget", "rho=2", "-o", "out.csv"],
        ["--rho", "1", "--budget", "rho=2", "-o", "nowhere/out.json"],
        ["--rho", "1", "--budget", "rho=2", "-o", "people.csv"],
        ["--rho", "1", "--budget", "rho=2", "--exact", "state=totals.csv"],
        ["--rho", "1", "--budget", "rho=2", "--exact", "county=totals.csv", "--origin", "x"],
        ["--rho", "1", "--budget", "rho=2", "--exact", "planet=leaves.csv", "--origin", "x"],
        ["--rho", "1", "--budget", "rho=2", "--keys", "sex"],
        ["--rho", "1", "--budget", "rho=2", "--share", "county=none"],
        ["--rho", "1", "--budget", "rho=2", "--zero", "height=3"],
        ["--epsilon", "1", "--budget", "epsilon=3"],
        ["--rho", "1", "--budget", "3"],
    ],
    ids=" ".join,
)
def test_refusals_before_anything_is_spent(folder, privet, extra):
    said = privet(*ASKED, *extra, "--json")
    assert said.code == 2
    assert set(json.loads(said.out)["error"]) == {"code", "message", "hint", "page", "details"}
    assert not list(folder.glob("out*"))
    ledger = folder / "people.csv.ledger"
    if ledger.exists():
        with pv.Ledger(ledger) as book:
            assert [entry.kind for entry in book.history() if entry.kind == "spend"] == []


def test_a_unit_is_needed(folder, privet):
    said = privet(*ASKED[:-2], "--rho", "1", "--json")
    assert said.code == 2
    assert "whose presence" in said.json()["error"]["message"]
