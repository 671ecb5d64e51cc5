"""Bounded aggregates against the same algorithm in plain Python, and what they refuse."""

from __future__ import annotations

import math

import duckdb
import ibis
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine import oracle

from privet.engine import _sealed_aggregates as aggregating
from privet.engine._contribution_bounds import Contribution
from privet.engine._group_measures import Measure
from privet.engine._relation import Relation
from privet.engine._sealed_aggregates import aggregate
from privet.errors import (
    BadAggregate,
    BadExpression,
    BadKeys,
    BadUnit,
    PrivetError,
    SealBroken,
    UnknownColumn,
)
from privet.guarantee._privacy_units import Change, Person, Row
from privet.sealed import FixedPoint, SealedKeys, Sensitivity

BACKEND = ibis.duckdb.connect()
FIXED = FixedPoint(-2, 3)
MEASURES = {
    "persons": Measure("persons"),
    "rows": Measure("rows"),
    "valid": Measure("valid", "x"),
    "sum": Measure("sum", "x", FIXED),
}
TYPES = {"u": pa.int64(), "g": pa.int64(), "k": pa.string(), "r": pa.float64(), "x": pa.float64()}


def relation(rows, types=None):
    types = types or TYPES
    table = pa.table({name: pa.array([row[name] for row in rows], kind) for name, kind in types.items()})
    return Relation(BACKEND.create_table("small", table, overwrite=True), "duckdb")


def content(groups):
    keys = getattr(groups.keys, "_exact", groups.keys)
    names = [()] if keys is None else [tuple(row.values()) for row in keys.to_pylist()]
    columns = [sealed._exact.tolist() for sealed in groups.answers.values()]
    return dict(zip(names, zip(*columns, strict=True), strict=True))


WHOLE = st.one_of(st.none(), st.integers(-3, 6), st.sampled_from([2**63 - 1, -(2**63), 2**31, -1]))
REAL = st.one_of(
    st.none(), st.sampled_from([math.nan, math.inf, -math.inf, -0.0, 0.0, 1e300, 5e-324]), st.floats(-4, 4)
)
ROW = st.fixed_dictionaries(
    {"u": WHOLE, "g": WHOLE, "k": st.one_of(st.none(), st.sampled_from(["", "a", "é"])), "r": REAL, "x": REAL}
)
ROWS = st.lists(ROW, max_size=25)
KEYS = st.sampled_from([(), ("g",), ("k",), ("r",), ("g", "k"), ("r", "k", "g")])


@settings(max_examples=60, deadline=None)
@given(ROWS, KEYS, st.integers(1, 3), st.integers(1, 3))
def test_mode_a_is_the_algorithm_in_plain_python(rows, keys, groups, per_group):
    bound = Contribution(Person("u"), groups=groups, rows=per_group)
    found = aggregate(relation(rows), keys=keys, public_keys=None, measures=MEASURES, contribution=bound)
    expected = oracle.bounded(
        rows, person="u", keys=keys, value="x", fixed=FIXED, groups=groups, per_group=per_group
    )
    assert content(found) == (expected or ({} if keys else {(): (0, 0, 0, 0)}))


@settings(max_examples=60, deadline=None)
@given(ROWS, KEYS, st.integers(1, 6))
def test_mode_b_is_the_algorithm_in_plain_python(rows, keys, total):
    bound = Contribution(Person("u"), groups=total, total_rows=total)
    found = aggregate(relation(rows), keys=keys, public_keys=None, measures=MEASURES, contribution=bound)
    expected = oracle.bounded(rows, person="u", keys=keys, value="x", fixed=FIXED, groups=total, total=total)
    assert content(found) == (expected or ({} if keys else {(): (0, 0, 0, 0)}))


