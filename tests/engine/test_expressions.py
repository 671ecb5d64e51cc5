"""Expressions: no row can make one raise, on any engine."""

from __future__ import annotations

import datetime
import itertools
import math

import ibis
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.engine import expressions as ex
from privet.engine._engine_results import fetch
from privet.engine._expression_kinds import CASTS
from privet.engine._relation import ColumnKind, Relation
from privet.engine._row_operations import derive, project

BACKEND = ibis.duckdb.connect()
KINDS = {
    "i": ColumnKind.INTEGER,
    "j": ColumnKind.INTEGER,
    "x": ColumnKind.REAL,
    "y": ColumnKind.REAL,
    "s": ColumnKind.TEXT,
    "b": ColumnKind.BOOLEAN,
    "d": ColumnKind.DATE,
    "t": ColumnKind.TIMESTAMP,
    "o": ColumnKind.OTHER,
}
SCHEMA = pa.schema(
    [
        ("i", pa.int64()), ("j", pa.int64()), ("x", pa.float64()), ("y", pa.float64()), ("s", pa.string()),
        ("b", pa.bool_()), ("d", pa.date32()), ("t", pa.timestamp("us")),
    ]
)  # fmt: skip
I, J, X, Y, S, B, D, T = (  # noqa: E741
    ex.Column(name) for name in "ijxysbdt"
)
ONE = ex.Literal(1)


def every_expression():
    """Each class of the closed list over each kind that it takes."""
    yield from (ex.Compare(op, a, b) for op in ex.COMPARISONS for a, b in ((I, X), (D, T), (X, Y), (B, B)))
    yield from (ex.Compare(op, S, S) for op in ("=", "!="))
    yield from (
        ex.Arithmetic(op, a, b) for op in "+-*/" for a, b in itertools.product((I, J, X, Y), repeat=2)
    )
    yield from (ex.Arithmetic("%", a, b) for a, b in itertools.product((I, J, ex.Literal(-1)), repeat=2))
    yield from (ex.Arithmetic("*", ex.Arithmetic("*", X, Y), ex.Arithmetic("/", X, Y)), ex.And(B, ex.Not(B)))
    yield from (ex.Or(B, ex.IsMissing(X)), ex.OneOf(I, (1, 0.5)), ex.Between(X, I, Y), ex.Pick(B, I, X))
    yield from (ex.DatePart(part, of) for part in ex.DATE_PARTS for of in (D, T))
    yield from (ex.Truncate(unit, of) for unit in ex.DATE_UNITS for of in (D, T))
    yield from (ex.Truncate(unit, T) for unit in ex.TIME_UNITS)
    yield from (ex.DatePart(part, T) for part in ex.TIME_PARTS)
    yield from (ex.Lower(S), ex.Upper(S), ex.Trim(S), ex.Substring(S, 2, 10**6), ex.Length(S))
    yield from (kind(of) for kind in (ex.Floor, ex.Round, ex.Abs) for of in (I, X))
    yield from (ex.Bin(of, edges=(-1.0, 0.0, 1e308)) for of in (I, X))
    yield from (ex.Bin(of, width=width, origin=-7.0) for of in (I, X) for width in (1e-99, 3.0, 1e99))
    columns = {column.name: column for column in (I, X, S, B, D, T)}
    yield from (ex.Cast(column, kind) for name, column in columns.items() for kind in CASTS[KINDS[name]])


EXPRESSIONS = {f"e{at}": expression for at, expression in enumerate(every_expression())}
WHOLE = st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1), st.sampled_from([0, -1, 2**63 - 1, -(2**63)]))
REAL = st.one_of(st.none(), st.floats(), st.sampled_from([0.0, -0.0, 5e-324, 1.7e308, -1.7e308, 2.0**63]))
NUMBERISH = st.sampled_from(
    ["", " ", "1", "-0", "+7", "1.", ".5", "1e5", "1e999", "1e-999", "0x10", "nan", "inf", "9" * 40, "2024-02-30",
     "2024-02-29", "0000-01-01", "9999-12-31", "12\n", "１２", "1_000", "99999999999999999999", "--1", "."]
)  # fmt: skip
TEXT = st.one_of(
    st.none(), NUMBERISH, st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
)
ROW = st.fixed_dictionaries(
    {
        "i": WHOLE,
        "j": WHOLE,
        "x": REAL,
        "y": REAL,
        "s": TEXT,
        "b": st.one_of(st.none(), st.booleans()),
        "d": st.one_of(st.none(), st.dates()),
        "t": st.one_of(st.none(), st.datetimes()),
    }
)


