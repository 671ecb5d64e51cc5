"""Files that other people made: only the file that was named is read, and no SQL in it runs."""

import dataclasses
import gzip
import shutil
import sqlite3
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet
import pytest
from tests.engine.told import told

import privet as pv
from privet import errors
from privet.engine._engine_results import fetch
from privet.engine._engine_speed import Speed
from privet.engine._open_relation import embedded, open_file, open_frame, tables_at
from privet.engine._row_operations import project

SECRET = "Canary Wharfinger"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file that nobody named."""
    file = tmp_path / "elsewhere" / "secret.csv"
    file.parent.mkdir()
    file.write_text(f"name\n{SECRET}\n")
    return file


def database(folder: Path, *statements: str) -> Path:
    path = folder / "t.duckdb"
    with duckdb.connect(path) as made:
        for statement in statements:
            made.execute(statement)
    return path


REACHING = [
    "SELECT * FROM read_text('{file}')",
    "SELECT * FROM read_blob('{file}')",
    "SELECT * FROM read_csv('{file}')",
    "SELECT * FROM read_csv('{file}', header=true, columns={{name: 'VARCHAR'}})",
    "SELECT * FROM read_json('{file}')",
    "SELECT * FROM read_parquet('{file}')",
    "SELECT * FROM '{file}'",
    "SELECT * FROM sniff_csv('{file}')",
    "SELECT * FROM glob('{folder}/*')",
    "SELECT * FROM query('SELECT * FROM read_text(''{file}'')')",
    "SELECT * FROM query_table('{file}')",
    "SELECT * FROM parquet_metadata('{file}')",
    "SELECT (SELECT content FROM read_text('{file}'))",
    "SELECT * FROM duckdb_secrets()",
]


@pytest.mark.parametrize("reach", REACHING)
def test_the_embedded_engine_reads_no_file_that_was_not_named(tmp_path, secret, reach):
    beside = tmp_path / "t.csv"
    beside.write_text("name\nAnn\n")
    connection = embedded(files=[beside])
    assert connection.con.execute(f"SELECT name FROM read_csv('{beside}')").fetchall() == [("Ann",)]
    with pytest.raises(duckdb.Error):
        connection.con.execute(reach.format(file=secret, folder=secret.parent)).fetchall()


@pytest.mark.parametrize(
    "change",
    [
        "SET enable_external_access = true",
        "SET allowed_paths = ['/']",
        "SET allowed_directories = ['/']",
        "SET lock_configuration = false",
        "SET autoinstall_known_extensions = true",
        "SET temp_directory = '/'",
        "RESET enable_external_access",
        "PRAGMA enable_external_access = true",
        "INSTALL httpfs",
        "LOAD httpfs",
        "ATTACH '{folder}/other.duckdb'",
        "COPY (SELECT 1) TO '{folder}/out.csv'",
        "EXPORT DATABASE '{folder}/export'",
        "CREATE PERSISTENT SECRET s (TYPE http)",
        "PRAGMA profiling_output = '{folder}/profile'",
    ],
)
def test_nothing_opens_the_embedded_engine_again(tmp_path, change):
    connection = embedded(files=[tmp_path / "t.csv"])
    with pytest.raises(duckdb.Error):
        connection.con.execute(change.format(folder=tmp_path))
    assert list(tmp_path.iterdir()) == []


# DuckDB looks into the file before it makes a view of these two, and this one is neither.
@pytest.mark.parametrize(
    "reach", [one for one in REACHING if "read_json" not in one and "read_parquet" not in one]
)
def test_views_are_refused_whatever_they_reach_for(tmp_path, secret, reach):
    text = reach.format(file=secret, folder=secret.parent)
    path = database(tmp_path, f"CREATE VIEW v AS {text}", "CREATE VIEW over AS SELECT * FROM v")
    for name in ("v", "over", "main.v"):
        with pytest.raises(errors.ComputedTable, match="view") as caught:
            open_file(f"{path}#{name}")
        assert SECRET not in told(caught.value)
    with pytest.raises(errors.NoSuchTable, match="0 tables"):
        open_file(path)


def test_views_of_macros_and_of_the_files_own_tables_are_refused_too(tmp_path, secret):
    path = database(
        tmp_path,
        "CREATE TABLE stays AS SELECT 1 AS patient",
        f"CREATE MACRO found() AS TABLE SELECT * FROM read_text('{secret}')",
        "CREATE VIEW by_macro AS SELECT * FROM found()",
        "CREATE VIEW own AS SELECT * FROM stays",
        "CREATE VIEW moving AS SELECT patient, random() AS r, now() AS t FROM stays",
        "CREATE SCHEMA other",
        "CREATE VIEW other.v AS SELECT * FROM stays",
    )
    for name in ("by_macro", "own", "moving", "other.v"):
        with pytest.raises(errors.ComputedTable):
            open_file(f"{path}#{name}")
    assert open_file(path).table.to_pyarrow().to_pylist() == [{"patient": 1}]  # views are not offered
    assert tables_at(str(path)) is None


@pytest.mark.parametrize(
    "computed", ["random()", "patient + 1", "now()", "current_setting('temp_directory')"]
)
def test_computed_columns_are_refused(tmp_path, computed):
    path = database(
        tmp_path,
        "CREATE TABLE plain (patient INTEGER DEFAULT (7))",
        f"CREATE TABLE stays (patient INTEGER, more AS ({computed}))",
    )
    with pytest.raises(errors.ComputedTable, match="computed"):
        open_file(f"{path}#stays")
    assert list(open_file(f"{path}#plain").columns) == ["patient"]  # a default is used for new rows only


def test_functions_of_the_file_are_not_taken_for_the_engines(tmp_path):
    path = database(
        tmp_path,
        "CREATE TABLE stays AS SELECT 'ANN' AS name, 2 AS days",
        "CREATE MACRO lower(x) AS 'mallory'",
        "CREATE MACRO sum(x) AS 1000",
        "CREATE MACRO count() AS 1000",
    )
    table = open_file(path).table
    found = table.aggregate(n=table.count(), days=table.days.sum(), name=table.name.lower().max())
    assert found.to_pyarrow().to_pylist() == [{"n": 1, "days": 2, "name": "ann"}]


@pytest.mark.parametrize(
    "name",
    [
        "a'; COPY (SELECT 1) TO 'made.csv'; --.duckdb",
        "sqlite:x.duckdb",
        "a*[b].duckdb",
        "~x.duckdb",
        'q".duckdb',
    ],
)
def test_the_name_of_a_file_is_not_read_as_anything_else(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    database(tmp_path, "CREATE TABLE stays AS SELECT 1 AS patient").rename(tmp_path / name)
    for path in (name, tmp_path / name):
        assert open_file(path).table.to_pyarrow().to_pylist() == [{"patient": 1}]
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_duckdb_file_with_a_question_mark_in_its_path_is_refused(tmp_path):
    (tmp_path / "what?").mkdir()
    path = database(tmp_path, "CREATE TABLE stays AS SELECT 1 AS patient").rename(
        tmp_path / "what?" / "t.duckdb"
    )
    with pytest.raises(errors.UnknownFormat, match="question mark"):
        open_file(path)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "csv.gz"])
@pytest.mark.parametrize("stem", ["a*", "a?", "[ab]", "**", "a{b,c}", "file:a", "http:a", "a\\b", "a'b"])
def test_a_name_that_is_a_pattern_means_itself(tmp_path, monkeypatch, ending, stem):
    monkeypatch.chdir(tmp_path)
    make = {
        "csv": lambda file, n: file.write_text(f"n\n{n}\n"),
        "csv.gz": lambda file, n: file.write_bytes(gzip.compress(f"n\n{n}\n".encode())),
        "jsonl": lambda file, n: file.write_text(f'{{"n": {n}}}\n'),
        "parquet": lambda file, n: pyarrow.parquet.write_table(pa.table({"n": [n]}), file),
    }[ending]
    for other in ("a", "b", "ab", "abc", "aa"):
        make(tmp_path / f"{other}.{ending}", 2)
    make(tmp_path / f"{stem}.{ending}", 1)
    assert open_file(f"{stem}.{ending}").table.to_pyarrow().to_pylist() == [{"n": 1}]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_the_folders_around_a_file_add_no_columns(tmp_path, ending):
    folder = tmp_path / "year=2020"
    folder.mkdir()
    file = folder / f"t.{ending}"
    if ending == "parquet":
        pyarrow.parquet.write_table(pa.table({"n": [1]}), file)
    else:
        file.write_text("n\n1\n" if ending == "csv" else '{"n": 1}\n')
    assert list(open_file(file).columns) == ["n"]


def test_a_link_is_read_where_it_leads_and_not_where_it_is_turned_to(tmp_path, secret):
    mine, link = tmp_path / "mine.csv", tmp_path / "link.csv"
    mine.write_text("name\nAnn\n")
    link.symlink_to(mine)
    relation = open_file(link)
    link.unlink()
    link.symlink_to(secret)
    assert relation.table.to_pyarrow().to_pylist() == [{"name": "Ann"}]


@pytest.mark.parametrize("how", ["gone", "link"])
def test_a_file_that_is_exchanged_for_a_link_is_not_read(tmp_path, secret, how):
    file = tmp_path / "mine.csv"
    file.write_text("name\nAnn\n")
    relation = open_file(file)
    file.unlink()
    if how == "link":
        file.symlink_to(secret)
    with pytest.raises(errors.SourceMissing):
        fetch(relation.table, relation.engine)


def test_tables_of_several_files_are_joined_over_an_engine_that_may_read_them_all(tmp_path):
    (tmp_path / "stays.csv").write_text("patient,ward\n1,A\n2,B\n")
    (tmp_path / "notes.jsonl").write_text('{"patient": 1, "words": 5}\n{"patient": 2, "words": 6}\n')
    path = database(tmp_path, "CREATE TABLE beds AS SELECT 1 AS patient, 9 AS bed")
    one, two, three, four = (
        pv.open_table(thing, unit=pv.Person("patient", max_rows=1), speed=Speed(threads=1))
        for thing in (
            tmp_path / "stays.csv",
            tmp_path / "notes.jsonl",
            path,
            pa.table({"patient": [1], "age": [30]}),
        )
    )
    one = dataclasses.replace(
        one, relation=project(one.relation, ["patient", "ward"])
    )  # as a data set gives it out
    joined = one.join(two, on="patient").join(three, on="patient").join(four, on="patient")
    found = joined.relation.table.to_pyarrow().to_pylist()
    assert found == [{"patient": 1, "ward": "A", "words": 5, "bed": 9, "age": 30}]
    connection = joined.relation.table.get_backend().con
    assert connection.execute("SELECT current_setting('threads')").fetchall() == [(1,)]
    with pytest.raises(duckdb.Error):
        connection.execute("SELECT * FROM read_text('/etc/hosts')").fetchall()


def test_what_does_not_fit_into_memory_is_spilled_where_the_caller_says(tmp_path):
    pyarrow.parquet.write_table(pa.table({"n": pa.array(range(1_500_000))}), tmp_path / "t.parquet")
    spill = tmp_path / "spill"
    relation = open_file(tmp_path / "t.parquet", speed=Speed("32MB", 1, str(spill)))
    table = relation.table.mutate(h=relation.table.n.hash())
    reader = table.order_by("h").to_pyarrow_batches(chunk_size=100_000)
    assert next(iter(reader)).num_rows > 0
    assert list(spill.glob("duckdb_temp*"))
    reader.close()


# --- SQLite -------------------------------------------------------------------------------------


def sqlite(folder: Path, *statements: str) -> Path:
    path = folder / "t.sqlite"
    made = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        made.execute(statement)
    made.close()
    return path


STAYS = "CREATE TABLE stays (patient INTEGER)"


@pytest.mark.parametrize(
    "made",
    [
        "CREATE VIEW v AS SELECT * FROM stays",
        "CREATE VIEW v AS SELECT random() AS patient",
        "CREATE VIEW v AS SELECT load_extension('/tmp/x') AS patient",
        "CREATE VIRTUAL TABLE v USING fts5(words)",
        "CREATE VIRTUAL TABLE v USING rtree(id, a, b)",
    ],
)
def test_views_and_virtual_tables_of_sqlite_are_refused(tmp_path, made):
    path = sqlite(tmp_path, STAYS, "INSERT INTO stays VALUES (1)", made)
    with pytest.raises(errors.ComputedTable):
        open_file(f"{path}#v")
    assert open_file(path).table.to_pyarrow().to_pylist() == [{"patient": 1}]
    assert tables_at(str(path)) is None


@pytest.mark.parametrize("how", ["STORED", "VIRTUAL"])
def test_computed_columns_of_sqlite_are_refused(tmp_path, how):
    path = sqlite(tmp_path, f"CREATE TABLE stays (patient INTEGER, more AS (patient + 1) {how})")
    with pytest.raises(errors.ComputedTable, match="computed"):
        open_file(path)


def test_a_view_that_calls_itself_a_table_is_still_one(tmp_path):
    path = sqlite(
        tmp_path,
        STAYS,
        "CREATE VIEW v AS SELECT * FROM stays",
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_master SET type = 'table' WHERE name = 'v'",
    )
    with pytest.raises(errors.PrivetError):  # SQLite may call the whole file malformed
        open_file(f"{path}#v")


def test_a_log_beside_a_source_makes_sqlite_neither_write_nor_delete(tmp_path):
    from tests.ledger.hot_journal import plant

    path = sqlite(tmp_path, STAYS, "INSERT INTO stays VALUES (1)")
    victim = tmp_path / "victim.txt"
    victim.write_text("precious")
    plant(path, victim)
    with pytest.raises(errors.PrivetError):
        open_file(path)
    assert victim.read_text() == "precious"


# --- which state of the data it was -------------------------------------------------------------


def test_rows_in_the_log_of_a_database_are_another_snapshot(tmp_path):
    first, second = tmp_path / "one", tmp_path / "two"
    for folder in (first, second):
        folder.mkdir()
    live = duckdb.connect(first / "t.duckdb")
    live.execute("CREATE TABLE stays AS SELECT 1 AS patient; CHECKPOINT")
    shutil.copy2(first / "t.duckdb", second / "t.duckdb")
    before = pv.open_table(second / "t.duckdb")
    assert before.fingerprint == pv.open_table(second / "t.duckdb").fingerprint
    live.execute("SET wal_autocheckpoint = '1TB'; INSERT INTO stays VALUES (2)")
    shutil.copy2(first / "t.duckdb.wal", second / "t.duckdb.wal")
    live.close()
    after = pv.open_table(second / "t.duckdb")
    assert after.relation.table.count().execute() == 2
    with pytest.raises(errors.SourceChanged):
        _ = before.fingerprint
    (second / "t.duckdb.wal").rename(second / "aside")
    assert pv.open_table(second / "t.duckdb").fingerprint == before.fingerprint != after


def test_rows_in_the_log_of_sqlite_are_another_snapshot(tmp_path):
    live = sqlite3.connect(tmp_path / "t.sqlite", isolation_level=None)
    live.execute("PRAGMA journal_mode = WAL")
    live.execute("PRAGMA wal_autocheckpoint = 0")
    live.execute(STAYS)
    live.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = pv.open_table(tmp_path / "t.sqlite")
    known, when = before.fingerprint, (tmp_path / "t.sqlite").stat().st_mtime_ns
    live.execute("INSERT INTO stays VALUES (1)")
    assert (tmp_path / "t.sqlite").stat().st_mtime_ns == when
    with pytest.raises(errors.SourceChanged):
        _ = before.fingerprint
    assert pv.open_table(tmp_path / "t.sqlite").fingerprint != known
    live.close()


def test_a_connection_of_the_users_own_is_left_as_it_is(tmp_path):
    import ibis

    (tmp_path / "t.csv").write_text("patient,ward\n1,A\n")
    connection = ibis.duckdb.connect()
    own = pv.open_table(
        connection.create_table("beds", pa.table({"patient": [1], "bed": [9]})),
        unit=pv.Person("patient", max_rows=1),
    )
    file = pv.open_table(tmp_path / "t.csv", unit=pv.Person("patient", max_rows=1))
    assert own.join(file, on="patient").relation.table.to_pyarrow().num_rows == 1
    assert connection.con.execute("SELECT current_setting('lock_configuration')").fetchall() == [(False,)]
    assert open_frame(pa.table({"a": [1]})).files == ()