@settings(max_examples=40, deadline=None)
@given(ROWS, st.integers(1, 3), st.booleans())
def test_stated_keys_are_the_algorithm_in_plain_python(rows, groups, whole):
    stated = [(1, "a"), (None, ""), (2**63 - 1, None), (0, "é"), (5, "nobody")]
    public = pa.table({"g": [g for g, _ in stated], "k": [k for _, k in stated]})
    limit = {"total": 4} if whole else {"per_group": 2}
    bound = Contribution(Person("u"), groups=groups, **({"total_rows": 4} if whole else {"rows": 2}))
    found = aggregate(
        relation(rows), keys=("g", "k"), public_keys=public, measures=MEASURES, contribution=bound
    )
    expected = oracle.bounded(
        rows, person="u", keys=("g", "k"), value="x", fixed=FIXED, groups=groups, stated=stated, **limit
    )
    assert content(found) == {key: expected.get(key, (0, 0, 0, 0)) for key in stated}
    assert found.keys.to_pylist() == public.to_pylist()


def test_text_people_and_whole_text_keys_follow_the_oracle():
    rows = [{"u": f"p{n % 9}", "g": n % 7, "k": f"k{n % 5}", "x": n / 10} for n in range(400)]
    types = {"u": pa.string(), "g": pa.int32(), "k": pa.string(), "x": pa.float32()}
    bound = Contribution(Person("u"), groups=4, rows=1)
    found = aggregate(
        relation(rows, types), keys=("k",), public_keys=None, measures=MEASURES, contribution=bound
    )
    single = [row | {"x": float(np.float32(row["x"]))} for row in rows]
    expected = oracle.bounded(single, person="u", keys=("k",), value="x", fixed=FIXED, groups=4, per_group=1)
    assert content(found) == expected


def test_rows_as_units_are_only_counted():
    rows = [{"u": None, "g": 1, "k": None, "r": None, "x": value} for value in (1.0, None, math.nan, 9.0)]
    unit = Contribution.for_unit(Row(), grouped=True)
    found = aggregate(relation(rows), keys=("g",), public_keys=None, measures=MEASURES, contribution=unit)
    reach = FIXED.reach
    assert content(found) == {(1,): (4, 4, 2, round(0.5 / FIXED.step) + reach)}


def test_a_sum_reads_back_in_peoples_units():
    rows = [{"u": n, "g": 0, "k": None, "r": None, "x": 1.25} for n in range(100)]
    found = aggregate(
        relation(rows),
        keys=(),
        public_keys=None,
        measures=MEASURES,
        contribution=Contribution(Person("u"), groups=1, rows=1),
    )
    steps, valid = (found.answers[name]._exact for name in ("sum", "valid"))
    assert FIXED.decode(steps, valid)[0] == pytest.approx(125.0, abs=1e-3)


def test_squares_read_back_too():
    fixed = FixedPoint(0, 10, 0.125)
    values = [1.0, 4.5, 10.0, 50.0]
    rows = [{"u": n, "g": 0, "k": None, "r": None, "x": value} for n, value in enumerate(values)]
    measure = Measure("sum_of_squares", "x", fixed)
    found = aggregate(
        relation(rows),
        keys=(),
        public_keys=None,
        measures={"squares": measure},
        contribution=Contribution(Person("u"), groups=1, rows=1),
    )
    centred = sum((round(min(value, 10) / 0.125) - fixed.offset) ** 2 for value in values)
    assert found.answers["squares"]._exact[0] + 4 * measure.offset == centred


