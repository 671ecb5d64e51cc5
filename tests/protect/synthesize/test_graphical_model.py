"""The graphical model: beliefs against brute force, and a fit that finds what exact measurements determine."""

import numpy as np
import pytest

from privet.protect.synthesize._graphical_model import NoisyMarginal, estimated_total, fitted, propagated
from privet.protect.synthesize._junction_tree import junction_tree

SIZES = (3, 2, 4, 2)


def joint(seed):
    draws = np.random.default_rng(seed)
    table = draws.gamma(0.5, size=SIZES)
    return table * (1000 / table.sum())


def marginal(table, columns):
    return table.sum(axis=tuple(at for at in range(table.ndim) if at not in columns)).reshape(-1)


@pytest.mark.parametrize(
    "measured", [[(0, 1), (1, 2), (2, 3)], [(0, 1), (0, 2), (1, 2)], [(0, 1)], [(0, 3), (1, 2)]]
)
def test_beliefs_are_those_of_the_whole_table(measured) -> None:
    draws = np.random.default_rng(7)
    tree = junction_tree(measured, SIZES)
    potentials = [draws.normal(size=[SIZES[at] for at in clique]) for clique in tree.cliques]
    whole = np.zeros(SIZES)
    for clique, potential in zip(tree.cliques, potentials, strict=True):
        whole += potential.reshape([SIZES[at] if at in clique else 1 for at in range(4)])
    whole = np.exp(whole)
    whole *= 500 / whole.sum()
    for clique, belief in zip(tree.cliques, propagated(tree, potentials, 500.0), strict=True):
        assert belief.reshape(-1) == pytest.approx(marginal(whole, clique), abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_exact_measurements_are_met(seed) -> None:
    truth = joint(seed)
    sets = [(0, 1), (1, 2), (2, 3), (0,)]
    model = fitted([NoisyMarginal(one, marginal(truth, one), 1.0) for one in sets], SIZES, iterations=3000)
    assert model.total == pytest.approx(1000)
    for one in sets:
        found = model.marginal(one)
        assert np.abs(found - marginal(truth, one)).sum() < 5
    assert model.marginal((0, 3)) is None


def test_a_warm_start_goes_on_where_the_other_ended() -> None:
    truth = joint(1)
    first = [NoisyMarginal((at,), marginal(truth, (at,)), 1.0) for at in range(4)]
    single = fitted(first, SIZES, iterations=300)
    both = [*first, NoisyMarginal((0, 2), marginal(truth, (0, 2)), 1.0)]
    warm = fitted(both, SIZES, before=single, iterations=0)
    for at in range(4):
        assert warm.marginal((at,)) == pytest.approx(single.marginal((at,)))
    apart = np.outer(single.marginal((0,)), single.marginal((2,))).reshape(-1) / 1000
    assert warm.marginal((0, 2)) == pytest.approx(apart)
    better = fitted(both, SIZES, before=single, iterations=30).marginal((0, 2))
    wanted = marginal(truth, (0, 2))
    assert np.abs(better - wanted).sum() < 0.2 * np.abs(apart - wanted).sum()


def test_repeated_measurements_are_averaged_by_their_precision() -> None:
    twice = [
        NoisyMarginal((0,), np.array([10.0, 30.0]), 1.0),
        NoisyMarginal((0,), np.array([20.0, 20.0]), 3.0),
    ]
    model = fitted(twice, (2,), iterations=2000)
    assert model.marginal((0,)) == pytest.approx([11.0, 29.0], abs=0.2)


def test_nothing_is_put_where_nothing_can_be() -> None:
    never = np.zeros((3, 2), bool)
    never[0, 1] = True
    measured = [NoisyMarginal((0,), np.full(3, 100.0), 1.0), NoisyMarginal((1,), np.full(2, 150.0), 1.0)]
    model = fitted(measured, (3, 2), iterations=200, zeros={(0, 1): never.reshape(-1)})
    table = model.marginal((0, 1)).reshape(3, 2)
    assert table[0, 1] < 1e-6
    assert table.sum() == pytest.approx(300)


def test_negative_counts_and_no_rows_are_survived() -> None:
    measured = [NoisyMarginal((at,), np.full(SIZES[at], -50.0), 10.0) for at in range(4)]
    model = fitted(measured, SIZES)
    assert model.total == pytest.approx(1)
    assert all(np.isfinite(belief).all() for belief in model.beliefs)


def test_the_total_is_weighed_by_precision() -> None:
    sharp, dull = NoisyMarginal((0,), np.array([100.0]), 1.0), NoisyMarginal((1,), np.array([0.0]), 1000.0)
    assert estimated_total([sharp, dull]) == pytest.approx(100, abs=0.01)


def test_a_cell_that_is_rare_in_one_clique_and_common_in_the_other_keeps_its_share() -> None:
    """exp(-740) underflows: scaled by the largest of the whole clique, half of the people would become nobody."""
    tree = junction_tree([(0, 1), (1, 2)], (2, 2, 2))
    tilt = {0: np.array([[0.0, 740.0], [0.0, 740.0]]), 1: np.array([[0.0, 0.0], [-740.0, -740.0]])}
    with np.errstate(all="raise", under="ignore"):
        beliefs = propagated(tree, [tilt[0], tilt[1]], 80.0)
    for belief in beliefs:
        assert belief == pytest.approx(np.full((2, 2), 20.0))
