"""The neighbour test on every engine: remove one person, or give one other data, and look at what moves."""

from __future__ import annotations

import itertools
import math
import random

import duckdb
import ibis
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.neighbours import violations

from privet.engine import _group_measures as measures
from privet.engine import _keyed_hash as hashing
from privet.engine import expressions as ex
from privet.engine._contribution_bounds import Contribution
from privet.engine._engine_versions import admit
from privet.engine._group_measures import Measure
from privet.engine._relation import Relation
from privet.engine._row_operations import derive, filter_rows
from privet.engine._sealed_aggregates import aggregate
from privet.errors import EngineVersion
from privet.guarantee._privacy_units import Change, Person, Row
from privet.sealed import FixedPoint

BACKEND = ibis.duckdb.connect()
TENTHS = FixedPoint(-2, 3, 0.1)
MEASURES = {
    "persons": Measure("persons"),
    "rows": Measure("rows"),
    "valid": Measure("valid", "x"),
    "valid whole": Measure("valid", "w"),
    "sum": Measure("sum", "x", FixedPoint(-2, 3)),
    "from zero": Measure("sum", "x", FixedPoint(1, 3, 0.25, anchor="zero")),
    "distances": Measure("distances", "x", FixedPoint(-2, 3)),
    "coarse distances": Measure("distances", "w", FixedPoint(1, 3, 0.3)),
    "squares": Measure("sum_of_squares", "x", TENTHS),
    "product": Measure("product", "x", TENTHS, "w", FixedPoint(-1000, 1000, 1)),
    "fine product": Measure("product", "w", FixedPoint(-1000, 1000, 0.0625), "x", FixedPoint(-2, 3, 2**-12)),
    "pairs": Measure("valid", "x", beside=("w",)),
    "sum in pairs": Measure("sum", "x", FixedPoint(-2, 3), beside=("w",)),
    "squares in threes": Measure("sum_of_squares", "w", FixedPoint(-1000, 1000, 0.0625), beside=("f", "x")),
    "single": Measure("sum", "f", FixedPoint(-1, 4)),
    "whole": Measure("sum", "w", FixedPoint(-1000, 1000)),
    "wide": Measure("sum", "w", FixedPoint(-(2**62), 2**62, 2**40)),
}
WHOLE = [0, 1, -1, 2**63 - 1, -(2**63), None, 7]
REALS = [0.0, -0.0, 1.5, math.nan, None, math.inf, -math.inf, 1e300, -2.25, 5e-324, 0.1]
GROUPS = [*"abcdefgh", "", None, "é"]
SCHEMA = pa.schema(
    [("u", pa.int64()), ("k", pa.string()), ("r", pa.float64()), ("x", pa.float64()), ("f", pa.float32()), ("w", pa.int64())]
)  # fmt: skip
STATED = {
    ("k",): pa.table({"k": ["a", "b", None, "", "c", "nobody"]}),
    ("r",): pa.table({"r": [0.0, math.nan, math.inf, 1.5]}),
}
MODES = {
    "A": {"groups": 3, "rows": 2},
    "B": {"groups": 5, "total_rows": 5},
    "both": {"groups": 2, "total_rows": 5},
    "one": {"groups": 1, "rows": 1},
}


def random_rows(seed, people, count):
    draw = random.Random(seed)
    return [
        {
            "u": draw.choice(people),
            "k": draw.choice(GROUPS),
            "r": draw.choice(REALS),
            "x": draw.choice(REALS),
            "f": draw.choice(REALS[:5]),
            "w": draw.choice(WHOLE),
        }
        for _ in range(count)
    ]


def table_of(rows):
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def ask(relation, keys, contribution, *, stated=False, measured=MEASURES):
    return aggregate(
        relation,
        keys=keys,
        public_keys=STATED[keys] if stated else None,
        measures=measured,
        contribution=contribution,
    )


def on_duckdb(table, name="d"):
    return Relation(BACKEND.create_table(name, table, overwrite=True), "duckdb")


def bound(mode, change=Change.ADD_OR_REMOVE):
    return Contribution(Person("u", change=change), **MODES[mode])


PEOPLE = [1, 2, 3, 2**63 - 1, -(2**63), None]
DATA = table_of(random_rows(1, PEOPLE, 150) + [row | {"u": 3} for row in random_rows(2, [3], 2000)])
QUESTIONS = [
    (("k",), "A", False),
    (("k",), "B", True),
    (("r",), "both", False),
    (("r",), "A", True),
    (("k", "r"), "one", False),
    ((), "A", False),
]


