"""SQLite files: copied by their declared types, and what does not keep to them is named."""

import datetime
import sqlite3
from contextlib import closing

import pytest

from privet.engine import _sqlite_files as files
from privet.engine._reader_limits import ReaderLimits
from privet.errors import MalformedSource, SourceTooLarge, SourceUnreachable


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.db"


def make(path, *statements):
    with closing(sqlite3.connect(path)) as database, database:
        for statement in statements:
            database.execute(statement)
    return path


def test_tables_and_how_their_rows_come_about(path):
    make(
        path,
        "CREATE TABLE plain (a INTEGER)",
        "CREATE TABLE doubled (a INTEGER, b INTEGER GENERATED ALWAYS AS (2 * a) VIRTUAL)",
        "CREATE TABLE kept (a INTEGER, b INTEGER GENERATED ALWAYS AS (2 * a) STORED)",
        "CREATE VIEW seen AS SELECT * FROM plain",
    )
    assert files.tables(path) == {
        "plain": files.STORED,
        "doubled": files.COMPUTED,
        "kept": files.COMPUTED,
        "seen": files.VIEW,
    }


@pytest.mark.parametrize(
    ("declared", "value", "kind", "read"),
    [
        ("INTEGER", 3, "int64", 3),
        ("BIGINT", 3, "int64", 3),
        ("VARCHAR(9)", "x", "string", "x"),
        ("CLOB", "x", "string", "x"),
        ("DOUBLE PRECISION", 1.5, "double", 1.5),
        ("NUMERIC(5,2)", 2, "double", 2.0),
        ("DATE", "2026-11-01", "date32[day]", datetime.date(2026, 11, 1)),
        ("TIMESTAMP", "2026-11-01 12:30:00", "timestamp[us]", datetime.datetime(2026, 11, 1, 12, 30)),  # noqa: DTZ001
        ("BOOLEAN", 1, "bool", True),
        ("BLOB", b"x", "binary", b"x"),
        ("", 3, "int64", 3),
        ("", 1.5, "double", 1.5),
        ("", "x", "string", "x"),
        ("", b"x", "binary", b"x"),
        ("", None, "string", None),
        ("INTEGER", None, "int64", None),
    ],
)
def test_columns_have_the_types_they_declare_or_use(path, declared, value, kind, read):
    make(path, f'CREATE TABLE t ("a b" {declared})')
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("INSERT INTO t VALUES (?)", (value,))
    found = files.copied(path, "t")
    assert str(found.schema.field("a b").type) == kind
    assert found["a b"].to_pylist() == [read]


@pytest.mark.parametrize(
    ("declared", "value"),
    [("INTEGER", "many"), ("REAL", "many"), ("TEXT", b"x"), ("DATE", "someday"), ("BOOLEAN", "x")],
)
def test_a_value_of_another_type_names_the_column_and_not_the_value(path, declared, value):
    make(path, f"CREATE TABLE t (a {declared})")
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("INSERT INTO t VALUES (?)", (value,))
    with pytest.raises(MalformedSource) as caught:
        files.copied(path, "t")
    assert caught.value.details == {"column": "a"}
    assert str(value) not in caught.value.fact


def test_numbers_of_both_sorts_without_a_declared_type_are_real(path):
    make(path, "CREATE TABLE t (a)", "INSERT INTO t VALUES (1), (2.5), (NULL)")
    assert files.copied(path, "t")["a"].to_pylist() == [1.0, 2.5, None]  # exact: values as given


def test_names_are_quoted_and_many_rows_come_whole(path, monkeypatch):
    monkeypatch.setattr(files, "_BATCH", 3)
    make(path, 'CREATE TABLE "a ""t" (n INTEGER)', 'INSERT INTO "a ""t" VALUES (1), (2), (3), (4)')
    assert files.copied(path, 'a "t')["n"].to_pylist() == [1, 2, 3, 4]


def test_the_file_is_not_written(path):
    make(path, "CREATE TABLE t (a INTEGER)")
    before = path.read_bytes()
    files.copied(path, "t")
    assert path.read_bytes() == before
    with files._reading(path) as database, pytest.raises(sqlite3.DatabaseError):
        database.execute("INSERT INTO t VALUES (1)")


@pytest.mark.parametrize(
    "statement",
    [
        "ATTACH ':memory:' AS other",
        "CREATE TABLE b (c)",
        "DELETE FROM a",
        "SELECT load_extension('x')",
        "SELECT writefile('x', 'y')",
        "SELECT upper('x')",
        "PRAGMA writable_schema = ON",
        "PRAGMA query_only = OFF",
        "PRAGMA trusted_schema = ON",
        "SELECT * FROM pragma_database_list",
    ],
)
def test_nothing_but_reading_passes(path, statement):
    make(path, "CREATE TABLE a (b INTEGER)")
    with files._reading(path, ReaderLimits()) as database:
        assert database.execute("SELECT b, typeof(b) FROM a").fetchall() == []
        with pytest.raises(sqlite3.Error):
            database.execute(statement)


