"""A spine from rows to tables: booked once, exact with the noise off, honest about what is outside of the promise."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from tests.protect.tabulate.people import counted, opened, people, spine_of

import privet as pv
from privet.errors import BadInvariant, BadUsage, BudgetExceeded, PromiseUnmeetable

RHO = pv.ZeroConcentratedDP(1)


@pytest.fixture
def book(tmp_path):
    with pv.Ledger(tmp_path / "people.ledger", limit=pv.ZeroConcentratedDP("2.5")) as ledger:
        yield ledger


def _spends(ledger):
    return [entry for entry in ledger.history() if entry.kind == "spend"]


def test_without_noise_every_table_is_exact(no_noise, book):
    released = pv.release(spine_of(), RHO, ledger=book, why="test")
    table = people()
    rows = released.to_arrow().to_pylist()
    wanted = counted(table, "state", "county", "sex", "age")
    assert len(rows) == 24
    for row in rows:
        key = row["state"], row["county"], row["sex"], row["age"]
        assert row["count"] == wanted.get(key, 0) == pytest.approx(row["unbiased"], abs=1e-3)
        assert row["low"] < row["unbiased"] < row["high"]
    states = released.to_arrow("state", ["age"]).to_pylist()
    assert {(r["state"], r["age"]): r["count"] for r in states} == counted(table, "state", "age")
    assert released.to_arrow("all", []).to_pylist()[0]["count"] == counted(table)
    noisy = released.measured("county", ["sex"]).to_pylist()
    assert {(r["state"], r["county"], r["sex"]): r["noisy"] for r in noisy} == counted(
        table, "state", "county", "sex"
    )


def test_everything_is_booked_once_and_up_front(book):
    released = pv.release(spine_of(), RHO, ledger=book, why="census", purpose=None)
    spends = _spends(book)
    assert len(spends) == 1
    assert released.receipt.entry == spends[0].number
    assert Fraction(released.receipt.cost["rho"]) == 1
    assert released.receipt.composition == "adaptive filter"
    assert len(released.receipt.event["events"]) == 12


def test_the_same_spine_again_is_free_and_a_fresh_one_is_not(book):
    first = pv.release(spine_of(), RHO, ledger=book, why="census")
    stored = pv.release(spine_of(), RHO, ledger=book, why="census")
    assert stored.to_json() == first.to_json()
    assert len(_spends(book)) == 1
    fresh = pv.release(spine_of(), RHO, ledger=book, why="census", again=True)
    assert len(_spends(book)) == 2
    assert fresh.to_json() != first.to_json()
    with pytest.raises(BudgetExceeded):
        pv.release(spine_of(), RHO, ledger=book, why="census", again=True)


def test_noisy_tables_still_add_up(book):
    invariant = pv.Invariant("state", {"N": 250, "S": 60}, origin="gazette 2026")
    spine = spine_of(invariants=[invariant], zeros=[{"county": "Bay", "age": "old"}])
    told = []
    released = pv.release(spine, pv.ZeroConcentratedDP("0.1"), ledger=book, why="test", progress=told.append)
    assert len(told) == spine.steps
    leaves = released["county"].counts
    assert leaves.min() >= 0
    assert released["state"].counts.sum(axis=1).tolist() == [250, 60]
    assert np.array_equal(leaves[[0, 1]].sum(axis=0), released["state"].counts[0])
    assert np.array_equal(released["state"].counts.sum(axis=0), released["all"].counts[0])
    rows = released.to_arrow().to_pylist()
    assert all(row["count"] == 0 for row in rows if row["county"] == "Bay" and row["age"] == "old")
    assert released.zeros == 2


def test_the_promise_says_what_it_does_not_cover(book):
    spine = spine_of(invariants=[pv.Invariant("state", {"N": 250, "S": 60}, origin="gazette 2026")])
    released = pv.release(spine, RHO, ledger=book, why="test")
    assert released.sentence().startswith(RHO.sentence_about(pv.Person("person", 1)))
    assert "Outside of this promise" in released.sentence()
    assert "gazette 2026" in released.sentence() == released.to_json()["sentence"]
    assert any("does not cover" in note for note in released.notes)
    assert any("biased" in note for note in released.notes)
    assert "Outside" not in pv.release(spine_of(), RHO, ledger=book, why="test").sentence()


def test_contradictions_cost_nothing(book):
    with pytest.raises(BadInvariant):
        spine_of(
            invariants=[
                pv.Invariant("state", {"N": 1, "S": 1}, origin="x"),
                pv.Invariant("all", {(): 3}, origin="x"),
            ]
        )
    with pytest.raises(PromiseUnmeetable):
        pv.release(spine_of(), pv.PureDP(1), ledger=book, why="test")
    assert _spends(book) == []


def test_approximate_promises_are_booked_as_a_sealed_plan(ledger):
    released = pv.release(spine_of(), pv.ApproxDP(1, "1e-6"), ledger=ledger, why="test")
    assert released.receipt.composition == "sealed plan"
    assert Fraction(released.receipt.cost["epsilon"]) <= 1
    assert Fraction(released.receipt.cost["delta"]) == Fraction(1, 10**6)
    with pytest.raises(PromiseUnmeetable, match="accounting"):
        pv.release(spine_of(), RHO, ledger=ledger, why="test")


def test_persons_of_several_rows_count_up_to_their_cap(no_noise, book):
    table = people(60)
    several = pa.concat_tables([table, table, people(60, seed=9)])
    capped = opened(several, unit=pv.Person("id", max_rows=2))
    released = pv.release(spine_of(capped), RHO, ledger=book, why="test")
    assert released["all"].counts.sum() <= 120
    assert released["county"].counts.sum() == released["state"].counts.sum() == released["all"].counts.sum()
    assert any("several leaf cells" in note for note in released.notes)
    assert any("cap" in note for note in released.notes)


def test_a_selection_of_rows(no_noise, book):
    adults = opened().where(pv.col("born") < 2000)
    released = pv.release(spine_of(adults), RHO, ledger=book, why="test")
    table = people()
    assert released["all"].counts.sum() == counted(table.filter(pa.compute.less(table["born"], 2000)))


def test_rows_as_units_need_no_person(no_noise, book):
    released = pv.release(spine_of(opened(unit=pv.Row())), RHO, ledger=book, why="test")
    assert released["all"].counts.sum() == counted(people())


def test_a_hierarchy_needs_a_ledger():
    with pytest.raises(BadUsage):
        pv.release(spine_of(), RHO, ledger=None, why="test")


@pytest.mark.parametrize(
    ("limit", "promise"),
    [
        (pv.ApproxDP(2, "1e-5"), pv.ApproxDP(1, "1e-6")),
        (pv.ZeroConcentratedDP(2), RHO),
        (pv.ZeroConcentratedDP(2), pv.ApproxDP(1, "1e-6")),
    ],
    ids=["sealed", "rho", "epsilon in rho"],
)
def test_a_spine_of_one_measurement(limit, promise, tmp_path):
    spine = spine_of(shares={"county": 1}, queries={"detailed": 1})
    with pv.Ledger(tmp_path / "one.ledger", limit=limit) as ledger:
        released = pv.release(spine, promise, ledger=ledger, why="test")
    assert [len(level.measured) for level in released.levels] == [0, 0, 1]
    assert released["county"].counts.sum() == released["all"].counts.sum()
    for level in released.levels:
        assert np.all(level.widths["sex", "age"] > 0)
