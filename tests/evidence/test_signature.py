"""A signature is on one record of one kind by one key: whatever is changed, it is none."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.evidence.keys import FORGER, KEYS, OWNER, signing

from privet.errors import EvidenceBroken
from privet.evidence import FIELD, Signature, Signing, domain_of, unsigned

RECORD = {"schema": 1, "artifact": "released-answer", "promise": {"epsilon": "1"}, "values": [1, 2.5, None]}


def test_a_signed_record_is_covered_and_says_what_it_follows_from():
    signed = json.loads(json.dumps(signing().following(plan="a" * 64).signed(RECORD)))
    found = Signature.from_json(signed[FIELD])
    assert found.key == OWNER.public
    assert found.follows == {"plan": "a" * 64}
    assert found.covers(signed, domain_of(RECORD))
    assert unsigned(signed) == RECORD


@given(st.data())
def test_whatever_is_changed_breaks_it(data):
    signed = json.loads(json.dumps(signing().following(plan="a" * 64).signed(RECORD)))
    changed = json.loads(json.dumps(signed))
    place = data.draw(
        st.sampled_from(
            [
                ("promise", "epsilon"),
                ("values", 1),
                ("schema",),
                (FIELD, "at"),
                (FIELD, "key"),
                (FIELD, "follows"),
                (FIELD, "domain"),
            ]
        )
    )
    part = changed
    for name in place[:-1]:
        part = part[name]
    part[place[-1]] = data.draw(
        st.sampled_from(["0.001", 3, {"plan": "b" * 64}, FORGER.public, "2026-02-01T00:00:00+00:00"])
    )
    try:
        found = Signature.from_json(changed[FIELD])
    except EvidenceBroken:
        return
    assert not found.covers(changed, domain_of(RECORD))


def test_a_signature_on_one_kind_is_none_on_another():
    signature = signing().signature(RECORD, "privet/run-plan")
    assert signature.covers(RECORD, "privet/run-plan")
    assert not signature.covers(RECORD, "privet/plan-approval")


@pytest.mark.parametrize(
    "change",
    [
        {"value": "00"},
        {"algorithm": "none"},
        {"schema": 2},
        {"at": "yesterday"},
        {"more": 1},
        {"key": "x" * 64},
        {"follows": {"plan": 1}},
        {"at": "2026-01-01T00:00:00"},
    ],
    ids=str,
)
def test_what_is_no_signature_is_refused(change):
    signed = signing().signed(RECORD)
    with pytest.raises(EvidenceBroken):
        Signature.from_json({**signed[FIELD], **change})


def test_a_signer_that_signs_something_else_is_found_out():
    class Wrong:
        public = OWNER.public

        def sign(self, message):
            return FORGER.sign(message)

    with pytest.raises(EvidenceBroken, match="not valid"):
        Signing(Wrong(), KEYS).signed(RECORD)