def test_products_read_back_over_rows_where_both_are_there():
    first, second = FixedPoint(0, 10, 0.125), FixedPoint(-4, 4, 0.5)
    pairs = [(1.0, 2.0), (10.0, -4.0), (50.0, 9.0), (None, 1.0), (2.0, math.nan), (0.0, -99.0)]
    rows = [{"u": n, "g": 0, "k": None, "r": other, "x": value} for n, (value, other) in enumerate(pairs)]
    measured = {
        "products": Measure("product", "x", first, "r", second),
        "both": Measure("valid", "x", beside=("r",)),
        "sum": Measure("sum", "x", first, beside=("r",)),
        "squares": Measure("sum_of_squares", "r", second, beside=("x",)),
    }
    found = aggregate(
        relation(rows),
        keys=(),
        public_keys=None,
        measures=measured,
        contribution=Contribution(Person("u"), groups=1, rows=1),
    )
    exact = {name: int(sealed._exact[0]) for name, sealed in found.answers.items()}
    clamped = [(1, 2), (10, -4), (10, 4), (0, -4)]
    assert exact["both"] == 4
    assert exact["sum"] == sum(round((x - 5) / 0.125) for x, _ in clamped)
    assert exact["products"] == sum(round((x - 5) / 0.125) * round(y / 0.5) for x, y in clamped)
    squares = sum(round(y / 0.5) ** 2 for _, y in clamped)
    assert exact["squares"] + 4 * measured["squares"].offset == squares
    assert found.answers["products"].sensitivity.largest == first.reach * second.reach


@pytest.mark.parametrize(
    ("column", "type_", "values"),
    [
        ("decimal", pa.decimal128(20, 2), ["1.25", None, "99999999999999999.99"]),
        ("unsigned", pa.uint64(), [1, None, 2**64 - 1]),
        ("truth", pa.bool_(), [True, None, False]),
    ],
)
def test_other_kinds_of_number_can_be_summed(column, type_, values):
    import decimal

    made = [decimal.Decimal(v) if isinstance(v, str) else v for v in values]
    table = pa.table({"u": [1, 2, 3], column: pa.array(made, type_)})
    rel = Relation(BACKEND.create_table("kinds", table, overwrite=True), "duckdb")
    fixed = FixedPoint(0, 2, 0.25)
    bound = Contribution(Person("u"), groups=1, rows=1)
    asked = {"v": Measure("valid", column), "s": Measure("sum", column, fixed)}
    found = aggregate(rel, keys=(), public_keys=None, measures=asked, contribution=bound)
    wanted = sum(min(float(v), 2) / 0.25 - 4 for v in values if v is not None)
    assert (found.answers["v"]._exact[0], found.answers["s"]._exact[0]) == (2, wanted)