def test_only_what_is_listed_is_permitted():
    assert files._permitted(sqlite3.SQLITE_READ, "a", "b") == sqlite3.SQLITE_OK
    assert files._permitted(sqlite3.SQLITE_FUNCTION, None, "random") == sqlite3.SQLITE_DENY
    assert files._permitted(sqlite3.SQLITE_PRAGMA, "table_info", "a") == sqlite3.SQLITE_OK
    assert files._permitted(sqlite3.SQLITE_PRAGMA, "journal_mode", "a") == sqlite3.SQLITE_DENY


def test_limits_are_kept(path):
    make(path, "CREATE TABLE a (b TEXT)", "CREATE TABLE c (d TEXT)", "INSERT INTO a VALUES (zeroblob(5000))")
    with pytest.raises(SourceTooLarge, match="1,000 bytes"):
        files.copied(path, "a", ReaderLimits(cell_bytes=1_000))
    with pytest.raises(SourceTooLarge, match="2 tables"):
        files.tables(path, ReaderLimits(tables=1))


def test_a_damaged_file_is_said_to_be_damaged(path):
    make(path, "CREATE TABLE a (b TEXT)", *["INSERT INTO a VALUES (zeroblob(3000))"] * 5)
    whole = path.read_bytes()
    path.write_bytes(whole[:5000])
    with pytest.raises(MalformedSource, match="damaged"):
        files.copied(path, "a")
    path.write_bytes(whole[:100] + b"\xff" * 300 + whole[400:])
    with pytest.raises(MalformedSource, match="damaged"):
        files.tables(path)


def test_a_file_that_somebody_writes_to_is_said_to_be_held(path, monkeypatch):
    make(path, "CREATE TABLE a (b TEXT)")
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *said, **more: connect(*said, **more, timeout=0.1))
    with closing(connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        with pytest.raises(SourceUnreachable, match="another process"):
            files.tables(path)


def logged(path, rows):
    """A database with a write-ahead log, whose last writer was stopped before it took the log in."""
    import subprocess
    import sys

    stopped = """
import os, sqlite3, sys
book = sqlite3.connect(sys.argv[1], isolation_level=None)
book.execute("PRAGMA journal_mode = WAL")
book.execute("CREATE TABLE IF NOT EXISTS t (a INTEGER)")
for value in range(int(sys.argv[2])):
    book.execute("INSERT INTO t VALUES (?)", (value,))
os._exit(0)
"""
    subprocess.run([sys.executable, "-c", stopped, str(path), str(rows)], check=True)


def test_a_settled_file_with_a_write_ahead_log_is_read_without_files_beside_it(path):
    with closing(sqlite3.connect(path)) as book:
        book.execute("PRAGMA journal_mode = WAL")
        book.execute("CREATE TABLE t (a INTEGER)")
        book.executemany("INSERT INTO t VALUES (?)", [(1,), (2,)])
        book.commit()
    assert files.copied(path, "t")["a"].to_pylist() == [1, 2]
    assert [one.name for one in path.parent.iterdir()] == [path.name]
    from privet.engine import open_anything

    assert list(open_anything(f"{path}#t").relation.columns) == ["a"], "in the process without rights as well"


def test_a_log_that_is_not_taken_in_is_read_or_said_to_be_there(path):
    """With the index beside it the log is read; without it, who may not write cannot, and is told what to do."""
    import shutil
    import subprocess

    from privet.engine import _reader_process as reader

    logged(path, 3)
    assert reader.rows(path, "t").num_rows == 3
    if not reader._used():
        pytest.skip("this system has no process without rights")
    path.with_name(path.name + "-shm").unlink(missing_ok=True)
    with pytest.raises(SourceUnreachable, match="a log beside the database file") as refused:
        reader.rows(path, "t")
    if shutil.which("sqlite3"):
        _, command, _ = refused.value.hint.split("`", 2)
        subprocess.run(command.replace("FILE", str(path)), shell=True, check=True, capture_output=True)
        assert reader.rows(path, "t").num_rows == 3


def test_a_settled_file_that_changes_meanwhile_is_read_again(path):
    with closing(sqlite3.connect(path)) as book:
        book.execute("PRAGMA journal_mode = WAL")
        book.execute("CREATE TABLE t (a INTEGER)")
        book.commit()
    reading = files._reading(path)
    with closing(sqlite3.connect(path)) as book:
        book.execute("INSERT INTO t VALUES (1)")
        book.commit()
    with pytest.raises(SourceUnreachable, match="while it was read"):
        reading.__exit__()