@pytest.mark.parametrize(("keys", "mode", "stated"), QUESTIONS)
def test_removing_a_person_stays_inside_the_sensitivity(engine, keys, mode, stated):
    whole = ask(engine.load(DATA), keys, bound(mode), stated=stated)
    people = [person for person in PEOPLE if person is not None]
    for person in people if engine.name == "duckdb" else people[2:3]:
        other = pc.or_kleene(pc.is_null(DATA["u"]), pc.not_equal(DATA["u"], person))
        less = ask(engine.load(DATA.filter(other)), keys, bound(mode), stated=stated)
        assert violations(whole, less) == []


def test_replacing_a_persons_data_stays_inside_the_sensitivity(engine):
    others = DATA.filter(pc.not_equal(DATA["u"], 3))
    for seed, (keys, mode, stated) in enumerate(QUESTIONS if engine.name == "duckdb" else QUESTIONS[:2]):
        replaced = pa.concat_tables([others, table_of(random_rows(seed + 10, [3], 40))])
        contribution = bound(mode, Change.REPLACE)
        one, two = (ask(engine.load(table), keys, contribution, stated=stated) for table in (DATA, replaced))
        assert violations(one, two) == []


def test_removing_a_row_stays_inside_the_sensitivity(engine):
    unit = Contribution.for_unit(Row(), grouped=True)
    small = DATA.slice(0, 40)
    whole = ask(engine.load(small), ("k",), unit)
    for at in range(40) if engine.name == "duckdb" else (0, 17):
        less = pa.concat_tables([small.slice(0, at), small.slice(at + 1)])
        assert violations(whole, ask(engine.load(less), ("k",), unit)) == []


def test_filters_and_derived_keys_stay_inside_the_sensitivity(engine):
    def prepared(table):
        kept = filter_rows(engine.load(table), ex.Compare("<", ex.Column("x"), ex.Literal(1e301)))
        return derive(
            kept,
            {
                "bin": ex.Bin(ex.Column("x"), width=0.5),
                "odd": ex.Arithmetic("%", ex.Column("w"), ex.Literal(2)),
            },
        )

    whole = ask(prepared(DATA), ("bin", "odd"), bound("A"))
    less = ask(prepared(DATA.filter(pc.not_equal(DATA["u"], 3))), ("bin", "odd"), bound("A"))
    assert violations(whole, less) == []


ROW = st.fixed_dictionaries(
    {
        "u": st.sampled_from([1, 2, 3, None]),
        "k": st.sampled_from(GROUPS),
        "r": st.sampled_from(REALS),
        "x": st.one_of(st.sampled_from(REALS), st.floats(width=64)),
        "f": st.one_of(st.sampled_from(REALS[:5]), st.floats(width=32)),
        "w": st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)),
    }
)


@settings(max_examples=60, deadline=None)
@given(st.lists(ROW, max_size=30), st.sampled_from(QUESTIONS), st.sampled_from([1, 2, 3]))
def test_no_table_breaks_the_sensitivity(rows, question, person):
    keys, mode, stated = question
    whole = ask(on_duckdb(table_of(rows)), keys, bound(mode), stated=stated)
    rest = [row for row in rows if row["u"] != person]
    less = ask(on_duckdb(table_of(rest)), keys, bound(mode), stated=stated)
    assert violations(whole, less) == []


def test_a_person_with_a_million_rows_moves_no_more(engine):
    if engine.name != "duckdb":
        big = table_of(
            [
                {"u": 9, "k": GROUPS[n % 11], "r": 0.0, "x": 3.0, "f": 4.0, "w": 2**63 - 1}
                for n in range(20_000)
            ]
        )
        relation = engine.load(pa.concat_tables([DATA, big]))
    else:
        BACKEND.create_table("base", DATA, overwrite=True)
        relation = Relation(
            BACKEND.sql(
                "SELECT * FROM base UNION ALL SELECT 9, 'g' || i % 5000, 0.0, 3.0, 4.0::FLOAT, 9223372036854775807"
                " FROM range(1000000) t(i)"
            ),
            "duckdb",
        )
    for mode in ("A", "B"):
        whole = ask(relation, ("k",), bound(mode))
        assert violations(whole, ask(engine.load(DATA), ("k",), bound(mode))) == []
    capped = {"groups": 1, "rows": 1000} if engine.name == "duckdb" else MODES["A"]
    contribution = Contribution(Person("u"), **capped)
    assert violations(ask(relation, (), contribution), ask(engine.load(DATA), (), contribution)) == []


# --- the check itself can fail -----------------------------------------------------------------


