"""Time windows: their starts, their public spans, and questions by them."""

import datetime

import pyarrow as pa
import pytest

import privet as pv
from privet import errors
from privet.engine._relation import ColumnKind
from privet.source._time_windows import Span, truncated

DAY = datetime.date


@pytest.fixture
def table():
    days = [DAY(2026, 1, 31), DAY(2026, 3, 1), DAY(2027, 1, 1)]
    return pv.open_table(
        pa.table(
            {"id": [1, 2, 3], "day": days, "at": [datetime.datetime.fromisoformat("2026-01-01T05:59")] * 3}
        ),
        unit=pv.Person("id", max_rows=1),
        bounds={"day": ("2026-01-15", DAY(2026, 4, 30))},
    )


@pytest.mark.parametrize(
    ("unit", "starts"),
    [
        ("year", ["2026-01-01"]),
        ("quarter", ["2026-01-01", "2026-04-01"]),
        ("month", ["2026-01-01", "2026-02-01", "2026-03-01", "2026-04-01"]),
    ],
)
def test_a_span_has_every_window_that_it_touches(unit, starts):
    keys = Span("2026-01-15", "2026-04-30").windows(unit, ColumnKind.DATE)
    assert [str(key) for (key,) in keys.values] == starts


def test_weeks_start_on_monday_and_hours_are_moments():
    weeks = Span("2026-01-01", "2026-01-12").windows("week", ColumnKind.DATE)
    assert [key.weekday() for (key,) in weeks.values] == [0, 0, 0]
    hours = Span("2026-01-01T22:30", "2026-01-02T01:00").windows("hour", ColumnKind.TIMESTAMP)
    assert [key.hour for (key,) in hours.values] == [22, 23, 0, 1]
    moment = datetime.datetime.fromisoformat("2026-05-07T08:09:10.000011")
    assert truncated(moment, "minute").isoformat() == "2026-05-07T08:09:00"


def test_a_window_takes_the_tables_span_or_its_own_or_has_unknown_keys(table):
    stated = table.group_by(pv.window("day", "month")).agg(n=pv.count())
    assert stated.keys == ("day_month",)
    assert stated.public_keys().num_rows == 4
    own = table.group_by(pv.window("day", "year", first="2026-01-01", last="2028-12-31", name="y")).agg(
        n=pv.count()
    )
    assert own.public_keys()["y"].to_pylist() == [DAY(2026, 1, 1), DAY(2027, 1, 1), DAY(2028, 1, 1)]
    assert table.group_by(pv.window("at", "hour")).agg(n=pv.count()).public_keys() is None
    assert "2026-01-15 to 2026-04-30 (stated by the caller)" in repr(table)


def test_the_last_window_of_the_calendar_ends_the_span():
    assert len(Span("9999-11-01", "9999-12-31").windows("month", ColumnKind.DATE)) == 2


@pytest.mark.parametrize("ends", [("2026-02-01", "2026-01-01"), ("soon", "later"), (1, 2), ("2026-01-01",)])
def test_what_is_no_span_is_refused(ends):
    with pytest.raises(errors.BadBounds):
        Span.of(ends)


def test_what_is_no_window_is_refused(table):
    for arguments in ({"column": "day", "unit": "fortnight"}, {"column": "", "unit": "day"}):
        with pytest.raises(errors.BadQuery):
            pv.window(**arguments)
    with pytest.raises(errors.BadQuery):
        pv.window("day", "month", first="2026-01-01")
    with pytest.raises(errors.BadExpression):
        table.group_by(pv.window("id", "month"))
    with pytest.raises(errors.BadDeclaration, match="first day"):
        pv.open_table(pa.table({"day": [DAY(2026, 1, 1)]}), bounds={"day": ("2026-02-01", "2026-01-01")})


def test_a_span_read_off_the_data_needs_a_confirmation(table):
    private = Span("2026-01-01", "2026-12-31", "read off the data")
    looked = pv.open_table(
        pa.table({"id": [1], "day": [DAY(2026, 1, 1)]}), unit=pv.Row(), bounds={"day": private}
    )
    with pytest.raises(errors.NotPublic):
        looked.group_by(pv.window("day", "month")).agg(n=pv.count())
    public = pv.open_table(
        pa.table({"id": [1], "day": [DAY(2026, 1, 1)]}),
        unit=pv.Row(),
        bounds={"day": private.confirmed("published in the yearbook")},
    )
    assert public.group_by(pv.window("day", "month")).agg(n=pv.count()).public_keys().num_rows == 12
