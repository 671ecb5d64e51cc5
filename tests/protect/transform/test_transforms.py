"""Suppressing, masking, rounding, coding and shifting: values as stated, gaps kept, order kept."""

import datetime as dt
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest

import privet as pv
from privet.errors import BadTransform, PrivetError
from privet.protect.transform import (
    code_ends,
    mask,
    numbered,
    placeholder,
    round_to,
    shift_dates,
    suppress_cells,
    suppress_columns,
    suppress_rare,
)
from privet.protect.transform.pseudonyms import Key, KeyRing

RING = KeyRing((Key("k1", bytes(range(32))),))
DAY = dt.date(2024, 2, 29)
NOON = dt.datetime.combine(DAY, dt.time(12, 30))
ROWS = pa.table(
    {
        "id": [1, 2, 1, 3, None, 2],
        "name": ["Ada", "Bob Stone", "Ada", "Cy", None, "Bob Stone"],
        "age": [17, 95, 18, None, 42, 89],
        "weight": [60.26, -2.5, 2.5, None, 100.0, 7.4],
        "seen": [DAY, DAY, dt.date(2024, 3, 10), dt.date(9999, 12, 31), DAY, None],
        "at": [NOON, None, NOON, None, None, None],
    },
    schema=pa.schema(
        {
            "id": pa.int64(), "name": pa.string(), "age": pa.int64(), "weight": pa.float64(),
            "seen": pa.date32(), "at": pa.timestamp("us"),
        }
    ),
)  # fmt: skip


@pytest.fixture
def table() -> pv.Table:
    return pv.open_table(
        ROWS,
        unit=pv.Person("id", max_rows=3),
        roles={"name": "direct", "age": "quasi"},
        bounds={"age": (0, 120), "weight": (0, 200)},
        keys={"name": ["Ada", "Cy"]},
    )


def column(result, name: str) -> list:
    return result.to_arrow()[name].to_pylist()


def test_columns_are_left_out_and_so_is_what_was_said_of_them(table: pv.Table) -> None:
    result = suppress_columns(table, ["id", "name"])
    assert result.to_arrow().equals(ROWS.select(["age", "weight", "seen", "at"]))
    assert result.table.unit is None
    assert set(result.table.roles) == {"age"}
    assert dict(result.table.keys) == {}
    assert result.done == {"id": "left out", "name": "left out"}


def test_cells_are_suppressed_where_a_condition_holds(table: pv.Table) -> None:
    result = suppress_cells(table, "name", pv.col("age") > 50)
    assert column(result, "name") == ["Ada", None, "Ada", "Cy", None, None]


def test_rare_values_are_suppressed(table: pv.Table) -> None:
    result = suppress_rare(table, "name", 2)
    assert column(result, "name") == ["Ada", "Bob Stone", "Ada", None, None, "Bob Stone"]
    assert result.figures == {"values_suppressed": 1}
    assert column(suppress_rare(table, "id", 3), "id") == [None] * 6


def test_a_mask_shows_at_most_half(table: pv.Table) -> None:
    assert column(mask(table, "name", keep_first=1, keep_last=2), "name") == [
        "****", "B****ne", "****", "****", None, "B****ne",
    ]  # fmt: skip
    assert column(mask(table, "name", sign="#", same_length=True), "name")[:2] == ["###", "#########"]
    assert column(mask(table, "age", keep_last=1), "age") == [
        "****7",
        "****5",
        "****8",
        None,
        "****2",
        "****9",
    ]


def test_a_placeholder_stands_for_all(table: pv.Table) -> None:
    assert column(placeholder(table, "name", "<name>"), "name") == ["<name>"] * 4 + [None, "<name>"]
    assert column(placeholder(table, "age", "<age>"), "age")[3] is None


