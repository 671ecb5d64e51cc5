"""Columns left out, cells and rare values made missing: gaps kept, order kept."""

from tests.protect.transform.stays import ROWS, column

import privet as pv
from privet.protect.transform import (
    suppress_cells,
    suppress_columns,
    suppress_rare,
)


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
