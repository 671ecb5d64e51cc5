"""`privet approve`, from the demand to the run, and the renewal of the data set's key: by the command line alone."""

from tests.app.doors import inside
from tests.pipeline.hospital import RELEASE, project

from privet.dataset import make_signing_key, public_keys_of
from privet.pipeline import verify


def test_a_second_person_approves_and_the_same_person_twice_is_not_two(tmp_path):
    project(tmp_path, RELEASE)
    make_signing_key(tmp_path)
    people = [
        inside("keys", "own", f"{name}.key", "--json", cwd=tmp_path).json()["public"]
        for name in ("ada", "grace")
    ]
    assert inside("keys", "own", "ada.key", cwd=tmp_path).code == 2
    assert inside("keys", "approvers", *people, "--needed", "2", cwd=tmp_path).code == 0
    assert inside("run", cwd=tmp_path).code == 7
    assert inside("plan", cwd=tmp_path).code == 0
    for key, code in (("ada.key", 7), ("ada.key", 7), ("grace.key", 0)):
        assert inside("approve", "plan.json", "--key", key, cwd=tmp_path).code == 0
        assert inside("run", "plan.json", cwd=tmp_path).code == code
    assert "approved by" in str(verify(tmp_path / "out", key=public_keys_of(tmp_path)))
    assert inside("keys", "approvers", "--needed", "0", cwd=tmp_path).code == 0
    assert inside("run", cwd=tmp_path).code == 0


def test_a_renewed_key_is_noted_in_the_ledger_and_goes_on(tmp_path):
    project(tmp_path, RELEASE)
    make_signing_key(tmp_path)
    assert inside("run", cwd=tmp_path).code == 0
    renewed = inside("keys", "renew", "--json", cwd=tmp_path)
    assert len(renewed.json()["keys"]) == 2
    assert inside("run", cwd=tmp_path).code == 0
    found = verify(tmp_path / "out", key=public_keys_of(tmp_path), ledger=tmp_path / "stays.ledger")
    assert found.proven, str(found)
