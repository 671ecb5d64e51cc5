"""`privet verify` by the command line: exit codes, JSON, and a story that begins with what fails."""

import pytest
from tests.app.doors import inside
from tests.pipeline.hospital import RELEASE, project

from privet.dataset import make_signing_key


@pytest.fixture(scope="module")
def ward(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ward")
    project(folder, RELEASE)
    make_signing_key(folder)
    assert inside("run", cwd=folder).code == 0
    assert inside("keys", "public", "-o", "keys.json", cwd=folder).code == 0
    return folder


def test_proven_is_nought(ward, tmp_path):
    said = inside(
        "verify",
        str(ward),
        "--key",
        str(ward / "keys.json"),
        "--ledger",
        str(ward / "stays.ledger"),
        cwd=tmp_path,
    )
    assert said.code == 0, said.err
    assert "all holds" in said.err


def test_unproven_is_six_and_broken_is_nine(ward, tmp_path):
    assert inside("verify", str(ward / "out"), cwd=tmp_path).code == 6
    changed = tmp_path / "beds.json"
    changed.write_text(
        (ward / "out" / "public" / "beds.json").read_text().replace('"epsilon": "0.5"', '"epsilon": "0.1"')
    )
    said = inside("verify", str(changed), "--key", str(ward / "keys.json"), cwd=tmp_path)
    assert said.code == 9
    assert "E-EVIDENCE-001" in said.err
    assert said.out.startswith("fails\t") or "fails" in said.out
    record = inside("verify", str(changed), "--key", str(ward / "keys.json"), "--json", cwd=tmp_path)
    assert record.code == 9
    assert not record.json()["proven"]
    assert record.json()["checks"][0]["finding"] == "fails"


def test_a_key_file_that_is_none_is_refused(ward, tmp_path):
    assert inside("verify", str(ward / "out"), "--key", str(ward / "privet.yaml"), cwd=tmp_path).code == 9
    assert inside("verify", str(ward / "out"), "--key", "nothing.json", cwd=tmp_path).code == 1
