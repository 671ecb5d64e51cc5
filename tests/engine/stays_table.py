"""One small table as every kind of file."""

import datetime
import gzip
import sqlite3

import duckdb
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from privet.engine._relation import ColumnKind

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
