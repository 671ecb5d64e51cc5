"""What is declared is complete, says where it comes from, and can all hold at once; otherwise nothing is spent."""

import numpy as np
import pytest
from tests.protect.tabulate.spines import CELLS, invariant_of, tree_of

from privet.errors import BadInvariant, BadSpine, BadUsage
from privet.protect.tabulate._invariants import Invariant, collapsed, gather

TREE = tree_of(2, 2)


LEAVES = np.arange(24).reshape(4, 6)


def test_an_origin_is_needed():
    for origin in ("", "  "):
        with pytest.raises(BadInvariant, match="where it comes from"):
            Invariant("level0", {0: 1, 1: 2}, origin=origin)
    with pytest.raises(BadUsage, match="origin is text"):
        Invariant("level0", {0: 1, 1: 2}, origin=None)


def test_counts_declared_below_hold_above():
    facts = gather(TREE, CELLS, [invariant_of(TREE, CELLS, LEAVES, "level1", ("age",))], [])
    assert facts.exact[2, (1,)].tolist() == collapsed(CELLS, (1,), LEAVES).tolist()
    assert facts.exact[0, (1,)].tolist() == [[sum(LEAVES[:, age::3].sum(axis=1)) for age in range(3)]]
    assert facts.declared == ((2, (1,)),)


def test_columns_may_be_named_in_any_order():
    table = {
        (0, age, sex): 10 * s + a
        for s, sex in enumerate(CELLS.values[0])
        for a, age in enumerate(CELLS.values[1])
    }
    table |= {(1, age, sex): 0 for sex in CELLS.values[0] for age in CELLS.values[1]}
    facts = gather(TREE, CELLS, [Invariant("level0", table, origin="x", columns=("age", "sex"))], [])
    assert facts.exact[1, (0, 1)].tolist() == [[0, 1, 2, 10, 11, 12], [0] * 6]


@pytest.mark.parametrize(
    "values",
    [
        {0: 1},
        {0: 1, 1: 2, 2: 3},
        {0: 1, 1: -2},
        {(0, 0): 1, (1, 1): 2},
        {0: 1, 1: 2**60},
    ],
    ids=["missing", "unknown", "negative", "too deep", "huge"],
)
def test_each_place_needs_one_whole_number(values):
    with pytest.raises(BadInvariant, match="missing"):
        gather(TREE, CELLS, [Invariant("level0", values, origin="x")], [])


@pytest.mark.parametrize("count", [2.5, True])
def test_a_count_is_a_whole_number(count):
    with pytest.raises(BadUsage, match="values is a dict from keys to a whole number"):
        Invariant("level0", {0: 1, 1: count}, origin="x")


def test_errors_show_no_declared_value():
    with pytest.raises(BadInvariant) as caught:
        gather(TREE, CELLS, [Invariant("level0", {"Atlantis": 987654}, origin="x")], [])
    assert "Atlantis" not in str(caught.value)
    assert "987654" not in str(caught.value)


def test_levels_that_contradict_each_other_are_refused():
    above = Invariant("level0", {0: 5, 1: 5}, origin="x")
    below = Invariant("level1", {(0, 0): 1, (0, 1): 1, (1, 0): 1, (1, 1): 1}, origin="y")
    for declared in ([above, below], [below, above]):
        with pytest.raises(BadInvariant, match="not the sums"):
            gather(TREE, CELLS, declared, [])
    with pytest.raises(BadInvariant, match="twice"):
        gather(TREE, CELLS, [above, above], [])
    with pytest.raises(BadInvariant, match="level that there is not"):
        gather(TREE, CELLS, [Invariant("planet", {}, origin="x")], [])


def test_people_where_nobody_can_be_are_refused():
    above = Invariant("level0", {0: 5, 1: 5}, origin="x")
    with pytest.raises(BadInvariant, match="every cell is impossible"):
        gather(TREE, CELLS, [above], [{"level0": 1}])
    assert gather(TREE, CELLS, [above], [{"level0": 1, "sex": "f"}]).allowed[1].sum() == 9


def test_impossible_cells_reach_up_only_where_all_leaves_agree():
    facts = gather(
        TREE, CELLS, [], [{"level0": 0, "level1": 0, "age": ["young", "old"]}, {"sex": "m", "age": "old"}]
    )
    assert facts.allowed[2].sum() == 4 * 5 - 3
    assert facts.allowed[1].sum() == facts.allowed[0].sum() * 2 == 10


@pytest.mark.parametrize(
    "pattern", [{}, {"height": 3}, {"sex": "x"}, {"level0": 7}], ids=["empty", "column", "value", "place"]
)
def test_impossible_cells_are_named_by_public_values(pattern):
    with pytest.raises(BadSpine):
        gather(TREE, CELLS, [], [pattern])


def test_not_everything_is_impossible():
    with pytest.raises(BadSpine, match="every cell"):
        gather(TREE, CELLS, [], [{"sex": ["f", "m"]}])
