"""One family of places: which sums must hold, and when a finished table is accepted."""

import numpy as np
import pytest
from tests.protect.tabulate.spines import CELLS

from privet.protect.tabulate._sibling_family import Family, stacked, sums_by

ALLOWED = np.ones((2, 6), bool)


ALLOWED[0, 5] = False


TRUTH = np.array([[1, 2, 3, 4, 5, 0], [6, 7, 8, 9, 10, 11]])


def family(**changes):
    given = {
        "cells": CELLS, "wanted": TRUTH.astype(float), "weights": {CELLS.detailed: np.ones(2)},
        "allowed": ALLOWED, "parent": TRUTH.sum(axis=0), "exact": {(0,): np.array([[6, 9], [21, 30]])},
    }  # fmt: skip
    return Family(**{**given, **changes})


def test_equalities_are_the_parents_cells_and_the_declared_sums():
    one = family()
    matrix, values = one.equalities
    assert one.size == 11
    assert matrix.shape == (6 + 4, 11)
    assert values.tolist() == [7, 9, 11, 13, 15, 11, 6, 9, 21, 30]
    assert (matrix @ TRUTH[ALLOWED]).tolist() == values.tolist()
    top = family(parent=None, exact={})
    assert top.equalities[0].shape == (0, 11)
    assert top.equalities[1].tolist() == []


def test_margins_are_totals_and_then_the_first_columns():
    matrix = family().margins
    assert (matrix @ TRUTH[ALLOWED]).tolist() == [15, 51, 6, 9, 21, 30]


def test_impossible_cells_are_no_variables_and_stay_empty():
    table = family().table(np.arange(1, 12))
    assert table[0].tolist() == [1, 2, 3, 4, 5, 0]
    assert table[1].tolist() == [6, 7, 8, 9, 10, 11]


def test_a_table_that_keeps_everything_is_accepted():
    assert family().holds(TRUTH)


@pytest.mark.parametrize(
    "change",
    [
        {(0, 0): 1},  # no longer the parent's
        {(0, 5): 1, (1, 5): -1},  # somebody in an impossible cell
        {(0, 0): -2, (1, 0): 2},  # a negative count that adds up
        {(0, 0): 1, (1, 0): -1},  # the parent's, but not as declared
    ],
    ids=["parent", "impossible", "negative", "declared"],
)
def test_a_table_that_breaks_one_thing_is_refused(change):
    table = TRUTH.copy()
    for at, by in change.items():
        table[at] += by
    assert not family().holds(table)


def test_sums_add_up_by_key():
    matrix = sums_by(np.array([2, 0, 2]), 4)
    assert (matrix @ np.array([1, 10, 100])).tolist() == [10, 0, 101, 0]
    both = stacked([matrix, sums_by(np.array([0, 0, 0]), 1)], 3)
    assert (both @ np.array([1, 10, 100])).tolist() == [10, 0, 101, 0, 111]