def values(engine_relation):
    derived = derive(engine_relation, EXPRESSIONS)
    return fetch(project(derived, list(EXPRESSIONS)).table, derived.engine)


@pytest.fixture(scope="module")
def statement():
    """All expressions as one statement: compiled once, since the hundred of them take a second."""
    empty = Relation(BACKEND.create_table("totality", schema=ibis.schema(SCHEMA)), "duckdb")
    return BACKEND.compile(project(derive(empty, EXPRESSIONS), list(EXPRESSIONS)).table)


@settings(max_examples=150, deadline=None)
@given(rows=st.lists(ROW, min_size=1, max_size=20))
def test_no_row_can_raise(statement, rows):
    BACKEND.create_table("totality", pa.Table.from_pylist(rows, schema=SCHEMA), overwrite=True)
    found = BACKEND.raw_sql(statement).to_arrow_table()
    assert found.num_rows == len(rows)
    reals = [column for column in found.columns if pa.types.is_floating(column.type)]
    assert not any(math.isnan(value) for column in reals for value in column.to_pylist() if value is not None)


def test_no_extreme_row_can_raise_on_any_engine(engine):
    wholes = [0, 1, -1, 2**63 - 1, -(2**63), 2**62, None]
    reals = [
        0.0,
        -0.0,
        5e-324,
        -5e-324,
        1.7e308,
        -1.7e308,
        math.inf,
        -math.inf,
        math.nan,
        2.0**63,
        None,
        1e-160,
    ]
    texts = [
        "",
        "1",
        "1e99",
        "1e-99",
        "1e999",
        "nan",
        "9" * 40,
        "2024-02-30",
        "2024-13-01",
        "2024-02-29",
        "0000-01-01",
        "12\n",
        ".",
        None,
        "é" * 50,
    ]
    days = [datetime.date.min, datetime.date.max, datetime.date(2000, 2, 29), None]
    moments = [datetime.datetime.fromisoformat(day) for day in ("0001-01-01", "9999-12-31T23:59:59")] + [None]
    rows = [
        {
            "i": wholes[n % 7],
            "j": wholes[n // 7 % 7],
            "x": reals[n % 12],
            "y": reals[n // 12 % 12],
            "s": texts[n % 15],
            "b": (True, False, None)[n % 3],
            "d": days[n % 4],
            "t": moments[n % 3],
        }
        for n in range(150)
    ]
    found = values(engine.load(pa.Table.from_pylist(rows, schema=SCHEMA)))
    assert found.num_rows == 150


@pytest.mark.parametrize(
    ("sql", "expression"),
    [
        ("DATE 'infinity' AS d", ex.DatePart("year", D)),
        ("'-infinity'::TIMESTAMP AS t", ex.Truncate("week", T)),
        ("'infinity'::TIMESTAMP AS t", ex.Cast(T, ColumnKind.DATE)),
        ("290000000::INT AS i, DATE '1-01-01' + i AS d", ex.Truncate("week", D)),
    ],
)
def test_endless_dates_are_missing(sql, expression, postgres_backend):
    for backend, name in ((BACKEND, "duckdb"), (postgres_backend, "postgres")):
        if "INT AS i" in sql and name == "postgres":
            continue
        derived = derive(Relation(backend.sql(f"SELECT {sql}"), name), {"new": expression})
        assert fetch(derived.table.select("new"), name)["new"].to_pylist() == [None]


def test_decimals_beyond_doubles_are_missing_on_postgres(postgres_backend):
    source = (
        "SELECT x::numeric AS x FROM (VALUES ('1e4000'), ('-1e4000'), ('1e-4000'), ('NaN'), ('1.5')) v(x)"
    )
    relation = derive(Relation(postgres_backend.sql(source), "postgres"), {"new": ex.Arithmetic("+", X, ONE)})
    assert fetch(relation.table.select("new"), "postgres")["new"].to_pylist() == [
        None,
        None,
        1.0,
        None,
        2.5,
    ]  # exact: quotients that a float holds