@pytest.mark.parametrize("type_", [pa.uint64(), pa.decimal128(20, 0), pa.float64(), pa.date32(), pa.string()])
def test_people_of_any_type_are_bounded(type_):
    ids = pa.array(range(1, 51), pa.int32()).cast(pa.string() if type_ == pa.string() else pa.int32())
    people = ids.cast(type_) if type_ != pa.date32() else ids.cast(pa.int32()).cast(pa.date32())
    table = pa.table({"u": pa.concat_arrays([people] * 6), "g": [n // 50 for n in range(300)]})
    rel = Relation(BACKEND.create_table("people", table, overwrite=True), "duckdb")
    bound = Contribution(Person("u"), groups=2, rows=1)
    found = aggregate(
        rel, keys=("g",), public_keys=None, measures={"n": Measure("persons")}, contribution=bound
    )
    assert found.answers["n"]._exact.sum() == 100
    assert found.answers["n"]._exact.max() < 50


def test_what_leaves_is_sealed():
    rows = [{"u": 1, "g": 1, "k": "rare", "r": 0.0, "x": 1.0}]
    found = aggregate(
        relation(rows),
        keys=("k",),
        public_keys=None,
        measures=MEASURES,
        contribution=Contribution(Person("u"), groups=1, rows=1),
    )
    assert isinstance(found.keys, SealedKeys)
    assert len(found.keys) == 1
    assert "rare" not in repr(found) + str(found.keys) + f"{found.keys}"
    with pytest.raises(SealBroken):
        list(found.keys)
    with pytest.raises(SealBroken):
        found.keys == found.keys  # noqa: B015


PERSON, REPLACE = Person("u"), Person("u", change=Change.REPLACE)


@pytest.mark.parametrize(
    ("bound", "known", "persons", "rows", "sums"),
    [
        (Contribution(PERSON, 5, rows=2), None, (5, 1, 5), (5, 2, 10), (5, 20, 100)),
        (Contribution(PERSON, 5, rows=2), 3, (3, 1, 3), (3, 2, 6), (3, 20, 60)),
        (Contribution(PERSON, 1, rows=4), 1, (1, 1, 1), (1, 4, 4), (1, 40, 40)),
        (Contribution(PERSON, 9, total_rows=9), None, (9, 1, 9), (9, 9, 9), (9, 90, 90)),
        (Contribution(PERSON, 2, total_rows=9), None, (2, 1, 2), (2, 9, 9), (2, 90, 90)),
        (Contribution(REPLACE, 5, rows=2), None, (10, 1, 10), (10, 2, 20), (10, 40, 200)),
        (Contribution(REPLACE, 5, rows=2), 1, (1, 1, 1), (1, 2, 2), (1, 40, 40)),
        (Contribution(REPLACE, 9, total_rows=9), None, (18, 1, 18), (18, 9, 18), (18, 180, 180)),
        (Contribution(Row(), 1, rows=1), None, (1, 1, 1), (1, 1, 1), (1, 10, 10)),
        (Contribution(Row(change=Change.REPLACE), 1, rows=1), 7, (2, 1, 2), (2, 1, 2), (2, 20, 20)),
    ],
)
def test_sensitivities(bound, known, persons, rows, sums):
    assert bound.persons_sensitivity(known) == Sensitivity(*persons)
    assert bound.rows_sensitivity(known) == Sensitivity(*rows)
    assert bound.sum_sensitivity(known, 10) == Sensitivity(*sums)


def test_contribution_follows_the_unit():
    assert Contribution.for_unit(Person("u", max_rows=20, max_groups=6), grouped=True) == Contribution(
        Person("u", max_rows=20, max_groups=6), groups=6, rows=3
    )
    unit = Person("u", max_rows=20)
    assert Contribution.for_unit(unit, grouped=True) == Contribution(unit, groups=20, total_rows=20)
    assert Contribution.for_unit(unit, grouped=False) == Contribution(unit, groups=1, rows=20)
    for grouped in (True, False):
        with pytest.raises(BadUnit, match="how many rows"):
            Contribution.for_unit(Person("u", max_groups=3), grouped=grouped)
    with pytest.raises(BadAggregate, match="either"):
        Contribution(unit, groups=1)
    with pytest.raises(BadAggregate, match="one row"):
        Contribution(Row(), groups=2, rows=1)


def ask(**changes):
    rows = [{"u": 1, "g": 1, "k": "a", "r": 0.0, "x": 1.0}]
    question = {
        "keys": ("k",),
        "public_keys": None,
        "measures": MEASURES,
        "contribution": Contribution(PERSON, 1, rows=1),
    }
    return aggregate(relation(rows), **(question | changes))


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"measures": {}}, BadAggregate),
        ({"keys": ("k", "k")}, BadAggregate),
        ({"keys": ("kk",)}, UnknownColumn),
        ({"keys": (), "public_keys": pa.table({"k": ["a"]})}, BadAggregate),
        ({"public_keys": pa.table({"k": ["a", "b", "a"]})}, BadKeys),
        ({"public_keys": pa.table({"g": [1]})}, BadKeys),
        ({"public_keys": pa.table({"k": pa.array([], pa.string())})}, BadKeys),
        ({"keys": ("r",), "public_keys": pa.table({"r": [math.nan, None]})}, BadKeys),
        ({"keys": ("r",), "public_keys": pa.table({"r": [0.0, -0.0]})}, BadKeys),
        ({"keys": ("g",), "public_keys": pa.table({"g": ["a"]})}, BadKeys),
        ({"measures": {"s": Measure("sum", "k", FIXED)}}, BadAggregate),
        ({"measures": {"s": Measure("sum", "nope", FIXED)}}, UnknownColumn),
        ({"contribution": Contribution(Person("nobody"), 1, rows=1)}, UnknownColumn),
        ({"contribution": Contribution(PERSON, 1, rows=2**40)}, BadAggregate),
    ],
)
def test_refusals(changes, error):
    with pytest.raises(error):
        ask(**changes)


