"""Twins of tables: near the table, of the asked size and kinds, and with nothing of a person in them."""

import json

import numpy as np
import pyarrow as pa
import pytest
from tests.protect.synthesize.people import WARDS, rows, table

import privet as pv
from privet.errors import BadSynthesis, BudgetExceeded

PROMISE = pv.ApproxDP(4, 1e-6)


def made(ledger, method="aim", promise=PROMISE, **more):
    return pv.synthesize(table(), promise, rows=4000, ledger=ledger, why="a twin", method=method, **more)


def shares(rows_, name):
    values = rows_[name].to_pylist()
    return {value: values.count(value) / len(values) for value in dict.fromkeys(values)}


@pytest.mark.parametrize("method", ["aim", "mst"])
def test_a_twin_is_near_its_table(ledger, method) -> None:
    twin = made(ledger, method)
    real, fake = rows(), twin.to_arrow()
    assert fake.column_names == ["person", "name", "ward", "age", "seen", "weight", "back"]
    assert [fake.schema.field(name).type for name in ("age", "seen", "back")] == [
        pa.int64(),
        pa.date32(),
        pa.bool_(),
    ]
    for ward in WARDS:
        assert shares(fake, "ward")[ward] == pytest.approx(shares(real, "ward")[ward], abs=0.12)
    ages = [np.array(one["age"].to_pylist(), float) for one in (real, fake)]
    assert np.nanmean(ages[1]) == pytest.approx(np.nanmean(ages[0]), abs=12)
    assert shares(fake, "weight").get(None, 0) == pytest.approx(0.1, abs=0.09)


@pytest.mark.parametrize("method", ["aim", "auto", "mst"])
def test_what_is_said_on_the_way_does_not_depend_on_what_is_drawn(tmp_path, method) -> None:
    """Before the transcript is stored a run that is killed is drawn anew: nothing of the first may have been seen."""
    heard = []
    for epsilon in (0.05, 20):
        with pv.Ledger(tmp_path / f"{epsilon}.ledger", limit=pv.ApproxDP(50, 1e-3)) as book:
            made(book, method, pv.ApproxDP(epsilon, 1e-6), progress=(said := []).append)
        heard.append(said)
    assert heard[0] == heard[1]
    assert not any(letter.isdigit() for said in heard[0] for letter in said)


def test_dependences_are_kept(ledger) -> None:
    fake = made(ledger, promise=pv.ApproxDP(20, 1e-6)).to_arrow().to_pylist()
    old = [
        row["back"] for row in fake if row["age"] is not None and row["age"] > 75 and row["back"] is not None
    ]
    young = [
        row["back"] for row in fake if row["age"] is not None and row["age"] < 40 and row["back"] is not None
    ]
    assert np.mean(old) > 0.8
    assert np.mean(young) < 0.2


def test_nothing_of_a_person_is_in_it(ledger) -> None:
    twin = made(ledger)
    fake = twin.to_arrow()
    assert not set(fake["name"].to_pylist()) & set(rows()["name"].to_pylist())
    assert len(set(fake["person"].to_pylist())) == 4000
    assert "some words" not in json.dumps(twin.to_json())
    assert "Left out: note." in twin.notes


def test_the_receipt_says_what_was_measured_and_no_more_than_was_booked(ledger) -> None:
    twin = made(ledger)
    plan = pv.protect.synthesize.planned_twin(table(), PROMISE, accounting="basic", method="aim")
    assert float(plan.rho) * 0.999 < twin.rho <= float(plan.rho)
    counts = [one for one in twin.measured if one.what == "counts"]
    # One person adds up to two rows, at worst both to one cell: 2² / 2 sigma².
    assert all(one.rho == pytest.approx(4 / (2 * one.sigma**2), rel=1e-3) for one in counts)
    assert twin.receipt is not None
    assert ledger.balance().spent["epsilon"] == 4


def test_more_rows_cost_nothing(ledger) -> None:
    one = table()
    pv.synthesize(one, PROMISE, rows=50, ledger=ledger, why="a twin", method="mst")
    before = ledger.balance().spent
    again = pv.synthesize(one, PROMISE, rows=7, ledger=ledger, why="a twin", method="mst")
    assert len(again) == 7
    assert ledger.balance().spent == before
    free = pv.synthesize(one, PROMISE, ledger=ledger, why="a twin", method="mst")
    assert len(free) == pytest.approx(2000, abs=150)


def test_what_does_not_fit_is_refused_before_anything_is_spent(tmp_path) -> None:
    with pv.Ledger(tmp_path / "small.ledger", limit=pv.ApproxDP(1, 1e-6)) as small:
        with pytest.raises(BudgetExceeded):
            made(small)
        for wrong in ({"rows": 0}, {"method": "magic"}, {"workload": "wards"}, {"columns": ["aged"]}):
            with pytest.raises(BadSynthesis):
                pv.synthesize(
                    table(), pv.ApproxDP(1, 1e-6), ledger=small, why="a twin", **{"rows": 5, **wrong}
                )
        assert small.balance().spent["epsilon"] == 0


def test_an_empty_table_gives_a_twin_like_any_other(ledger) -> None:
    empty = pv.open_table(
        rows().slice(0, 0), unit=pv.Person("person", max_rows=2), bounds={"age": (0, 9)}, keys={"ward": WARDS}
    )
    twin = pv.synthesize(empty, PROMISE, rows=20, columns=["age", "ward"], ledger=ledger, why="a twin")
    assert len(twin.to_arrow()) == 20
