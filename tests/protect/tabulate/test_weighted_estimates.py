"""The estimator on the tree is generalised least squares, to the last digit, and so is its variance."""

import numpy as np
import pytest
from tests.protect.tabulate.spines import CELLS, noisy_of, sigmas_of, sums, tree_of

from privet.protect.tabulate._invariants import collapsed
from privet.protect.tabulate._table_cells import TableCells
from privet.protect.tabulate._weighted_estimates import combine, deviation, precision, weights

CASES = {
    "even": (tree_of(2, 3), CELLS, None, None),
    "uneven": (tree_of(3, [1, 4, 2]), CELLS, None, None),
    "one column": (tree_of(3), TableCells(("age",), ((0, 1, 2, 3),)), None, None),
    "three columns": (tree_of(2), TableCells(("a", "b", "c"), ((0, 1), (0, 1, 2), (0, 1))), None, None),
    "shares": (tree_of(2, 2), CELLS, {"all": 1, "level1": "7/3"}, {"total": 3, "age": 1, "detailed": "1/2"}),
    "by level": (tree_of(2, 2), CELLS, None, {"all": {"total": 1}, "level0": {"sex": 1}}),
}


def _rows(tree, cells, depth, group):
    """The matrix that takes leaves × cells to a query group of a level."""
    unit = np.eye(len(tree.leaves) * cells.size).reshape(-1, len(tree.leaves), cells.size)
    return np.stack([collapsed(cells, group, sums(tree, one)[depth]).reshape(-1) for one in unit], axis=1)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_estimates_and_deviations_are_those_of_dense_least_squares(case):
    tree, cells, shares, queries = case
    dice = np.random.default_rng(7)
    leaves = dice.poisson(5, (len(tree.leaves), cells.size))
    sigmas = sigmas_of(tree, cells, 1.0, shares, queries)
    noisy = noisy_of(tree, cells, leaves, sigmas, dice)
    design = np.concatenate([_rows(tree, cells, *one) / sigmas[one] for one in noisy])
    seen = np.concatenate([noisy[one].reshape(-1) / sigmas[one] for one in noisy])
    wanted = np.linalg.lstsq(design, seen, rcond=None)[0]
    covariance = np.linalg.inv(design.T @ design)

    known = precision(tree, cells, sigmas)
    found = combine(tree, cells, known, sigmas, noisy)
    for depth, level in enumerate(tree.levels):
        for group in cells.groups:
            rows = _rows(tree, cells, depth, group)
            ours = collapsed(cells, group, found.final[depth]).reshape(-1)
            assert ours == pytest.approx(rows @ wanted, abs=1e-8)
            spread = np.sqrt(np.einsum("ij,jk,ik->i", rows, covariance, rows)).reshape(len(level), -1)
            stated = deviation(cells, group, known.variance[depth])
            assert np.repeat(stated, spread.shape[1]).reshape(spread.shape) == pytest.approx(spread, rel=1e-9)


def test_the_weights_of_sums_make_up_the_precision_of_a_table():
    tree = tree_of(2)
    sigmas = sigmas_of(tree, CELLS)
    costs = weights(CELLS, precision(tree, CELLS, sigmas).subtree[1])
    for depth, group in sigmas:
        if depth == 1:
            assert costs[group] == pytest.approx(np.full(2, 1 / sigmas[1, group] ** 2))
    uneven = precision(tree_of(2, [1, 7]), CELLS, sigmas_of(tree_of(2, [1, 7]), CELLS))
    assert all(np.all(cost >= 0) for cost in weights(CELLS, uneven.subtree[0]).values())


def test_more_measurements_never_make_an_estimate_worse():
    tree = tree_of(3, 4)
    sigmas = sigmas_of(tree, CELLS)
    known = precision(tree, CELLS, sigmas)
    for (depth, group), sigma in sigmas.items():
        assert np.all(deviation(CELLS, group, known.variance[depth]) < sigma)
