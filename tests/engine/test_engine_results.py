"""What goes wrong while an aggregate runs: the line and the column, never the value."""

import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.engine.told import told

from privet import errors
from privet.engine._contribution_bounds import Contribution
from privet.engine._engine_results import read_through
from privet.engine._group_measures import Measure
from privet.engine._open_relation import open_file, open_frame
from privet.engine._owner_only import extent, listed, occurring
from privet.engine._sealed_aggregates import aggregate
from privet.guarantee._privacy_units import Person
from privet.sealed import FixedPoint

CANARY = "Canary Wharfinger"


def test_a_late_fault_in_a_file_stops_an_aggregate_and_shows_no_value(tmp_path):
    path = tmp_path / "late.csv"
    path.write_text("patient,days\n" + "1,2\n" * 60_000 + f"3,{CANARY}\n")
    with pytest.raises(errors.MalformedSource, match="line 60002, column 'days'") as caught:
        aggregate(
            open_file(path),
            keys=[],
            public_keys=None,
            measures={"days": Measure("sum", "days", FixedPoint(0, 60))},
            contribution=Contribution.for_unit(Person("patient", max_rows=3), grouped=False),
        )
    assert CANARY not in told(caught.value)


def test_what_the_owner_reads_off(tmp_path):
    table = pa.table({"a": [2, None, 5], "x": [1.5, float("nan"), float("-inf")], "t": ["b", None, "b"]})
    relation = open_frame(table)
    assert extent(relation, "a") == (2, 5)
    assert extent(relation, "x") == pytest.approx((1.5, 1.5))
    assert occurring(relation, ["t"], 10) == [("b",), (None,)]
    assert listed(relation, ["t"], 10) == [("b",), (None,)]
    with pytest.raises(errors.BadKeySet):
        occurring(relation, ["t"], 1)
    with pytest.raises(errors.BadKeySet):
        listed(relation, ["t"], 2)
    with pytest.raises(errors.BadKeySet):
        occurring(relation, [], 2)
    assert extent(open_frame(table.slice(1, 1)), "a") is None


def test_every_type_of_a_file_can_be_read_through(tmp_path):
    """Also types that have no words of their own, such as structures whose fields have odd names."""
    odd = {
        "a structure": pa.array([{"a b": 1, "c:d": "x", "e>": [1]}]),
        "a map": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64())),
        "a time": pa.array([1], pa.time64("us")),
        "bytes": pa.array([b"\xff"]),
        "nothing": pa.nulls(1),
        "a code": pa.array(["a"]).dictionary_encode(),
        "half": pa.array([1.0], pa.float16()),
        "exact": pa.array([1], pa.decimal128(38, 0)),
        "in a zone": pa.array([1], pa.timestamp("us", "Europe/Berlin")),
    }
    parquet.write_table(pa.table(odd), tmp_path / "t.parquet")
    relation = open_file(tmp_path / "t.parquet")
    assert relation.unread
    read_through(relation)
