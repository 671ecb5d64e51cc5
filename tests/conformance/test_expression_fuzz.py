"""No constant, value or function makes an admitted engine raise, and all engines give the same: a slice with a fixed seed.

The large run is `bench/expression_fuzz.py`. An engine's version is admitted once both have passed on it.
"""

from __future__ import annotations

import functools

import pyarrow as pa
import pytest
from tests.conformance import made_expressions as made
from tests.conformance.native_columns import COLUMNS, native
from tests.conformance.verbs_on_columns import faults
from tests.conftest import Engine

from privet.engine import _constant_ranges as limits
from privet.engine import check
from privet.engine import expressions as ex

SEED = 20_261
ROWS = made.rows(SEED, 90)
EXPRESSIONS = made.expressions(SEED, 150)


@pytest.fixture(scope="module")
def reference():
    return made.evaluated(Engine("duckdb", None).load(ROWS), EXPRESSIONS)


def test_no_constant_or_value_makes_an_engine_raise_and_all_agree(engine, reference):
    few = EXPRESSIONS[:60] if engine.name == "pyspark" else EXPRESSIONS
    relation = engine.load(ROWS)
    try:
        found = made.evaluated(relation, few)
    except Exception:  # noqa: BLE001  named below
        pytest.fail(f"{engine.name} raises: {made.culprits(relation, few)}")
    different = [
        (few[at], row, ours[at], theirs[at])
        for row, (ours, theirs) in enumerate(zip(found, reference, strict=True))
        for at in range(len(few))
        if ours[at] != theirs[at] and not made.has_letters_of_its_own(few[at])
    ]
    assert different[:3] == []


def test_the_slice_has_every_class_of_expression():
    seen = set()

    def walk(node):
        seen.add(type(node))
        for name in node.__slots__:
            if isinstance(child := getattr(node, name), ex.NODES):
                walk(child)

    for one in EXPRESSIONS:
        walk(one)
    assert seen == set(ex.NODES)


def test_an_expression_without_ranges_is_caught(monkeypatch):
    """What the slice is for: with constants let through as they come, it names the functions that fail on a row."""
    monkeypatch.setattr(limits, "require_substring", lambda start, length: None)
    unbounded = [one for one in made.expressions(SEED, 400, depth=1) if isinstance(one, ex.Substring)]
    found = made.culprits(Engine("duckdb", None).load(ROWS), unbounded)
    assert any("OutOfRange" in said for _, said in found)


@pytest.mark.parametrize("weakened", ["require_width"])
def test_bins_without_ranges_are_caught(weakened, monkeypatch, postgres_backend):
    monkeypatch.setattr(limits, weakened, lambda width, origin: None)
    tiny = [ex.Bin(ex.Column("x"), width=1e99, origin=5e-324)]
    assert made.culprits(Engine("postgres", postgres_backend).load(ROWS), tiny)


def test_every_native_type_is_total(engine):
    relation = native(engine)
    names = list(COLUMNS[engine.name])
    over_each = [ex.Column(name) for name in names]
    for name in names:
        maker = made.Maker(SEED, {name: relation.columns[name]})
        drawn = [maker.made(kind, 2) for kind in made.VALUES for _ in range(3)]
        over_each += [one for one in drawn if made.fits(one, relation.columns, name)][:6]
    assert len(over_each) > 3 * len(names)
    assert made.culprits(relation, over_each) == []
    if engine.name == "pyspark":
        assert faults(relation, names, ("keys",)) == []
        return
    quick = ("keys", "keys, filled up", "first rows", "collapse", "unit rows", "held out")
    assert faults(relation, names, quick) == []
    assert faults(relation, ["double"], ("measures",)) == []


X, S, TRUTH = ex.Column("x"), ex.Column("s"), ex.Column("b")


def nested(wrap, inner, times):
    return functools.reduce(lambda found, _: wrap(found), range(times), inner)


