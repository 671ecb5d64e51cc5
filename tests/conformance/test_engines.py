"""One question, one answer: exact bounded aggregates are equal on DuckDB, PostgreSQL and Spark."""

from __future__ import annotations

import datetime
import hashlib
import math
import random

import ibis
import pyarrow as pa
import pytest

from privet.engine import expressions as ex
from privet.engine._contribution_bounds import Contribution
from privet.engine._engine_results import fetch
from privet.engine._frequency_table import frequency_table
from privet.engine._group_measures import Measure
from privet.engine._public_joins import apply_mapping, join_public
from privet.engine._relation import ColumnKind, Relation
from privet.engine._row_operations import derive, filter_rows, project
from privet.engine._sealed_aggregates import aggregate
from privet.guarantee._privacy_units import Change, Person, Row
from privet.sealed import FixedPoint

TEXTS = ["a", "b", "", " ", None, "Zoë", "東京", "naïve ", "'quoted'", "line\nbreak", "😀", "x" * 300]
WHOLE = [0, 1, -1, 2**63 - 1, -(2**63), 2**31, 360, None, 7]
REALS = [0.0, -0.0, 1.5, math.nan, None, math.inf, -math.inf, 1e300, -2.25, 5e-324, 0.1]
DAYS = [
    datetime.date(1, 1, 1),
    datetime.date(1970, 1, 1),
    datetime.date(2024, 2, 29),
    None,
    datetime.date(9999, 12, 31),
]
MOMENTS = [
    datetime.datetime.fromisoformat("1999-12-31T23:59:59"),
    datetime.datetime.fromisoformat("2026-01-05T06:07:08"),
    None,
]


def awkward():
    draw = random.Random(7)
    people = [*range(40), 2**63 - 1, -(2**63), -5, None]
    rows = [
        {
            "u": person,
            "name": None if person is None else draw.choice([f"p{person}", "é", ""]),
            "k": draw.choice(TEXTS),
            "g": draw.choice(WHOLE),
            "small": draw.choice([1, -1, 0, 2**31 - 1, -(2**31), None]),
            "d": draw.choice(DAYS),
            "ts": draw.choice(MOMENTS),
            "b": draw.choice([True, False, None]),
            "x": draw.choice([*REALS, draw.gauss(0, 3)]),
            "f": draw.choice([*REALS[:5], 3.25, 0.1]),
            "w": draw.choice(WHOLE),
        }
        for person in [draw.choice(people) for _ in range(700)] + [3] * 1500
    ]
    for number, row in enumerate(rows):
        row["id"] = number
    types = {
        "id": pa.int64(), "u": pa.int64(), "name": pa.string(), "k": pa.string(), "g": pa.int64(), "small": pa.int32(),
        "d": pa.date32(), "ts": pa.timestamp("us"), "b": pa.bool_(), "x": pa.float64(), "f": pa.float32(),
        "w": pa.int64(),
    }  # fmt: skip
    return pa.table({name: pa.array([row[name] for row in rows], kind) for name, kind in types.items()})


TABLE = awkward()
TENTH = FixedPoint(-2, 3, 0.1)
MEASURES = {
    "persons": Measure("persons"),
    "rows": Measure("rows"),
    "valid": Measure("valid", "x"),
    "sum": Measure("sum", "x", FixedPoint(-2, 3)),
    "from zero": Measure("sum", "x", FixedPoint(1, 3, 0.25, anchor="zero")),
    "tenths": Measure("sum", "x", TENTH),
    "squares": Measure("sum_of_squares", "x", TENTH),
    "product": Measure("product", "x", TENTH, "w", FixedPoint(-1000, 1000, 1)),
    "fine product": Measure("product", "w", FixedPoint(-1000, 1000, 0.0625), "x", FixedPoint(-2, 3, 2**-12)),
    "pairs": Measure("valid", "x", beside=("w",)),
    "sum in pairs": Measure("sum", "x", FixedPoint(-2, 3), beside=("w",)),
    "squares in threes": Measure("sum_of_squares", "w", FixedPoint(-1000, 1000, 0.0625), beside=("f", "x")),
    "single": Measure("sum", "f", FixedPoint(-1, 4)),
    "whole": Measure("sum", "w", FixedPoint(-1000, 1000)),
    "wide": Measure("sum", "w", FixedPoint(-(2**40), 2**40, 2**10)),
    "yes": Measure("sum", "b", FixedPoint(0, 1, 1)),
    "texts": Measure("valid", "k"),
}
A = Contribution(Person("u"), groups=3, rows=2)
B = Contribution(Person("u"), groups=9, total_rows=9)
REPLACED = Contribution(Person("name", change=Change.REPLACE), groups=2, rows=3)
ROW = Contribution(Row(), groups=1, rows=1)
KEYS = [("k",), ("g",), ("small",), ("x",), ("f",), ("d",), ("ts",), ("b",)]
STATED = {
    ("k",): pa.table({"k": ["a", None, "", "東京", "nobody"]}),
    ("g",): pa.table({"g": pa.array([2**63 - 1, None, -(2**63), 0, 99], pa.int64())}),
    ("b", "x"): pa.table({"b": [True, False, None], "x": [0.0, math.nan, math.inf]}),
    ("d",): pa.table({"d": DAYS[:3]}),
}


