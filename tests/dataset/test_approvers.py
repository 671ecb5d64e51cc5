"""Who approves, and whose keys sign, is what the ledger says in the data set's own word; and it binds every booking."""

import json

import pytest
from tests.evidence.keys import FORGER, NEXT, OWNER, SINCE
from tests.pipeline.hospital import RELEASE, project

from privet.dataset import (
    DataSet,
    anchor_keys,
    approvers_in,
    demand_approval,
    make_signing_key,
    refuse_other_keys,
    rotate_signing_key,
    signing_of,
)
from privet.errors import EvidenceBroken, NotApproved
from privet.evidence import KeyHistory, Signing, digest
from privet.ledger import APPROVERS, KEYS, Ledger
from privet.ledger import _ledger as ledgers
from privet.pipeline._run import run


def person(signer):
    return Signing(signer, KeyHistory.first(signer, SINCE))


ADA, GRACE, MALLORY = person(OWNER), person(NEXT), person(FORGER)


@pytest.fixture
def ward(tmp_path):
    """A project whose plans are approved by Ada and Grace, both."""
    policy = project(tmp_path, RELEASE)
    make_signing_key(tmp_path)
    with book(tmp_path) as ledger:
        demand_approval(ledger, signing_of(tmp_path), [OWNER.public, NEXT.public], 2)
    return policy


def book(folder):
    from privet.pipeline._policy import read_policy

    policy, _ = read_policy(folder / "privet.yaml")
    return Ledger(
        folder / "stays.ledger", limit=policy.dataset.budget.promise(), unit=policy.dataset.unit.value()
    )


@pytest.mark.parametrize("by", ["nobody", "a forger"])
def test_an_entry_of_approvers_that_the_data_set_did_not_sign_is_refused(ward, by, monkeypatch):
    record = {"schema": 1, "artifact": "approvers", "needed": 0, "keys": []}
    record = MALLORY.signed(record) if by == "a forger" else {**record, "signature": {}}
    with book(ward.parent) as ledger:
        with pytest.raises(EvidenceBroken):
            ledger.anchor(APPROVERS, digest(record), why="x", said={"record": json.dumps(record)})
        past_the_check(ledger, record, monkeypatch)
        with pytest.raises(EvidenceBroken):
            approvers_in(ledger, signing_of(ward.parent).keys)
    with pytest.raises(EvidenceBroken):
        run(ward)


def past_the_check(ledger, record, monkeypatch):
    """Enter it as a program of one's own would."""
    left = {"needed": 0, "people": [], "record": digest(record), "plan": ""}
    with monkeypatch.context() as bent:
        bent.setattr(ledgers.approval, "states_after", lambda *_: {"approval": left})
        ledger.anchor(APPROVERS, digest(record), why="x", said={"record": json.dumps(record)})


@pytest.mark.parametrize(
    ("keys", "needed"), [([], 1), ([OWNER.public, OWNER.public], 2), ("own", 1), ([OWNER.public], -1)]
)
def test_what_cannot_be_demanded_is_refused(tmp_path, keys, needed):
    project(tmp_path, RELEASE)
    own = make_signing_key(tmp_path).current.public
    with book(tmp_path) as ledger, pytest.raises(NotApproved):
        demand_approval(ledger, signing_of(tmp_path), [own] if keys == "own" else keys, needed)


def test_keys_are_anchored_once_and_go_on_from_those_that_are_known(tmp_path):
    project(tmp_path, RELEASE)
    first = make_signing_key(tmp_path)
    with book(tmp_path) as ledger:
        anchor_keys(ledger, first)
        anchor_keys(ledger, first)
        assert len(ledger.anchors(KEYS)) == 1
        anchor_keys(ledger, rotate_signing_key(tmp_path))
        assert len(ledger.anchors(KEYS)) == 2
        for other in (first, None, KeyHistory.first(FORGER, SINCE)):
            with pytest.raises(EvidenceBroken):
                refuse_other_keys(ledger, other)


@pytest.mark.parametrize("by", ["nobody", "a forger"])
def test_an_end_of_the_demand_that_the_data_set_did_not_sign_opens_no_ledger(ward, by, monkeypatch):
    """`DataSet.ledger` is where every command and program gets it: the end of approval is the owner's word, or none."""
    record = {"schema": 1, "artifact": "approvers", "needed": 0, "keys": []}
    record = MALLORY.signed(record) if by == "a forger" else {**record, "signature": {}}
    with DataSet.read(ward).ledger() as ledger:
        assert ledger.approvals_needed == 2
        past_the_check(ledger, record, monkeypatch)
    with pytest.raises(EvidenceBroken):
        DataSet.read(ward).ledger()


def test_a_key_put_in_the_place_of_the_data_set_s_does_not_end_it(ward):
    forged = KeyHistory.first(FORGER, SINCE)
    (ward.parent / "privet.signing" / "keys.json").write_text(json.dumps(forged.to_json()))
    (ward.parent / "privet.signing" / "ledger.json").unlink(missing_ok=True)
    with pytest.raises(EvidenceBroken):
        DataSet.read(ward).ledger()


def test_a_key_that_was_renewed_and_put_back_opens_no_ledger(tmp_path):
    """Whoever kept a copy of the old key puts it back: no door books or signs with it, whether approval is demanded or not."""
    policy = project(tmp_path, RELEASE)
    first = make_signing_key(tmp_path)
    with book(tmp_path) as ledger:
        anchor_keys(ledger, first)
    kept = {path.name: path.read_bytes() for path in (tmp_path / "privet.signing").iterdir()}
    with DataSet.read(policy).ledger() as ledger:
        anchor_keys(ledger, rotate_signing_key(tmp_path))
        assert len(ledger.signing_keys) == 2
    for name, content in kept.items():
        (tmp_path / "privet.signing" / name).write_bytes(content)
    with pytest.raises(EvidenceBroken, match="replaced"):
        DataSet.read(policy).ledger()
