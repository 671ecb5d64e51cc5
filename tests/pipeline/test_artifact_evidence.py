"""One thing by itself is proven by its signature, and by nothing that comes with it."""

import json

import pytest
from tests.evidence.keys import FORGER
from tests.pipeline.forgery import told

from privet.dataset import rotate_signing_key
from privet.evidence import FIELD, KeyHistory
from privet.pipeline import verify


@pytest.mark.parametrize(
    "name",
    [
        "public/safe.parquet",
        "public/beds.json",
        "public/risk",
        "owner/run.json",
        "owner/report.json",
        "owner/report.html",
    ],
)
def test_each_thing_is_proven_by_itself(whole, keys, name):
    assert verify(whole / "out" / name, key=keys).proven
    assert verify(whole / "out" / name, key=keys, ledger=whole / "stays.ledger").proven


def test_a_list_of_keys_is_held_against_the_one_that_is_trusted(given_run, keys, tmp_path, monkeypatch):
    """A list vouches for itself, so that it agrees with itself says nothing of whose it is."""
    mine, theirs = given_run / "privet.signing" / "keys.json", tmp_path / "theirs.json"
    other = KeyHistory.first(FORGER, "2020-01-01T00:00:00+00:00")
    theirs.write_text(json.dumps(other.to_json()))
    assert verify(mine, key=keys).proven
    assert "somebody else" in told(verify(theirs, key=keys))
    rotate_signing_key(given_run)
    assert verify(mine, key=keys).proven  # handed over by the one that is trusted
    monkeypatch.chdir(tmp_path)
    assert not verify(theirs).proven


def test_signatures_taken_away_everywhere_leave_a_claim_and_no_proof(given_run, keys):
    answer = json.loads((given_run / "out" / "public" / "beds.json").read_text())
    answer.pop(FIELD)
    (given_run / "out" / "public" / "beds.json").write_text(json.dumps(answer))
    found = verify(given_run / "out" / "public" / "beds.json", key=keys)
    assert not found.proven
    assert "no signature" in str(found)
