"""Dates of a person move together, by a shift that only the key knows."""

import datetime as dt
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
from tests.protect.transform.stays import DAY, NOON, RING, column

import privet as pv
from privet.errors import BadTransform
from privet.protect.transform import (
    shift_dates,
)
from privet.protect.transform.pseudonyms import KeyRing


def test_all_dates_of_a_person_move_together(table: pv.Table) -> None:
    result = shift_dates(table, ["seen", "at"], person="id", keys=RING, dataset="h", max_days=30)
    seen, at = column(result, "seen"), column(result, "at")
    shift = seen[0] - DAY
    assert seen[2] - dt.date(2024, 3, 10) == shift
    assert at[0] - NOON == shift
    assert 1 <= abs(shift.days) <= 30
    assert seen[3] is None, "a placeholder would show the shift"
    assert seen[4] is None, "nobody's date"
    assert result.figures == {"dates_out_of_range": 1}
    other = pv.open_table(pa.table({"pid": ["1", "x"], "left": [DAY, DAY]}))
    again = shift_dates(other, ["left"], person="pid", domain="id", keys=RING, dataset="h", max_days=30)
    assert column(again, "left")[0] == seen[0], "the same in every table of the project"


BERLIN = ZoneInfo("Europe/Berlin")


def test_a_time_zone_is_refused_rather_than_guessed() -> None:
    moment = pa.array([0], pa.timestamp("us", "Europe/Berlin"))
    table = pv.open_table(pa.table({"id": [1], "at": moment}))
    for zone in (None, "Europe/Atlantis", "../etc"):
        with pytest.raises(BadTransform, match="time zone"):
            shift_dates(table, ["at"], person="id", keys=RING, dataset="h", max_days=5, zone=zone)


def test_moments_move_on_the_clock_of_a_zone() -> None:
    eight = [dt.datetime(2024, month, 15, 8, tzinfo=BERLIN) for month in range(1, 13)]
    moments = pa.array([*eight, None, eight[0]], pa.timestamp("us", "UTC"))
    days = pa.array([*(moment.date() for moment in eight), None, DAY])
    people = [*(at // 2 for at in range(12)), 1, None]
    table = pv.open_table(pa.table({"id": people, "at": moments, "day": days, "row": list(range(14))}))
    options = {"person": "id", "keys": RING, "dataset": "h", "max_days": 200, "zone": "Europe/Berlin"}
    found = shift_dates(table, ["at", "day"], **options).to_arrow()
    assert found["row"].to_pylist() == list(range(14))
    at = [None if moment is None else moment.astimezone(BERLIN) for moment in found["at"].to_pylist()]
    assert at[12] is None
    assert at[13] is None
    assert {moment.hour for moment in at[:12]} == {8}, "summer time does not show"
    for before, after, plain in zip(eight, at, found["day"].to_pylist(), strict=False):
        assert after.date() == plain, "moments and dates of a person move together"
        assert after.date() != before.date()


def test_an_hour_that_a_clock_skips_is_no_fault() -> None:
    before = dt.datetime(2024, 3, 30, 2, 30, tzinfo=BERLIN)
    table = pv.open_table(
        pa.table({"id": list(range(40)), "at": pa.array([before] * 40, pa.timestamp("us", "UTC"))})
    )
    options = {"keys": RING, "dataset": "h", "max_days": 1, "zone": "Europe/Berlin"}
    found = shift_dates(table, ["at"], person="id", **options).to_arrow()["at"].to_pylist()
    days = {moment.astimezone(BERLIN).date().day for moment in found}
    assert days == {29, 31}


def test_shifts_are_never_zero_and_even() -> None:
    people = 40_000
    table = pv.open_table(pa.table({"id": list(range(people)), "day": [DAY] * people}))
    moved = column(shift_dates(table, ["day"], person="id", keys=RING, dataset="h", max_days=5), "day")
    found = {days: sum((day - DAY).days == days for day in moved) for days in range(-6, 7)}
    assert found[0] == found[-6] == found[6] == 0
    # The draws are fixed by the key: 4000 each expected, with a deviation of 60; seven deviations are allowed.
    assert all(abs(found[days] - 4000) < 420 for days in range(-5, 6) if days)


def test_another_key_moves_otherwise(table: pv.Table) -> None:
    def moved(keys: KeyRing, dataset: str) -> list:
        return column(
            shift_dates(table, ["seen"], person="id", keys=keys, dataset=dataset, max_days=3650), "seen"
        )

    assert len({str(moved(RING, "h")), str(moved(RING.rotated(), "h")), str(moved(RING, "g"))}) == 3