LARGEST = {
    "negations": nested(ex.Not, TRUTH, limits.MOST_NESTED - 1),
    "conjunctions": nested(lambda one: ex.And(one, ex.Compare("=", S, ex.Literal("a"))), TRUTH, 98),
    "trims": nested(ex.Trim, S, limits.MOST_NESTED - 1),
    "sums": nested(lambda one: ex.Arithmetic("+", one, X), X, 98),
    "whole sums": nested(lambda one: ex.Arithmetic("-", one, ex.Column("i")), ex.Column("i"), 40),
    "cases": nested(
        lambda one: ex.Pick(ex.Compare("=", S, ex.Literal("a")), ex.Literal(1), one), ex.Column("i"), 98
    ),
    "values": ex.OneOf(ex.Column("i"), tuple(range(limits.MOST_VALUES))),
    "texts": ex.OneOf(S, tuple(f"{at}'\\" for at in range(limits.MOST_VALUES))),
    "edges": ex.Bin(X, edges=tuple(map(float, range(limits.MOST_EDGES)))),
    "long text": ex.Compare("=", S, ex.Literal("é'" * (limits.LONGEST_TEXT // 2))),
    "far substring": ex.Substring(S, limits.MOST_CHARACTERS, limits.MOST_CHARACTERS),
    "whole substring": ex.Compare("=", ex.Substring(S, 0, limits.MOST_CHARACTERS), S),
}


def test_the_largest_that_is_accepted_works_on_every_engine(engine):
    relation = engine.load(ROWS.slice(0, 20))
    assert made.culprits(relation, list(LARGEST.values())) == []


TOO_LARGE = {
    "depth": nested(ex.Not, TRUTH, limits.MOST_NESTED),
    "nodes": nested(lambda one: ex.And(one, one), TRUTH, 11),
    "values": ex.OneOf(ex.Column("i"), tuple(range(limits.MOST_VALUES + 1))),
    "edges": ex.Bin(X, edges=tuple(map(float, range(limits.MOST_EDGES + 1)))),
    "text": ex.Literal("x" * (limits.LONGEST_TEXT + 1)),
    "start": ex.Substring(S, limits.MOST_CHARACTERS + 1, 1),
    "length": ex.Substring(S, 1, limits.MOST_CHARACTERS + 1),
    "a start that is no number": ex.Substring(S, True, 1),
    "origin": ex.Bin(X, width=1.0, origin=1e-200),
    "width": ex.Bin(X, width=1e-200),
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_what_is_larger_is_refused_at_once(name):
    with pytest.raises(made.BadExpression):
        check(TOO_LARGE[name], made.COLUMNS)


def test_a_tree_that_shares_its_parts_is_measured_quickly_and_refused():
    """Written out it has more than 2^45 parts: whoever walked them would never end."""
    shared = nested(lambda one: ex.Pick(ex.Compare("<", one, X), one, X), X, 45)
    with pytest.raises(made.BadExpression, match="parts"):
        check(shared, made.COLUMNS)


def test_what_grows_when_it_is_written_out_is_refused():
    from privet.engine._row_operations import derive

    product = nested(lambda one: ex.Arithmetic("*", one, ex.Abs(one)), X, 5)
    with pytest.raises(made.BadExpression, match="written out"):
        derive(Engine("duckdb", None).load(ROWS), {"new": product})


def test_sums_are_written_out_in_proportion():
    from privet.engine._dialects import operations_in
    from privet.engine._expression_compiler import compile as compiled

    relation = Engine("duckdb", None).load(ROWS)
    sizes = [
        operations_in(compiled(nested(lambda one: ex.Arithmetic("+", one, X), X, n), relation))
        for n in (20, 40)
    ]
    assert sizes[1] < 2.2 * sizes[0]


def test_sums_are_masked_where_they_could_overflow_and_nowhere_else():
    i, j, y = ex.Column("i"), ex.Column("j"), ex.Column("y")
    rows = [
        {"i": 2**61, "j": 2**60, "x": 1e150, "y": 1e150},
        {"i": 2**62, "j": 2**62, "x": 3.0, "y": -1.5},
        {"i": -(2**63), "j": -1, "x": 1e200, "y": 1.0},
    ]
    table = pa.Table.from_pylist(
        [dict.fromkeys(made.SCHEMA.names) | {"id": at} | row for at, row in enumerate(rows)],
        schema=made.SCHEMA,
    )
    total = functools.reduce(lambda a, b: ex.Arithmetic("+", a, b), [i, j, j, ex.Literal(-5)])
    difference = ex.Arithmetic("-", ex.Arithmetic("+", i, j), j)
    real = ex.Arithmetic("+", X, y)
    product = ex.Arithmetic("*", real, ex.Literal(2.0))
    found = made.evaluated(Engine("duckdb", None).load(table), [total, difference, real, product])
    none = "NoneType None"
    assert found == [
        (f"int {2**62 - 5}", f"int {2**61}", "float 2e+150", none),
        (none, none, "float 1.5", "float 3.0"),
        (none, none, none, none),
    ]
