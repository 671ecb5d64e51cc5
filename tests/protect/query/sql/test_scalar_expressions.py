"""Expressions of SQL as those of the closed list; everything else is refused at its word."""

from __future__ import annotations

import datetime

import pyarrow as pa
import pytest
import sqlglot

import privet as pv
from privet.engine import ColumnKind
from privet.engine import expressions as tree
from privet.errors import BadQuestion
from privet.protect.query.sql import parse_sql
from privet.protect.query.sql._scalar_expressions import ScalarExpressions

TABLE = pv.open_table(
    pa.table(
        {
            "id": list(range(60)),
            "w": ["ABC"[at % 3] for at in range(60)],
            "x": [float(at) for at in range(60)],
        }
    ),
    unit=pv.Person("id", max_rows=1),
    bounds={"x": (0, 60)},
    keys={"w": ["A", "B", "C", "D"]},
    name="t",
    version="1",
)


@pytest.mark.parametrize(
    "loose",
    ["x + x % 2 = 1", "7 % 4 * 2 = x", "(x = 1) = x IS NULL", "TRUE <> x IS NOT NULL", "(x = 1) = NOT x = 2"],
)
def test_what_parsers_and_databases_group_differently_is_refused(loose):
    with (
        pytest.raises(BadQuestion, match="belongs together"),
        pv.Ledger.in_memory(limit=pv.PureDP(1)) as ledger,
    ):
        pv.release(
            f"SELECT COUNT(*) AS n FROM t WHERE {loose}", pv.PureDP(1), ledger=ledger, why="test", table=TABLE
        )


@pytest.fixture
def table():
    rows = pa.table(
        {
            "id": [1, 2],
            "Ward": ["a", "b"],
            "days": [1.5, 2.5],
            "born": [datetime.date(1980, 1, 1), datetime.date(1990, 1, 1)],
        }
    )
    return pv.open_table(
        rows, unit=pv.Person("id", max_rows=2, max_groups=1), bounds={"days": (0, 9)}, name="t"
    )


def test_conditions_are_those_of_the_closed_list(table):
    query = parse_sql("SELECT COUNT(*) FROM t WHERE NOT (days * 2 < -3.5) AND ward != 'x' AND TRUE", table)
    inner = query.where.left.left
    assert inner == tree.Not(
        tree.Compare("<", tree.Arithmetic("*", tree.Column("days"), tree.Literal(2)), tree.Literal(-3.5))
    )


KINDS = {
    "x": ColumnKind.REAL,
    "n": ColumnKind.INTEGER,
    "w": ColumnKind.TEXT,
    "day": ColumnKind.DATE,
    "at": ColumnKind.TIMESTAMP,
}


SEEN, W = tree.Column("x"), tree.Column("w")


def read(text, **more):
    reader = ScalarExpressions(text, {name: tree.Column(name) for name in KINDS}, KINDS, **more)
    return reader.read(sqlglot.parse_one(text, read="duckdb"))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("-3", tree.Literal(-3)),
        ("-n", tree.Arithmetic("-", tree.Literal(0), tree.Column("n"))),
        ("1e3", tree.Literal(1000.0)),
        ("x IS NOT NULL", tree.Not(tree.IsMissing(SEEN))),
        ("X", SEEN),
        ("COALESCE(x, 0)", tree.Pick(tree.IsMissing(SEEN), tree.Literal(0), SEEN)),
        ("NULLIF(x, 9)", tree.Pick(tree.Compare("!=", SEEN, tree.Literal(9)), SEEN)),
        (
            "CASE w WHEN 'a' THEN 1 ELSE 2 END",
            tree.Pick(tree.Compare("=", W, tree.Literal("a")), tree.Literal(1), tree.Literal(2)),
        ),
        ("CASE WHEN x > 1 THEN 1 END", tree.Pick(tree.Compare(">", SEEN, tree.Literal(1)), tree.Literal(1))),
        (
            "IF(x > 1, 1, 2)",
            tree.Pick(tree.Compare(">", SEEN, tree.Literal(1)), tree.Literal(1), tree.Literal(2)),
        ),
        ("SUBSTRING(w, 2, 3)", tree.Substring(W, 1, 3)),
        ("CAST(x AS INT)", tree.Cast(SEEN, ColumnKind.INTEGER)),
        ("w IN ('a', 'b')", tree.OneOf(W, ("a", "b"))),
        (
            "day < '2026-01-31'",
            tree.Compare("<", tree.Column("day"), tree.Literal(datetime.date(2026, 1, 31))),
        ),
        (
            "DATE '2026-01-31' < day",
            tree.Compare("<", tree.Literal(datetime.date(2026, 1, 31)), tree.Column("day")),
        ),
        (
            "EXTRACT(isodow FROM day)",
            tree.Arithmetic("+", tree.DatePart("weekday", tree.Column("day")), tree.Literal(1)),
        ),
        ("YEAR(day)", tree.DatePart("year", tree.Column("day"))),
    ],
)
def test_what_is_read(text, wanted):
    assert read(text) == wanted


def test_a_missing_value_stays_missing_through_least_and_clamp():
    for text in ("LEAST(x, 3, 5)", "GREATEST(x, 3)", "CLAMP(x, 0, 9)"):
        found = read(text)
        assert isinstance(found, tree.Pick)
        assert found.condition == tree.Not(tree.IsMissing(SEEN))
        assert found.otherwise is None
    assert read("LEAST(x, 3, 5)").then == tree.Pick(
        tree.Compare("<=", SEEN, tree.Literal(3)), SEEN, tree.Literal(3)
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("w LIKE 'a%'", "not on the list"),
        ("w || w", "not on the list"),
        ("RANDOM()", "not on the list"),
        ("PG_SLEEP(3)", "PG_SLEEP is not on the list"),
        ("x = NULL", "not on the list"),
        ("w > 3", "do not go together"),
        ("SUBSTRING(w, 0, 1)", "from 1"),
        ("SUBSTRING(w, n, 1)", "whole number"),
        ("w IN (w, 'a')", "list of constants"),
        ("LEAST(x, n)", "then constants"),
        ("LEAST(x, 1, 'a')", "different kinds|do not go together"),
        ("CAST(x AS BLOB)", "cast to this type"),
        ("day = '2026-02-30'", "a date is written"),
        ("at = 'noon'", "a timestamp is written"),
        ("nope", "no column 'nope'"),
        ("u.x", "no table 'u'"),
        ("CLAMP(x, 9, 0)", "lower end before"),
        ("9" * 401, "could not be read"),
        ("x BETWEEN SYMMETRIC 5 AND 1", "SYMMETRIC"),
        ("TRIM(LEADING 'a' FROM w)", "form of the function"),
        ("ROUND(x, 2)", "form of the function"),
    ],
)
def test_what_is_refused(text, words):
    with pytest.raises(BadQuestion, match=words):
        read(text, qualified={("t", "x"): "x"})


def test_names_are_found_whatever_their_case_unless_they_are_quoted():
    columns = {"Ward": tree.Column("Ward")}
    reader = ScalarExpressions("", columns, {"Ward": ColumnKind.TEXT})
    assert reader.read(sqlglot.parse_one("ward", read="duckdb")) == tree.Column("Ward")
    with pytest.raises(BadQuestion, match="no column 'ward'"):
        reader.read(sqlglot.parse_one('"ward"', read="duckdb"))
    with pytest.raises(BadQuestion, match="Did you mean Ward"):
        reader.read(sqlglot.parse_one("Wrd", read="duckdb"))
