"""The record of a language model: what a unit is, in words, and parts that were bought add up to the promise."""

import json
from dataclasses import replace

import pytest
from tests.protect.train.language.small_runs import once

import privet as pv
from privet.artifact import LanguageRecord, PaidPart, UnitTerms
from privet.errors import BadModel
from privet.evidence import CLAIMED
from privet.guarantee import unit_from_json


def test_every_kind_of_unit_says_what_it_is() -> None:
    said = {
        kind: UnitTerms(kind, 64, many).sentence()
        for kind, many in (("sequence", 1), ("document", 3), ("person", 2), ("row", 1))
    }
    assert "at most 64 tokens of one text" in said["sequence"]
    assert "less than one sequence is" in said["sequence"]
    assert "at most 3 of them count in a step" in said["document"]
    assert said["person"].startswith("All texts of a unit are joined")
    assert "the first 64 tokens count" in said["row"]


def test_the_promise_is_for_the_unit_that_was_booked() -> None:
    record = once().record
    assert (
        record.sentence
        == f"{record.promise.sentence_about(unit_from_json(record.unit))} {record.terms.sentence()}"
    )
    assert record.to_json()["sentence"] == record.sentence


def test_a_record_comes_back() -> None:
    said = json.loads(json.dumps(once().record.to_json()))
    found = LanguageRecord.from_json(said, CLAIMED)
    assert found == once().record
    assert found.standing is CLAIMED


def test_a_part_that_was_bought_counts_and_is_priced_again() -> None:
    """A receipt whose event was never priced, or a promise that leaves it out, is no record."""
    record = once().record
    part = PaidPart(
        "a list of words",
        pv.ApproxDP(1, 1e-6),
        replace(record.receipt, promise=pv.ApproxDP(1, 1e-6).to_json()),
    )
    for promise in (record.promise, pv.ApproxDP(9, "0.000011")):
        said = replace(record, parts=(part,), promise=promise).to_json()
        with pytest.raises(BadModel):
            LanguageRecord.from_json(said, None)


@pytest.mark.parametrize("terms", [{"kind": "ward"}, {"tokens": 0}, {"sequences": "4"}, {"more": 1}])
def test_terms_that_say_nothing_known_are_refused(terms) -> None:
    said = once().record.to_json()
    said["terms"] = {**said["terms"], **terms}
    with pytest.raises(BadModel):
        LanguageRecord.from_json(said, None)
