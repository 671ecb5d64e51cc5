"""A promise is believed with a valid signature of a trusted key, claimed without, and refused with a broken one."""

import pytest
from tests.evidence.keys import FORGER, KEYS, NEXT, OWNER, signing

from privet.errors import EvidenceBroken
from privet.evidence import CLAIMED, KeyHistory, Signing, standing_of

RECORD = {"schema": 1, "artifact": "released-answer", "epsilon": "1"}
BEFORE, AFTER = "2026-05-31T00:00:00+00:00", "2026-06-02T00:00:00+00:00"
ROTATED = KEYS.rotated(OWNER, NEXT, "2026-06-01T00:00:00+00:00")


def at(moment, signer=OWNER):
    found = Signing(signer, KEYS).signature(RECORD, "privet/released-answer", at=moment)
    return {**RECORD, "signature": found.to_json()}


def test_signed_claimed_and_broken():
    assert standing_of(signing().signed(RECORD), KEYS).word == "signed"
    assert standing_of(RECORD, KEYS) is CLAIMED
    assert "no signature" in CLAIMED.sentence()
    with pytest.raises(EvidenceBroken, match="changed after it was signed"):
        standing_of({**signing().signed(RECORD), "epsilon": "0.001"}, KEYS)


def test_a_stranger_s_signature_is_a_claim():
    forged = signing(FORGER, KeyHistory.first(FORGER, BEFORE)).signed({**RECORD, "epsilon": "0.001"})
    found = standing_of(forged, KEYS)
    assert not found.believed
    assert "nobody here vouches for" in found.sentence()
    assert found.to_json()["standing"] == "claimed"


def test_a_key_that_was_rotated_out_signs_until_its_end():
    assert standing_of(at(BEFORE), ROTATED).believed
    assert standing_of(at(AFTER, NEXT), ROTATED).believed
    with pytest.raises(EvidenceBroken, match="after it had been retired"):
        standing_of(at(AFTER), ROTATED)
