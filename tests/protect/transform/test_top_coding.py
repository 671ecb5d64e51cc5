"""Rounding and coding the ends: values as stated, kinds kept."""

import datetime as dt

import pyarrow as pa
import pytest
from tests.protect.transform.stays import ROWS, column

import privet as pv
from privet.errors import BadTransform
from privet.protect.transform import (
    code_ends,
    round_to,
)


def test_rounding(table: pv.Table) -> None:
    near, down = round_to(table, "age", 5), round_to(table, "age", 5, down=True)
    assert column(near, "age") == [15, 95, 20, None, 40, 90]
    assert column(down, "age") == [15, 95, 15, None, 40, 85]
    assert near.to_arrow()["age"].type == pa.int64()
    assert column(round_to(table, "weight", 5), "weight") == [
        60.0,
        0.0,
        5.0,
        None,
        100.0,
        5.0,
    ]  # exact: multiples of a number that a float holds
    assert column(round_to(table, "weight", 0.5), "weight") == [
        60.5,
        -2.5,
        2.5,
        None,
        100.0,
        7.5,
    ]  # exact: multiples of a number that a float holds
    assert near.to_arrow().column_names == ROWS.column_names


def test_the_ends_are_coded(table: pv.Table) -> None:
    result = code_ends(table, "age", above=89, below=18)
    assert column(result, "age") == [18, 89, 18, None, 42, 89]
    assert column(code_ends(table, "age", above=89, top=90), "age") == [17, 90, 18, None, 42, 89]
    assert column(code_ends(table, "weight", below=0, bottom=0), "weight")[1] == pytest.approx(0.0)
    assert (
        column(code_ends(table, "seen", above=dt.date(2024, 3, 1)), "seen")[2:4] == [dt.date(2024, 3, 1)] * 2
    )
    assert result.to_arrow()["age"].type == pa.int64()
    assert "age" not in result.table.bounds, "bounds were of the old values"
    assert "weight" in result.table.bounds


@pytest.mark.parametrize("edge", [float("inf"), float("-inf"), float("nan"), 17.5, "17"])
def test_an_edge_that_is_no_value_of_the_column_is_refused(edge: object, table: pv.Table) -> None:
    with pytest.raises(BadTransform, match="edge does not fit"):
        code_ends(table, "age", above=edge)
    with pytest.raises(BadTransform, match="edge does not fit"):
        code_ends(table, "age", above=90, top=edge)


def test_the_edges_themselves_stay(table: pv.Table) -> None:
    assert column(code_ends(table, "age", above=89, below=17, top=0, bottom=0), "age") == [
        17, 0, 18, None, 42, 89,
    ]  # fmt: skip
    whole = code_ends(table, "age", above=89.0)
    assert column(whole, "age")[1] == 89
    assert whole.done == {"age": "values above 89.0 coded as 89"}
