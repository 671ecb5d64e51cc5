"""`privet hierarchy`: what it writes can be read back, and what it refuses it names."""

import json

import pytest
from tests.app.doors import inside


def table(tmp_path):
    file = tmp_path / "people.csv"
    file.write_text("age,zip,sex\n17,02139,f\n39,02142,m\n90,10001,f\n", encoding="utf-8")
    return file


def test_a_suggestion_passes_the_check(tmp_path):
    data = table(tmp_path)
    out = tmp_path / "people_hierarchy_age.csv"
    said = inside("hierarchy", "suggest", str(data), "--column", "age", "-o", str(out), "--json")
    assert said.code == 0
    assert json.loads(said.out)["levels"] == [3, 3, 3, 3, 1]
    assert out.read_text(encoding="utf-8").splitlines()[0] == "17;[15, 20[;[10, 20[;[0, 20[;*"
    checked = inside("hierarchy", "check", str(tmp_path), "--data", str(data), "--json")
    assert checked.code == 0
    assert json.loads(checked.out)["hierarchies"][0]["column"] == "age"
    again = inside("hierarchy", "suggest", str(data), "--column", "age", "-o", str(out))
    assert again.code == 1
    assert "exists already" in again.err


def test_prefixes_of_codes_keep_leading_zeros(tmp_path):
    out = tmp_path / "zip.csv"
    said = inside(
        "hierarchy", "suggest", str(table(tmp_path)), "--column", "zip", "--kind", "prefixes", "-o", str(out)
    )
    assert said.code == 0
    assert out.read_text(encoding="utf-8").startswith("02139;0213*;021**;02***;0****;*")


def test_what_a_hierarchy_lacks_is_counted_and_not_shown(tmp_path):
    data = table(tmp_path)
    (tmp_path / "people_hierarchy_sex.csv").write_text("f;*\n", encoding="utf-8")
    said = inside("hierarchy", "check", str(tmp_path), "--data", str(data), "--json")
    assert said.code == 2
    error = json.loads(said.out)["error"]
    assert error["code"] == "E-ANONYMIZE-021"
    assert "lacks 1 of the table's 2 values" in error["message"]


def test_nothing_to_check_is_refused(tmp_path):
    said = inside("hierarchy", "check", str(tmp_path / "absent"), "--json")
    assert json.loads(said.out)["error"]["code"] == "E-ANONYMIZE-022"


DECLARED = """version: 1
dataset:
  source: people.csv
  unit: {column: sex, max_rows: 4}
  ledger: people.ledger
  budget: {epsilon: 3, delta: 1e-6}
columns:
  age: {role: quasi}
  zip: {role: quasi}
  sex: {role: direct}
purposes:
  look: {use: choosing hierarchies, basis: GDPR Art. 6(1)(e), columns: [age], outputs: [audit], recipients: [internal],
         expires: 2099-01-01}
  beds: {use: planning beds, basis: GDPR Art. 6(1)(e), columns: [age], outputs: [answer], recipients: [internal],
         expires: 2099-01-01}
"""


@pytest.mark.parametrize(
    ("column", "more", "code"),
    [
        ("age", ("--purpose", "look"), None),
        ("age", (), "E-DATASET-004"),
        ("zip", ("--purpose", "look"), "E-POLICY-002"),
        ("age", ("--purpose", "beds"), "E-POLICY-002"),
        ("age", ("--purpose", "look", "--delimiter", ";"), "E-DATASET-005"),
    ],
)
def test_purposes_bind_who_looks_at_values(tmp_path, column, more, code):
    """A declared data set gives its owner the values of a column for a purpose that allows an audit of it."""
    data = table(tmp_path)
    (tmp_path / "privet.yaml").write_text(DECLARED, encoding="utf-8")
    out = tmp_path / f"people_hierarchy_{column}.csv"
    said = inside("hierarchy", "suggest", str(data), "--column", column, "-o", str(out), *more, "--json")
    assert json.loads(said.out).get("error", {}).get("code") == code
    assert out.exists() == (code is None)
    out.write_text("17;*\n39;*\n90;*\n02139;*\n02142;*\n10001;*\n", encoding="utf-8")
    checked = inside("hierarchy", "check", str(out), "--data", str(data), *more, "--json")
    assert json.loads(checked.out).get("error", {}).get("code") == code


def test_a_schema_is_drafted_of_the_columns_of_a_purpose(tmp_path):
    data = table(tmp_path)
    (tmp_path / "privet.yaml").write_text(DECLARED, encoding="utf-8")
    refused = inside("schema", str(data), "--json")
    assert json.loads(refused.out)["error"]["code"] == "E-DATASET-004"
    refused = inside("schema", str(data), "--purpose", "beds", "--json")
    assert json.loads(refused.out)["error"]["code"] == "E-POLICY-002"
    drafted = inside("schema", str(data), "--purpose", "look", "--json")
    assert drafted.code == 0, drafted.err
    columns = json.loads(drafted.out)["columns"]
    assert set(columns) == {"age", "sex"}
    assert set(columns["sex"]) == {"kind", "origin"}  # whose rows they are; nothing of it is read off
