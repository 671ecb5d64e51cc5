"""Which file is meant, and what reads it: by its ending, and databases by their first bytes."""

import os
from pathlib import Path

import pytest
from tests.engine.stays_table import (
    TABLE,
    as_csv,
    as_duckdb,
    as_gzip,
    as_json,
    as_parquet,
    as_sqlite,
    as_tsv,
    rows,
)

from privet import errors
from privet.engine._file_kinds import kind_of_file, split_file
from privet.engine._open_relation import open_file


def test_a_file_whose_name_holds_a_hash_is_opened_as_it_is(tmp_path):
    path = as_csv(tmp_path).rename(tmp_path / "ward#3.csv")
    assert rows(open_file(str(path))) == TABLE.to_pylist()


def test_missing_files_directories_and_closed_files(tmp_path):
    with pytest.raises(errors.SourceMissing, match="no file"):
        open_file(tmp_path / "t.csv")
    (tmp_path / "d.csv").mkdir()
    with pytest.raises(errors.SourceMissing, match="directory"):
        open_file(tmp_path / "d.csv")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no such pipes")
@pytest.mark.parametrize("ending", ["csv", "jsonl", "csv.gz", "parquet", "duckdb", "sqlite", "db"])
def test_a_pipe_in_the_place_of_a_file_holds_nobody_up(tmp_path, ending):
    os.mkfifo(tmp_path / f"t.{ending}")
    (tmp_path / f"linked.{ending}").symlink_to(tmp_path / f"t.{ending}")
    for name in ("t", "linked"):
        with pytest.raises(errors.SourceMissing, match="pipe"):
            open_file(str(tmp_path / f"{name}.{ending}"))


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (as_csv, "csv"), (as_gzip, "csv"), (as_tsv, "csv"), (as_json, "json"), (as_parquet, "parquet"),
        (as_duckdb, "duckdb"), (as_sqlite, "sqlite"),
    ],
)  # fmt: skip
def test_the_reader_goes_by_the_ending_and_the_first_bytes(tmp_path, make, kind):
    path = make(tmp_path)
    assert kind_of_file(path) == kind
    if kind in ("duckdb", "sqlite"):
        assert kind_of_file(path.rename(tmp_path / "t.db")) == kind


def test_what_is_no_table_is_refused(tmp_path):
    (tmp_path / "t.db").write_bytes(b"neither of both" * 9)
    with pytest.raises(errors.MalformedSource, match="not a DuckDB or SQLite"):
        kind_of_file(tmp_path / "t.db")
    (tmp_path / "t.csv").touch()
    with pytest.raises(errors.MalformedSource, match="empty"):
        kind_of_file(tmp_path / "t.csv")
    (tmp_path / "t.docx").touch()
    with pytest.raises(errors.UnknownFormat, match="docx"):
        kind_of_file(tmp_path / "t.docx")
    with pytest.raises(errors.SourceMissing) as refused:
        kind_of_file(tmp_path / "t.cvs")
    assert "t.csv" in refused.value.hint


def test_a_table_is_named_after_the_last_hash(tmp_path):
    assert split_file("a.duckdb#main.stays") == (Path("a.duckdb"), "main.stays")
    assert split_file("a#b.duckdb#stays") == (Path("a#b.duckdb"), "stays")
    assert split_file("a.duckdb#") == (Path("a.duckdb"), None)
    assert split_file(Path("a#b.csv")) == (Path("a#b.csv"), None)
