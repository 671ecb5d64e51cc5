"""Columns of every type that an engine has and Privet takes, with the values at its edges: one table for each engine."""

from __future__ import annotations

from privet.engine._relation import Relation

DUCKDB_COLUMNS = {
    "tiny": ("TINYINT", ["-128", "127", "0"]),
    "small": ("SMALLINT", ["-32768", "32767"]),
    "whole": ("INTEGER", ["-2147483648", "2147483647"]),
    "big": ("BIGINT", ["-9223372036854775808", "9223372036854775807", "-1"]),
    "huge": ("HUGEINT", ["-170141183460469231731687303715884105728", "170141183460469231731687303715884105727"]),
    "utiny": ("UTINYINT", ["255", "0"]),
    "uwhole": ("UINTEGER", ["4294967295"]),
    "ubig": ("UBIGINT", ["18446744073709551615", "9223372036854775808", "4"]),
    "single": ("FLOAT", ["'nan'", "'inf'", "'-inf'", "1e-45", "3.4e38", "-0.0"]),
    "double": ("DOUBLE", ["'nan'", "'inf'", "'-inf'", "5e-324", "1.7976931348623157e308", "'-0.0'", "-5e-324"]),
    "cents": ("DECIMAL(4,1)", ["999.9", "-999.9", "0.1"]),
    "fine": ("DECIMAL(38,38)", ["'0.99999999999999999999999999999999999999'", "'-0.00000000000000000000000000000000000001'"]),
    "wide": ("DECIMAL(38,0)", ["'99999999999999999999999999999999999999'", "'-99999999999999999999999999999999999999'"]),
    "text": ("VARCHAR", ["''", "'x'", "repeat('é', 100000)", "chr(1)", "chr(127999)", "'İı'", "chr(769)"]),
    "uuid": ("UUID", ["'00000000-0000-0000-0000-000000000000'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"]),
    "colour": ("ENUM('red', '', 'blué')", ["'red'", "''", "'blué'"]),
    "truth": ("BOOLEAN", ["true", "false"]),
    "day": ("DATE", ["'infinity'", "'-infinity'", "'0001-01-01'", "'9999-12-31'", "'5877642-06-25 (BC)'", "'5881580-07-10'"]),
    "moment": ("TIMESTAMP", ["'infinity'", "'-infinity'", "'0001-01-01'", "'9999-12-31 23:59:59.999999'", "'290308-12-22 (BC) 00:00:00'", "'294247-01-10 04:00:54.775806'"]),
    "seconds": ("TIMESTAMP_S", ["'0001-01-01'", "'9999-12-31 23:59:59'", "'infinity'"]),
    "millis": ("TIMESTAMP_MS", ["'0001-01-01'", "'9999-12-31 23:59:59.999'", "'infinity'"]),
    "nanos": ("TIMESTAMP_NS", ["'1677-09-21 00:12:43.145225'", "'2262-04-11 23:47:16.854775806'", "'infinity'"]),
    "zoned": ("TIMESTAMPTZ", ["'infinity'", "'-infinity'", "'0001-01-01 00:00:00+00'", "'9999-12-31 23:59:59.999999+00'", "'290308-12-22 (BC) 00:00:00+00'"]),
}  # fmt: skip
POSTGRES_COLUMNS = {
    "small": ("smallint", ["'-32768'", "32767"]),
    "whole": ("integer", ["'-2147483648'", "2147483647"]),
    "big": ("bigint", ["'-9223372036854775808'", "9223372036854775807", "'-1'"]),
    "single": ("real", ["'NaN'", "'Infinity'", "'-Infinity'", "'1e-45'", "'3.4e38'", "'-0.0'"]),
    "double": ("double precision", ["'NaN'", "'Infinity'", "'-Infinity'", "'5e-324'", "'1.7976931348623157e308'", "'-0.0'", "'-5e-324'"]),
    "exact": ("numeric", ["'NaN'", "'1e131000'", "'-1e131000'", "'1e-16000'", "'-1e-16000'", "'0.1'", "'1e37'", "'123456789012345678901234567890.5'"]),
    "endless": ("numeric", ["'Infinity'", "'-Infinity'"]),
    "fine": ("numeric(38,37)", ["'9.9999999999999999999999999999999999999'", "'-0.0000000000000000000000000000000000001'"]),
    "text": ("text", ["''", "'x'", "repeat('é', 100000)", "chr(1)", "chr(127999)", "'İı'", "chr(769)", "chr(1114111)"]),
    "letters": ("varchar(20)", ["''", "'  x  '"]),
    "padded": ("char(5)", ["''", "'x'"]),
    "named": ("name", ["'x'", "''"]),
    "folded": ('text COLLATE "C"', ["'x'", "'X'"]),
    "uuid": ("uuid", ["'00000000-0000-0000-0000-000000000000'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"]),
    "truth": ("boolean", ["true", "false"]),
    "day": ("date", ["'infinity'", "'-infinity'", "'0001-01-01'", "'9999-12-31'", "'4713-01-01 BC'", "'5874897-12-31'", "'0001-12-31 BC'"]),
    "moment": ("timestamp", ["'infinity'", "'-infinity'", "'0001-01-01'", "'9999-12-31 23:59:59.999999'", "'4713-01-01 BC'", "'294276-12-31'", "'0001-12-31 23:59:59 BC'"]),
    "zoned": ("timestamptz", ["'infinity'", "'-infinity'", "'0001-01-01 00:00:00+00'", "'9999-12-31 23:59:59.999999+00'", "'4713-01-01 BC'", "'294276-12-31'"]),
}  # fmt: skip
SPARK_COLUMNS = {
    "tiny": ("TINYINT", ["-128", "127"]),
    "small": ("SMALLINT", ["-32768", "32767"]),
    "whole": ("INT", ["-2147483648", "2147483647"]),
    "big": ("BIGINT", ["-9223372036854775808", "9223372036854775807", "-1"]),
    "single": ("FLOAT", ["'NaN'", "'Infinity'", "'-Infinity'", "'1e-45'", "'3.4e38'", "'-0.0'"]),
    "double": ("DOUBLE", ["'NaN'", "'Infinity'", "'-Infinity'", "'5e-324'", "'1.7976931348623157e308'", "'-0.0'", "'-5e-324'"]),
    "fine": ("DECIMAL(38,38)", ["'0.99999999999999999999999999999999999999'", "'-0.00000000000000000000000000000000000001'"]),
    "wide": ("DECIMAL(38,0)", ["'99999999999999999999999999999999999999'", "'-99999999999999999999999999999999999999'"]),
    "text": ("STRING", ["''", "'x'", "repeat('é', 100000)", "chr(1)", "'İı'", "CAST(X'F09F9880' AS STRING)", "CAST(X'CC81' AS STRING)"]),
    "truth": ("BOOLEAN", ["true", "false"]),
    "day": ("DATE", ["'0001-01-01'", "'9999-12-31'", "date_from_unix_date(2147483647)", "date_from_unix_date(-2147483648)"]),
    "moment": ("TIMESTAMP_NTZ", ["'0001-01-01 00:00:00'", "'9999-12-31 23:59:59.999999'"]),
    "zoned": ("TIMESTAMP", ["'0001-01-01 00:00:00Z'", "'9999-12-31 23:59:59.999999Z'", "timestamp_micros(9223372036854775807)", "timestamp_micros(-9223372036854775808)"]),
}  # fmt: skip
COLUMNS = {"duckdb": DUCKDB_COLUMNS, "postgres": POSTGRES_COLUMNS, "pyspark": SPARK_COLUMNS}


