"""Shares of a budget: exact, complete, and refused where they leave something open."""

from fractions import Fraction

import pytest
from tests.protect.tabulate.spines import CELLS, tree_of

from privet.errors import BadSpine
from privet.protect.tabulate._measurement_strategy import make_strategy
from privet.protect.tabulate._table_cells import TableCells

TREE = tree_of(2, 2)


def test_default_shares_are_exact_and_add_up_to_one():
    strategy = make_strategy(TREE, CELLS, None, None)
    assert sum(share for _, share in strategy.shares) == 1
    assert strategy.at(2) == {
        (): Fraction(1, 18),
        (0,): Fraction(1, 18),
        (1,): Fraction(1, 18),
        (0, 1): Fraction(1, 6),
    }
    one = make_strategy(TREE, TableCells(("age",), ((0, 1),)), None, None)
    assert one.at(0) == {(): Fraction(1, 6), (0,): Fraction(1, 6)}


def test_the_census_shares_are_kept_exactly():
    tree = tree_of(1, 1, 1, 1, 1)
    names = [level.name for level in tree.levels]
    shares = dict(zip(names, (104, 1440, 447, 687, 1256, 165), strict=True))
    strategy = make_strategy(tree, CELLS, shares, {"total": "1/4", "detailed": 0.75})
    assert [sum(strategy.at(depth).values()) for depth in range(6)] == [
        Fraction(n, 4099) for n in (104, 1440, 447, 687, 1256, 165)
    ]
    assert strategy.at(1)[()] == Fraction(1440, 4 * 4099)


@pytest.mark.parametrize(
    ("shares", "queries"),
    [
        ({"all": 1}, None),
        ({"planet": 1, "level1": 1}, None),
        ({"level1": 0}, None),
        ({"level1": "much"}, None),
        ({}, None),
        (None, {"total": 1}),
        (None, {"level1": {"total": 1}}),
        (None, {"total": 1, "level1": {"detailed": 1}}),
        (None, {"planet": {"detailed": 1}}),
        (None, {"detailed": 1, "age * sex": 1}),
        (None, {"height": 1, "detailed": 1}),
    ],
    ids=str,
)
def test_shares_that_leave_something_open_are_refused(shares, queries):
    with pytest.raises(BadSpine):
        make_strategy(TREE, CELLS, shares, queries)
