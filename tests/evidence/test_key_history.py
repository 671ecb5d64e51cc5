"""Keys hand over to one another, and no list holds that its keys did not sign."""

import json

import pytest
from tests.evidence.keys import FORGER, KEYS, NEXT, OWNER, SINCE

from privet.errors import EvidenceBroken
from privet.evidence import KeyHistory

LATER = "2026-06-01T00:00:00+00:00"
ROTATED = KEYS.rotated(OWNER, NEXT, LATER)


def test_a_rotation_is_signed_by_the_key_that_goes_and_listed_by_the_one_that_comes():
    again = KeyHistory.from_json(json.loads(json.dumps(ROTATED.to_json())))
    assert again == ROTATED
    assert again.current.public == NEXT.public
    assert again.find(OWNER.public).until == LATER
    assert again.find(OWNER.public).signs_at("2026-05-31T00:00:00+00:00")
    assert not again.find(OWNER.public).signs_at("2026-06-02T00:00:00+00:00")


def test_only_the_current_key_hands_over():
    with pytest.raises(EvidenceBroken):
        KEYS.rotated(FORGER, NEXT, LATER)


def test_a_forger_who_can_write_the_list_cannot_join_it():
    """Consistent in itself and signed by the forger's own key, but not handed over by the owner's."""
    forged = KeyHistory(
        (
            *KEYS.rotated(OWNER, NEXT, LATER).keys[:1],
            ROTATED.keys[1].__class__(FORGER.public, LATER, None, "00"),
        )
    )
    record = forged.vouched_by(FORGER).to_json()
    with pytest.raises(EvidenceBroken):
        KeyHistory.from_json(record)
    given = FORGER.sign(b"anything").hex()
    record["keys"][1]["handed_over"] = given
    with pytest.raises(EvidenceBroken):
        KeyHistory.from_json(record)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("keys", 0, "until"), None),
        (("keys", 0, "until"), "2027-01-01T00:00:00+00:00"),
        (("keys", 1, "since"), SINCE),
        (("keys", 0, "since"), "2020-01-01T00:00:00+00:00"),
        (("keys", 1, "public"), FORGER.public),
        (("vouched",), "00"),
        (("keys",), []),
        (("more",), 1),
        (("schema",), 2),
    ],
    ids=str,
)
def test_a_list_that_was_changed_is_refused(place, value):
    record = json.loads(json.dumps(ROTATED.to_json()))
    part = record
    for name in place[:-1]:
        part = part[name]
    part[place[-1]] = value
    with pytest.raises(EvidenceBroken):
        KeyHistory.from_json(record)


def test_a_list_cut_back_is_refused():
    record = ROTATED.to_json()
    record["keys"] = record["keys"][:1]
    with pytest.raises(EvidenceBroken):
        KeyHistory.from_json(record)