def selects(engine: str) -> str:
    """One SELECT of as many rows as the longest column has values; shorter columns are repeated, each ends with a missing one."""
    columns = COLUMNS[engine]
    count = 1 + max(len(values) for _, values in columns.values())
    rows = []
    for at in range(count):
        cells = [f"{at} AS id", f"{at % 4} AS person"]
        for name, (kind, values) in columns.items():
            value = "NULL" if at == count - 1 else values[at % len(values)]
            plain, _, collation = kind.partition(" COLLATE ")
            written = f"CAST({value} AS {plain})" + (f" COLLATE {collation}" if collation else "")
            cells.append(f"{written} AS {name}")
        rows.append("SELECT " + ", ".join(cells))
    return " UNION ALL ".join(rows)


def native(engine) -> Relation:
    """The table on an engine, opened as a user's table is."""
    from privet.engine._open_relation import open_ibis

    backend = engine.backend
    if engine.name == "duckdb":
        import ibis

        backend = ibis.duckdb.connect()
        backend.raw_sql(f"CREATE TABLE native AS {selects('duckdb')}")
    elif engine.name == "postgres":
        backend.raw_sql("DROP TABLE IF EXISTS native")
        backend.raw_sql(f"CREATE TEMP TABLE native AS {selects('postgres')}")
    else:
        backend.raw_sql(f"CREATE OR REPLACE TEMPORARY VIEW native AS {selects('pyspark')}")
    return open_ibis(backend.table("native"))
