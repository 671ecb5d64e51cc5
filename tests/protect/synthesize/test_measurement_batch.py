"""Batches: what noise alone would fill is not chosen, larger tables get more of the budget, and what is asked is paid for."""

from fractions import Fraction

import numpy as np
import pytest
from tests.protect.synthesize.test_adaptive_iterative import SIZES, tables

import privet as pv
from privet.engine import SealedMarginals
from privet.guarantee import Change, ZeroConcentrated
from privet.ledger import AdaptiveRun
from privet.protect.synthesize._graphical_model import fitted
from privet.protect.synthesize._kept_codes import kept_codes
from privet.protect.synthesize._measurement_batch import (
    Batch,
    chosen_sets,
    counted,
    expected_counts,
    joins_parts,
    measured_sets,
)
from privet.protect.synthesize._measurement_run import MeasurementRun
from privet.protect.synthesize._spanning_tree import all_pairs

PAIRS = all_pairs(SIZES, 1000)


@pytest.fixture
def run():
    book = pv.Ledger.in_memory(limit=pv.ZeroConcentratedDP(10), unit=pv.Row())
    permit = book.charge(ZeroConcentrated(Fraction(1)), why="a run")
    return MeasurementRun(
        AdaptiveRun(permit, Change.ADD_OR_REMOVE), SealedMarginals(tables(), SIZES, pv.Row())
    )


@pytest.fixture
def started(run):
    first = [run.measure((column,), 0.1) for column in range(4)]
    kept = kept_codes(first, SIZES)
    model = fitted([kept.reduced(one) for one in first], kept.sizes)
    return run, kept, expected_counts(model, PAIRS, np.random.default_rng(0))


def test_what_the_model_gets_wrong_is_chosen_once_and_every_choice_is_charged(started) -> None:
    run, kept, expected = started
    before = run.remaining
    chosen = chosen_sets(
        run, kept, expected, dict.fromkeys(PAIRS, 1), Batch(4, 0.2, 0.2), fits=lambda *_: True
    )
    assert chosen[0] == (0, 1)
    assert len(set(chosen)) == 4
    assert before - run.remaining == pytest.approx(0.2, rel=1e-3)


def test_a_table_that_would_be_noise_alone_is_not_chosen(started) -> None:
    run, kept, expected = started
    wrong = {columns: np.zeros_like(table) for columns, table in expected.items()}
    # All are wrong by every row; of the smallest table the least is lost in noise of this size.
    chosen = chosen_sets(run, kept, wrong, dict.fromkeys(PAIRS, 1), Batch(1, 0.3, 1e-6), fits=lambda *_: True)
    assert [wrong[one].size for one in chosen] == [min(table.size for table in wrong.values())]


def test_what_does_not_fit_is_not_chosen(started) -> None:
    run, kept, expected = started
    even = dict.fromkeys(PAIRS, 1)
    found = chosen_sets(run, kept, expected, even, Batch(6, 0.1, 0.1), fits=lambda so, one: len(so) < 2)
    assert len(found) == len(run.choices) == 2
    tree = chosen_sets(run, kept, expected, even, Batch(6, 0.1, 0.1), fits=joins_parts)
    assert len(tree) == 3


def test_prices_grow_with_cells_to_two_thirds_and_add_up(started) -> None:
    run, kept, _ = started
    before = run.remaining
    measured_sets(run, kept, [(0, 2), (1, 3)], 0.3)
    small, large = run.measured[-2:]
    cells = [kept.sizes[0] * kept.sizes[2], kept.sizes[1] * kept.sizes[3]]
    assert float(large.rho / small.rho) == pytest.approx((cells[1] / cells[0]) ** (2 / 3), rel=1e-3)
    assert 0 <= 0.3 - (before - run.remaining) < 1e-6
    assert measured_sets(run, kept, [], 0.3) == []


@pytest.mark.parametrize(
    ("chosen", "pair", "joins"),
    [
        ([], (0, 1), True),
        ([(0, 1)], (0, 1), False),
        ([(0, 1), (1, 2)], (0, 2), False),
        ([(0, 1), (2, 3)], (0, 3), True),
        ([(2, 3), (1, 2), (0, 1)], (0, 3), False),
    ],
)
def test_chosen_pairs_close_no_circle(chosen, pair, joins) -> None:
    assert joins_parts(chosen, pair) is joins


def test_sets_outside_the_tree_are_read_from_a_sample_of_the_model(started) -> None:
    _, _, expected = started
    assert set(expected) == set(PAIRS)
    totals = [table.sum() for table in expected.values()]
    assert max(totals) == pytest.approx(min(totals), rel=1e-6)
    assert counted(np.array([[0, 1], [0, 1], [1, 0]]), (0, 1), (2, 2)).tolist() == [0, 2, 1, 0]
