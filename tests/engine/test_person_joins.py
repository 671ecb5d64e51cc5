"""Private tables joined person by person, on every engine: whose rows meet, how many, and what one person moves."""

from __future__ import annotations

import math
import random

import pyarrow as pa
import pytest
from tests.engine.neighbours import violations

from privet.engine._contribution_bounds import Contribution
from privet.engine._group_measures import Measure
from privet.engine._open_relation import open_frame
from privet.engine._person_joins import first_rows, join_persons
from privet.engine._sealed_aggregates import aggregate
from privet.errors import BadKeys
from privet.guarantee._privacy_units import Person
from privet.sealed import FixedPoint

LEFT = pa.schema([("u", pa.int64()), ("sex", pa.string()), ("w", pa.float64())])
RIGHT = pa.schema([("who", pa.int64()), ("k", pa.string()), ("x", pa.float64())])
REALS = [0.0, -0.0, 1.5, math.nan, None, math.inf, -2.25]
MEASURES = {
    "rows": Measure("rows"),
    "persons": Measure("persons"),
    "sum": Measure("sum", "x", FixedPoint(-2, 3)),
    "other": Measure("sum", "w", FixedPoint(-2, 3)),
}


def _tables(seed):
    draw = random.Random(seed)
    people = [*range(12), None]
    left = [{"u": draw.choice(people), "sex": draw.choice("FM"), "w": draw.choice(REALS)} for _ in range(40)]
    right = [
        {"who": draw.choice(people), "k": draw.choice(["a", "b", "", None, "é"]), "x": draw.choice(REALS)}
        for _ in range(80)
    ]
    return left, right


def _joined(engine, left, right, how="inner"):
    one = engine.load(pa.Table.from_pylist(left, schema=LEFT))
    other = engine.load(pa.Table.from_pylist(right, schema=RIGHT))
    if engine.name == "duckdb":
        one, other = open_frame(one.table.to_pyarrow()), open_frame(other.table.to_pyarrow())
    return join_persons(
        one, other, [("u", "who")], left_rows=2, right_rows=3, names={"k": "k", "x": "x"}, how=how
    )


def _sealed(relation, keys=("k",)):
    bound = Contribution(Person("u"), groups=4, total_rows=6)
    return aggregate(relation, keys=keys, public_keys=None, measures=MEASURES, contribution=bound)


@pytest.mark.parametrize("how", ["inner", "left"])
def test_one_person_moves_a_join_no_further_than_the_product_of_the_caps(engine, how):
    left, right = _tables(3)
    whole = _sealed(_joined(engine, left, right, how))
    for person in range(0, 12, 3):
        fewer = [row for row in left if row["u"] != person], [row for row in right if row["who"] != person]
        assert violations(whole, _sealed(_joined(engine, *fewer, how))) == []


def test_nobody_elses_rows_change_when_a_person_leaves(engine):
    left, right = _tables(5)
    before = _rows(_joined(engine, left, right))
    after = _rows(_joined(engine, [r for r in left if r["u"] != 4], [r for r in right if r["who"] != 4]))
    assert [row for row in before if row[0] != 4] == after
    assert max(sum(row[0] == person for row in before) for person in range(12)) <= 6


def test_every_engine_keeps_the_same_rows(engine):
    from tests.conftest import Engine

    left, right = _tables(8)
    assert _rows(_joined(engine, left, right)) == _rows(_joined(Engine("duckdb", None), left, right))


def _rows(relation):
    from privet.engine._engine_results import fetch

    found = fetch(relation.table.select("u", "sex", "w", "k", "x"), relation.engine).to_pylist()
    return sorted((tuple(row.values()) for row in found), key=repr)


def test_a_person_keeps_as_many_rows_as_allowed_whatever_their_order(engine):
    rows = [{"who": 1, "k": key, "x": 0.5} for key in "abcdefgh"]
    kept = [
        sorted(_keys(first_rows(engine.load(pa.Table.from_pylist(part, schema=RIGHT)), "who", 3, ["k", "x"])))
        for part in (rows, rows[::-1], [*rows, *({**row, "who": 2} for row in rows)])
    ]
    assert len(kept[0]) == 3
    assert kept[0] == kept[1]
    assert [row for row in kept[2] if row[0] == 1] == kept[0]


def _keys(relation):
    from privet.engine._engine_results import fetch

    return [(row["who"], row["k"]) for row in fetch(relation.table, relation.engine).to_pylist()]


def test_left_rows_without_a_match_stay_with_missing_values(engine):
    left = [{"u": 1, "sex": "F", "w": 1.5}, {"u": 2, "sex": "M", "w": None}]
    found = _rows(_joined(engine, left, [{"who": 1, "k": "a", "x": 0.0}], "left"))
    assert found == [(1, "F", 1.5, "a", 0.0), (2, "M", None, None, None)]  # exact: values as given


def test_what_cannot_meet_is_refused():
    frame = open_frame(pa.table({"u": [1], "a": ["x"]}))
    texts = open_frame(pa.table({"u": ["1"], "b": ["x"]}))
    real = open_frame(pa.table({"u": [1.0], "b": ["x"]}))
    good = {"left_rows": 1, "right_rows": 1}
    with pytest.raises(BadKeys, match="integer values"):
        join_persons(frame, texts, [("u", "u")], names={"b": "b"}, **good)
    with pytest.raises(BadKeys, match="one name"):
        join_persons(frame, frame, [("u", "u")], names={"a": "a"}, **good)
    with pytest.raises(BadKeys, match="left"):
        join_persons(frame, frame, [("u", "u")], names={"a": "b"}, how="outer", **good)
    with pytest.raises(BadKeys, match="identify persons"):
        first_rows(real, "u", 1, ["b"])
