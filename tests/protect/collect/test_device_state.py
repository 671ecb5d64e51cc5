"""The file of a device: verified field by field, for its owner alone, for one process at a time."""

import json
import os
import stat

import pytest

from privet.errors import DeviceProblem
from privet.protect.collect._device_state import DeviceState, read_state, sole_user, write_state

FINGERPRINT = "0" * 32


def test_what_is_written_comes_back_and_is_private(tmp_path) -> None:
    path = tmp_path / "phone.json"
    state = DeviceState(
        FINGERPRINT, "ab" * 32, "2026-11-18", 1, 2, 3, ("1" * 32,), (0, 1), (("2" * 32, "{}"),)
    )
    write_state(path, state)
    assert read_state(path) == state
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert DeviceState.new(FINGERPRINT).secret != DeviceState.new(FINGERPRINT).secret
    assert read_state(tmp_path / "none.json") is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"secret": "ab"},
        {"secret": "AB" * 32},
        {"collection": 1},
        {"total": -1},
        {"total": True},
        {"day": "soon"},
        {"kept": ["x"]},
        {"kept": 3},
        {"occasions": [["1" * 32, 4]]},
        {"last": [0.5]},
        {"more": 1},
        {"schema": 2},
        {"artifact": "collection"},
    ],
)
def test_a_file_that_is_not_a_device_s_is_refused(tmp_path, wrong) -> None:
    record = json.loads(DeviceState.new(FINGERPRINT).content()) | wrong
    with pytest.raises(DeviceProblem):
        DeviceState.read(json.dumps(record).encode(), "phone.json")


def test_a_file_that_others_can_read_is_refused(tmp_path) -> None:
    path = tmp_path / "phone.json"
    write_state(path, DeviceState.new(FINGERPRINT))
    path.chmod(0o640)
    with pytest.raises(DeviceProblem, match="others"):
        read_state(path)


@pytest.mark.skipif(os.name != "posix", reason="locks of files are those of POSIX")
def test_one_process_at_a_time(tmp_path) -> None:
    path = tmp_path / "phone.json"
    with sole_user(path), pytest.raises(DeviceProblem, match="in use"), sole_user(path):
        pass
    with sole_user(path):
        pass
