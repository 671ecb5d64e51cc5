"""A released hierarchy is read back as it was, adds up by itself, and refuses what it does not know."""

import datetime
import json

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet.errors import BadUsage, UnknownRecord


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    days = [datetime.date(2026, 1, 1), datetime.date(2026, 1, 2)]
    table = pa.table(
        {
            "id": range(40),
            "day": [days[at % 2] for at in range(40)],
            "shop": [at % 3 for at in range(40)],
            "paid": [at % 5 == 0 for at in range(40)],
        }
    )
    opened = pv.open_table(table, unit=pv.Person("id", max_rows=1), name="visits", version="1")
    spine = pv.spine(
        opened,
        ["day", "shop"],
        ["paid"],
        leaves=[(day, shop) for day in days for shop in range(3)],
        keys={"paid": [True, False]},
        invariants=[pv.Invariant("day", dict.fromkeys(days, 20), origin="the till")],
    )
    place = tmp_path_factory.mktemp("hierarchy")
    with pv.Ledger(place / "visits.ledger", limit=pv.ZeroConcentratedDP(1)) as ledger:
        return pv.release(spine, pv.ZeroConcentratedDP("0.5"), ledger=ledger, why="test")


@pytest.mark.parametrize("ending", [".json", ".parquet"])
def test_what_is_saved_is_read_back(released, ending, tmp_path):
    path = released.save(tmp_path / f"visits{ending}")
    found = pv.ReleasedHierarchy.load(path)
    assert found.to_json() == released.to_json()
    assert found["day"].keys["day"] == (datetime.date(2026, 1, 1), datetime.date(2026, 1, 2))
    assert found.to_arrow().equals(released.to_arrow())
    assert found.sentence() == released.sentence()
    assert list(tmp_path.iterdir()) == [path]


def test_the_parquet_file_is_the_table_of_leaves(released, tmp_path):
    import pyarrow.parquet as pq

    table = pq.read_table(released.save(tmp_path / "visits.parquet"))
    assert table.column_names == ["day", "shop", "paid", "count", "unbiased", "low", "high"]
    assert table.num_rows == 12


def test_tables_add_up_however_they_are_cut(released):
    for level in ("all", "day", "shop"):
        for by in (None, [], ["paid"]):
            assert pa.compute.sum(released.to_arrow(level, by)["count"]).as_py() == 40
    assert released.to_arrow("day", [])["count"].to_pylist() == [20, 20]


def test_error_bars_stand_around_the_unbiased_estimate(released):
    table = released.to_arrow("shop", []).to_pydict()
    middle = (np.array(table["low"]) + np.array(table["high"])) / 2
    assert middle == pytest.approx(table["unbiased"])
    noisy = released.measured("shop", ["paid"]).to_pydict()
    assert all(isinstance(value, int) for value in noisy["noisy"])


def test_what_is_not_there_is_refused(released):
    with pytest.raises(KeyError):
        released["planet"]
    with pytest.raises(BadUsage):
        released.to_arrow("day", ["height"])
    with pytest.raises(BadUsage):
        released.save("visits.csv")


def test_a_group_that_was_not_measured_is_refused(released):
    bare = pv.ReleasedHierarchy.from_json(
        {
            **released.to_json(),
            "levels": [{**level, "measured": []} for level in released.to_json()["levels"]],
        }
    )
    with pytest.raises(BadUsage, match="not measured"):
        bare.measured("day")


def test_it_prints_for_people(released):
    said = str(released)
    assert "shop: 6 places, 40 counted" in said
    assert "rho 0.5" in said


@pytest.mark.parametrize(
    "change", [{"schema": 99}, {"artifact": "released-answer"}, {"levels": [{}]}, {"promise": None}], ids=str
)
def test_records_it_does_not_know_are_refused(released, change):
    with pytest.raises(UnknownRecord):
        pv.ReleasedHierarchy.from_json({**released.to_json(), **change})


def test_a_file_of_something_else_is_refused(tmp_path):
    (tmp_path / "x.json").write_text("not json")
    with pytest.raises(UnknownRecord):
        pv.ReleasedHierarchy.load(tmp_path / "x.json")
    (tmp_path / "y.json").write_text(json.dumps({"schema": 1}))
    with pytest.raises(UnknownRecord):
        pv.ReleasedHierarchy.load(tmp_path / "y.json")
