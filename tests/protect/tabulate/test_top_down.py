"""Whatever the noise: whole numbers, never negative, adding up, as declared."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.protect.tabulate.spines import CELLS, invariant_of, run, sums, tree_of

from privet.errors import InternalError
from privet.protect.tabulate import _top_down as descending
from privet.protect.tabulate._invariants import collapsed, summed
from privet.protect.tabulate._top_down import check_consistent

TREES = [tree_of(2, 3), tree_of(3, [1, 4, 2]), tree_of(5), tree_of(2, 2, 2)]


def _laws(tree, facts, tables):
    for depth, (level, table) in enumerate(zip(tree.levels, tables, strict=True)):
        assert table.dtype == np.int64
        assert table.shape == (len(level), CELLS.size)
        assert table.min() >= 0
        assert not table[~facts.allowed[depth]].any()
        if depth:
            assert np.array_equal(
                summed(table, level.parents, len(tree.levels[depth - 1])), tables[depth - 1]
            )
        for group, counts in facts.at(depth).items():
            assert np.array_equal(collapsed(CELLS, group, table), counts)


@given(
    tree=st.sampled_from(TREES),
    seed=st.integers(0, 10_000),
    mean=st.sampled_from([0.0, 0.3, 5.0, 1e4]),
    rho=st.sampled_from([0.01, 1.0, 50.0]),
    declared=st.sampled_from([None, 0, 1]),
    closed=st.booleans(),
)
@settings(max_examples=25, deadline=None)
def test_everything_adds_up_whatever_the_noise(*, tree, seed, mean, rho, declared, closed):
    leaves = np.random.default_rng(seed).poisson(mean, (len(tree.leaves), CELLS.size))
    zeros = []
    if closed:
        leaves[:, 4] = 0
        leaves[0, :3] = 0
        place = dict(zip(tree.columns, tree.leaves.places[0], strict=True))
        zeros = [{"sex": "m", "age": "middle"}, {**place, "sex": "f"}]
    invariants = []
    if declared is not None:
        invariants = [invariant_of(tree, CELLS, leaves, tree.levels[-1 - declared].name)]
    facts, _, _, descent = run(tree, CELLS, leaves, seed=seed, rho=rho, invariants=invariants, zeros=zeros)
    _laws(tree, facts, descent.tables)
    check_consistent(tree, CELLS, facts, descent.tables)


@pytest.mark.parametrize("seed", range(3))
def test_crossing_margins_and_scattered_zeros_are_mended_not_refused(seed):
    """Margins by two columns at the leaves can leave a parent that no children add up to."""
    tree = tree_of(2, 3)
    leaves = np.random.default_rng(seed).poisson(1, (6, CELLS.size))
    invariants = [invariant_of(tree, CELLS, leaves, "level1", (name,)) for name in CELLS.columns]
    zeros = [
        {
            **dict(zip(tree.columns, tree.leaves.places[leaf], strict=True)),
            "sex": CELLS.values[0][cell // 3],
            "age": CELLS.values[1][cell % 3],
        }
        for leaf, cell in zip(*np.nonzero(leaves == 0), strict=True)
    ]
    facts, _, _, descent = run(tree, CELLS, leaves, seed=seed, rho=0.05, invariants=invariants, zeros=zeros)
    _laws(tree, facts, descent.tables)


def test_when_every_solver_fails_there_is_still_an_answer(monkeypatch):
    tree = tree_of(2, 3)
    leaves = np.random.default_rng(5).poisson(3, (6, CELLS.size))
    invariants = [invariant_of(tree, CELLS, leaves, "level0")]
    monkeypatch.setattr(descending, "fit", lambda family: None)
    monkeypatch.setattr(descending, "round_far", lambda family, wanted: None)
    facts, _, _, descent = run(tree, CELLS, leaves, invariants=invariants)
    assert descent.repaired
    _laws(tree, facts, descent.tables)
    monkeypatch.setattr("privet.protect.tabulate._feasibility._solved", lambda *_: leaves)
    facts, _, _, witnessed = run(tree, CELLS, leaves, invariants=invariants)
    _laws(tree, facts, witnessed.tables)
    without, _, _, bare = run(tree, CELLS, leaves)
    _laws(tree, without, bare.tables)


def test_a_fit_that_fails_is_rounded_from_the_estimates(monkeypatch):
    tree = tree_of(4)
    leaves = np.random.default_rng(5).poisson(9, (4, CELLS.size))
    monkeypatch.setattr(descending, "fit", lambda family: None)
    facts, _, estimates, descent = run(tree, CELLS, leaves)
    _laws(tree, facts, descent.tables)
    assert (descent.fitted, descent.rounded_far, descent.repaired) == (0, 2, False)
    assert np.abs(descent.tables[0] - estimates.final[0]).max() < 1


def test_without_noise_the_truth_comes_out():
    tree = tree_of(3, [1, 4, 2])
    leaves = np.random.default_rng(2).poisson(3, (7, CELLS.size))
    _, _, estimates, descent = run(tree, CELLS, leaves, rho=1e6)
    for table, wanted in zip(descent.tables, sums(tree, leaves), strict=True):
        assert np.array_equal(table, wanted)
    assert estimates.final[-1] == pytest.approx(leaves, abs=1e-6)


def test_progress_is_told_for_each_family():
    told = []
    tree = tree_of(3, 2)
    leaves = np.ones((6, CELLS.size), np.int64)
    facts, _, estimates, _ = run(tree, CELLS, leaves)
    from tests.protect.tabulate.spines import sigmas_of

    from privet.protect.tabulate._feasibility import find_witness
    from privet.protect.tabulate._weighted_estimates import precision

    known = precision(tree, CELLS, sigmas_of(tree, CELLS))
    descending.descend(
        tree, CELLS, facts, known, estimates, witness=find_witness(tree, CELLS, facts), progress=told.append
    )
    assert told == ["fitting all", "fitting level0", *["fitting level1"] * 3]


def test_tables_that_do_not_add_up_are_not_shown():
    tree = tree_of(2)
    facts, _, _, descent = run(tree, CELLS, np.ones((2, CELLS.size), np.int64))
    broken = descent.tables[1].copy()
    broken[0, 0] += 1
    with pytest.raises(InternalError):
        check_consistent(tree, CELLS, facts, (descent.tables[0], broken))


def test_consistency_does_not_cost_accuracy():
    """At equal rho the consistent tables err less than the noisy ones, at the top as at the leaves."""
    tree = tree_of(6, 10)
    dice = np.random.default_rng(11)
    ours, theirs = np.zeros(3), np.zeros(3)
    for seed in range(3):
        leaves = dice.poisson(dice.gamma(0.7, 5, (60, CELLS.size)))
        _, noisy, _, descent = run(tree, CELLS, leaves, seed=seed)
        for depth, truth in enumerate(sums(tree, leaves)):
            for group in [(), (0,), (1,), (0, 1)]:
                exact = collapsed(CELLS, group, truth)
                ours[depth] += np.abs(collapsed(CELLS, group, descent.tables[depth]) - exact).mean()
                theirs[depth] += np.abs(noisy[depth, group] - exact).mean()
    assert np.all(ours < theirs)
    assert ours[2] < 0.8 * theirs[2]
