"""`privet init` makes the data set's key; `privet keys` shows, gives out and renews it; what commands write is signed."""

import json

import pytest
from tests.app.doors import inside

from privet.artifact import ReleasedAnswer, ReleasedTable
from privet.evidence import FOLDER, KeyHistory


@pytest.fixture
def folder(tmp_path):
    rows = "\n".join(f"{number},{'AB'[number % 2]},{number % 3}" for number in range(60))
    (tmp_path / "stays.csv").write_text(f"patient,ward,days\n{rows}\n")
    return tmp_path


def begun(folder):
    made = inside("init", "stays.csv", "--yes", "--unit", "row", "--json", cwd=folder)
    assert made.code == 0, made.err + made.out
    return made.json()["signing_key"]


def test_init_makes_a_key_and_never_a_second(folder):
    key = begun(folder)
    again = inside("init", "stays.csv", "--yes", "--unit", "row", "--overwrite", "--json", cwd=folder)
    assert again.json()["signing_key"] == key
    shown = inside("keys", "signing", "--json", cwd=folder).json()
    assert shown["current"] == key
    secret = (folder / FOLDER / "key").read_text()
    assert json.loads(secret)["seed"] not in json.dumps(shown)


def test_the_public_keys_are_given_out(folder):
    key = begun(folder)
    assert KeyHistory.from_json(inside("keys", "public", cwd=folder).json()).current.public == key
    assert inside("keys", "public", "-o", "keys.json", cwd=folder).code == 0
    assert KeyHistory.from_json(json.loads((folder / "keys.json").read_text())).current.public == key


def test_without_a_key_there_is_none_to_give_out(folder):
    assert inside("keys", "public", cwd=folder).code == 2
    assert inside("keys", "signing", cwd=folder).code == 0
    assert inside("keys", "public", cwd=folder).code == 0


def test_what_a_question_saves_is_signed_and_follows_from_the_policy(folder, monkeypatch):
    import hashlib

    begun(folder)
    asked = [
        "query",
        "stays.csv",
        "SELECT COUNT(*) AS n FROM stays",
        "--epsilon",
        "0.1",
        "--purpose",
        "first-use",
    ]
    said = inside(*asked, "--why", "test", "-o", "n.json", cwd=folder)
    assert said.code == 0, said.err
    monkeypatch.chdir(folder)
    assert ReleasedAnswer.load(folder / "n.json").standing.believed
    follows = json.loads((folder / "n.json").read_text())["signature"]["follows"]
    assert follows == {"policy": hashlib.sha256((folder / "privet.yaml").read_bytes()).hexdigest()}
    monkeypatch.chdir("/")
    assert not ReleasedAnswer.load(folder / "n.json").standing.believed


def test_a_bare_file_s_table_is_a_claim(folder, monkeypatch):
    said = inside(
        "anonymize",
        "stays.csv",
        "--k",
        "3",
        "--unit",
        "row",
        "--quasi",
        "ward",
        "-o",
        "safe.parquet",
        cwd=folder,
    )
    assert said.code == 0, said.err
    monkeypatch.chdir(folder)
    assert ReleasedTable.load(folder / "safe.parquet").standing.word == "claimed"
