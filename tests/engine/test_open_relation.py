"""Opening: every kind of source gives the same table, lazily; every bad one an error that shows no value."""

import datetime
import gzip
import sqlite3

import duckdb
import ibis
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from tests.engine.told import told

from privet import errors
from privet.engine._engine_results import fetch
from privet.engine._engine_speed import Speed
from privet.engine._error_guard import guarded
from privet.engine._open_relation import open_file, open_frame, open_ibis, open_spark, open_url
from privet.engine._relation import ColumnKind

CANARY = "Canary Wharfinger"
PASSWORD, WRONG = "sesame", "close-sesame"
TABLE = pa.table(
    {
        "patient": [1, 2, 3],
        "ward": ["A", "B", None],
        "cost": [1.5, None, 3.25],
        "born": pa.array([datetime.date(1950, 1, 2), None, datetime.date(2001, 3, 4)]),
        "again": [True, False, None],
    }
)
KINDS = dict(
    zip(
        TABLE.column_names,
        (ColumnKind.INTEGER, ColumnKind.TEXT, ColumnKind.REAL, ColumnKind.DATE, ColumnKind.BOOLEAN),
        strict=True,
    )
)


def rows(relation):
    return relation.table.order_by("patient").to_pyarrow().to_pylist()


def as_csv(folder):
    pyarrow.csv.write_csv(TABLE, folder / "t.csv")
    return folder / "t.csv"


def as_gzip(folder):
    (folder / "t.csv.gz").write_bytes(gzip.compress(as_csv(folder).read_bytes()))
    return folder / "t.csv.gz"


def as_tsv(folder):
    (folder / "t.tsv").write_text(as_csv(folder).read_text().replace(",", "\t"))
    return folder / "t.tsv"


def as_semicolons(folder):
    (folder / "s.csv").write_text("\ufeff" + as_csv(folder).read_text().replace(",", ";"), encoding="utf-8")
    return folder / "s.csv"


def as_json(folder):
    TABLE.to_pandas().to_json(folder / "t.jsonl", orient="records", lines=True, date_format="iso")
    text = (folder / "t.jsonl").read_text().replace("T00:00:00.000", "").replace("Z", "")
    (folder / "t.jsonl").write_text(text.replace("1.0,", "1,"))
    return folder / "t.jsonl"


def as_parquet(folder):
    pyarrow.parquet.write_table(TABLE, folder / "we[i]rd*.parquet")
    pyarrow.parquet.write_table(TABLE, folder / "weird2.parquet")  # what the name would match as a pattern
    return folder / "we[i]rd*.parquet"


def as_duckdb(folder):
    with duckdb.connect(folder / "t.duckdb") as database:
        database.register("given", TABLE)
        database.execute("CREATE TABLE stays AS SELECT * FROM given")
    return folder / "t.duckdb"


def as_sqlite(folder):
    database = sqlite3.connect(folder / "t.sqlite")
    database.execute(
        "CREATE TABLE stays (patient INTEGER, ward VARCHAR(9), cost REAL, born DATE, again BOOLEAN)"
    )
    made = [
        tuple(v.isoformat() if isinstance(v, datetime.date) else v for v in r.values())
        for r in TABLE.to_pylist()
    ]
    database.executemany("INSERT INTO stays VALUES (?, ?, ?, ?, ?)", made)
    database.commit()
    database.close()
    return folder / "t.sqlite"


@pytest.mark.parametrize(
    "make", [as_csv, as_gzip, as_tsv, as_semicolons, as_json, as_parquet, as_duckdb, as_sqlite]
)
def test_every_kind_of_file_gives_the_same_table(tmp_path, make):
    relation = open_file(make(tmp_path))
    assert relation.engine == "duckdb"
    assert relation.columns == KINDS
    assert rows(relation) == TABLE.to_pylist()


