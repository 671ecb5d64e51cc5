"""Stated keys: canonical, each once, and matched to rows by their position."""

import datetime

import ibis
import pyarrow as pa
import pytest

from privet.engine._engine_results import fetch
from privet.engine._public_keys import POSITION, canonical_keys, match_positions
from privet.engine._relation import ColumnKind, Relation
from privet.errors import BadKeys

BACKEND = ibis.duckdb.connect()
TEXT, WHOLE, REAL = ColumnKind.TEXT, ColumnKind.INTEGER, ColumnKind.REAL


def test_keys_take_the_columns_types_and_order():
    found = canonical_keys(
        pa.table({"n": pa.array([1], pa.int8()), "ward": ["A"]}), ["ward", "n"], {"ward": TEXT, "n": WHOLE}
    )
    assert found.column_names == ["ward", "n"]
    assert [str(kind) for kind in found.schema.types] == ["string", "int64"]


def test_minus_zero_is_zero_and_not_a_number_is_missing():
    found = canonical_keys(pa.table({"x": [-0.0, float("nan"), 2.5]}), ["x"], {"x": REAL})
    assert [str(value) for value in found["x"].to_pylist()] == ["0.0", "None", "2.5"]


@pytest.mark.parametrize(
    ("table", "kinds"),
    [
        (pa.table({"a": ["x"]}), {"b": TEXT}),
        (pa.table({"a": ["x"], "b": ["y"]}), {"a": TEXT}),
        (pa.table({"a": pa.array([], pa.string())}), {"a": TEXT}),
        (pa.table({"a": ["x", "x"]}), {"a": TEXT}),
        (pa.table({"a": [0.0, -0.0]}), {"a": REAL}),
        (pa.table({"a": [None, float("nan")]}), {"a": REAL}),
        (pa.table({"a": ["x"]}), {"a": WHOLE}),
        (pa.table({"a": [1.5]}), {"a": WHOLE}),
        (pa.table({"a": [datetime.date(2026, 1, 1)]}), {"a": ColumnKind.BOOLEAN}),
    ],
)
def test_what_are_no_keys_of_the_columns_is_refused(table, kinds):
    with pytest.raises(BadKeys):
        canonical_keys(table, list(kinds), kinds)


ROWS = pa.table({"id": [1, 2, 3, 4], "ward": ["A", "B", None, "C"]})


@pytest.mark.parametrize(
    ("stated", "how", "wanted"),
    [
        (["C", "A"], "inner", {1: 1, 4: 0}),
        (["C", "A"], "left", {1: 1, 2: None, 3: None, 4: 0}),
        (["B", None], "inner", {2: 0, 3: 1}),
        (["Z"], "inner", {}),
    ],
)
def test_rows_get_the_position_of_their_key(stated, how, wanted):
    table = BACKEND.create_table("rows", ROWS, overwrite=True)
    public = canonical_keys(pa.table({"ward": pa.array(stated, pa.string())}), ["ward"], {"ward": TEXT})
    found = match_positions(table, {"ward": "ward"}, public, Relation(table, "duckdb"), how=how)
    rows = fetch(found, "duckdb").to_pylist()
    assert {row["id"]: row[POSITION] for row in rows} == wanted
    assert set(found.columns) == {"id", POSITION}
