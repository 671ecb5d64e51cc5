"""A device: its budget, what it keeps, crashes, and the vectors it shares with clients in other languages."""

import json
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.protect.collect.specifications import ALL, MEMOISED, VALUES, collection, values_for

import privet as pv
from privet.errors import BadCollection, DeviceProblem, DeviceSpent, OutsideQuestion
from privet.protect.collect import _device
from privet.protect.collect._device_state import read_state, write_state

VECTORS = json.loads((Path(__file__).parent / "device_vectors.json").read_text(encoding="utf-8"))["vectors"]


def phone(tmp_path, oracle="grr", **more):
    return pv.Collection("emoji", pv.OneOf(VALUES), pv.LocalDP(2), oracle, **more).device(
        tmp_path / "phone.json"
    )


@pytest.mark.parametrize(
    "vector", VECTORS, ids=lambda one: f"{one['title']}-{one['specification'].get('memory', 'none')}"
)
def test_vectors(vector, tmp_path) -> None:
    made = pv.Collection.from_json(vector["specification"])
    path = tmp_path / "phone.json"
    device = made.device(path)
    write_state(path, replace(read_state(path), secret=vector["secret"]))
    for case in vector["cases"]:
        assert json.loads(device.report(case["value"], occasion=case["occasion"])) == case["report"]
        assert str(device.spent) == case["charged"]


@pytest.mark.parametrize("kind", ALL)
def test_every_report_fits_its_collection(kind, tmp_path) -> None:
    made = collection(kind)
    value = values_for(kind, 1)
    value = {name: column[0] for name, column in value.items()} if isinstance(value, dict) else value[0]
    lines = [json.loads(made.device(tmp_path / "phone.json").report(value)) for _ in range(3)]
    import pyarrow as pa

    names = ["collection", *made.protocol.columns()]
    table = pa.table({name: [line.get(name) for line in lines] for name in names})
    from privet.protect.collect._report_validation import read_reports

    assert read_reports(table, made).left_out == 0


def test_a_day_s_budget_is_kept_also_by_a_new_process_and_by_a_clock_that_goes_back(
    tmp_path, monkeypatch
) -> None:
    device = phone(tmp_path, per="day", most=2)
    monkeypatch.setattr(_device, "today", lambda: "2026-11-18")
    assert device.remaining == 4
    device.report("v1")
    device.report("v1")
    for day in ("2026-11-18", "2026-11-17"):
        monkeypatch.setattr(_device, "today", lambda day=day: day)
        with pytest.raises(DeviceSpent, match="of the day"):
            phone(tmp_path, per="day", most=2).report("v2")
    assert device.remaining == 0
    monkeypatch.setattr(_device, "today", lambda: "2026-11-19")
    assert device.remaining == 4
    device.report("v2")
    assert device.spent == 6
    assert "epsilon 6 spent; epsilon 2 is left today" in str(device)


def test_a_lifetime_s_budget_is_kept(tmp_path) -> None:
    device = phone(tmp_path, per="lifetime", most=1)
    device.report("v1")
    with pytest.raises(DeviceSpent):
        device.report("v1")
    assert device.remaining == 0


@pytest.mark.parametrize("kind", [*MEMOISED, "rappor"])
def test_a_value_that_was_answered_costs_nothing_again_and_a_new_one_does(kind, tmp_path) -> None:
    device = phone(tmp_path, kind, per="lifetime", most=1)
    for _ in range(5):
        device.report("v1")
    assert device.spent == 2
    refused = 0
    for value in VALUES:  # some share the form of the first, by their hash or their place
        try:
            device.report(value)
        except DeviceSpent:
            refused += 1
    assert refused > 0
    assert device.spent == 2
    assert json.loads(device.repeat())["collection"] == device.collection.fingerprint
    assert device.spent == 2


def test_a_repeated_report_is_the_same_for_ever(tmp_path) -> None:
    device = phone(tmp_path, "olh", memory="value", per="lifetime", most=2)
    first = device.report("v1")
    other = device.report("v2")
    assert {device.report("v1") for _ in range(5)} == {first}
    assert device.repeat() == first
    assert other != first
    with pytest.raises(DeviceSpent):
        device.report("v3")
    assert phone(tmp_path, "olh", memory="value", per="lifetime", most=2).report("v2") == other


