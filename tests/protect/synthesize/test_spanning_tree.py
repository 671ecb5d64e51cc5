"""MST: a tree of pairs, the dependent ones first, for the budget and no more."""

from fractions import Fraction

import numpy as np
from tests.protect.synthesize.test_adaptive_iterative import SIZES, tables

import privet as pv
from privet.engine import SealedMarginals
from privet.guarantee import Change, ZeroConcentrated
from privet.ledger import AdaptiveRun
from privet.protect.synthesize._measurement_run import MeasurementRun
from privet.protect.synthesize._spanning_tree import all_pairs, spanning_tree


def made(pairs):
    book = pv.Ledger.in_memory(limit=pv.ZeroConcentratedDP(10), unit=pv.Row())
    permit = book.charge(ZeroConcentrated(Fraction(1, 10)), why="a run")
    run = MeasurementRun(
        AdaptiveRun(permit, Change.ADD_OR_REMOVE), SealedMarginals(tables(), SIZES, pv.Row())
    )
    spanning_tree(run, pairs, np.random.default_rng(0))
    return run


def test_a_tree_is_measured_with_the_dependent_pair_in_it() -> None:
    run = made(all_pairs(SIZES, 1000))
    pairs = [one.columns for one in run.measured[4:7]]
    assert pairs[0] == (0, 1)
    assert {column for pair in pairs for column in pair} == {0, 1, 2, 3}
    assert 0 <= run.remaining < 1e-6


def test_pairs_too_large_to_measure_leave_parts_of_their_own() -> None:
    assert all_pairs(SIZES, 16) == [(0, 1), (0, 2), (1, 2)]
    run = made(all_pairs(SIZES, 16))
    tree = [one.columns for one in run.measured[4:6]]
    assert {column for pair in tree for column in pair} == {0, 1, 2}
    assert not any(3 in one.columns for one in run.measured[4:])
    assert 0 <= run.remaining < 1e-6


def test_pairs_across_the_tree_are_measured_too() -> None:
    run = made(all_pairs(SIZES, 1000))
    across = [one.columns for one in run.measured[7:]]
    assert len(across) == 2
    assert len(run.choices) == 3 + 2


def test_without_a_pair_all_of_the_budget_goes_to_columns() -> None:
    run = made([])
    assert [one.columns for one in run.measured] == [(0,), (1,), (2,), (3,)]
    assert 0 <= run.remaining < 1e-6
