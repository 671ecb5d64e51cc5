"""Row by row: kept, projected, derived, and no row's fate depends on another."""

from __future__ import annotations

import ibis
import pyarrow as pa
import pytest

from privet.engine import expressions as ex
from privet.engine._engine_results import fetch
from privet.engine._relation import Relation
from privet.engine._row_operations import derive, filter_rows, project
from privet.errors import BadExpression, UnknownColumn

BACKEND = ibis.duckdb.connect()
I, B, ONE = ex.Column("i"), ex.Column("b"), ex.Literal(1)  # noqa: E741


def test_filters_need_conditions_and_names_stay_unique():
    relation = Relation(BACKEND.sql("SELECT 1 AS i, NULL::BOOLEAN AS b"), "duckdb")
    assert fetch(filter_rows(relation, B).table, "duckdb").num_rows == 0
    with pytest.raises(BadExpression, match="condition"):
        filter_rows(relation, I)
    with pytest.raises(BadExpression, match="already"):
        derive(relation, {"i": ONE})
    with pytest.raises(BadExpression, match="once"):
        project(relation, ["i", "i"])
    with pytest.raises(UnknownColumn):
        project(relation, ["k"])


def relation():
    return Relation(
        BACKEND.create_table("rows", pa.table({"i": [1, 2, None], "s": ["a", "b", "c"]}), overwrite=True),
        "duckdb",
    )


def rows(found):
    return fetch(found.table, "duckdb").to_pylist()


def test_rows_for_which_a_condition_holds():
    assert rows(filter_rows(relation(), ex.Compare(">", I, ONE))) == [{"i": 2, "s": "b"}]
    assert len(rows(filter_rows(relation(), ex.IsMissing(I)))) == 1


def test_columns_in_the_order_that_was_asked_for():
    assert rows(project(relation(), ["s", "i"]))[0] == {"s": "a", "i": 1}
    assert list(project(relation(), ["s"]).columns) == ["s"]
    with pytest.raises(UnknownColumn):
        project(relation(), ["nobody"])
    with pytest.raises(BadExpression):
        project(relation(), [])


def test_a_projection_is_opened_elsewhere_with_the_same_columns():
    again = ibis.memtable(pa.table({"i": [9], "s": ["z"]}))
    movable = Relation(relation().table, "duckdb", elsewhere=lambda _: again, remarks=("seen",))
    found = project(movable, ["s"])
    assert found.remarks == ("seen",)
    assert found.elsewhere is not None
    assert list(found.elsewhere(None).columns) == ["s"]
    assert project(relation(), ["s"]).elsewhere is None


def test_new_columns_stand_beside_the_old_ones():
    assert rows(derive(relation(), {"n": ex.Arithmetic("+", I, ONE)}))[0] == {"i": 1, "s": "a", "n": 2}
    same = relation()
    assert derive(same, {}) is same