@pytest.mark.parametrize(
    "frame",
    [
        TABLE,
        TABLE.to_batches()[0],
        pa.RecordBatchReader.from_batches(TABLE.schema, TABLE.to_batches()),
        TABLE.to_pandas(types_mapper=pd.ArrowDtype),
        pl.from_arrow(TABLE),
        pl.from_arrow(TABLE).lazy(),
    ],
    ids=["arrow", "batch", "reader", "pandas", "polars", "lazy polars"],
)
def test_every_kind_of_frame_gives_the_same_table(frame):
    relation = open_frame(frame)
    assert relation.columns == KINDS
    assert rows(relation) == TABLE.to_pylist()


def test_pandas_marks_of_missing_values_are_missing():
    relation = open_frame(pd.DataFrame({"patient": [1, 2, 3], "cost": [1.0, float("nan"), None]}))
    assert relation.table.cost.count().execute() == 1


def test_an_ibis_table_is_used_where_it_is():
    connection = ibis.duckdb.connect()
    table = connection.create_table("stays", TABLE)
    relation = open_ibis(table)
    assert relation.table.get_backend() is connection
    assert rows(relation) == TABLE.to_pylist()


def test_a_connection_with_a_collation_for_everything_is_refused():
    connection = ibis.duckdb.connect()
    table = connection.create_table("stays", TABLE)
    connection.con.execute("SET default_collation = 'nocase'")
    with pytest.raises(errors.BadDeclaration, match="collation"):
        open_ibis(table)


def test_an_ibis_table_of_an_unknown_engine_is_refused(tmp_path):
    as_sqlite(tmp_path)
    table = ibis.sqlite.connect(tmp_path / "t.sqlite").table("stays")
    with pytest.raises(errors.UnknownFormat, match="sqlite"):
        open_ibis(table)


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


def test_a_file_whose_name_holds_a_hash_is_opened_as_it_is(tmp_path):
    path = as_csv(tmp_path).rename(tmp_path / "ward#3.csv")
    assert rows(open_file(str(path))) == TABLE.to_pylist()


def test_opening_reads_no_more_than_the_schema(tmp_path):
    """The fault on the last line is not met on opening, only when the rows are used."""
    path = tmp_path / "late.csv"
    path.write_text("patient,days\n" + "1,2\n" * 60_000 + f"3,{CANARY}\n")
    relation = open_file(path)
    with (
        pytest.raises(errors.MalformedSource, match="line 60002, column 'days'") as caught,
        guarded(columns=relation.columns),
    ):
        relation.table.days.sum().execute()
    assert caught.value.details == {"line": 60002, "column": "days"}
    assert CANARY not in told(caught.value)


@pytest.mark.parametrize(
    ("last", "says"),
    [
        (f"3,{CANARY},5\n", "line 60002 of the file has another number of fields"),
        ("3\n", "another number of fields"),
        (f'3,"{CANARY}\n', "does not close it"),
    ],
)
def test_no_malformed_row_is_ever_skipped(tmp_path, last, says):
    """Not even by a count that needs no column."""
    path = tmp_path / "late.csv"
    path.write_text("patient,days\n" + "1,2\n" * 60_000 + last)
    relation = open_file(path)
    with pytest.raises(errors.MalformedSource, match=says) as caught, guarded():
        relation.table.count().execute()
    assert CANARY not in told(caught.value)


def test_late_bytes_that_are_not_utf8_are_an_error_without_a_value(tmp_path):
    path = tmp_path / "late.csv"
    path.write_bytes(b"patient,name\n" + b"1,x\n" * 600_000 + CANARY.encode() + b"\xff\xfe,z\n")
    relation = open_file(path, types={"patient": "text"})
    with pytest.raises(errors.PrivetError) as caught, guarded():
        relation.table.patient.nunique().execute()
    assert CANARY not in told(caught.value)