def test_measures_are_checked():
    for wrong in (("count", None, None), ("rows", "x", None), ("sum", "x", None), ("valid", "x", FIXED)):
        with pytest.raises(BadAggregate):
            Measure(*wrong)
    with pytest.raises(BadAggregate, match="squares"):
        Measure("sum_of_squares", "x", FixedPoint(0, 1))
    with pytest.raises(BadAggregate, match="products"):
        Measure("product", "x", FixedPoint(0, 1), "r", FixedPoint(0, 1))
    for wrong in (("product", "x", FIXED), ("sum", "x", FIXED, "r", FIXED), ("product", "x", FIXED, "r")):
        with pytest.raises(BadAggregate, match="two columns"):
            Measure(*wrong)
    with pytest.raises(BadAggregate, match="whatever"):
        Measure("rows", beside=("x",))
    with pytest.raises(BadAggregate, match="told apart"):
        Measure("sum", "x", FixedPoint(10**20, 10**20 + 1))


def test_lists_and_bytes_are_no_keys():
    table = pa.table({"u": [1], "list": [[1, 2]]})
    rel = Relation(BACKEND.create_table("lists", table, overwrite=True), "duckdb")
    with pytest.raises(BadExpression, match="list"):
        aggregate(
            rel,
            keys=("list",),
            public_keys=None,
            measures={"n": Measure("rows")},
            contribution=Contribution(PERSON, 1, rows=1),
        )


def test_bounding_needs_no_top_n_plan():
    """DuckDB's top-N window plan keeps `groups` places for every person: it must not be chosen."""
    rows = [{"u": 1, "g": 1, "k": "a", "r": 0.0, "x": 1.0}]
    for keys, public in ((("g",), None), (("g",), pa.table({"g": [1, 2, 3, 4]}))):
        query = aggregating.AggregateQuery(
            relation=relation(rows),
            keys=keys,
            public=public,
            measured=MEASURES,
            contribution=Contribution(PERSON, 3, rows=1),
            bounding_key="privet",
            binned={},
            rolls={},
        )
        final = query._added_up(query._kept(query._per_person(query._prepared())))
        final.to_pyarrow()  # puts the stated keys on the engine
        plan = BACKEND.raw_sql("EXPLAIN " + BACKEND.compile(final)).fetchall()[0][1]
        assert "ROW_NUMBER" in plan
        assert "arg_min" not in plan.lower()


def test_little_memory_spills_to_disk(tmp_path):
    source = tmp_path / "rows.parquet"
    duckdb.sql(
        f"COPY (SELECT (i * 7919) % 90000 AS u, (i * 104729) % 501 AS g, (i % 1000) / 7.0 AS x"
        f" FROM range(300000) t(i)) TO '{source}' (FORMAT parquet)"
    )
    answers = []
    for limit in ("18MB", "4GB"):
        spill = tmp_path / f"spill{limit}"
        backend = ibis.duckdb.connect(memory_limit=limit, threads=1, temp_directory=str(spill))
        found = aggregate(
            Relation(backend.read_parquet(source), "duckdb"),
            keys=("g",),
            public_keys=None,
            measures={"n": Measure("rows"), "s": Measure("sum", "x", FixedPoint(0, 150))},
            contribution=Contribution(PERSON, 2, rows=1),
        )
        answers.append([sealed._exact.tolist() for sealed in found.answers.values()])
        assert spill.exists() is (limit == "18MB")
    assert answers[0] == answers[1]
    assert sum(answers[0][0]) == 180_000


def test_an_engine_that_gives_up_quotes_nothing():
    rel = Relation(BACKEND.sql("SELECT error('secret value') AS u, 1 AS g FROM range(3)"), "duckdb")
    with pytest.raises(PrivetError) as caught:
        aggregate(
            rel,
            keys=("g",),
            public_keys=None,
            measures={"n": Measure("rows")},
            contribution=Contribution(PERSON, 1, rows=1),
        )
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None
