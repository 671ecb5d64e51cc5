"""The record of a network: held against its weights, its receipt and the price of what was booked."""

import json

import pytest
from tests.evidence.keys import FORGER, KEYS, signing
from tests.protect.train.gradients.networks import read, saved, trained, written

from privet.artifact._model_folder import NETWORK, WEIGHTS, read_model
from privet.artifact._network_record import NetworkRecord, refuse_other_tensors, stored_tensors
from privet.errors import BadModel, EvidenceBroken
from privet.evidence import HISTORY, TRUSTED, KeyHistory, Signing


def loaded(folder):
    record, content, standing = read_model(folder, NETWORK)
    found = NetworkRecord.from_json(record, standing)
    refuse_other_tensors(found.tensors, content)
    return found


def raised(record, rho):
    """A promise of less than was paid for, in every place that states it."""
    for one in (record, record["receipt"], record["plan"]):
        one["promise"]["rho"] = rho
    return record


def test_a_record_comes_back(tmp_path):
    folder = saved(tmp_path / "n")
    found = loaded(folder)
    assert found.to_json() == trained().released(target="ward", classes=found.classes).record.to_json()
    assert found.standing.word == "claimed"


def test_a_forged_promise_is_refused_even_where_nothing_is_signed(tmp_path):
    folder = saved(tmp_path / "n")
    record = read(folder)
    record["promise"]["rho"] = "0.001"
    written(folder, record)
    with pytest.raises(BadModel, match="not what its receipt and its plan say"):
        loaded(folder)
    written(folder, raised(record, "0.49"))
    with pytest.raises(BadModel, match="costs more than it promises"):
        loaded(folder)
    written(folder, raised(record, "0.5"))
    assert loaded(folder).promise == trained().plan.promise


def test_a_signed_one_is_believed_and_a_changed_one_is_refused(tmp_path, monkeypatch):
    (tmp_path / HISTORY).write_text(json.dumps(KEYS.to_json()), encoding="utf-8")
    monkeypatch.setenv(TRUSTED, str(tmp_path / HISTORY))
    folder = saved(tmp_path / "n", signing=signing())
    assert loaded(folder).standing.believed
    record = read(folder)
    written(folder, {**record, "notes": ["all is well"]})
    with pytest.raises(EvidenceBroken):
        loaded(folder)
    forger = Signing(FORGER, KeyHistory.first(FORGER, KEYS.keys[0].since))
    written(folder, forger.signed(record))
    assert loaded(folder).standing.stranger == FORGER.public


@pytest.mark.parametrize(
    ("part", "value"),
    [("shape", [8, 7]), ("dtype", "F16"), ("name", "0.heavy"), ("digest", "0" * 64), ("trained", False)],
)
def test_what_is_said_of_a_tensor_must_be_so(tmp_path, part, value):
    folder = saved(tmp_path / "n")
    record = read(folder)
    record["tensors"][0][part] = value
    written(folder, record)
    with pytest.raises(BadModel):
        loaded(folder)


@pytest.mark.parametrize("part", ["tensors", "plan", "receipt", "form", "unit"])
def test_a_lacking_field_is_refused(tmp_path, part):
    folder = saved(tmp_path / "n")
    record = read(folder)
    record[part] = None
    written(folder, record)
    with pytest.raises(BadModel):
        loaded(folder)


def test_a_tensor_more_or_twice_is_refused(tmp_path):
    content = (saved(tmp_path / "n") / WEIGHTS).read_bytes()
    listed = stored_tensors(content, ["0.weight"])
    assert [one.trained for one in listed] == [True, False, False, False]
    refuse_other_tensors(listed, content)
    for wrong in (listed[1:], (*listed, listed[0])):
        with pytest.raises(BadModel, match="not those that its record lists"):
            refuse_other_tensors(wrong, content)
    with pytest.raises(BadModel, match="not a safetensors file"):
        refuse_other_tensors(listed, b"\x80\x04pickle")


@pytest.mark.parametrize("shape", [[-1], [2**41], [2**21, 2**21], ["6"], [True], 6, None])
def test_shapes_that_no_input_has_are_refused(tmp_path, shape):
    folder = saved(tmp_path / "n")
    record = read(folder)
    record["inputs"][0]["shape"] = shape
    written(folder, record)
    with pytest.raises(BadModel, match="lacks a field"):
        loaded(folder)


def test_a_plan_that_no_card_can_be_written_of_is_refused(tmp_path):
    folder = saved(tmp_path / "n")
    record = read(folder)
    del record["plan"]["clipping"]
    written(folder, record)
    with pytest.raises(BadModel, match="lacks a field"):
        loaded(folder)
