"""A released twin: written and read back, in every format, with what it cost."""

import json

import pyarrow as pa
import pytest

import privet as pv
from privet.artifact import Provenance, ReleasedTwin, TwinColumn, TwinMeasurement
from privet.errors import BadUsage, UnknownRecord


def twin():
    return ReleasedTwin(
        promise=pv.ApproxDP(1, 1e-6),
        method="AIM",
        rows=3,
        columns=(TwinColumn("age", "number", 5, "stated"),),
        measured=(
            TwinMeasurement("choice", ("age",), 0.01, None, 4),
            TwinMeasurement("counts", ("age",), 0.02, 5.0, 5),
        ),
        unit={"unit": "row", "change": "add-or-remove"},
        provenance=Provenance("ages", "x", "duckdb", {}, ("counted",)),
        held=pa.table({"age": [1, 2, None]}),
    )


def test_a_twin_is_read_back_as_it_was_written(tmp_path) -> None:
    made = twin()
    made.save(tmp_path / "twin.parquet")
    read = pv.ReleasedTwin.load(tmp_path / "twin.parquet")
    assert read.to_arrow() == made.to_arrow()
    assert read.to_json() == made.to_json()
    made.save(tmp_path / "twin.json")
    record = pv.ReleasedTwin.load(tmp_path / "twin.json")
    assert record.measured == made.measured
    with pytest.raises(BadUsage):
        record.to_arrow()


def test_rows_are_written_as_text_too(tmp_path) -> None:
    twin().save(tmp_path / "twin.csv")
    assert (tmp_path / "twin.csv").read_text(encoding="utf-8").splitlines() == ['"age"', "1", "2", ""]
    twin().save(tmp_path / "twin.jsonl")
    lines = (tmp_path / "twin.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["age"] for line in lines] == [1, 2, None]
    with pytest.raises(BadUsage):
        twin().save(tmp_path / "twin.xlsx")


def test_it_says_what_it_cost() -> None:
    assert twin().rho == pytest.approx(0.03)
    assert "3 synthetic rows" in str(twin())
    assert "1 noisy tables measured, 1 choices made" in str(twin())
    assert len(twin()) == 3


def test_other_records_are_refused() -> None:
    record = twin().to_json()
    for change in ({"schema": 2}, {"artifact": "released-table"}):
        with pytest.raises(UnknownRecord):
            ReleasedTwin.from_json({**record, **change})
    with pytest.raises(UnknownRecord):
        ReleasedTwin.from_json({name: value for name, value in record.items() if name != "rows"})
