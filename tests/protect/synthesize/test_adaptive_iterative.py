"""AIM: it finds what depends, spends what it has and no more, and keeps its model small."""

from fractions import Fraction

import numpy as np
import pytest

import privet as pv
from privet.engine import SealedMarginals
from privet.guarantee import Change, ZeroConcentrated
from privet.ledger import AdaptiveRun
from privet.protect.synthesize._adaptive_iterative import (
    AimSettings,
    adaptive_iterative,
    halving_batches,
)
from privet.protect.synthesize._junction_tree import model_cells
from privet.protect.synthesize._measurement_batch import counted
from privet.protect.synthesize._measurement_run import MeasurementRun
from privet.protect.synthesize._workload import candidates, workload_of

SIZES = (4, 4, 3, 6)


def tables(seed=0, many=5000):
    """Columns 0 and 1 are nearly the same, 2 and 3 depend on nothing; no value is missing."""
    draws = np.random.default_rng(seed)
    zero = draws.integers(0, 3, many)
    one = np.where(draws.random(many) < 0.95, zero, draws.integers(0, 3, many))
    rows = np.stack([zero, one, draws.integers(0, 2, many), draws.integers(0, 5, many)], axis=1)
    sets = [*((at,) for at in range(4)), *((a, b) for a in range(4) for b in range(a + 1, 4))]
    return {one: counted(rows, one, SIZES).astype(np.int64) for one in sets}


def spent(rho, cells=10_000, doubt=None):
    book = pv.Ledger.in_memory(limit=pv.ZeroConcentratedDP(10), unit=pv.Row())
    permit = book.charge(ZeroConcentrated(rho), why="a run")
    run = MeasurementRun(
        AdaptiveRun(permit, Change.ADD_OR_REMOVE), SealedMarginals(tables(), SIZES, pv.Row())
    )
    settings = AimSettings(candidates(workload_of(None, list("abcd")), SIZES, cells), cells, {})
    adaptive_iterative(run, settings, np.random.default_rng(0), doubt=doubt)
    return run


def test_it_measures_what_depends_and_spends_what_it_has() -> None:
    run = spent(Fraction(1, 20))
    assert [one.columns for one in run.measured[:4]] == [(0,), (1,), (2,), (3,)]
    assert run.choices[0].columns == (0, 1)
    assert 0 <= run.remaining < 1e-6
    assert run.run.spent.rho <= Fraction(1, 20)
    assert len(run.choices) == len(run.measured) - 4


def test_its_model_stays_within_the_cap() -> None:
    run = spent(Fraction(1, 2), cells=40)
    assert model_cells([one.columns for one in run.measured], (3, 3, 2, 5)) <= 40


@pytest.mark.parametrize("rho", [Fraction(1, 10**6), Fraction(5)])
def test_tiny_and_huge_budgets_end(rho) -> None:
    assert spent(rho).remaining < float(rho) * 1e-6


def test_the_first_batch_is_small_where_pairs_would_drown_in_the_noise() -> None:
    assert len(spent(Fraction(1, 10**4)).choices) == 3 + 2 + 1
    assert len(spent(Fraction(1)).choices) == 3 + 4 + 2 + 1


def test_batches_halve_and_cost_the_same_so_that_a_set_gets_twice_as_much() -> None:
    assert [halving_batches(first) for first in (1, 2, 5, 14)] == [
        [1],
        [2, 1],
        [5, 3, 2, 1],
        [14, 7, 4, 2, 1],
    ]
    run = spent(Fraction(1, 10**4))
    batches = run.measured[7:9], run.measured[9:]
    prices = [float(sum(one.rho for one in batch)) for batch in batches]
    choices = [float(sum(one.rho for one in batch)) for batch in (run.choices[3:5], run.choices[5:])]
    assert [len(batch) for batch in batches] == [2, 1]
    assert prices == pytest.approx([prices[0]] * 2, rel=1e-3)
    assert choices == pytest.approx([choices[0]] * 2, rel=1e-3)


def test_a_model_found_wanting_leaves_most_of_the_budget() -> None:
    seen = []

    def doubt(rows, total):
        seen.append((rows.shape, total))
        return True

    left = spent(Fraction(1, 20), doubt=doubt).remaining
    assert seen[0][0] == (50_000, 4)
    assert left > 0.75 / 20


def test_a_model_that_is_believed_is_measured_to_the_end() -> None:
    run = spent(Fraction(1, 20), doubt=lambda *_: False)
    assert 0 <= run.remaining < 1e-6
    pairs = [one.columns for one in run.measured[4:]]
    assert pairs[:3] == pairs[3:6]  # a glance at the tree, and the tree
