"""Controlled rounding against an oracle that tries every rounding."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.protect.tabulate._controlled_rounding import nearest_whole, round_far, round_near
from privet.protect.tabulate._sibling_family import Family
from privet.protect.tabulate._table_cells import TableCells

PAIR = TableCells(("sex", "age"), (("f", "m"), (0, 1)))


def _family(fractional, exact=None):
    children = len(fractional)
    parent = np.rint(fractional.sum(axis=0)).astype(np.int64)
    return Family(PAIR, fractional, {}, np.ones((children, 4), bool), parent, exact or {})


def _fractional(seed, children=2, totals=False):
    """A fractional table whose columns (and rows, if asked) are whole: a mean of whole tables with the same sums."""
    dice = np.random.default_rng(seed)
    whole = dice.poisson(2, (children, 4))
    other = whole.copy()
    for _ in range(6):
        a, b = dice.choice(children, 2, replace=False)
        c, d = dice.choice(4, 2, replace=False)
        if totals and min(other[a, c], other[b, d]) > 0:
            other[a, c] -= 1
            other[b, d] -= 1
            other[a, d] += 1
            other[b, c] += 1
        elif not totals and other[a, c] > 0:
            other[a, c] -= 1
            other[b, c] += 1
    share = dice.uniform(0.1, 0.9)
    return share * whole + (1 - share) * other


def _oracle(family, fractional):
    floor = np.floor(fractional + 1e-6)
    best = np.inf
    for up in itertools.product([0, 1], repeat=fractional.size):
        table = (floor + np.array(up).reshape(fractional.shape)).astype(np.int64)
        rows, by_sex = table.reshape(len(table), 2, 2).sum((1, 2)), table.reshape(len(table), 2, 2).sum(2)
        near = np.abs(rows - fractional.sum(1)) < 1 + 1e-6
        sexes = np.abs(by_sex - fractional.reshape(len(table), 2, 2).sum(2)) < 1 + 1e-6
        if family.holds(table) and near.all() and sexes.all():
            best = min(best, np.abs(table - fractional).sum())
    return best


@pytest.mark.parametrize("totals", [False, True], ids=["parent", "parent and totals"])
@pytest.mark.parametrize("seed", range(6))
def test_the_rounding_is_the_nearest_there_is(seed, totals):
    fractional = _fractional(seed, totals=totals)
    exact = {(): np.rint(fractional.sum(axis=1, keepdims=True)).astype(np.int64)} if totals else None
    family = _family(fractional, exact)
    found = round_near(family, fractional)
    assert family.holds(found)
    assert np.abs(found - fractional).sum() == pytest.approx(_oracle(family, fractional), abs=1e-5)


@given(seed=st.integers(0, 10_000), children=st.integers(2, 7), totals=st.booleans())
@settings(max_examples=40, deadline=None)
def test_nothing_moves_by_more_than_one(seed, children, totals):
    fractional = _fractional(seed, children, totals)
    exact = {(): np.rint(fractional.sum(axis=1, keepdims=True)).astype(np.int64)} if totals else None
    family = _family(fractional, exact)
    found = round_near(family, fractional)
    assert found is not None, "two nested families of sums always have a rounding"
    assert family.holds(found)
    for kept in ((0, 1), (0,), ()):
        dropped = tuple(axis + 1 for axis in (0, 1) if axis not in kept)
        gap = (found - fractional).reshape(children, 2, 2).sum(axis=dropped)
        assert np.abs(gap).max() < 1 + 1e-5


def test_numbers_off_by_an_error_of_the_solver_still_round():
    fractional = _fractional(3, children=6) + 1e-5
    assert round_near(_family(fractional), fractional) is not None


def test_far_rounding_keeps_sums_that_no_near_one_keeps():
    wanted = np.array([[5.0, 0, 0, 0], [5.0, 0, 0, 0]])
    family = Family(PAIR, wanted, {}, np.ones((2, 4), bool), np.array([4, 4, 1, 1]), {})
    assert round_near(family, wanted) is None
    found = round_far(family, wanted)
    assert family.holds(found)
    assert np.abs(found - wanted).sum() == 12


def test_what_has_no_solution_has_no_rounding():
    wanted = np.zeros((1, 4))
    closed = np.array([[True, True, True, False]])
    family = Family(PAIR, wanted, {}, closed, np.array([0, 0, 0, 1]), {})
    assert round_far(family, wanted) is None


def test_any_whole_numbers_will_do_without_a_target():
    sums = Family(PAIR, np.zeros((2, 4)), {}, np.ones((2, 4), bool), np.array([3, 0, 2, 1]), {}).equalities
    found = np.rint(nearest_whole(*sums, None)).reshape(2, 4)
    assert found.sum(axis=0).tolist() == [3, 0, 2, 1]
    assert found.min() >= 0