def caught(keys=("k",), mode="A", people=(1, 2, 3)):
    """Violations over neighbours of a table in which everybody has many groups."""
    rows = [
        {"u": person, "k": f"{person % 2}{n}", "r": 0.0, "x": 9.0, "f": 9.0, "w": 5}
        for person, n in itertools.product((*people, 11, 12, 13), range(12))
    ]
    whole = ask(on_duckdb(table_of(rows)), keys, bound(mode))
    found = []
    for person in people:
        less = ask(on_duckdb(table_of([r for r in rows if r["u"] != person])), keys, bound(mode))
        found += violations(whole, less)
    return found


def test_the_check_is_silent_on_the_real_engine():
    assert caught() == []


def test_an_order_by_dictionary_codes_is_caught(monkeypatch):
    """Codes number the keys that happen to be there: removing one person renumbers everybody's."""

    def code(value, engine, bounding_key):
        return ibis.dense_rank().over(order_by=value).cast("int64")

    monkeypatch.setattr(hashing, "word", code)
    assert any("entries changed" in found for found in caught())


def test_a_missing_clamp_is_caught(monkeypatch):
    real = measures.steps

    def unclamped(value, measure, engine):
        if measure.kind != "sum" or measure.column != "x":
            return real(value, measure, engine)
        return (value / float(measure.fixed.step)).floor().cast("float64")

    def unshared(total, kept, present, measure):
        return total.cast("int64")

    monkeypatch.setattr(measures, "steps", unclamped)
    monkeypatch.setattr(measures, "share", unshared)
    assert any("sum: an entry moved" in found for found in caught())


def test_forgotten_group_bounds_are_caught(monkeypatch):
    from privet.engine import _sealed_aggregates as aggregating

    monkeypatch.setattr(aggregating.AggregateQuery, "_kept", lambda self, pairs: pairs)
    assert any("rows: 12 entries changed, 3 allowed" in found for found in caught())


def test_a_row_bound_on_the_wrong_side_is_caught(monkeypatch):
    monkeypatch.setattr(Contribution, "most_rows", property(lambda self: 2))
    rows = [{"u": 1, "k": "a", "r": 0.0, "x": 1.0, "f": 1.0, "w": 1}] * 4
    contribution = bound("one")
    whole = ask(on_duckdb(table_of(rows)), ("k",), contribution)
    monkeypatch.undo()
    honest = ask(on_duckdb(table_of([])), ("k",), contribution)
    assert whole.answers["rows"]._exact.max() > honest.answers["rows"].sensitivity.largest


# --- versions ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("engine_name", "version"),
    [
        ("duckdb", "2.0.0"),
        ("duckdb", "1.4.9"),
        ("pyspark", "3.5.1"),
        ("pyspark", "4.1.0"),
        ("postgres", "12.3"),
        ("mysql", "8"),
    ],
)
def test_versions_without_a_passed_neighbour_test_are_refused(engine_name, version):
    with pytest.raises(EngineVersion, match="neighbour test") as refused:
        admit(engine_name, version)
    assert refused.value.hint


@pytest.mark.parametrize(
    ("engine_name", "version"),
    [("duckdb", "1.5.6"), ("pyspark", "4.0.5"), ("postgres", "16.2 (Debian 16.2-1)")],
)
def test_tested_versions_are_admitted(engine_name, version):
    admit(engine_name, version)


def test_a_refused_version_answers_nothing(monkeypatch):
    monkeypatch.setattr(duckdb, "__version__", "2.0.0")
    with pytest.raises(EngineVersion, match=r"DuckDB 2\.0\.0"):
        ask(on_duckdb(DATA), ("k",), bound("A"))


def test_infinities_of_one_person_do_not_hide_the_nan_of_others_in_parquet(tmp_path):
    """The trap for which DuckDB 2.0 is refused: statistics of a Parquet file leave out not-a-number."""
    from pyarrow import parquet

    rows = [
        {"u": n, "k": f"g{n % 20}", "r": 0.0, "x": math.nan if n % 3 else 1.0, "f": 1.0, "w": 1}
        for n in range(300)
    ]
    extra = [{"u": 999, "k": f"g{n}", "r": 0.0, "x": math.inf, "f": 1.0, "w": 1} for n in range(3)]
    answers = []
    for name, content in (("with", rows + extra), ("without", rows)):
        parquet.write_table(table_of(content), tmp_path / f"{name}.parquet")
        answers.append(
            ask(Relation(BACKEND.read_parquet(tmp_path / f"{name}.parquet"), "duckdb"), ("k",), bound("A"))
        )
    assert violations(*answers) == []
    assert answers[1].answers["valid"]._exact.sum() == 100
