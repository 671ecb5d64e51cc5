"""The keys that a book knows only grow, and each further one is handed over to by the one before."""

import json

import pytest
from tests.evidence.keys import FORGER, NEXT, OWNER, SINCE
from tests.ledger.demands import DATA_SET, MALLORY, enter_keys

from privet.errors import EvidenceBroken, LedgerTampered
from privet.evidence import digest
from privet.guarantee import PureDP, Row
from privet.ledger import KEYS, Ledger
from privet.ledger import _ledger as ledgers
from privet.ledger import _owner_keys as owner

LATER = "2026-02-01T00:00:00+00:00"
ROTATED = DATA_SET.keys.rotated(OWNER, NEXT, LATER)


@pytest.fixture
def ledger():
    with Ledger.in_memory(limit=PureDP(3), unit=Row()) as book:
        yield book


def test_a_key_that_the_old_one_hands_over_to_is_entered(ledger):
    enter_keys(ledger)
    enter_keys(ledger, ROTATED)
    assert owner.listed(ledger.anchors(KEYS)[-1].said) == [OWNER.public, NEXT.public]
    ledger.verify()


def said_of(history, **other):
    listed = " ".join(key.public for key in history.keys)
    return {"keys": listed, "record": json.dumps(history.to_json()), **other}


@pytest.mark.parametrize(
    ("known", "said"),
    [
        (digest(MALLORY.keys.to_json()), said_of(MALLORY.keys)),  # others than those that are known
        ("0" * 64, said_of(ROTATED)),
        (digest(ROTATED.to_json()), said_of(ROTATED, keys=f"{OWNER.public} {FORGER.public}")),
        (digest(ROTATED.to_json()), said_of(ROTATED, record="")),
        (digest(ROTATED.to_json()), said_of(ROTATED, record="[]")),
        ("0" * 64, {"keys": f"{OWNER.public} {FORGER.public}"}),  # as it was entered once
    ],
)
def test_a_program_that_holds_the_ledger_enters_no_key_of_its_own(ledger, known, said, monkeypatch):
    enter_keys(ledger)
    with pytest.raises(EvidenceBroken):
        ledger.anchor(KEYS, known, why="x", said=said)
    assert len(ledger.anchors(KEYS)) == 1
    ledger.verify()
    with monkeypatch.context() as bent:
        bent.setattr(ledgers.approval, "states_after", lambda *_: {owner.SIGNERS: {"keys": [FORGER.public]}})
        ledger.anchor(KEYS, known, why="x", said=said)
    with pytest.raises(LedgerTampered):
        ledger.verify()


def test_keys_are_not_taken_away(ledger):
    enter_keys(ledger, ROTATED)
    with pytest.raises(EvidenceBroken):
        enter_keys(ledger)


def test_a_hand_over_that_the_old_key_did_not_sign_is_none(ledger):
    enter_keys(ledger)
    record = ROTATED.to_json()
    record["keys"][1]["handed_over"] = FORGER.sign(b"privet key rotation 1\n").hex()
    said = {"keys": " ".join(key["public"] for key in record["keys"]), "record": json.dumps(record)}
    with pytest.raises(EvidenceBroken):
        ledger.anchor(KEYS, digest(record), why="x", said=said)


def test_what_a_state_knows():
    assert owner.known(None) == []
    assert owner.known({"keys": ["a", "b"]}) == ["a", "b"]
    assert owner.listed({}) == []
    assert SINCE < LATER
