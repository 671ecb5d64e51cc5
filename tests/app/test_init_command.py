"""init: a newcomer's way from a table to a policy that can be run."""

import json
from pathlib import Path

import pytest
import yaml
from tests.app.doors import inside, say

from privet import examples


def test_a_newcomer_gets_from_a_table_to_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    examples.write(tmp_path / "My stays.csv", examples.hospital(60, 7))
    refused = say(capsys, "init", "My stays.csv", "--yes", "--json").json()["error"]
    assert refused["code"] == "E-DATASET-002"
    assert "--unit patient_id" in refused["hint"]
    assert say(capsys, "audit", "My stays.csv", "--write-roles", "roles.yaml").code == 0
    init = ("init", "My stays.csv", "--yes", "--unit", "patient_id", "--roles", "roles.yaml")
    assert "nobody has confirmed" in say(capsys, *init, "--json").json()["error"]["message"]
    roles = Path("roles.yaml")
    roles.write_text(roles.read_text(encoding="utf-8").replace("confirmed: no", "confirmed: A. Keeper"))
    assert say(capsys, *init).code == 0
    # One data set has one ledger: the one that `privet query` and `privet train` would make.
    assert "My stays.csv.ledger" in Path("privet.yaml").read_text(encoding="utf-8")
    text = (tmp_path / "privet.yaml").read_text()
    assert text.startswith("# yaml-language-server: $schema=./privet.schema.json\n")
    assert json.loads((tmp_path / "privet.schema.json").read_text())["title"] == "Policy"
    content = yaml.safe_load(text)  # nothing in it was read off the rows but what columns are
    assert not any("bounds" in column or "values" in column for column in content["columns"].values())
    assert content["dataset"]["unit"] == {"column": "patient_id", "max_rows": 20, "max_groups": 5}
    planned = say(capsys, "plan", "--json")
    assert planned.code == 0
    assert [step["kind"] for step in planned.json()["steps"]] == ["audit", "anonymize", "release"]
    ran = say(capsys, "run", "plan.json", "--json")
    assert ran.code == 0, ran.err + ran.out
    assert ran.json()["steps"][2]["spent"] == planned.json()["steps"][2]["cost"]
    assert say(capsys, "plan", "--json").json()["steps"][2]["state"] == "kept"
    assert say(capsys, "run", "plan.json").code == 0
    assert say(capsys, "init", "My stays.csv").code == 2  # it is there already


def test_without_confirmed_roles_no_rows_leave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What nobody has confirmed is neither published nor picked: the drafted policy counts people, and that is all."""
    monkeypatch.chdir(tmp_path)
    examples.write(tmp_path / "stays.csv", examples.hospital(60, 7))
    said = say(capsys, "init", "stays.csv", "--yes", "--unit", "patient_id", "--json").json()
    assert set(said["columns"].values()) == {"unknown"}
    assert "name" in said["withheld"]
    planned = say(capsys, "plan", "--json").json()
    assert [(step["kind"], step["read"]) for step in planned["steps"]] == [("release", ["patient_id"])]
    assert say(capsys, "run", "plan.json").code == 0
    assert not list((tmp_path / "out").glob("*.parquet"))


def test_a_table_of_identifiers_alone_has_nothing_to_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"Ann Lee{n},a{n}@example.org,+49 30 12345{n:02d}\n" for n in range(40))
    (tmp_path / "people.csv").write_text(f"name,email,phone\n{rows}", encoding="utf-8")
    said = say(capsys, "init", "people.csv", "--yes", "--unit", "row", "--json")
    assert said.code == 2
    assert "privet pseudonymize" in said.json()["error"]["hint"]
    assert not (tmp_path / "privet.yaml").exists()


@pytest.mark.parametrize("unit", ["weight", "weight,ward"])
def test_a_unit_that_no_door_would_take_is_not_written_into_a_policy(tmp_path, unit) -> None:
    """The same rule as where tables are opened: fractions do not say whose rows they are."""
    place = tmp_path / "rows.csv"
    lines = [f"{at + 0.5},{'ABC'[at % 3]},{at % 7}" for at in range(40)]
    place.write_text("\n".join(["weight,ward,days", *lines]) + "\n", encoding="utf-8")
    said = inside("init", str(place), "--unit", unit, "--yes", "-o", str(tmp_path / "privet.yaml"))
    assert said.code != 0
    assert "do not identify persons" in said.err
    assert not (tmp_path / "privet.yaml").exists()
