"""The quadratic fit against an oracle that tries every set of empty cells."""

import itertools

import numpy as np
import pytest
from tests.protect.tabulate.spines import CELLS

from privet.protect.tabulate import _quadratic_fit as fitting
from privet.protect.tabulate._quadratic_fit import fit
from privet.protect.tabulate._sibling_family import Family
from privet.protect.tabulate._table_cells import TableCells

PAIR = TableCells(("sex", "age"), (("f", "m"), (0, 1)))


def _weights(dice, children):
    return {group: dice.uniform(0.2, 2, children) * (group != (0,)) for group in PAIR.groups}


def _dense(family, child):
    """The weights of one child as a matrix over its cells."""
    total = np.zeros((4, 4))
    for group, weight in family.weights.items():
        entry = PAIR.into(group)
        total += weight[child] * (entry[:, None] == entry[None, :])
    return total


def _family(seed, *, parent=True, exact=False, closed=False):
    dice = np.random.default_rng(seed)
    truth = dice.poisson(1.5, (2, 4))
    allowed = np.ones((2, 4), bool)
    if closed:
        truth[0, 1] = 0
        allowed[0, 1] = False
    wanted = truth + dice.normal(0, 2, truth.shape)
    exact_counts = {(): truth.sum(axis=1, keepdims=True)} if exact else {}
    return Family(
        PAIR, wanted, _weights(dice, 2), allowed, truth.sum(axis=0) if parent else None, exact_counts
    )


def _cost(family, table):
    gap = table - family.wanted
    return sum(float(gap[child] @ _dense(family, child) @ gap[child]) for child in range(len(gap)))


def _oracle(family):
    """The least cost over all sets of variables held at zero, each solved by its optimality conditions."""
    sums, values = family.equalities
    dense = sums.toarray()
    full = np.zeros((family.size, family.size))
    child, cell = family.places
    for a, b in itertools.product(range(family.size), repeat=2):
        if child[a] == child[b]:
            full[a, b] = _dense(family, child[a])[cell[a], cell[b]]
    # Cells that are not variables still pull, through the weights, with their fixed value of zero.
    pull = np.zeros(family.size)
    for a in range(family.size):
        pull[a] = _dense(family, child[a])[cell[a]] @ family.wanted[child[a]]
    best, found = np.inf, None
    for held in itertools.product([False, True], repeat=family.size):
        free = ~np.array(held)
        kkt = np.block(
            [
                [full[np.ix_(free, free)], dense[:, free].T],
                [dense[:, free], np.zeros((len(values), len(values)))],
            ]
        )
        solved = np.linalg.lstsq(kkt, np.concatenate([pull[free], values]), rcond=None)[0]
        table = np.zeros(family.size)
        table[free] = solved[: free.sum()]
        if table.min() >= -1e-9 and np.allclose(dense @ table, values, atol=1e-7):
            cost = _cost(family, family.table(table))
            if cost < best:
                best, found = cost, family.table(table)
    return best, found


KINDS = {
    "parent": {},
    "top": {"parent": False},
    "exact totals": {"exact": True},
    "top with an exact total": {"parent": False, "exact": True},
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_the_fit_is_the_best_there_is(kind, seed):
    family = _family(seed, **kind)
    best, wanted = _oracle(family)
    found = fit(family)
    assert found == pytest.approx(wanted, abs=5e-3)
    assert _cost(family, found) == pytest.approx(best, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("seed", range(4))
def test_impossible_cells_stay_empty(seed):
    family = _family(seed, closed=True, exact=True)
    _, wanted = _oracle(family)
    found = fit(family)
    assert found[0, 1] == 0
    assert found == pytest.approx(wanted, abs=5e-3)


def test_a_population_of_billions_is_fitted_to_the_person():
    dice = np.random.default_rng(1)
    truth = dice.poisson(3e8, (5, 6))
    wanted = truth + dice.normal(0, 2, truth.shape)
    family = Family(CELLS, wanted, {CELLS.detailed: np.ones(5)}, np.ones((5, 6), bool), truth.sum(axis=0), {})
    found = fit(family)
    assert np.abs(found - wanted).max() < 10
    assert found.sum(axis=0) == pytest.approx(truth.sum(axis=0), abs=1e-3)


def test_a_solver_that_gives_up_is_not_believed(monkeypatch):
    monkeypatch.setattr(fitting, "_ITERATIONS", 1)
    assert fit(_family(0)) is None


def test_a_solution_that_does_not_add_up_is_not_believed(monkeypatch):
    monkeypatch.setattr(fitting, "_solved", lambda family, start: np.zeros(family.size))
    assert fit(_family(0)) is None
