"""What only the owner sees: extents, keys and rows, each as it is in the table."""

import ibis
import pyarrow as pa
import pytest

from privet.engine._owner_only import extent, listed, number_of_rows, occurring, public_rows
from privet.engine._relation import Relation
from privet.errors import BadExpression, BadKeySet, UnknownColumn

ROWS = pa.table(
    {
        "ward": ["B", None, "A", "B"],
        "days": [3, None, 51, 4],
        "cost": [1.5, float("nan"), float("inf"), -2.5],
        "empty": pa.nulls(4, pa.float64()),
    }
)


@pytest.fixture(scope="module")
def relation():
    return Relation(ibis.duckdb.connect().create_table("stays", ROWS), "duckdb")


def test_extents_are_of_finite_numbers(relation):
    assert extent(relation, "days") == (3, 51)
    assert extent(relation, "cost") == pytest.approx((-2.5, 1.5))
    assert extent(relation, "empty") is None
    with pytest.raises(BadExpression):
        extent(relation, "ward")
    with pytest.raises(UnknownColumn):
        extent(relation, "nobody")


def test_rows_are_counted(relation):
    assert number_of_rows(relation) == 4


def test_keys_that_occur_are_sorted_with_missing_ones_last(relation):
    assert occurring(relation, ["ward"], 3) == [("A",), ("B",), (None,)]
    assert occurring(relation, ["ward", "days"], 9)[0] == ("A", 51)
    with pytest.raises(BadKeySet, match="more than 2"):
        occurring(relation, ["ward"], 2)
    with pytest.raises(BadKeySet, match="no column"):
        occurring(relation, [], 2)
    with pytest.raises(UnknownColumn):
        occurring(relation, ["nobody"], 2)


def test_lists_keep_their_order_and_repeat_nothing(relation):
    assert listed(relation, ["ward"], 4) == [("B",), (None,), ("A",)]
    with pytest.raises(BadKeySet, match="more than 3 rows"):
        listed(relation, ["ward"], 3)
    with pytest.raises(UnknownColumn):
        listed(relation, ["nobody"], 4)


def test_public_rows_come_whole_or_not_at_all(relation):
    assert public_rows(relation, 4).num_rows == 4
    with pytest.raises(BadKeySet):
        public_rows(relation, 3)