def content(groups):
    """Everything exact, as plain Python: a list of (key, answers) in order."""
    keys = getattr(groups.keys, "_exact", groups.keys)
    names = [()] * 1 if keys is None else [tuple(map(_plain, row.values())) for row in keys.to_pylist()]
    answers = {name: sealed._exact.tolist() for name, sealed in groups.answers.items()}
    return [
        (str(key), {name: column[at] for name, column in answers.items()}) for at, key in enumerate(names)
    ]


def digest(groups):
    return hashlib.sha256(repr(sorted(content(groups), key=lambda entry: entry[0])).encode()).hexdigest()


@pytest.fixture(scope="module")
def reference():
    return Relation(ibis.duckdb.connect().create_table("reference", TABLE), "duckdb")


@pytest.fixture(scope="module")
def loaded():
    return {}


@pytest.fixture
def relation(engine, loaded):
    if engine.name not in loaded:
        loaded[engine.name] = engine.load(TABLE)
    return loaded[engine.name]


def same(relation, reference, **question):
    ours = aggregate(relation, measures=MEASURES, **question)
    theirs = aggregate(reference, measures=MEASURES, **question)
    if digest(ours) != digest(theirs):
        assert content(ours) == content(theirs)
        pytest.fail("the digests differ")
    assert ours.answers["rows"]._exact.sum() > 0


@pytest.mark.parametrize("bound", [A, B, REPLACED, ROW], ids=["A", "B", "replace", "row"])
@pytest.mark.parametrize("keys", [(), ("k", "g", "d", "x")], ids=lambda keys: "+".join(keys) or "all")
def test_every_mode_gives_equal_digests(relation, reference, keys, bound):
    same(relation, reference, keys=keys, public_keys=None, contribution=bound)


@pytest.mark.parametrize("keys", KEYS, ids=lambda keys: "+".join(keys) or "all")
def test_every_kind_of_key_gives_equal_digests(relation, reference, keys):
    same(relation, reference, keys=keys, public_keys=None, contribution=A)


@pytest.mark.parametrize("keys", list(STATED), ids="+".join)
def test_stated_keys_give_equal_digests(relation, reference, keys):
    bound = {("k",): B, ("g",): A, ("b", "x"): B, ("d",): ROW}[keys]
    same(relation, reference, keys=keys, public_keys=STATED[keys], contribution=bound)


X, W, G, K, D, TS, BO = (ex.Column(name) for name in ("x", "w", "g", "k", "d", "ts", "b"))
ONE, HALF = ex.Literal(1), ex.Literal(0.5)
NUMERIC_TEXT = ex.Cast(ex.Column("g"), ColumnKind.TEXT)
EXPRESSIONS = {
    "column": X,
    "literal whole": ex.Literal(2**63 - 1),
    "literal real": ex.Literal(0.1),
    "literal text": ex.Literal("it's 東京 \\ \n"),
    "literal day": ex.Literal(datetime.date(2024, 2, 29)),
    "literal moment": ex.Literal(datetime.datetime.fromisoformat("2024-02-29T01:02:03")),
    "literal truth": ex.Literal(value=True),
    **{f"compare {op}": ex.Compare(op, X, ex.Literal(1)) for op in ex.COMPARISONS},
    "compare text": ex.Compare("=", K, ex.Literal("Zoë")),
    "compare day": ex.Compare("<", D, ex.Literal(datetime.datetime.fromisoformat("1980-01-01T00:00:00"))),
    "and": ex.And(BO, ex.Compare(">", X, HALF)),
    "or": ex.Or(BO, ex.Compare(">", X, HALF)),
    "not": ex.Not(BO),
    **{f"real {op}": ex.Arithmetic(op, X, X) for op in "+-*/"},
    **{f"whole {op}": ex.Arithmetic(op, W, G) for op in ex.OPERATORS},
    "mixed": ex.Arithmetic("*", W, HALF),
    "missing": ex.IsMissing(X),
    "one of": ex.OneOf(W, (1, 2**31, 0.5)),
    "one of text": ex.OneOf(K, ("", "東京", "'quoted'", "line\nbreak")),
    "between": ex.Between(X, ex.Literal(-1), ex.Literal(2)),
    "pick": ex.Pick(ex.Compare(">", X, ONE), W, HALF),
    "pick or missing": ex.Pick(BO, K),
    **{f"part {part}": ex.DatePart(part, TS) for part in ex.DATE_PARTS + ex.TIME_PARTS},
    **{f"day part {part}": ex.DatePart(part, D) for part in ex.DATE_PARTS},
    **{f"start of {unit}": ex.Truncate(unit, TS) for unit in ex.DATE_UNITS + ex.TIME_UNITS},
    **{f"day start of {unit}": ex.Truncate(unit, D) for unit in ex.DATE_UNITS},
    "lower": ex.Lower(ex.Pick(ex.OneOf(K, ("a", "'quoted'")), K, ex.Literal("ABC"))),
    "upper": ex.Upper(ex.Pick(ex.OneOf(K, ("a", "'quoted'")), K, ex.Literal("abc"))),
    "trim": ex.Trim(ex.Pick(ex.IsMissing(K), ex.Literal("\n\t vivid fluff \r\n"), K)),
    "substring": ex.Substring(K, 1, 3),
    "length": ex.Length(K),
    "floor": ex.Floor(X),
    "round": ex.Round(X),
    "abs": ex.Abs(X),
    "abs whole": ex.Abs(W),
    "bin edges": ex.Bin(X, edges=(-1.0, 0.1, 2.0)),
    "bin width": ex.Bin(X, width=0.5, origin=0.25),
    "whole to text": NUMERIC_TEXT,
    "whole to real": ex.Cast(W, ColumnKind.REAL),
    "whole to truth": ex.Cast(W, ColumnKind.BOOLEAN),
    "real to whole": ex.Cast(X, ColumnKind.INTEGER),
    "text to whole": ex.Cast(ex.Pick(BO, NUMERIC_TEXT, K), ColumnKind.INTEGER),
    "text to real": ex.Cast(ex.Pick(BO, NUMERIC_TEXT, ex.Literal(" -12.5e-3 ")), ColumnKind.REAL),
    "text to day": ex.Cast(ex.Pick(BO, ex.Literal("2023-02-29"), ex.Literal(" 2024-02-29")), ColumnKind.DATE),
    "truth to whole": ex.Cast(BO, ColumnKind.INTEGER),
    "truth to text": ex.Cast(BO, ColumnKind.TEXT),
    "day to text": ex.Cast(D, ColumnKind.TEXT),
    "day to moment": ex.Cast(D, ColumnKind.TIMESTAMP),
    "moment to day": ex.Cast(TS, ColumnKind.DATE),
}  # fmt: skip


