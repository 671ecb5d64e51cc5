"""Expressions on the embedded engine: each has its value for every row, and none raises."""

from __future__ import annotations

import datetime
import math

import ibis
import pyarrow as pa
import pytest

from privet.engine import expressions as ex
from privet.engine._engine_results import fetch
from privet.engine._relation import ColumnKind, Relation
from privet.engine._row_operations import derive

BACKEND = ibis.duckdb.connect()
SCHEMA = pa.schema(
    [
        ("i", pa.int64()), ("j", pa.int64()), ("x", pa.float64()), ("y", pa.float64()), ("s", pa.string()),
        ("b", pa.bool_()), ("d", pa.date32()), ("t", pa.timestamp("us")),
    ]
)  # fmt: skip
I, J, X, Y, S, B, D, T = (ex.Column(name) for name in "ijxysbdt")  # noqa: E741
ONE = ex.Literal(1)


def test_unsigned_numbers_beyond_64_bits_are_missing():
    relation = Relation(
        BACKEND.sql("SELECT 18446744073709551615::UBIGINT AS i UNION ALL SELECT 4::UBIGINT"), "duckdb"
    )
    derived = derive(relation, {"new": ex.Arithmetic("+", I, ONE)})
    assert sorted(fetch(derived.table, "duckdb")["new"].to_pylist(), key=str) == [5, None]


@pytest.mark.parametrize(
    ("expression", "row", "value"),
    [
        (ex.Arithmetic("+", I, J), {"i": 2**62, "j": 2**62}, None),
        (ex.Arithmetic("+", I, J), {"i": 2**61, "j": 7}, 2**61 + 7),
        (ex.Arithmetic("/", I, J), {"i": 7, "j": 2}, 3.5),
        (ex.Arithmetic("/", I, J), {"i": 7, "j": 0}, None),
        (ex.Arithmetic("%", I, J), {"i": -7, "j": 3}, -1),
        (ex.Arithmetic("%", I, J), {"i": -7, "j": 0}, None),
        (ex.Arithmetic("*", X, Y), {"x": 1e200, "y": 1e200}, None),
        (ex.Arithmetic("*", X, Y), {"x": 1e-200, "y": 1e-200}, 0.0),
        (ex.Compare("=", X, X), {"x": math.nan}, None),
        (ex.IsMissing(X), {"x": math.nan}, True),
        (ex.DatePart("weekday", D), {"d": datetime.date(2026, 1, 5)}, 0),
        (ex.Truncate("week", D), {"d": datetime.date(2026, 1, 8)}, datetime.date(2026, 1, 5)),
        (ex.Trim(S), {"s": "\t vivid \n"}, "vivid"),
        (ex.Substring(S, 1, 2), {"s": "äöü"}, "öü"),
        (ex.Round(X), {"x": -2.5}, -2),
        (ex.Floor(X), {"x": -2.5}, -3),
        (ex.Bin(X, edges=(0.0, 18.0, 65.0)), {"x": 18.0}, 2),
        (ex.Bin(X, edges=(0.0, 18.0, 65.0)), {"x": -1.0}, 0),
        (ex.Bin(X, width=10.0, origin=5.0), {"x": 4.0}, -1),
        (ex.Cast(S, ColumnKind.INTEGER), {"s": " +12 "}, 12),
        (ex.Cast(S, ColumnKind.INTEGER), {"s": "12.5"}, None),
        (ex.Cast(S, ColumnKind.REAL), {"s": "-.5e1"}, -5.0),
        (ex.Cast(S, ColumnKind.DATE), {"s": "2023-02-29"}, None),
        (ex.Cast(X, ColumnKind.INTEGER), {"x": 1e300}, None),
        (ex.Cast(B, ColumnKind.TEXT), {"b": False}, "false"),
        (ex.Pick(B, I), {"b": None, "i": 3}, None),
    ],
)
def test_values(expression, row, value):
    table = pa.Table.from_pylist([dict.fromkeys(SCHEMA.names) | row], schema=SCHEMA)
    derived = derive(
        Relation(BACKEND.create_table("one", table, overwrite=True), "duckdb"), {"new": expression}
    )
    assert fetch(derived.table, "duckdb")["new"].to_pylist() == [value]