def test_numbers_are_consistent_padded_and_in_no_order() -> None:
    table = pv.open_table(pa.table({"name": [f"{at:03d}" for at in range(120)] * 2}))
    first = column(numbered(table, "name"), "name")
    assert first[:120] == first[120:]
    assert sorted(first[:120]) == [f"User_{at:03d}" for at in range(1, 121)]
    assert first[:120] != sorted(first[:120]), "one in 120! for an honest shuffle"
    small = pv.open_table(pa.table({"name": ["a", "b"]}))
    assert sorted(column(numbered(small, "name", "P-"), "name")) == ["P-01", "P-02"]


def test_rounding(table: pv.Table) -> None:
    near, down = round_to(table, "age", 5), round_to(table, "age", 5, down=True)
    assert column(near, "age") == [15, 95, 20, None, 40, 90]
    assert column(down, "age") == [15, 95, 15, None, 40, 85]
    assert near.to_arrow()["age"].type == pa.int64()
    assert column(round_to(table, "weight", 5), "weight") == [
        60.0,
        0.0,
        5.0,
        None,
        100.0,
        5.0,
    ]  # exact: multiples of a number that a float holds
    assert column(round_to(table, "weight", 0.5), "weight") == [
        60.5,
        -2.5,
        2.5,
        None,
        100.0,
        7.5,
    ]  # exact: multiples of a number that a float holds
    assert near.to_arrow().column_names == ROWS.column_names


def test_the_ends_are_coded(table: pv.Table) -> None:
    result = code_ends(table, "age", above=89, below=18)
    assert column(result, "age") == [18, 89, 18, None, 42, 89]
    assert column(code_ends(table, "age", above=89, top=90), "age") == [17, 90, 18, None, 42, 89]
    assert column(code_ends(table, "weight", below=0, bottom=0), "weight")[1] == pytest.approx(0.0)
    assert (
        column(code_ends(table, "seen", above=dt.date(2024, 3, 1)), "seen")[2:4] == [dt.date(2024, 3, 1)] * 2
    )
    assert result.to_arrow()["age"].type == pa.int64()
    assert "age" not in result.table.bounds, "bounds were of the old values"
    assert "weight" in result.table.bounds


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


def test_values_that_the_engine_would_lose_are_refused() -> None:
    table = pv.open_table(pa.table({"id": pa.array([2**63 + 5, 1, None], pa.uint64())}))
    for attempt in (lambda: mask(table, "id"), lambda: suppress_rare(table, "id", 2)):
        with pytest.raises(BadTransform, match="1 values of 'id'") as caught:
            attempt()
        assert "92233" not in str(caught.value)


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


@pytest.mark.parametrize(
    "attempt",
    [
        lambda table: suppress_columns(table, list(ROWS.column_names)),
        lambda table: suppress_columns(table, []),
        lambda table: suppress_columns(table, "name"),
        lambda table: suppress_rare(table, "name", 1),
        lambda table: mask(table, "nmae"),
        lambda table: mask(table, "name", keep_first=-1),
        lambda table: mask(table, "name", sign="**"),
        lambda table: mask(table, "weight"),
        lambda table: round_to(table, "name", 5),
        lambda table: round_to(table, "age", 0),
        lambda table: round_to(table, "age", 0.5),
        lambda table: round_to(table, "age", float("inf")),
        lambda table: code_ends(table, "age"),
        lambda table: code_ends(table, "age", above=1, below=2),
        lambda table: code_ends(table, "age", above=1.5),
        lambda table: code_ends(table, "seen", above=5),
        lambda table: shift_dates(table, ["age"], person="id", keys=RING, dataset="h", max_days=5),
        lambda table: shift_dates(table, ["seen"], person="weight", keys=RING, dataset="h", max_days=5),
        lambda table: shift_dates(table, ["seen"], person="id", keys=RING, dataset="h", max_days=0),
    ],
)
def test_what_cannot_be_done_is_refused(attempt, table: pv.Table) -> None:
    with pytest.raises(PrivetError) as caught:
        attempt(table)
    assert isinstance(caught.value, BadTransform)
    assert "Stone" not in str(caught.value)
