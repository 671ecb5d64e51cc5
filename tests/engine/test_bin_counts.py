"""Counts in public bins: the right ones, bounded for each person whatever the bins, equal on every engine."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.test_neighbours import (
    DATA,
    MODES,
    PEOPLE,
    QUESTIONS,
    ROW,
    STATED,
    on_duckdb,
    random_rows,
    table_of,
)

from privet.engine._bin_counts import Binned, Branched, Distinct, Ranked, places_of
from privet.engine._contribution_bounds import Contribution
from privet.engine._group_measures import Measure
from privet.engine._public_bins import Categories, EvenBins, UnevenBins
from privet.engine._sealed_aggregates import aggregate
from privet.errors import BadAggregate
from privet.guarantee._privacy_units import Change, Person, Row

EVEN, UNEVEN = EvenBins(-3, 3, 7), UnevenBins([-2, 0, "0.1", 1, 50])
LISTED = Categories(pa.array(["a", "b", None, "é"]), other=True)
MEASURES = {
    "persons": Measure("persons"),
    "even": Binned(("x",), (EVEN,)),
    "once": Binned(("x",), (EVEN,), once=True),
    "uneven": Binned(("f",), (UNEVEN,)),
    "listed": Binned(("k",), (LISTED,)),
    "strict": Binned(("k",), (Categories(pa.array(["a", "b"]), other=False),)),
    "cross": Binned(("k", "w"), (LISTED, EvenBins(-10, 10, 3))),
    "median": Ranked("x", EVEN, Fraction(1, 2)),
    "ninth": Ranked("x", EVEN, Fraction(9, 10), shift=-30),
    "tree": Branched("x", EvenBins(-3, 3, 9), 3),
    "distinct": Distinct("w"),
}
FEW = {name: MEASURES[name] for name in ("persons", "once", "uneven", "cross", "ninth", "tree", "distinct")}
NAMES = sorted(MEASURES.keys() - {"persons"})


def ask(relation, keys, contribution, *, stated=False, measured=MEASURES):
    return aggregate(
        relation,
        keys=keys,
        public_keys=STATED[keys] if stated else None,
        measures=measured,
        contribution=contribution,
    )


def bound(mode, change=Change.ADD_OR_REMOVE):
    return Contribution(Person("u", change=change), **MODES[mode])


def violations(one, other):
    """What breaks the stated sensitivity, entry by entry and block by block, as sentences."""
    found = []
    for name, sealed in one.answers.items():
        again, limit = other.answers[name], sealed.sensitivity
        assert limit == again.sensitivity, "the sensitivity itself depends on the data"
        before, after = _by_key(one, name), _by_key(other, name)
        # Scores are defined for groups that nobody is in too: what no row moves is what an empty group has.
        empty = MEASURES[name].read(np.zeros((1, MEASURES[name].counted.length), np.int64))[0] if name != "persons" else np.zeros(1, np.int64)  # fmt: skip
        moves = [
            np.abs(before.get(key, empty) - after.get(key, empty)) for key in before.keys() | after.keys()
        ]
        changed = np.concatenate(moves) if moves else np.zeros(0, np.int64)
        checks = {
            "blocks": (
                sum(bool(move.any()) for move in moves),
                limit.blocks if limit.block > 1 else len(moves),
            ),
            "entries": (int(np.count_nonzero(changed)), limit.coordinates),
            "largest": (int(changed.max(initial=0)), limit.largest),
            "total": (int(changed.sum()), limit.total),
        }
        found += [
            f"{name}: {what} {is_}, {most} allowed" for what, (is_, most) in checks.items() if is_ > most
        ]
    return found


def _by_key(groups, name):
    keys = getattr(groups.keys, "_exact", groups.keys)
    names = [()] if keys is None else [repr(tuple(row.values())) for row in keys.to_pylist()]
    exact = groups.answers[name]._exact
    return dict(zip(names, exact.reshape(len(names), -1) if names else [], strict=True))


@pytest.mark.parametrize(("keys", "mode", "stated"), QUESTIONS[:3])
def test_removing_a_person_stays_inside_the_sensitivity(engine, keys, mode, stated):
    measured = MEASURES if engine.name == "duckdb" else FEW
    whole = ask(engine.load(DATA), keys, bound(mode), stated=stated, measured=measured)
    people = [person for person in PEOPLE if person is not None]
    for person in people[2:4] if engine.name == "duckdb" else people[2:3]:
        other = pc.or_kleene(pc.is_null(DATA["u"]), pc.not_equal(DATA["u"], person))
        less = ask(engine.load(DATA.filter(other)), keys, bound(mode), stated=stated, measured=measured)
        assert violations(whole, less) == []


def test_replacing_a_persons_data_stays_inside_the_sensitivity(engine):
    others = DATA.filter(pc.not_equal(DATA["u"], 3))
    for seed, (keys, mode, stated) in enumerate(QUESTIONS[:3] if engine.name == "duckdb" else QUESTIONS[:1]):
        replaced = pa.concat_tables([others, table_of(random_rows(seed + 10, [3], 40))])
        contribution = bound(mode, Change.REPLACE)
        one, two = (
            ask(engine.load(table), keys, contribution, stated=stated, measured=FEW)
            for table in (DATA, replaced)
        )
        assert violations(one, two) == []


def test_removing_a_row_stays_inside_the_sensitivity(engine):
    unit = Contribution.for_unit(Row(), grouped=True)
    small = DATA.slice(0, 40)
    whole = ask(engine.load(small), ("k",), unit, measured=FEW)
    for at in range(0, 40, 13) if engine.name == "duckdb" else (17,):
        less = pa.concat_tables([small.slice(0, at), small.slice(at + 1)])
        assert violations(whole, ask(engine.load(less), ("k",), unit, measured=FEW)) == []


@settings(max_examples=40, deadline=None)
@given(
    st.lists(ROW, max_size=30), st.sampled_from(QUESTIONS), st.sampled_from([1, 2, 3]), st.sampled_from(NAMES)
)
def test_no_table_breaks_the_sensitivity(rows, question, person, name):
    keys, mode, stated = question
    measured = {"persons": MEASURES["persons"], name: MEASURES[name]}
    whole, less = (
        ask(on_duckdb(table_of(part)), keys, bound(mode), stated=stated, measured=measured)
        for part in (rows, [row for row in rows if row["u"] != person])
    )
    assert violations(whole, less) == []


@pytest.mark.parametrize("broken", ["_first_groups", "_shares"])
def test_forgotten_bounds_are_caught(monkeypatch, broken):
    from privet.engine import _bin_counts as binning
    from privet.engine._dialects import whole as constant

    def all_groups(self, each):
        return each.mutate(m=constant(2))

    def all_rows(self, each):
        return each.select(*self.groups, "b", n=each["c"])

    monkeypatch.setattr(binning._Counting, broken, {"_first_groups": all_groups, "_shares": all_rows}[broken])
    rows = [
        {"u": 1, "k": f"g{n % 12}", "r": 0.0, "x": float(n % 5) - 2, "f": 1.0, "w": n} for n in range(200)
    ]
    whole, less = (
        aggregate(
            on_duckdb(table_of(part)),
            keys=("k",),
            public_keys=pa.table({"k": [f"g{n}" for n in range(12)]}),
            measures={"even": MEASURES["even"]},
            contribution=bound("A"),
        )
        for part in (rows, [])
    )
    assert any(found.startswith("even: ") for found in violations(whole, less))


# --- the right counts --------------------------------------------------------------------------


def counts(table, measure, engine=None, unit=None):
    relation = engine.load(table) if engine else on_duckdb(table)
    contribution = Contribution.for_unit(unit or Row(), grouped=False)
    found = aggregate(relation, keys=(), public_keys=None, measures={"n": measure}, contribution=contribution)
    return found.answers["n"]._exact.tolist()


def test_a_value_on_an_edge_belongs_to_the_bin_that_begins_there(engine):
    values = [n / 100 for n in range(101)] + [-5.0, math.inf, -math.inf, math.nan, None, -0.0]
    table = pa.table({"x": pa.array(values, pa.float64())})
    hundred = counts(table, Binned(("x",), (EvenBins(0, 1, 100),)), engine)
    assert hundred == [1 + 3, *[1] * 98, 1 + 1 + 1]
    uneven = counts(table, Binned(("x",), (UnevenBins(["0", "0.1", "0.57", "1"]),)), engine)
    assert uneven == [10 + 3, 47, 43 + 1 + 1]


@settings(max_examples=30, deadline=None)
@given(
    st.fractions(-100, 100, max_denominator=1000),
    st.fractions(Fraction(1, 1000), 1000, max_denominator=1000),
    st.integers(1, 300),
    st.lists(st.floats(-200, 1200), max_size=20),
)
def test_even_bins_agree_with_their_edges(lower, span, number, values):
    bins = EvenBins(lower, lower + span, number)
    edges = bins.edges()
    values = values + list(edges)
    expected = Counter(
        min(max(int(np.searchsorted(edges, v, side="right")) - 1, 0), number - 1) for v in values
    )
    found = counts(pa.table({"x": pa.array(values, pa.float64())}), Binned(("x",), (bins,)))
    assert found == [expected[at] for at in range(number)]
    assert edges[0] == float(lower)  # exact: the first edge is the bound itself
    assert edges[-1] == float(lower + span)  # exact: the last edge is the bound itself


def test_listed_values_and_others(engine):
    table = pa.table({"k": ["a", "b", "b", None, "z", "é", ""], "w": [0, 1, 2, 3, 4, None, 6]})
    assert counts(table, Binned(("k",), (LISTED,)), engine) == [1, 2, 1, 1, 2]
    strict = Categories(pa.array(["b", "a"]), other=False)
    assert counts(table, Binned(("k",), (strict,)), engine) == [2, 1]
    cross = Binned(("k", "w"), (strict, EvenBins(0, 3, 3)))
    assert counts(table, cross, engine) == [0, 1, 1, 1, 0, 0]


def test_a_person_keeps_a_systematic_sample(engine):
    """Of 40 rows 10 are kept: from each bin a quarter of its rows, give or take one."""
    rows = {0: 20, 1: 4, 2: 3, 3: 13}
    values = [float(b) for b, n in rows.items() for _ in range(n)]
    kept = np.zeros(4)
    people = 20 if engine.name == "duckdb" else 2
    for person in range(people):
        table = pa.table({"u": [person] * 40, "x": values})
        found = counts(table, Binned(("x",), (EvenBins(0, 4, 4),)), engine, Person("u", max_rows=10))
        assert sum(found) == 10
        assert all(abs(n - rows[b] / 4) < 1 for b, n in enumerate(found))
        kept += found
    if engine.name == "duckdb":
        assert np.all(np.abs(kept / people - np.array(list(rows.values())) / 4) < 0.3)


def test_a_person_below_the_cap_keeps_every_row():
    table = pa.table({"u": [1, 1, 2], "x": [0.0, 0.5, 3.5]})
    measure = Binned(("x",), (EvenBins(0, 4, 4),))
    assert counts(table, measure, unit=Person("u", max_rows=2)) == [2, 0, 0, 1]
    once = Binned(("x",), (EvenBins(0, 4, 4),), once=True)
    assert counts(table, once, unit=Person("u", max_rows=2)) == [1, 0, 0, 1]


def test_engines_agree_with_each_other(engine):
    reference = ask(on_duckdb(DATA), ("k",), bound("B"), measured=FEW)
    found = ask(engine.load(DATA), ("k",), bound("B"), measured=FEW)
    for name in FEW:
        ours, theirs = _by_key(found, name), _by_key(reference, name)
        assert ours.keys() == theirs.keys()
        assert all((ours[key] == theirs[key]).all() for key in ours), name


def test_scores_name_the_bin_that_holds_the_quantile():
    values = [float(v) for v in random.Random(4).choices(range(50), k=301)]
    table = pa.table({"x": values})
    bins = EvenBins(0, 50, 50)
    for quantile in (Fraction(1, 2), Fraction(1, 10), Fraction(99, 100)):
        scores = counts(table, Ranked("x", bins, quantile))
        best = [at - 1 for at, score in enumerate(scores) if score == 0]
        assert float(np.quantile(values, float(quantile), method="inverted_cdf")) in best
        assert len(best) <= 2


def test_a_tree_counts_every_level():
    table = pa.table({"x": [0.0, 1.0, 1.0, 8.0, 5.0]})
    tree = Branched("x", EvenBins(0, 9, 9), 3)
    assert counts(table, tree) == [5, 3, 1, 1, 1, 2, 0, 0, 0, 1, 0, 0, 1]
    with pytest.raises(BadAggregate, match="power of 3"):
        counts(table, Branched("x", EvenBins(0, 9, 10), 3))


def test_ranks_beyond_the_rows_are_held_by_the_ends():
    table = pa.table({"x": [5.0, 6.0]})
    scores = counts(table, Ranked("x", EvenBins(0, 10, 10), Fraction(1, 2), shift=-10))
    assert scores.index(0) == 0
    assert scores.count(0) == 1
    scores = counts(table, Ranked("x", EvenBins(0, 10, 10), Fraction(1, 2), shift=10))
    assert scores.index(0) == 11
    assert scores.count(0) == 1


def test_distinct_values_of_persons_who_keep_few():
    rows = defaultdict(list)
    for person in range(200):
        for value in range(20):
            rows["u"].append(person)
            rows["w"].append(value)
    table = pa.table(rows)
    assert counts(table, Distinct("w"), unit=Person("u", max_rows=20)) == [20]
    assert counts(table, Distinct("w"), unit=Person("u", max_rows=1)) == [20]  # 200 persons, one value each
    assert counts(table.slice(0, 60), Distinct("w"), unit=Person("u", max_rows=1))[0] <= 3


def test_groups_are_matched_by_their_keys():
    among = pa.table({"a": ["x", None, "y"], "b": [1, 1, None]})
    found = pa.table({"a": ["y", "x", None, "z"], "b": [None, 1, 1, 1]})
    assert places_of(found, among).tolist() == [2, 0, 1, -1]


@pytest.mark.parametrize(
    "make",
    [
        lambda: EvenBins(1, 1, 3),
        lambda: EvenBins(0, 1, 0),
        lambda: EvenBins(0, 1, 2**20),
        lambda: UnevenBins([1]),
        lambda: UnevenBins([1, 1]),
        lambda: UnevenBins([2, 1]),
        lambda: UnevenBins(list(range(2000))),
        lambda: EvenBins(1, 1 + 2**-60, 5),
    ],
)
def test_bins_that_are_none_are_refused(make):
    with pytest.raises(BadAggregate):
        make()


def test_what_cannot_be_binned_is_refused():
    relation = on_duckdb(DATA)
    everybody = Contribution.for_unit(Row(), grouped=False)
    for measure in (
        Binned(("k",), (EVEN,)),
        Binned(("x", "w"), (EvenBins(0, 1, 2**15), EvenBins(0, 1, 2**15))),
    ):
        with pytest.raises(BadAggregate):
            aggregate(relation, keys=(), public_keys=None, measures={"n": measure}, contribution=everybody)
    with pytest.raises(BadAggregate, match="counting persons"):
        aggregate(
            relation, keys=("k",), public_keys=None, measures={"n": MEASURES["even"]}, contribution=bound("A")
        )