@pytest.mark.parametrize(
    ("expression", "row", "value"),
    [
        (ex.And(B, ex.Compare(">", I, ONE)), {"b": True, "i": 2}, True),
        (ex.And(B, ex.Compare(">", I, ONE)), {"b": True, "i": 1}, False),
        (ex.Or(B, ex.Compare(">=", I, ONE)), {"b": False, "i": 1}, True),
        (ex.Not(B), {"b": False}, True),
        (ex.Compare("!=", S, ex.Literal("a")), {"s": "b"}, True),
        (ex.Compare("<", I, X), {"i": 1, "x": 1.5}, True),
        (ex.Compare("<=", D, ex.Literal(datetime.date(2026, 1, 1))), {"d": datetime.date(2026, 1, 1)}, True),
        (ex.Between(I, ONE, ex.Literal(3)), {"i": 3}, True),
        (ex.Between(I, ONE, ex.Literal(3)), {"i": 4}, False),
        (ex.Between(I, ONE, ex.Literal(3)), {"i": 1}, True),
        (ex.Between(I, ONE, ex.Literal(3)), {"i": 0}, False),
        (ex.OneOf(S, ("a", "b")), {"s": "b"}, True),
        (ex.OneOf(S, ("a", "b")), {"s": "c"}, False),
        (ex.Pick(B, I, J), {"b": True, "i": 3, "j": 4}, 3),
        (ex.Pick(B, I, J), {"b": False, "i": 3, "j": 4}, 4),
        (ex.Arithmetic("-", I, J), {"i": 2, "j": 5}, -3),
        (ex.Arithmetic("*", I, J), {"i": -2, "j": 5}, -10),
        (ex.Arithmetic("*", I, J), {"i": 2**40, "j": 2**40}, None),
        (ex.Arithmetic("/", X, Y), {"x": 1.0, "y": 0.0}, None),
        (ex.Abs(I), {"i": -3}, 3),
        (ex.Abs(X), {"x": -3.5}, 3.5),
        (ex.Floor(X), {"x": 1e300}, None),
        (ex.Lower(S), {"s": "AbC"}, "abc"),
        (ex.Upper(S), {"s": "AbC"}, "ABC"),
        (ex.Length(S), {"s": "äöü"}, 3),
        (ex.DatePart("year", D), {"d": datetime.date(2026, 3, 4)}, 2026),
        (ex.DatePart("quarter", D), {"d": datetime.date(2026, 4, 1)}, 2),
        (ex.DatePart("hour", T), {"t": datetime.datetime(2026, 3, 4, 5, 6, 7)}, 5),  # noqa: DTZ001
        (ex.Truncate("year", D), {"d": datetime.date(2026, 3, 4)}, datetime.date(2026, 1, 1)),
        (ex.Truncate("minute", T), {"t": datetime.datetime(2026, 3, 4, 5, 6, 7)}, datetime.datetime(2026, 3, 4, 5, 6)),  # noqa: DTZ001
        (ex.Bin(X, edges=(0.0, 18.0, 65.0)), {"x": 99.0}, 3),
        (ex.Bin(X, width=10.0, origin=5.0), {"x": 15.0}, 1),
        (ex.Bin(X, width=10.0), {"x": math.nan}, None),
        (ex.Cast(I, ColumnKind.TEXT), {"i": -12}, "-12"),
        (ex.Cast(I, ColumnKind.REAL), {"i": 3}, 3.0),
        (ex.Cast(B, ColumnKind.INTEGER), {"b": True}, 1),
        (ex.Cast(S, ColumnKind.DATE), {"s": "2024-02-29"}, datetime.date(2024, 2, 29)),
        (ex.Cast(S, ColumnKind.INTEGER), {"s": "9" * 19}, None),
        (ex.Cast(S, ColumnKind.REAL), {"s": "1e999"}, None),
    ],
)  # fmt: skip
def test_each_operation(expression, row, value):
    table = pa.Table.from_pylist([dict.fromkeys(SCHEMA.names) | row], schema=SCHEMA)
    derived = derive(
        Relation(BACKEND.create_table("one", table, overwrite=True), "duckdb"), {"new": expression}
    )
    (found,) = fetch(derived.table, "duckdb")["new"].to_pylist()
    assert found == value
    assert type(found) is type(value)