def test_different_devices_answer_differently(tmp_path) -> None:
    made = pv.Collection("emoji", pv.OneOf(VALUES), pv.LocalDP(2), "olh", memory="value")
    reports = {made.device(tmp_path / f"{number}.json").report("v1") for number in range(4)}
    assert len(reports) == 4


def test_an_occasion_has_one_answer(tmp_path) -> None:
    device = phone(tmp_path, per="lifetime", most=2)
    first = device.report("v1", occasion="Monday")
    assert device.report("v1", occasion="Monday") == first
    assert device.report("v7", occasion="Monday") == first
    assert device.spent == 2
    device.report("v1", occasion="Tuesday")
    with pytest.raises(DeviceSpent):
        device.report("v1", occasion="Wednesday")
    with pytest.raises(BadCollection):
        device.report("v1", occasion="")


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_crash_leads_to_no_second_answer(moment, tmp_path, monkeypatch) -> None:
    """Whether the state was on disk or not when the device went down: asked again, it gives the answer it had made."""
    device = phone(tmp_path, "olh", per="lifetime", most=1)
    made = []
    real = device._line

    def line(table):
        made.append(real(table))
        return made[-1]

    def down(path, state):
        if moment == "after":
            write_state(path, state)
        raise KeyboardInterrupt

    monkeypatch.setattr(_device.Device, "_line", lambda self, table: line(table))
    monkeypatch.setattr(_device, "write_state", down)
    with pytest.raises(KeyboardInterrupt):
        device.report("v1", occasion="Monday")
    assert device.spent == (2 if moment == "after" else 0)
    monkeypatch.setattr(_device, "write_state", write_state)
    again = phone(tmp_path, "olh", per="lifetime", most=1).report("v1", occasion="Monday")
    assert again == made[0].encode()
    assert device.spent == 2


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_device_that_is_killed_between_draw_and_write_gives_nothing_out(moment, tmp_path) -> None:
    """kill -9, with fresh randomness: nothing left the process, and the budget is what is on disk; no lock is left behind."""
    made = phone(tmp_path, "grr", per="lifetime", most=1)
    code = """
import os, signal, sys
from pathlib import Path
import privet as pv
from privet.protect.collect import _device

def down(path, state, write=_device.write_state):
    if sys.argv[3] == "after":
        write(path, state)
    os.kill(os.getpid(), signal.SIGKILL)

device = pv.Collection.load(sys.argv[1]).device(sys.argv[2])
_device.write_state = down
print(device.report("v1"))
"""
    made.collection.save(tmp_path / "spec.json")
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "spec.json"), str(made.path), moment],
        capture_output=True, check=False, timeout=300,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, b""), done.stderr
    again = made.collection.device(made.path)
    assert again.spent == (2 if moment == "after" else 0)
    if moment == "before":
        again.report("v1")
    with pytest.raises(DeviceSpent):
        again.report("v1")
    assert made.path.stat().st_mode & 0o777 == 0o600


def test_nothing_is_returned_before_it_is_on_disk(tmp_path, monkeypatch) -> None:
    device = phone(tmp_path)

    def full(path, state):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_device, "write_state", full)
    with pytest.raises(OSError, match="space"):
        device.report("v1")


def test_the_file_holds_no_value_and_no_other_secret(tmp_path) -> None:
    device = phone(tmp_path, "l-grr")
    device.report("v1")
    content = (tmp_path / "phone.json").read_text()
    assert '"v1"' not in content
    state = read_state(tmp_path / "phone.json")
    assert state.secret not in device.report("v1").decode()


def test_a_device_of_another_specification_or_a_file_that_is_gone_is_refused(tmp_path) -> None:
    device = phone(tmp_path)
    with pytest.raises(DeviceProblem, match="another specification"):
        phone(tmp_path, "olh")
    (tmp_path / "phone.json").unlink()
    with pytest.raises(DeviceProblem, match="gone"):
        device.report("v1")
    with pytest.raises(BadCollection):
        pv.Collection("emoji", pv.OneOf(VALUES), pv.LocalDP(2)).device(tmp_path / "phone.txt")


def test_a_value_outside_the_question_is_refused_and_costs_nothing(tmp_path) -> None:
    device = phone(tmp_path, per="lifetime", most=1)
    with pytest.raises(OutsideQuestion):
        device.report("maybe")
    assert device.spent == 0
    with pytest.raises(DeviceSpent, match="no kept answer"):
        device.repeat()
