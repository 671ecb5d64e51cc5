"""The embedded engine is closed to everything but the named files; see also test_hostile_databases."""

from pathlib import Path

import duckdb
import pytest

from privet.engine._locked_engine import AT_START, escaped, lock, quoted, real
from privet.engine._open_relation import embedded


@pytest.mark.parametrize(
    "reach",
    [
        "SELECT * FROM 'https://example.com/t.csv'",
        "SELECT * FROM read_csv('http://127.0.0.1:1/t.csv')",
        "SELECT * FROM read_parquet('s3://bucket/t.parquet')",
        "SELECT * FROM read_text('/proc/self/environ')",
        "SELECT getenv('HOME')",
        "ATTACH 'https://example.com/t.duckdb'",
        "SELECT * FROM here",  # a variable of Python's
        "IMPORT DATABASE '/tmp'",
    ],
)
def test_neither_addresses_nor_the_process_are_reached(tmp_path: Path, reach: str) -> None:
    here = duckdb.sql("SELECT 1 AS a")
    assert here
    connection = embedded(files=[tmp_path / "t.csv"])
    with pytest.raises(duckdb.Error):
        connection.con.execute(reach).fetchall()


def test_memory_and_disk_have_limits_that_cannot_be_changed(tmp_path: Path) -> None:
    connection = embedded().con
    for setting in ("memory_limit", "max_temp_directory_size"):
        ((value,),) = connection.execute(f"SELECT current_setting('{setting}')").fetchall()
        assert value.endswith("GiB")
        with pytest.raises(duckdb.Error):
            connection.execute(f"SET {setting} = '900TB'")
    ((folder,),) = connection.execute("SELECT current_setting('temp_directory')").fetchall()
    assert Path(folder).stat().st_mode & 0o777 == 0o700


def test_the_lock_can_be_weakened_by_nothing_that_follows(tmp_path: Path) -> None:
    named, other = tmp_path / "a[1].csv", tmp_path / "b.csv"
    for one in (named, other):
        one.write_text("n\n1\n")
    connection = duckdb.connect(":memory:", config=dict(AT_START))
    lock(connection, [named])
    assert connection.execute(f"SELECT n FROM read_csv({quoted(escaped(named))})").fetchall() == [(1,)]
    for change in ("SET enable_external_access = true", "SET allowed_paths = []", "RESET allowed_paths"):
        with pytest.raises(duckdb.Error):
            connection.execute(change)
    with pytest.raises(duckdb.Error):
        connection.execute(f"SELECT * FROM read_csv({quoted(real(other))})")


def test_paths_and_texts_are_quoted(tmp_path: Path) -> None:
    assert quoted("it's") == "'it''s'"
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "file")
    assert real(tmp_path / "link") == real(tmp_path / "file")
    assert escaped(Path("/x/a*[b]?")) == "/x/a[*][[]b][?]"
