"""Tables in database files: the one that is named, or the only one, with rows that are stored and not computed."""

import sqlite3

import duckdb
import pytest
from tests.engine.stays_table import TABLE, as_duckdb, rows
from tests.engine.told import told

from privet import errors
from privet.engine._database_files import chosen_name, stored_names
from privet.engine._open_relation import open_file
from privet.engine._relation import ColumnKind
from privet.engine._sqlite_files import COMPUTED, STORED, VIEW

CANARY = "Canary Wharfinger"


def test_a_table_in_a_database_file_is_named_after_a_hash(tmp_path):
    path = as_duckdb(tmp_path)
    with duckdb.connect(path) as database:
        database.execute(
            "CREATE SCHEMA other; CREATE TABLE other.beds AS SELECT 1 AS patient; CREATE VIEW v AS FROM stays"
        )
    for name in ("stays", "main.stays"):
        assert rows(open_file(f"{path}#{name}")) == TABLE.to_pylist()
    assert list(open_file(f"{path}#other.beds").columns) == ["patient"]
    with pytest.raises(errors.NoSuchTable, match="2 tables"):
        open_file(path)
    with pytest.raises(errors.NoSuchTable, match="Did you mean 'stays'"):
        open_file(f"{path}#stay")


@pytest.mark.parametrize(
    ("made", "inserted", "says"),
    [
        ("a INTEGER", CANARY, "'a' holds values of another type"),
        ("a DATE", CANARY, "'a' holds values that are not of its declared type"),
        ("a", CANARY.encode(), None),
        ("a TEXT", b"\xff" + CANARY.encode(), "'a' holds values of another type"),
    ],
)
def test_sqlite_values_of_another_type_are_refused_by_column(tmp_path, made, inserted, says):
    database = sqlite3.connect(tmp_path / "t.db")
    database.execute(f"CREATE TABLE t ({made})")
    database.executemany("INSERT INTO t VALUES (?)", [(None,), (inserted,)])
    database.commit()
    database.close()
    if says is None:
        assert open_file(tmp_path / "t.db").columns == {"a": ColumnKind.OTHER}
        return
    with pytest.raises(errors.MalformedSource) as caught:
        open_file(tmp_path / "t.db")
    assert says in str(caught.value)
    assert CANARY not in told(caught.value)


def test_sqlite_text_that_is_not_utf8_is_refused_without_it(tmp_path):
    database = sqlite3.connect(tmp_path / "t.db")
    database.execute("CREATE TABLE t (a TEXT)")
    database.execute("INSERT INTO t VALUES (CAST(? AS TEXT))", (CANARY.encode() + b"\xff",))
    database.commit()
    database.close()
    with pytest.raises(errors.PrivetError) as caught:
        open_file(tmp_path / "t.db")
    assert CANARY not in told(caught.value)


def test_the_only_table_needs_no_name_and_what_is_computed_is_refused():
    tables = {"stays": STORED, "v": VIEW}
    assert stored_names(tables) == ["stays"]
    assert chosen_name(tables, None) == "stays"
    with pytest.raises(errors.NoSuchTable, match="2 tables"):
        chosen_name({**tables, "beds": STORED}, None)
    with pytest.raises(errors.NoSuchTable, match="0 tables"):
        chosen_name({"v": VIEW}, None)
    with pytest.raises(errors.ComputedTable, match="view"):
        chosen_name(tables, "v")
    with pytest.raises(errors.ComputedTable, match="computed"):
        chosen_name({"stays": COMPUTED}, "stays")
