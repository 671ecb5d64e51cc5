"""`privet hierarchy`: what it writes can be read back, and what it refuses it names."""

import json

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
