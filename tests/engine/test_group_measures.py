"""Measures: values as whole steps between public bounds, and what one row can add."""

import math

import ibis
import pyarrow as pa
import pytest

from privet.engine._engine_results import fetch
from privet.engine._group_measures import Measure, presence, row_presence, row_steps, share, steps
from privet.errors import BadAggregate
from privet.sealed import FixedPoint

BACKEND = ibis.duckdb.connect()
TEN = FixedPoint(0, 10, 1)  # steps 0 to 10, the middle at 5


def computed(columns, make):
    table = BACKEND.create_table("values_", pa.table(columns), overwrite=True)
    return fetch(table.select(out=make(table)), "duckdb")["out"].to_pylist()


def test_values_are_clamped_and_counted_from_the_lower_bound():
    found = computed(
        {"a": [-5.0, 0.0, 0.49, 0.5, 9.6, 10.0, 99.0, math.nan, None]},
        lambda table: steps(table.a, Measure("sum", "a", TEN), "duckdb"),
    )
    assert found == [0, 0, 0, 1, 10, 10, 10, None, None]


def test_squares_are_of_the_distance_from_the_middle():
    measure = Measure("sum_of_squares", "a", TEN)
    found = computed({"a": [0, 3, 5, 10, None]}, lambda table: steps(table.a, measure, "duckdb"))
    assert found == [25, 4, 0, 25, None]


def test_truth_values_are_one_and_zero():
    measure = Measure("sum", "a", FixedPoint(0, 1, 1))
    assert computed({"a": [True, False, None]}, lambda table: steps(table.a, measure, "duckdb")) == [
        1,
        0,
        None,
    ]


def test_products_are_of_both_distances_and_only_where_both_are_there():
    measure = Measure("product", "a", TEN, "b", TEN)
    found = computed(
        {"a": [0, 10, 0, 5, 1, None], "b": [0, 0, None, 9, 1, 3]},
        lambda table: row_steps(table, measure, "duckdb"),
    )
    # The product of both distances from the middle, 5, and 25 more so that none is negative.
    assert found == [50, 0, None, 25, 41, None]


def test_columns_beside_must_be_there_too():
    measure = Measure("sum", "a", TEN, beside=("b",))
    found = computed(
        {"a": [1, 2, 3], "b": ["x", None, "y"]}, lambda table: row_steps(table, measure, "duckdb")
    )
    assert found == [1, None, 3]
    squares = Measure("sum_of_squares", "a", TEN, beside=("b",))
    found = computed(
        {"a": [0, 2, 6], "b": [1.0, math.nan, 2.0]}, lambda table: row_steps(table, squares, "duckdb")
    )
    assert found == [25, None, 1]


@pytest.mark.parametrize(
    ("measure", "reach", "span", "offset", "length"),
    [
        (Measure("rows"), 1, 1, 0, 1),
        (Measure("persons"), 1, 1, 0, 1),
        (Measure("valid", "a"), 1, 1, 0, 1),
        (Measure("sum", "a", TEN), 5, 10, 5, 1),
        (Measure("distances", "a", TEN), 10, 10, 10, 2),
        (Measure("product", "a", TEN, "b", FixedPoint(0, 4, 1)), 10, 20, 10, 1),
    ],
)
def test_what_one_row_adds(measure, reach, span, offset, length):
    assert (measure.reach, measure.span, measure.offset, measure.length) == (reach, span, offset, length)


def test_squares_are_counted_from_the_middle_of_their_range():
    measure = Measure("sum_of_squares", "a", TEN)
    assert measure.span == 25
    assert measure.reach == 13  # half of 25, rounded up
    assert measure.added is measure
    assert Measure("distances", "a", TEN).added == Measure("sum", "a", TEN)


def test_needs_are_sorted_and_named_once():
    assert Measure("product", "b", TEN, "a", TEN, beside=("c", "a")).needs == ("a", "b", "c")
    assert Measure("rows").needs == ()


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Measure("median", "a", TEN),
        lambda: Measure("rows", "a"),
        lambda: Measure("sum", None, TEN),
        lambda: Measure("sum", "a"),
        lambda: Measure("valid", "a", TEN),
        lambda: Measure("product", "a", TEN),
        lambda: Measure("product", "a", TEN, "b"),
        lambda: Measure("sum", "a", TEN, "b", TEN),
        lambda: Measure("rows", beside=("a",)),
        lambda: Measure("sum_of_squares", "a", FixedPoint(0, 2**20, 1)),
        lambda: Measure("product", "a", FixedPoint(0, 2**18, 1), "b", FixedPoint(0, 2**18, 1)),
    ],
)
def test_what_is_no_measure_is_refused(wrong):
    with pytest.raises(BadAggregate):
        wrong()


def test_presence_is_missing_where_the_value_is_not_valid():
    found = computed({"a": [1.5, math.nan, None]}, lambda table: presence(table.a, "duckdb").notnull())
    assert found == [True, False, False]
    both = computed(
        {"a": [1, 2, None], "b": [1.0, math.nan, 1.0]},
        lambda table: row_presence(table, ("a", "b"), "duckdb").notnull(),
    )
    assert both == [True, False, False]
    assert computed({"a": ["x", None]}, lambda table: row_presence(table, ("a",), "duckdb").notnull()) == [
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("total", "kept", "present", "wanted"),
    [
        (30, 3, 3, 30 - 15),  # all are kept: exactly the total, moved by the middle
        (30, 1, 3, 10 - 5),
        (25, 1, 2, 10 - 5),  # 12.5 is rounded to 13, and clamped to what one row can add
        (9, 1, 2, 5 - 5),
        (999, 2, 2, 20 - 10),
        (-7, 2, 2, 0 - 10),
        (None, 0, 0, 0),
    ],
)
def test_the_share_of_kept_rows_stays_within_their_reach(total, kept, present, wanted):
    columns = {
        "total": pa.array([total], pa.int64()),
        "kept": pa.array([kept], pa.int64()),
        "present": pa.array([present], pa.int64()),
    }
    measure = Measure("sum", "a", TEN)
    assert computed(columns, lambda t: share(t.total, t.kept, t.present, measure)) == [wanted]
