"""Estimates: released with promise, intervals, what was left out, and a stamp where reports were seeded."""

import json

import pyarrow as pa
import pytest
from tests.protect.collect.specifications import ALL, VALUES, collection, values_for

import privet as pv
from privet.errors import ForeignReports, PrivetError


@pytest.mark.parametrize("kind", ALL)
def test_every_protocol_has_an_answer_that_is_saved_and_loaded(kind: str, tmp_path) -> None:
    made = collection(kind, 6)
    found = pv.estimate(made.randomize(values_for(kind, 400)), made)
    assert found.promise == pv.LocalDP(6)
    assert len(found) > 0
    again = pv.ReleasedAnswer.load(found.save(tmp_path / "answer.json"))
    assert again.answers == found.answers
    assert found.answers[0].name in str(found)
    assert found.to_arrow().num_rows == len(found)
    assert found.plot().svg.startswith("<svg")


def test_consistent_estimates_stand_beside_and_are_labelled() -> None:
    made = collection("grr")
    found = pv.estimate(made.randomize(values_for("grr", 2_000)), made)
    names = [answer.name for answer in found.answers]
    assert names == ["count", "norm_sub", "base_cut"]
    assert sum(found["norm_sub"]) == pytest.approx(2_000)
    assert min(found["norm_sub"]) >= 0
    assert "Norm-Sub" in found.answers[1].meaning
    assert set(found.error("norm_sub")) == {(None, None)}
    assert all(
        low < value < high for value, (low, high) in zip(found["count"], found.error("count"), strict=True)
    )


def test_wider_confidence_is_wider() -> None:
    made = collection("olh")
    table = made.randomize(values_for("olh", 500))
    narrow, wide = (pv.estimate(table, made, confidence=level).error("count")[0] for level in (0.8, 0.99))
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_the_most_frequent_come_first() -> None:
    made = collection("grr", 8)
    found = pv.estimate(made.randomize(["v3"] * 500 + ["v5"] * 300 + ["v1"] * 100), made, top=3)
    assert found["value"] == ("v3", "v5", "v1")


def test_what_was_left_out_is_counted_and_nothing_more_is_said() -> None:
    made = collection("grr")
    table = made.randomize(["v1"] * 50)
    stamps = table["collection"].to_pylist()
    stamps[7] = "f" * 32
    wrong = table.set_column(0, "collection", pa.array(stamps))
    found = pv.estimate(wrong, made)
    assert "1 report was left out because it does not fit the specification." in found.notes
    assert "49 reports" in found.provenance.stages[1]


def test_reports_of_another_specification_alone_are_refused() -> None:
    one, two = collection("grr"), collection("grr", 3)
    with pytest.raises(ForeignReports) as said:
        pv.estimate(one.randomize(["v1"] * 5), two)
    assert said.value.details["left_out"] == 5


def test_seeded_reports_are_stamped_in_every_output(tmp_path) -> None:
    made = collection("olh")
    found = pv.estimate(made.randomize(values_for("olh", 100), seed=1), made)
    assert any(note.startswith("NOT PRIVATE") for note in found.notes)
    assert "NOT PRIVATE" in json.dumps(found.to_json())
    assert "NOT PRIVATE" in found._repr_html_()
    assert "NOT PRIVATE" in str(found)
    assert "NOT PRIVATE" in found.plot().svg


def test_people_paid_on_their_devices() -> None:
    made = collection("grr")
    receipt = pv.estimate(made.randomize(["v1"] * 5), made).receipt
    assert receipt.ledger == f"devices:{made.fingerprint}"
    assert receipt.cost == {"epsilon": "2"}


@pytest.mark.parametrize("changed", [{"confidence": 1.0}, {"confidence": 0.1}, {"top": 0}, {"top": True}])
def test_odd_settings_are_refused(changed) -> None:
    made = collection("grr")
    with pytest.raises(PrivetError):
        pv.estimate(made.randomize(["v1"]), made, **changed)
    assert VALUES
