"""A junction tree: every measurement inside a clique, and the running-intersection property."""

import itertools

import numpy as np
import pytest

from privet.protect.synthesize._junction_tree import cells_of, junction_tree, model_cells


@pytest.mark.parametrize("seed", range(20))
def test_measured_sets_lie_in_cliques_and_columns_hang_together(seed) -> None:
    draws = np.random.default_rng(seed)
    sizes = draws.integers(2, 9, 8).tolist()
    pairs = list(itertools.combinations(range(8), 2))
    measured = [pairs[at] for at in draws.choice(len(pairs), 9, replace=False)]
    tree = junction_tree(measured, sizes)
    assert all(tree.home(one) >= 0 for one in measured)
    assert {column for clique in tree.cliques for column in clique} == set(range(8))
    assert all(parent < at for at, parent in enumerate(tree.parents))
    for column in range(8):
        holding = [at for at, clique in enumerate(tree.cliques) if column in clique]
        # One clique is the top of those that hold a column; every other has its parent among them.
        assert sum(tree.parents[at] not in holding for at in holding) == 1
    assert tree.cells == model_cells(measured, sizes)


def test_columns_that_nothing_ties_are_parts_of_their_own() -> None:
    tree = junction_tree([(0, 1)], [2, 3, 4])
    assert set(tree.cliques) == {(0, 1), (2,)}
    assert tree.parents.count(-1) == 2
    assert tree.home((1, 2)) == -1
    assert cells_of((0, 1), [2, 3, 4]) == 6


def test_the_smallest_home_is_found() -> None:
    tree = junction_tree([(0, 1, 2), (2, 3)], [9, 9, 2, 2])
    assert tree.cliques[tree.home((2,))] == (2, 3)
