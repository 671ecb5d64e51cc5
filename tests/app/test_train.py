"""`privet schema`, `privet train` and `privet predict` as a person types them."""

import json

import pytest
from tests.app.doors import listing, outside

from privet.examples import hospital, write

ASK = ["--target", "readmitted", "--epsilon", "2", "--delta", "1e-6", "--unit", "patient_id", "--json"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("train")
    write(place / "patients.csv", hospital(patients=1_500, seed=7))
    write(place / "test.csv", hospital(patients=400, seed=9))
    return place


def test_from_a_draft_to_predictions(folder):
    said = outside("schema", "patients.csv", "-o", "schema.yaml", cwd=folder)
    assert said.code == 0, said.err
    text = (folder / "schema.yaml").read_text(encoding="utf-8")
    assert "READ OFF THE DATA" in text
    assert "name: {kind: ignore" in text

    refused = outside("train", "patients.csv", *ASK, "--schema", "schema.yaml", "-o", "model", cwd=folder)
    assert refused.json()["error"]["code"] == "E-SOURCE-010"
    assert not (folder / "model").exists()

    answered = text.replace("confirmed: ''", "confirmed: code lists of the ministry")
    (folder / "schema.yaml").write_text(answered, encoding="utf-8")
    options = ["--schema", "schema.yaml", "--records", "1500", "--test", "test.csv", "-o", "model"]
    said = outside("train", "patients.csv", *ASK, *options, cwd=folder)
    assert said.code == 0, said.out + said.err
    found = said.json()
    assert (found["epsilon"], found["delta"], found["unit"]) == (2.0, 1e-6, "patient_id")
    assert found["metrics"]["auroc"] > 0.6
    assert found["receipt"]["unit"]["column"] == "patient_id"
    assert listing(folder / "model") == ["card.md", "model.json", "model.safetensors"]
    assert json.loads((folder / "model" / "model.json").read_text(encoding="utf-8"))["metrics"] == {}

    said = outside("predict", "model", "test.csv", "-o", "out.csv", "--json", cwd=folder)
    assert said.code == 0, said.err
    lines = (folder / "out.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == said.json()["rows"] + 1

    # The ledger that was opened for the model holds that model and no more.
    again = outside("train", "patients.csv", *ASK, *options, cwd=folder)
    assert again.json()["error"]["code"].startswith("E-LEDGER")


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (["--test", "patients.csv"], "training table"),
        (["--target", "nothing"], "no column"),
        (["--model", "magic"], "magic"),
        (["--out", "nowhere/model"], "does not exist"),
    ],
)
def test_refusals_spend_nothing(folder, tmp_path, change, word):
    ledger = tmp_path / "book.ledger"
    said = outside(
        "train", "patients.csv", *ASK, "-o", "other", "--ledger", str(ledger), "--budget", "3,1e-5", *change,
        cwd=folder,
    )  # fmt: skip
    assert said.code != 0
    assert word in said.json()["error"]["message"]
    assert not (folder / "other").exists()


def test_a_table_without_a_column_is_refused(folder):
    assert (
        outside("predict", "nothing", "test.csv", "-o", "o.csv", "--json", cwd=folder).json()["error"]["code"]
        == "E-TRAIN-003"
    )