def tally(relation, column):
    found = frequency_table(relation, [column])
    labels = found.labels[0].to_pylist()
    return {labels[code]: int(count) for (code,), count in zip(found.codes, found.counts, strict=True)}


def rows_of(relation):
    """All rows with every expression beside them, in the order of the column `id`."""
    named = {f"e{at}": expression for at, expression in enumerate(EXPRESSIONS.values())}
    rows = fetch(derive(relation, named).table, relation.engine).to_pylist()
    return [tuple(map(_plain, row.values())) for row in sorted(rows, key=lambda row: row["id"])]


def _plain(value):
    if isinstance(value, float) and math.isnan(value):
        return "not a number"
    return value.replace(tzinfo=None) if isinstance(value, datetime.datetime) else value


def test_every_expression_means_the_same(relation, reference):
    names = [*TABLE.column_names, *EXPRESSIONS]
    for ours, theirs in zip(rows_of(relation), rows_of(reference), strict=True):
        different = [name for name, a, b in zip(names, ours, theirs, strict=True) if repr(a) != repr(b)]
        assert not different


def test_every_class_of_expression_is_covered():
    seen = set()

    def walk(node):
        seen.add(type(node))
        for name in getattr(node, "__slots__", ()):
            child = getattr(node, name)
            if type(child).__module__ == ex.__name__:
                walk(child)

    for expression in EXPRESSIONS.values():
        walk(expression)
    assert seen == set(ex.Expression.__args__)


def test_filters_and_derived_keys_under_bounds(relation, reference):
    def prepared(table):
        kept = filter_rows(table, ex.And(ex.Not(ex.IsMissing(X)), ex.Compare("<", X, ex.Literal(100))))
        binned = derive(kept, {"bin": ex.Bin(X, width=1.0), "year": ex.DatePart("year", D)})
        return project(binned, ["u", "name", "k", "x", "f", "w", "b", "bin", "year"])

    for bound in (A, B, ROW):
        same(
            prepared(relation),
            prepared(reference),
            keys=("bin", "year"),
            public_keys=None,
            contribution=bound,
        )


def test_public_tables_are_joined_alike(relation, reference):
    public = pa.table({"k": ["a", "b", "東京"], "area": ["north", "south", None]})
    grades = pa.table({"g": pa.array([1, 2**63 - 1], pa.int64()), "grade": [10, 20]})
    for how in ("left", "inner"):
        ours, theirs = (join_public(table, public, ["k"], how) for table in (relation, reference))
        same(ours, theirs, keys=("area",), public_keys=None, contribution=A)
    ours, theirs = (apply_mapping(table, "g", grades, "grade") for table in (relation, reference))
    assert tally(ours, "grade") == tally(theirs, "grade")
    assert sum(tally(ours, "grade").values()) == TABLE.num_rows


def test_results_keep_whole_numbers_exact(engine, relation):
    found = fetch(relation.table.select("g").distinct(), engine.name)
    assert {row["g"] for row in found.to_pylist()} == set(WHOLE)
