"""Domains that are bought: found in noise, priced as booked, and only what enough people have."""

from fractions import Fraction

import pyarrow as pa
import pytest
from tests.protect.synthesize.people import table

import privet as pv
from privet.engine import ColumnKind
from privet.errors import PromiseUnmeetable
from privet.protect.synthesize import planned_twin, synthesize
from privet.protect.synthesize._bought_domain import bought_share, finds_values

BARE = {"keys": {}, "bounds": {}}


def test_values_and_bounds_are_found_and_paid_for(ledger) -> None:
    twin = synthesize(
        table(**BARE), pv.ApproxDP(8, 1e-6), rows=500, ledger=ledger, why="a twin", method="mst"
    )
    known = {one.name: one for one in twin.columns}
    assert set(known) == {"ward", "age", "seen", "weight", "back"}
    assert known["ward"].origin == "estimated with noise, and paid for"
    assert set(twin.to_arrow()["ward"].to_pylist()) <= {"icu", "eye", "surgery", None}
    bought = [one for one in twin.measured if one.what == "domain"]
    assert {one.columns[0] for one in bought} == {"ward", "age", "seen", "weight"}
    plan = planned_twin(table(**BARE), pv.ApproxDP(8, 1e-6), accounting="basic")
    assert twin.rho <= float(plan.rho)
    assert sum(one.rho for one in bought) == pytest.approx(float(plan.rho * bought_share(4)), rel=1e-3)


def test_what_will_be_lost_is_said_before_anything_is_spent() -> None:
    """Who must share a value for it to be found; with more columns more of the budget goes to finding them."""
    plan = planned_twin(table(**BARE), pv.ApproxDP(1, 1e-6), accounting="basic")
    (ward,) = [one for one in plan.bought if one.name == "ward"]
    assert any(f"about {ward.people:,} people" in line and "'ward'" in line for line in plan.outlook())
    assert "12%" in plan.outlook()[0]
    assert "privet schema" in plan.outlook()[-1]
    assert len(plan.outlook()) == 2 + len({one.outlook() for one in plan.bought}), (
        "alike columns share a sentence"
    )
    assert not planned_twin(table(), pv.ApproxDP(1, 1e-6), accounting="basic").outlook()
    assert [bought_share(many) for many in (1, 5, 40)] == [
        Fraction(1, 10),
        Fraction(15, 100),
        Fraction(3, 10),
    ]


def test_a_value_is_found_about_where_it_is_said_to_be(ledger) -> None:
    """With twice as many people as the noise is cut off at, always: whatever the noise is."""
    few = pv.open_table(pa.table({"v": ["x"]}), unit=pv.Row())
    (one,) = planned_twin(few, pv.ApproxDP(4, 1e-6), accounting="basic").bought
    common = 2 * one.people + 5
    rows = pa.table({"v": ["common"] * common + ["lone"] + ["another"] * common})
    found = synthesize(
        pv.open_table(rows, unit=pv.Row()),
        pv.ApproxDP(4, 1e-6),
        rows=50,
        ledger=ledger,
        why="a twin",
        method="mst",
    )
    assert {"common", "another"} <= set(found.to_arrow()["v"].to_pylist())


def test_a_value_that_one_person_has_is_not_shown(ledger) -> None:
    rows = pa.table({"person": list(range(1000)), "ward": ["rare name", *["icu"] * 999]})
    opened = pv.open_table(rows, unit=pv.Person("person", max_rows=1))
    twin = synthesize(opened, pv.ApproxDP(5, 1e-6), rows=300, ledger=ledger, why="a twin", method="mst")
    assert "rare name" not in twin.to_arrow()["ward"].to_pylist()
    assert "rare name" not in str(twin.to_json())


def test_without_a_delta_values_cannot_be_found_and_the_hint_works() -> None:
    with pytest.raises(PromiseUnmeetable, match="ward") as refused:
        planned_twin(table(keys={}), pv.ZeroConcentratedDP(0.1), accounting="zcdp")
    assert "keys=" in refused.value.hint
    planned_twin(table(), pv.ZeroConcentratedDP(0.1), accounting="zcdp")


def test_bookings_where_rho_adds_up_hold_the_deltas_of_values_too() -> None:
    plan = planned_twin(table(keys={}), pv.ApproxDP(1, 1e-6), accounting="zcdp")
    assert plan.event.kind == "composed"
    assert plan.spare == Fraction(1, 10**7)
    assert finds_values(ColumnKind.TEXT)
    assert not finds_values(ColumnKind.REAL)
