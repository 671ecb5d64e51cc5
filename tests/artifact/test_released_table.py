"""A released table round-trips, keeps the owner's rows to itself and writes whole files."""

import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from privet.artifact._released_answer import Provenance
from privet.artifact._released_table import (
    ColumnPair,
    FoundTransformation,
    ReleasedTable,
    Risks,
    SearchPoint,
    Treatment,
)
from privet.errors import BadUsage, UnknownRecord
from privet.guarantee._promise_registry import KAnonymity, LDiversity

BEFORE = Risks(9, 9, 1, 9, 1.0, 1.0, {"0.2": 1.0}, {"diagnosis": {"distinct_l": 1.0}})
AFTER = Risks(8, 2, 4, 0, 0.25, 0.25, {"0.2": 1.0}, {"diagnosis": {"distinct_l": 2.0}})


def released(**changes: object) -> ReleasedTable:
    table = ReleasedTable(
        promise=KAnonymity(4) & LDiversity("diagnosis", 2),
        found=FoundTransformation(
            "optimal", "loss", 0.25, "global recoding", optimal=True, nodes_evaluated=7, levels={"age": 2},
            suppressed_rows=1, classes=2, points=(SearchPoint(0.5, 0.1, 3), SearchPoint(0.25, 0.25, 1)),
        ),
        columns=(Treatment("name", "direct", "removed", loss=1.0), Treatment("age", "quasi", "level 2 of 3", 2, 3, 0.4)),
        before=BEFORE,
        after=AFTER,
        utility={"loss": 0.25},
        provenance=Provenance("k-anonymity", "snapshot:0", "duckdb", {"privet": "0"}, ("searched",)),
        notes=("one note",),
        held=pa.table({"age": ["10-19", "20-29"], "zip": ["017", ""]}),
        pairs=(ColumnPair({"age": "secret age"}, None),),
    )  # fmt: skip
    return replace(table, **changes)


def test_the_record_comes_back_and_holds_no_row() -> None:
    table = released()
    text = json.dumps(table.to_json())
    assert "secret age" not in text
    assert "10-19" not in text
    back = ReleasedTable.from_json(json.loads(text))
    assert back == replace(table, held=None, pairs=())


@pytest.mark.parametrize("name", ["safe.parquet", "safe.csv"])
def test_rows_come_back(tmp_path: Path, name: str) -> None:
    table = released()
    where = table.save(tmp_path / name)
    again = replace(table, held=None, path=where)
    assert again.to_arrow().to_pydict() == table.to_arrow().to_pydict()
    if name.endswith("parquet"):
        assert ReleasedTable.load(where).to_arrow().num_rows == 2
        assert ReleasedTable.load(where).promise == table.promise


def test_the_record_alone(tmp_path: Path) -> None:
    where = released().save(tmp_path / "record.json")
    loaded = ReleasedTable.load(where)
    assert loaded.found.points[1] == SearchPoint(0.25, 0.25, 1)
    with pytest.raises(BadUsage, match="without its rows"):
        loaded.to_arrow()


def test_what_is_not_a_record_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{")
    with pytest.raises(UnknownRecord):
        ReleasedTable.load(tmp_path / "x.json")
    with pytest.raises(UnknownRecord):
        ReleasedTable.from_json({"schema": 2, "artifact": "released-table"})
    record = released().to_json()
    del record["after"]
    with pytest.raises(UnknownRecord, match="lacks a field"):
        ReleasedTable.from_json(record)
    with pytest.raises(BadUsage):
        released().save(tmp_path / "x.xls")


def test_words_name_the_output_type_beside_the_loss() -> None:
    said = str(released())
    assert "loss 0.25 (global recoding, proven optimal, 7 nodes evaluated)" in said
    assert "unique rows 9 → 0" in said
    assert len(released()) == 8