def test_types_can_be_stated(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("zip,days\n98701,2\n98703,3\n")
    assert open_file(path).columns["zip"] is ColumnKind.INTEGER
    relation = open_file(path, types={"zip": "text", "days": ColumnKind.REAL})
    assert relation.columns == {"zip": ColumnKind.TEXT, "days": ColumnKind.REAL}
    assert relation.table.zip.min().execute() == "98701"


def test_leading_zeros_are_kept(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("zip\n00213\n98701\n")
    assert open_file(path).table.zip.min().execute() == "00213"


def test_no_line_at_the_top_is_skipped(tmp_path):
    """A guess at the dialect would take the second line for the header, and lose the first."""
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2,3\n" + "4,5,6\n" * 50)
    with pytest.raises(errors.MalformedSource, match="line 2"):
        open_file(path)


def test_types_can_be_stated_for_json_lines(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"zip": 213, "days": 2}\n')
    assert open_file(path, types={"zip": "text"}).columns == {
        "zip": ColumnKind.TEXT,
        "days": ColumnKind.INTEGER,
    }


def test_a_header_alone_needs_its_types(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("zip,days\n")
    with pytest.raises(errors.MalformedSource, match="no rows"):
        open_file(path)
    relation = open_file(path, types={"zip": "text", "days": "integer"})
    assert relation.columns == {"zip": ColumnKind.TEXT, "days": ColumnKind.INTEGER}
    assert relation.table.count().execute() == 0


def test_empty_tables_and_columns_of_nothing_are_tables(tmp_path):
    pyarrow.parquet.write_table(TABLE.slice(0, 0), tmp_path / "t.parquet")
    relation = open_file(tmp_path / "t.parquet")
    assert relation.columns == KINDS
    assert relation.table.count().execute() == 0
    hollow = open_frame(pa.table({"patient": [1], "nothing": pa.nulls(1), "none": pa.nulls(1, pa.string())}))
    assert hollow.table.nothing.count().execute() == 0
    (tmp_path / "t.csv").write_text("patient,nothing\n1,\n2,\n")
    assert open_file(tmp_path / "t.csv").table.nothing.count().execute() == 0


def test_speed_reaches_the_engine_and_changes_no_answer(tmp_path):
    relation = open_file(as_csv(tmp_path), speed=Speed(memory_limit="500MB", threads=1))
    assert relation.table.get_backend().raw_sql("SELECT current_setting('threads')").fetchone() == (1,)
    assert rows(relation) == TABLE.to_pylist()


def bad_files():
    whole = pa.BufferOutputStream()
    pyarrow.parquet.write_table(
        pa.table({"name": [CANARY] * 500}), whole, compression="none", use_dictionary=False
    )
    parquet = whole.getvalue().to_pybytes()
    text = CANARY.encode()
    many = b"a,b\n" + b"1,2\n" * 30_000
    return [
        ("extra.csv", b"a,b\n1,2\n3," + text + b",5\n", errors.MalformedSource, "line 3"),
        ("short.csv", b"a,b,c\n1,2,3\n" + text + b",2\n4,5,6\n", errors.MalformedSource, "line 3"),
        ("quote.csv", b'a,b\n1,"' + text + b"\n4,5\n", errors.MalformedSource, "line 2"),
        (
            "latin.csv",
            b"a,b\n1,2\n2," + text + b"\xe9\n",
            errors.MalformedSource,
            "line 3 of the file is not UTF-8",
        ),
        ("utf16.csv", f"a,b\n1,{CANARY}\n".encode("utf-16"), errors.MalformedSource, "not UTF-8"),
        ("empty.csv", b"", errors.MalformedSource, "empty"),
        ("blank.csv", b"\n\n\n", errors.MalformedSource, "empty"),
        ("twice.csv", b"a,b,A\n1,2,3\n", errors.BadColumnNames, "columns 1, 3 have equal names"),
        ("nameless.csv", b"a,,c\n1,2,3\n", errors.BadColumnNames, "column 2 has no name"),
        (
            "headless.csv",
            text + b",17,1950-01-02\nx,18,1960-01-01\n",
            errors.BadColumnNames,
            "looks like data",
        ),
        ("mail.csv", text + b",a@b.org\nx,c@d.org\n", errors.BadColumnNames, "looks like data"),
        ("typed.csv", many, errors.BadDeclaration, "no column 'zip'"),
        ("torn.csv.gz", gzip.compress(text * 99)[:30], errors.MalformedSource, "unpacked"),
        ("fake.csv.gz", text, errors.MalformedSource, "unpacked"),
        ("torn.parquet", parquet[:-30], errors.MalformedSource, "not a whole Parquet"),
        ("fake.parquet", text * 9, errors.MalformedSource, "not a whole Parquet"),
        ("empty.parquet", b"", errors.MalformedSource, "empty"),
        ("fake.duckdb", text * 9, errors.MalformedSource, "not a DuckDB or SQLite"),
        ("torn.duckdb", b"\0" * 8 + b"DUCK" + text, errors.MalformedSource, "cannot be opened"),
        ("fake.sqlite", text * 9, errors.MalformedSource, "not a DuckDB or SQLite"),
        ("torn.sqlite", b"SQLite format 3\x00" + text * 9, errors.PrivetError, ""),
        ("bad.jsonl", b'{"a": 1}\n{"a": ' + text + b"}\n", errors.MalformedSource, ""),
        ("first.jsonl", text + b"\n", errors.MalformedSource, "not a JSON object"),
        ("list.jsonl", b'[{"a": "' + text + b'"}]\n', errors.MalformedSource, "not a JSON object"),
        ("twice.jsonl", b'{"a": 1, "a": "' + text + b'"}\n', errors.BadColumnNames, "equal names"),
        ("empty.jsonl", b" \n", errors.MalformedSource, "empty"),
        ("notes.xlsx", text, errors.UnknownFormat, "'.xlsx'"),
        ("notes", text, errors.UnknownFormat, "(none)"),
    ]


@pytest.mark.parametrize(
    ("name", "content", "error", "says"), bad_files(), ids=[bad[0] for bad in bad_files()]
)
def test_a_bad_file_is_refused_without_a_value_of_it(tmp_path, name, content, error, says):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(error) as caught:
        open_file(path, types={"zip": "text"} if name == "typed.csv" else None)
    assert says in str(caught.value)
    assert caught.value.code.startswith("E-")
    assert caught.value.hint
    everything = told(caught.value)
    assert "Canary" not in everything
    assert "Wharfinger" not in everything


def test_damage_in_the_middle_of_a_parquet_file_shows_up_in_use(tmp_path):
    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(pa.table({"name": [CANARY] * 1000}), path)
    damaged = bytearray(path.read_bytes())
    damaged[20:60] = bytes(byte ^ 0x5A for byte in damaged[20:60])
    path.write_bytes(damaged)
    relation = open_file(path)
    with pytest.raises(errors.PrivetError) as caught, guarded():
        relation.table.name.max().execute()
    assert CANARY not in told(caught.value)


def test_missing_files_directories_and_closed_files(tmp_path):
    with pytest.raises(errors.SourceMissing, match="no file"):
        open_file(tmp_path / "t.csv")
    (tmp_path / "d.csv").mkdir()
    with pytest.raises(errors.SourceMissing, match="directory"):
        open_file(tmp_path / "d.csv")


def test_a_file_that_vanishes_later_is_said_to_be_gone(tmp_path):
    path = as_csv(tmp_path)
    relation = open_file(path)
    path.unlink()
    with pytest.raises(errors.PrivetError) as caught, guarded():
        relation.table.count().execute()
    assert caught.value.code == "E-SOURCE-001"


@pytest.mark.parametrize("delimiter", ["", ",,", '"', "\n"])
def test_refuses_impossible_delimiters(tmp_path, delimiter):
    with pytest.raises(errors.BadDeclaration):
        open_file(as_csv(tmp_path), delimiter=delimiter)


def test_a_given_delimiter_is_taken_even_if_another_looks_better(tmp_path):
    (tmp_path / "t.csv").write_text("a,b|c,d\n1|2\n")
    assert list(open_file(tmp_path / "t.csv", delimiter="|").columns) == ["a,b", "c,d"]


def test_options_for_text_files_are_refused_elsewhere(tmp_path):
    path = as_duckdb(tmp_path)
    for wrong in ({"types": {"ward": "text"}}, {"delimiter": ","}):
        with pytest.raises(errors.BadDeclaration):
            open_file(path, **wrong)
    with pytest.raises(errors.UnknownFormat):
        open_file(f"{as_csv(tmp_path)}#ward")


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


@pytest.mark.parametrize(
    ("frame", "error"),
    [
        (pd.DataFrame({"a": [1, CANARY], "b": [1, 2]}), errors.MalformedSource),
        (pd.DataFrame([[1, CANARY]], columns=["a", "a"]), errors.BadColumnNames),
        (pd.DataFrame([[1, CANARY]]), errors.BadColumnNames),
        (pd.DataFrame(), errors.BadColumnNames),
        (pa.table([[CANARY], [2]], names=["b", "B"]), errors.BadColumnNames),
        ([CANARY], errors.UnknownFormat),
        (None, errors.UnknownFormat),
        (pl.Series([CANARY]), errors.UnknownFormat),
    ],
    ids=["mixed", "twice", "numbered", "nothing", "case", "list", "none", "series"],
)
def test_a_bad_frame_is_refused_without_a_value_of_it(frame, error):
    with pytest.raises(error) as caught:
        open_frame(frame)
    assert CANARY not in told(caught.value)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    pgserver = pytest.importorskip("pgserver")
    folder = tmp_path_factory.mktemp("pg")
    with pgserver.get_server(folder) as running:
        import psycopg

        with psycopg.connect(running.get_uri()) as database:
            database.execute("CREATE SCHEMA ward")
            database.execute(
                "CREATE TABLE ward.stays (patient BIGINT, ward TEXT, cost DOUBLE PRECISION, born DATE, again BOOLEAN)"
            )
            with database.cursor() as cursor:
                cursor.executemany(
                    "INSERT INTO ward.stays VALUES (%s, %s, %s, %s, %s)",
                    [tuple(r.values()) for r in TABLE.to_pylist()],
                )
            database.execute("CREATE TABLE public.beds AS SELECT 1 AS patient")
            database.execute(f"CREATE ROLE guest LOGIN PASSWORD '{PASSWORD}'")
            rules = folder / "pg_hba.conf"
            rules.write_text("local all guest scram-sha-256\n" + rules.read_text())
            database.execute("SELECT pg_reload_conf()")
        yield running.get_uri()


def test_a_postgres_table_by_address(server):
    relation = open_url(f"{server}#ward.stays")
    assert relation.engine == "postgres"
    assert relation.columns == KINDS
    assert rows(relation) == TABLE.to_pylist()
    joint = "&" if "?" in server else "?"
    assert rows(open_url(f"{server}{joint}table=ward.stays")) == TABLE.to_pylist()
    assert list(open_url(f"{server}#beds").columns) == ["patient"]


def test_a_postgres_table_that_is_not_there(server):
    with pytest.raises(errors.NoSuchTable, match="'stays'"):
        open_url(f"{server}#ward.stay")
    with pytest.raises(errors.NoSuchTable, match="names no table"):
        open_url(server)


def as_guest(server, password):
    found = server.replace("postgres:@", f"guest:{password}@").replace("//postgres@", f"//guest:{password}@")
    assert found != server
    return found


def test_a_postgres_table_without_the_right_to_read_it(server):
    with pytest.raises(errors.PrivetError) as caught, guarded():
        open_url(f"{as_guest(server, PASSWORD)}#ward.stays").table.count().execute()
    assert "sesame" not in told(caught.value)


def test_a_wrong_password_is_said_to_be_a_refused_login_and_not_repeated(server):
    with pytest.raises(errors.SourceUnreachable, match="refused the login") as caught:
        open_url(f"{as_guest(server, WRONG)}#ward.stays")
    assert "sesame" not in told(caught.value)


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("postgresql://nobody:sesame@127.0.0.1:1/none#t", errors.SourceUnreachable),
        ("postgresql://nobody:sesame@no.such.host.invalid/none#t", errors.SourceUnreachable),
        ("mysql://nobody:sesame@localhost/none#t", errors.UnknownFormat),
        ("postgresql://nobody:sesame@127.0.0.1:port/none#t", errors.SourceUnreachable),
    ],
)
def test_an_address_that_leads_nowhere_is_refused_without_the_password(url, error):
    with pytest.raises(error) as caught:
        open_url(url)
    assert "sesame" not in told(caught.value)


def test_a_database_that_does_not_exist(server):
    with pytest.raises(errors.SourceUnreachable):
        open_url(f"{server.replace('/postgres', '/nowhere')}#t")


@pytest.mark.xdist_group("spark")
def test_a_spark_frame_stays_on_spark(spark_backend):
    session = spark_backend.raw_sql("SELECT 1").sparkSession
    frame = session.createDataFrame([(1, "A", 1.5)], ["patient", "ward", "cost"])
    relation = open_spark(frame)
    assert relation.engine == "pyspark"
    assert relation.columns == {
        "patient": ColumnKind.INTEGER,
        "ward": ColumnKind.TEXT,
        "cost": ColumnKind.REAL,
    }
    assert rows(relation) == [{"patient": 1, "ward": "A", "cost": 1.5}]  # exact: values as given
    with pytest.raises(errors.BadColumnNames):
        open_spark(session.createDataFrame([(1, CANARY)], ["a", "A"]))


def _in_encoding(server, encoding):
    """A table in a database of another encoding, and a letter that stands for every byte but those of ASCII."""
    import psycopg

    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(
            f"CREATE DATABASE {encoding} ENCODING '{encoding}' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
        )
    there = server.replace("/postgres?", f"/{encoding.lower()}?")
    with psycopg.connect(there, autocommit=True) as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT convert_from(set_byte('\\x00'::bytea, 0, byte), getdatabaseencoding()) AS letter "
            "FROM generate_series(128, 255) AS byte"
        )
    return f"{there}#t"


@pytest.mark.parametrize("encoding", ["LATIN1", "LATIN2", "LATIN5", "LATIN9"])
def test_a_database_of_an_encoding_without_gaps_can_be_asked(server, encoding):
    relation = open_url(_in_encoding(server, encoding))
    assert len(set(fetch(relation.table, "postgres")["letter"].to_pylist())) == 128


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "WIN1252"])
def test_a_database_with_text_that_is_no_unicode_is_refused(server, encoding):
    """The server fails on such text when a question gets there: on one person's row and on no other."""
    address = _in_encoding(server, encoding)
    with pytest.raises(errors.UnknownFormat, match=encoding):
        open_url(address)


def test_decimals_that_the_engine_would_misread_are_refused(tmp_path):
    wide = pa.array([1, None], pa.decimal256(39, 0))
    pyarrow.parquet.write_table(pa.table({"debt": wide}), tmp_path / "t.parquet")
    with pytest.raises(errors.MalformedSource, match="'debt'"):
        open_file(tmp_path / "t.parquet")
    pyarrow.parquet.write_table(pa.table({"debt": wide.cast(pa.decimal128(38, 0))}), tmp_path / "t.parquet")
    assert open_file(tmp_path / "t.parquet").columns == {"debt": ColumnKind.REAL}
