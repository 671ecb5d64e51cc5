"""Commands that take a second file take it on the terms of its data set, if one is declared."""

from pathlib import Path

import pytest
from tests.app.doors import inside

DECLARED = """version: 1
dataset:
  source: stays.csv
  unit: {column: patient_id, max_rows: 4, max_groups: 2}
  ledger: stays.ledger
  budget: {epsilon: 3, delta: 1e-6}
columns:
  patient_id: {role: direct}
  ward: {role: insensitive, values: [ICU, Surgery]}
purposes:
  beds:
    use: planning of beds
    basis: Art. 6(1)(e)
    columns: [ward]
    outputs: [answer]
    recipients: [internal]
    budget: {epsilon: 2}
    expires: 2099-01-01
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "stays.csv").write_text("patient_id,ward\np1,ICU\np1,Surgery\np2,ICU\n")
    (tmp_path / "few.csv").write_text("patient_id,x\np1,1\n")
    (tmp_path / "privet.yaml").write_text(DECLARED)
    return tmp_path


@pytest.mark.parametrize("option", ["--table", "--public"])
def test_other_tables_of_a_question_are_no_way_around_a_declaration(folder: Path, option: str) -> None:
    whose = ["--unit", "patient_id", "--max-rows", "4", "--epsilon", "1", "--budget", "3"]
    sql = "SELECT COUNT(*) FROM few"
    said = inside("query", "few.csv", sql, option, "v=stays.csv", *whose, "--json", cwd=folder)
    assert (said.code, said.json()["error"]["code"]) == (2, "E-DATASET-005")
    assert not list(folder.glob("*.ledger*"))


@pytest.mark.parametrize(
    ("purpose", "code"), [([], "E-DATASET-004"), (["--purpose", "beds"], "E-POLICY-002")]
)
def test_a_test_table_is_had_for_a_purpose_that_allows_it(
    folder: Path, purpose: list[str], code: str
) -> None:
    ask = ["--target", "ward", "--epsilon", "1", "--delta", "1e-6", "--unit", "row", "--test", "stays.csv"]
    said = inside("train", "few.csv", *ask, *purpose, "-o", "model", "--json", cwd=folder)
    assert said.json()["error"]["code"] == code
    assert said.code != 0
    assert not (folder / "model").exists()
    assert not list(folder.glob("*.ledger*"))


@pytest.mark.parametrize(
    ("purpose", "code"), [([], "E-DATASET-004"), (["--purpose", "beds"], "E-POLICY-002")]
)
def test_predictions_are_rows_that_leave(
    folder: Path, purpose: list[str], code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("privet.artifact.ReleasedModel.load", lambda _: None)  # refused before it is asked
    said = inside("predict", "model", "stays.csv", *purpose, "-o", "out.csv", "--json", cwd=folder)
    assert said.json()["error"]["code"] == code
    assert said.code != 0
    assert not (folder / "out.csv").exists()
