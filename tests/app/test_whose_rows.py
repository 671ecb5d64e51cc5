"""Whose rows they are, by the command line: the evidence is shown, nobody guesses, and two columns can say it together."""

import json
from pathlib import Path

import pyarrow.csv
import pyarrow.parquet
import pytest
import yaml
from tests.app.doors import Said, on_terminal
from tests.audits import twins

from privet.app import _cli as cli


def say(capsys: pytest.CaptureFixture[str], *arguments: str) -> Said:
    """One command in this process."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        cli.main(list(arguments))
    said = capsys.readouterr()
    return Said(int(ended.value.code or 0), said.out, said.err)


@pytest.fixture
def trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Patients who are numbered anew in each of two centres: 112 people of four rows each, 56 numbers."""
    monkeypatch.chdir(tmp_path)
    pyarrow.csv.write_csv(twins.centres(), tmp_path / "trial.csv")
    return tmp_path


def test_the_audit_shows_what_speaks_for_a_key_and_what_to_write(
    trial: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = say(capsys, "audit", "trial.csv")
    assert "whose rows they are: --unit COLUMN" in said.err
    assert "proposed: --unit center,id, a person." in said.err
    assert "constant within 112 of the 112 values with several rows" in said.err
    assert "$ privet audit trial.csv --unit center,id" in said.err
    assert "--unit row --" not in said.err, "nobody is told to count rows where people have several"


def test_init_asks_nobody_silently(trial: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for options in ((), ("--yes",)):
        refused = say(capsys, "init", "trial.csv", *options, "--json").json()["error"]
        assert refused["code"] == "E-DATASET-002"
        assert "--unit center,id" in refused["hint"]
        assert "(center, id, visit) is unique" in refused["hint"]
    assert not (trial / "privet.yaml").exists()


def test_init_shows_the_evidence_and_asks(trial: Path) -> None:
    # The proposed unit, the proposed roles, and of the purpose only what lets special categories be used.
    said = on_terminal("init", "trial.csv", typed="\ny\n\n\nArt. 9(2)(j)\n\n", width=400)
    assert said.code == 0, said.out
    assert "Whose rows are they?" in said.out
    assert "constant within 112 of the 112 values" in said.out
    policy = yaml.safe_load((trial / "privet.yaml").read_text(encoding="utf-8"))
    assert policy["dataset"]["unit"]["column"] == "center,id"
    assert policy["purposes"]["first-use"]["special_basis"] == "Art. 9(2)(j)"
    assert {name: policy["columns"][name]["role"] for name in ("id", "sex", "visit")} == {
        "id": "direct",
        "sex": "quasi",
        "visit": "unknown",
    }


def test_where_nothing_is_proposed_there_is_no_answer_by_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pyarrow.csv.write_csv(twins.survey(), tmp_path / "survey.csv")
    said = on_terminal("init", "survey.csv", typed="\n\nrow\nn\n\n\n\n", width=200)
    assert said.code == 0, said.out
    assert said.out.count("A column, two with a comma between them, or row:") == 3, (
        "asked again until answered"
    )
    assert "No column was found that says it." in said.out
    policy = yaml.safe_load((tmp_path / "privet.yaml").read_text(encoding="utf-8"))
    assert policy["dataset"]["unit"] == {"column": "row"}


def test_two_columns_are_one_unit_from_the_draft_to_the_answer(
    trial: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert say(capsys, "init", "trial.csv", "--yes", "--unit", "center,id", "--json").code == 0
    policy = yaml.safe_load((trial / "privet.yaml").read_text(encoding="utf-8"))
    assert policy["dataset"]["unit"]["column"] == "center,id"
    assert {column["role"] for column in policy["columns"].values()} == {"unknown"}
    assert "112" not in (trial / "privet.yaml").read_text(encoding="utf-8"), (
        "no count of the data is in a draft"
    )
    assert say(capsys, "run", "--json").code == 0
    found = json.loads((trial / "out" / "public" / "counts.json").read_text(encoding="utf-8"))
    # Discrete Laplace noise of scale 2: beyond 30 less than once in a million. There are 56 numbers and 448 rows.
    assert abs(found["answers"][0]["values"][0] - 112) < 30


def test_a_question_takes_two_columns_as_the_unit(trial: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sql = 'SELECT COUNT(DISTINCT "center,id") AS n FROM trial'
    asked = (
        "query",
        "trial.csv",
        sql,
        "--unit",
        "center,id",
        "--max-rows",
        "4",
        "--epsilon",
        "1",
        "--budget",
        "3",
    )
    said = say(capsys, *asked, "--json")
    assert said.code == 0, said.err + said.out
    # Of scale 1.
    assert abs(said.json()["answers"][0]["values"][0] - 112) < 20


def test_rows_leave_by_people_of_both_columns(trial: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("anonymize", "trial.csv", "--unit", "center,id", "--quasi", "sex,age", "--k", "5")
    said = say(capsys, *asked, "--max-suppressed", "0.1", "-o", "safe.parquet", "--json")
    assert said.code == 0, said.err + said.out
    safe = pyarrow.parquet.read_table(trial / "safe.parquet")
    assert set(safe.column_names) == {"sex", "age"}, (
        "neither the numbers nor their key, nor what nobody spoke of"
    )
    sizes = safe.group_by(["sex", "age"]).aggregate([([], "count_all")])["count_all"].to_pylist()
    assert min(sizes) >= 5 * 4, "five people, of four rows each"


@pytest.mark.parametrize("unit", ["center,idd", "centre,id", "center;id"])
def test_a_unit_that_is_not_there_is_refused(
    trial: Path, capsys: pytest.CaptureFixture[str], unit: str
) -> None:
    refused = say(capsys, "init", "trial.csv", "--yes", "--unit", unit, "--json")
    assert refused.code != 0
    assert "no column" in refused.json()["error"]["message"]
    assert not (trial / "privet.yaml").exists()
