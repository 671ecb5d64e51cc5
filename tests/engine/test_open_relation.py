"""Opening: every kind of source gives the same table, lazily; every bad one an error that shows no value."""

import gzip

import ibis
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from tests.engine.stays_table import (
    KINDS,
    TABLE,
    as_csv,
    as_duckdb,
    as_gzip,
    as_json,
    as_parquet,
    as_semicolons,
    as_sqlite,
    as_tsv,
    rows,
)
from tests.engine.told import told

from privet import errors
from privet.engine._engine_speed import Speed
from privet.engine._error_guard import guarded
from privet.engine._open_relation import open_file, open_frame, open_ibis, open_spark
from privet.engine._relation import ColumnKind

CANARY = "Canary Wharfinger"


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


def test_decimals_that_the_engine_would_misread_are_refused(tmp_path):
    wide = pa.array([1, None], pa.decimal256(39, 0))
    pyarrow.parquet.write_table(pa.table({"debt": wide}), tmp_path / "t.parquet")
    with pytest.raises(errors.MalformedSource, match="'debt'"):
        open_file(tmp_path / "t.parquet")
    pyarrow.parquet.write_table(pa.table({"debt": wide.cast(pa.decimal128(38, 0))}), tmp_path / "t.parquet")
    assert open_file(tmp_path / "t.parquet").columns == {"debt": ColumnKind.REAL}
