"""Two tables over one connection, or they do not meet."""

import ibis
import pyarrow as pa
import pytest

from privet.engine import open_file
from privet.engine._engine_results import fetch
from privet.engine._relation import Relation
from privet.engine._table_transfer import connection_of, moved, together
from privet.errors import BadKeys


def in_memory(connection, name, elsewhere=None):
    return Relation(connection.create_table(name, pa.table({name: [1]})), "duckdb", elsewhere=elsewhere)


def test_tables_over_one_connection_stay_as_they_are():
    connection = ibis.duckdb.connect()
    left, right = in_memory(connection, "a"), in_memory(connection, "b")
    assert together(left, right) == (left, right)


def test_tables_of_different_engines_do_not_meet():
    left = in_memory(ibis.duckdb.connect(), "a")
    with pytest.raises(BadKeys, match="duckdb and the other on postgres"):
        together(left, Relation(left.table, "postgres"))


def test_tables_that_cannot_be_opened_again_do_not_meet():
    left, right = in_memory(ibis.duckdb.connect(), "a"), in_memory(ibis.duckdb.connect(), "b")
    with pytest.raises(BadKeys, match="different connections"):
        together(left, right)
    with pytest.raises(BadKeys, match="different connections"):
        moved(left, connection_of(right))


def test_the_one_that_can_be_is_opened_over_the_others_connection():
    here, there = ibis.duckdb.connect(), ibis.duckdb.connect()
    rows = pa.table({"b": [7]})
    fixed = in_memory(here, "a")
    movable = Relation(
        there.create_table("b", rows),
        "duckdb",
        elsewhere=lambda connection: connection.create_table("again", rows, overwrite=True),
    )
    for left, right in (together(fixed, movable), together(movable, fixed)[::-1]):
        assert left is fixed
        assert connection_of(right) is here
        assert fetch(right.table, "duckdb").to_pylist() == [{"b": 7}]


def test_two_files_meet_on_an_engine_that_may_read_both(tmp_path):
    (tmp_path / "a.csv").write_text("x\n1\n2\n")
    (tmp_path / "b.csv").write_text("y\n3\n")
    left, right = together(open_file(tmp_path / "a.csv"), open_file(tmp_path / "b.csv"))
    assert connection_of(left) is connection_of(right)
    joined = left.table.cross_join(right.table)
    assert sorted(row["x"] + row["y"] for row in fetch(joined, "duckdb").to_pylist()) == [4, 5]
