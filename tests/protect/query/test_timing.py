"""Answers and errors leave at set times."""

import time

import pytest

from privet.errors import BadUsage
from privet.protect.query._timing import paced


@pytest.mark.parametrize("work", [0.0, 0.02, 0.15])
def test_quick_and_slow_work_leave_at_the_same_time(work: float) -> None:
    started = time.monotonic()
    with paced(0.4):
        time.sleep(work)
    assert time.monotonic() - started >= 0.4


def test_work_beyond_the_pace_leaves_at_the_next_multiple() -> None:
    started = time.monotonic()
    with paced(0.2):
        time.sleep(0.25)
    assert time.monotonic() - started >= 0.4


def test_an_error_waits_as_well() -> None:
    started = time.monotonic()
    with pytest.raises(KeyError), paced(0.3):
        raise KeyError
    assert time.monotonic() - started >= 0.3


@pytest.mark.parametrize("seconds", [0, -1, float("inf"), float("nan")])
def test_a_pace_is_a_time(seconds: float) -> None:
    with pytest.raises(BadUsage), paced(seconds):
        pass
