"""A spine holds public facts only: complete, told apart by its text, and refused where something is open."""

import pytest
from tests.protect.tabulate.people import KEYS, LEAVES, opened, spine_of

import privet as pv
from privet.errors import BadSpine, NotPublic
from privet.protect.tabulate import _spine as spines


@pytest.fixture
def book(tmp_path):
    with pv.Ledger(tmp_path / "people.ledger", limit=pv.ZeroConcentratedDP("2.5")) as ledger:
        yield ledger


def test_other_shares_are_another_question(book):
    plain, tilted = spine_of(), spine_of(shares={"all": 1, "state": 1, "county": 3})
    exact = spine_of(invariants=[pv.Invariant("state", {"N": 1, "S": 2}, origin="x")])
    other = spine_of(invariants=[pv.Invariant("state", {"N": 2, "S": 2}, origin="x")])
    closed = spine_of(zeros=[{"sex": "f", "age": "old"}])
    assert len({one.describe() for one in (plain, tilted, exact, other, closed)}) == 5
    assert spine_of().describe() == plain.describe()


def test_keys_of_the_table_serve_as_well():
    table = opened(keys={("state", "county"): LEAVES, **KEYS})
    spine = pv.spine(table, ["state", "county"], ["sex", "age"])
    assert len(spine.tree.leaves) == 4
    assert spine.keys.num_rows == 24
    assert spine.steps == 1 + 1 + 2


def test_keys_read_off_the_data_are_refused():
    table = opened()
    with pytest.raises(NotPublic):
        pv.spine(
            table,
            ["state", "county"],
            ["sex", "age"],
            leaves=pv.KeySet.read_off(table, "state", "county"),
            keys=KEYS,
        )


@pytest.mark.parametrize(
    ("levels", "cells", "options"),
    [
        ([], ["sex"], {}),
        (["state"], [], {}),
        (["state", "state"], ["sex"], {}),
        (["state"], ["sex", "state"], {}),
        (["state"], ["sex"], {"leaves": None}),
        (["state"], ["born"], {"keys": {"born": range(6_000)}}),
        (["state"], ["age"], {"keys": {}}),
    ],
    ids=["no level", "no cell", "twice", "both", "no leaves", "too many cells", "no values"],
)
def test_incomplete_spines_are_refused(levels, cells, options):
    given = {"leaves": [("N",), ("S",)], "keys": {"sex": KEYS["sex"]}, **options}
    with pytest.raises(BadSpine):
        pv.spine(opened(), levels, cells, **given)


def test_a_grouped_selection_is_refused():
    with pytest.raises(BadSpine, match="grouped already"):
        spine_of(opened().group_by("sex"))


def test_steps_are_families_and_keys_are_leaves_times_cells():
    spine = spine_of()
    assert spine.steps == 1 + 1 + 2
    assert spine.keys.column_names == ["state", "county", "sex", "age"]
    rows = spine.keys.to_pylist()
    assert rows[0] == {"state": "N", "county": "Hill", "sex": "f", "age": "young"}
    assert [row["county"] for row in rows[:7]] == ["Hill"] * 6 + ["Lake"], "leaf by leaf"
    assert len({tuple(row.values()) for row in rows}) == len(rows) == 24


def test_names_that_the_answer_uses_are_refused():
    with pytest.raises(BadSpine, match="taken by the answer: count"):
        pv.spine(opened(), ["count"], ["sex"], leaves=[("N",)], keys=KEYS)


def test_too_many_cells_are_refused_at_the_edge(monkeypatch):
    monkeypatch.setattr(spines, "MOST_CELLS", 6)
    assert spine_of().cells.size == 6
    monkeypatch.setattr(spines, "MOST_CELLS", 5)
    with pytest.raises(BadSpine, match="6 cells"):
        spine_of()
