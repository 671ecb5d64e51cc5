"""The ledger's clock: UTC, sortable, never backwards."""

import datetime

import pytest

from privet.ledger import clock

NOON = datetime.datetime(2026, 3, 4, 12, 0, 0, 5, tzinfo=datetime.UTC)


def test_the_present_is_utc():
    assert clock.now().utcoffset() == datetime.timedelta(0)
    assert abs(clock.now() - datetime.datetime.now(datetime.UTC)) < datetime.timedelta(seconds=5)


def test_a_stamp_gives_its_moment_and_its_day_back():
    text = clock.stamp(NOON)
    assert text == "2026-03-04T12:00:00.000005Z"
    assert clock.moment(text) == NOON
    assert clock.day(text) == datetime.date(2026, 3, 4)


def test_stamps_sort_in_the_order_of_time():
    moments = [NOON + datetime.timedelta(microseconds=step) for step in (0, 1, 10, 10**6, 10**11)]
    assert sorted(map(clock.stamp, moments)) == [clock.stamp(one) for one in moments]


def test_a_clock_set_back_does_not_make_a_book_run_backwards():
    later = clock.stamp(NOON + datetime.timedelta(days=1))
    assert clock.stamp(NOON, not_before=later) == later
    assert clock.stamp(NOON, not_before=clock.stamp(NOON - datetime.timedelta(days=1))) == clock.stamp(NOON)


@pytest.mark.parametrize("text", ["", "2026-03-04", "2026-03-04T12:00:00Z", "2026-13-04T12:00:00.000005Z"])
def test_any_other_text_is_refused(text):
    with pytest.raises(ValueError, match="does not match format"):
        clock.moment(text)
