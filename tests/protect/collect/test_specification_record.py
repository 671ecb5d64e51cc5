"""Specifications read back: verified, not believed."""

import copy
import json

import pytest
from tests.protect.collect.specifications import ALL, collection

import privet as pv
from privet.errors import PrivetError, RecordTooDeep
from privet.protect.collect._specification_record import verified


@pytest.mark.parametrize("kind", ALL)
def test_each_is_read_back_as_it_was(kind: str) -> None:
    made = collection(kind)
    again = pv.Collection.from_json(json.loads(json.dumps(made.to_json())))
    assert again.fingerprint == made.fingerprint
    assert again.protocol == made.protocol


def places(record, at=()):
    """Every place in a record."""
    inside = (
        record.items() if isinstance(record, dict) else enumerate(record) if isinstance(record, list) else ()
    )
    for name, value in inside:
        yield (*at, name)
        yield from places(value, (*at, name))


@pytest.mark.parametrize("kind", ["olh", "hybrid", "pem", "sfp", "sampled"])
def test_no_field_can_be_left_out_or_changed_unnoticed(kind: str) -> None:
    made = collection(kind)
    for place in places(made.to_json()):
        for change in ("left out", None, "other", -1, True, [], 10**30, {"kind": "x"}):
            record = copy.deepcopy(made.to_json())
            holder = record
            for name in place[:-1]:
                holder = holder[name]
            if change == "left out":
                del holder[place[-1]]
            else:
                holder[place[-1]] = change
            try:
                found = verified(record, pv.Collection)
            except PrivetError:
                continue
            # What is still a specification is another one: it cannot pass for this.
            assert found.fingerprint != made.fingerprint, (place, change)


def test_a_field_more_and_another_version_are_refused() -> None:
    record = collection("olh").to_json()
    for change in (
        {"more": 1},
        {"schema": 2},
        {"schema": True},
        {"artifact": "released-answer"},
        {"columns": {}},
    ):
        with pytest.raises(PrivetError):
            verified({**record, **change}, pv.Collection)
    for nothing in (None, [], "x", 5):
        with pytest.raises(PrivetError):
            verified(nothing, pv.Collection)


def test_files_are_read_within_limits(tmp_path) -> None:
    place = tmp_path / "spec.json"
    for text, error in (
        ("[" * 200, RecordTooDeep),
        ("{", PrivetError),
        ('{"a":1,"a":2}', PrivetError),
        ("[]", PrivetError),
    ):
        place.write_text(text)
        with pytest.raises(error):
            pv.Collection.load(place)
    with pytest.raises(PrivetError):
        pv.Collection.load(tmp_path / "nothing.json")
