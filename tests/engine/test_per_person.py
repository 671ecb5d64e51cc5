"""A person's rows put together, on every engine: exact numbers of that person's rows alone."""

from __future__ import annotations

import datetime
import math
import random

import pyarrow as pa
import pytest

from privet.engine._engine_results import fetch
from privet.engine._open_relation import open_frame
from privet.engine._per_person import PersonSummary, collapse
from privet.errors import BadAggregate
from privet.sealed import FixedPoint

SCHEMA = pa.schema(
    [("u", pa.int64()), ("k", pa.string()), ("x", pa.float64()), ("w", pa.int64()), ("d", pa.date32())]
)
TOLD = {
    "rows": PersonSummary("rows"),
    "valid": PersonSummary("valid", "x"),
    "total": PersonSummary("sum", "x", FixedPoint(-2, 3)),
    "whole": PersonSummary("sum", "w", FixedPoint(-10, 10, 1)),
    "mean": PersonSummary("mean", "x", FixedPoint(-2, 3)),
    "least": PersonSummary("min", "w"),
    "last": PersonSummary("max", "d"),
}


def _rows(seed, count=60):
    draw = random.Random(seed)
    reals = [0.0, -0.0, 0.1, math.nan, None, math.inf, 2.5, -1.75]
    return [
        {
            "u": draw.choice([*range(8), None]),
            "k": draw.choice(["a", "b", None]),
            "x": draw.choice(reals),
            "w": draw.choice([1, -7, None, 2**62, -(2**63)]),
            "d": datetime.date(2026, draw.randint(1, 12), 3),
        }
        for _ in range(count)
    ]


def _told(engine, rows, keys=("u",)):
    relation = collapse(engine.load(pa.Table.from_pylist(rows, schema=SCHEMA)), keys, TOLD)
    found = fetch(relation.table, relation.engine).to_pylist()
    return sorted((tuple(row.values()) for row in found), key=repr)


def test_every_engine_tells_the_same_numbers(engine):
    from tests.conftest import Engine

    rows = _rows(1)
    for keys in (("u",), ("u", "k")):
        assert _told(engine, rows, keys) == _told(Engine("duckdb", None), rows, keys)


def test_numbers_are_exact_and_do_not_depend_on_the_order_or_on_others(engine):
    rows = _rows(2)
    whole = _told(engine, rows)
    assert whole == _told(engine, rows[::-1])
    assert [row for row in whole if row[0] != 3] == _told(engine, [row for row in rows if row["u"] != 3])


def test_what_is_told_is_what_python_says(engine):
    rows = [
        {"u": 1, "k": "a", "x": 2.5, "w": 2, "d": datetime.date(2026, 1, 1)},
        {"u": 1, "k": "b", "x": 99.0, "w": 2**62, "d": datetime.date(2026, 3, 1)},
        {"u": 1, "k": "b", "x": None, "w": None, "d": None},
        {"u": None, "k": "b", "x": 1.0, "w": 1, "d": None},
    ]
    ((person, count, valid, total, whole, mean, least, last),) = _told(engine, rows)
    assert (person, count, valid, least, last) == (1, 3, 2, 2, datetime.date(2026, 3, 1))
    assert total == pytest.approx(5.5, abs=1e-5)  # 99 counts as 3
    assert whole == pytest.approx(12.0)  # 2**62 counts as 10
    assert mean == pytest.approx(2.75, abs=1e-5)


def test_what_has_no_meaning_is_refused():
    relation = open_frame(pa.table({"u": [1], "k": ["a"], "r": [1.0]}))
    for keys, told in (
        (("r",), {"n": PersonSummary("rows")}),
        (("u",), {"n": PersonSummary("min", "k")}),
        (("u",), {"n": PersonSummary("sum", "k", FixedPoint(0, 1))}),
    ):
        with pytest.raises(BadAggregate):
            collapse(relation, keys, told)
    for kind, column, fixed in (
        ("rows", "x", None), ("sum", "x", None), ("min", "x", FixedPoint(0, 1)), ("mode", "x", None), ("valid", None, None),
    ):  # fmt: skip
        with pytest.raises(BadAggregate):
            PersonSummary(kind, column, fixed)


def test_a_single_value_is_a_total_and_a_mean():
    """A person with one value has both; only one with none has neither."""
    rows = pa.table({"u": [1, 2, 2], "x": [1.5, None, None]})
    told = {kind: PersonSummary(kind, "x", FixedPoint(-2, 3)) for kind in ("sum", "mean")}
    relation = collapse(open_frame(rows), ("u",), told)
    found = {row["u"]: row for row in fetch(relation.table, relation.engine).to_pylist()}
    assert (found[1]["sum"], found[1]["mean"]) == pytest.approx((1.5, 1.5))
    assert found[2]["sum"] is found[2]["mean"] is None
