"""A witness that keeps everything declared is found, or everything is refused before it costs anything."""

import numpy as np
import pytest
from tests.protect.tabulate.spines import CELLS, invariant_of, tree_of

from privet.errors import BadInvariant
from privet.protect.tabulate import _feasibility as feasibility
from privet.protect.tabulate._feasibility import FeasibleWitness, find_witness, nearest
from privet.protect.tabulate._invariants import Invariant, collapsed, gather
from privet.protect.tabulate._table_cells import TableCells

TREE = tree_of(2, 2)


def test_contradictions_that_only_a_solver_sees_are_refused():
    """Women by level and the young by level, where young women cannot be and everybody else is ruled out."""
    by_sex = Invariant(
        "level0", {(0, "f"): 3, (0, "m"): 0, (1, "f"): 0, (1, "m"): 0}, origin="x", columns=("sex",)
    )
    ages = {(place, age): 0 for place in (0, 1) for age in CELLS.values[1]} | {(0, "young"): 3}
    by_age = Invariant("level0", ages, origin="x", columns=("age",))
    possible = gather(TREE, CELLS, [by_sex, by_age], [])
    assert find_witness(TREE, CELLS, possible).leaves.sum() == 3
    closed = gather(TREE, CELLS, [by_sex, by_age], [{"sex": "f", "age": "young", "level0": 0}])
    with pytest.raises(BadInvariant, match="no table was found"):
        find_witness(TREE, CELLS, closed)


def test_a_witness_of_a_large_table_is_found_at_once():
    """Sums that nest have whole corners: no branching, however many cells there are."""
    wide = TableCells(("a", "b", "c"), tuple(tuple(range(n)) for n in (8, 4, 63)))
    leaves = np.random.default_rng(0).poisson(0.1, (4, wide.size))
    facts = gather(TREE, wide, [invariant_of(TREE, wide, leaves, "level1", ("a",))], [])
    found = find_witness(TREE, wide, facts).leaves
    assert np.array_equal(collapsed(wide, (0,), found), collapsed(wide, (0,), leaves))


LEAVES = np.arange(24).reshape(4, 6)


def test_without_declared_counts_the_nearest_is_rounding():
    facts = gather(TREE, CELLS, [], [{"sex": "f", "age": "young"}])
    wanted = np.full((4, 6), 2.6)
    wanted[1, 3] = -7.2
    found = nearest(TREE, CELLS, facts, wanted, find_witness(TREE, CELLS, facts))
    assert found[:, 0].tolist() == [0, 0, 0, 0], "an impossible cell"
    assert found[1, 3] == 0
    assert found.sum() == 3 * (4 * 5 - 1)


def test_the_nearest_keeps_what_is_declared_and_moves_no_more_than_it_must():
    facts = gather(TREE, CELLS, [invariant_of(TREE, CELLS, LEAVES, "level1")], [])
    witness = find_witness(TREE, CELLS, facts)
    assert witness.leaves.sum(axis=1).tolist() == LEAVES.sum(axis=1).tolist()
    assert np.array_equal(nearest(TREE, CELLS, facts, LEAVES.astype(float), witness), LEAVES)
    wanted = LEAVES.astype(float)
    wanted[0, 0] += 2  # the total of the first leaf is declared: two units have to go elsewhere
    found = nearest(TREE, CELLS, facts, wanted, witness)
    assert found.sum(axis=1).tolist() == LEAVES.sum(axis=1).tolist()
    assert np.abs(found - wanted).sum() == pytest.approx(2)


def test_a_table_that_breaks_a_fact_is_not_believed(monkeypatch):
    """Whatever the solver says is counted once more; the witness is what is left to fall back on."""
    facts = gather(TREE, CELLS, [invariant_of(TREE, CELLS, LEAVES, "level0")], [])
    witness = FeasibleWitness(LEAVES)
    for wrong in (np.zeros(24), np.full(24, -1.0), LEAVES.reshape(-1) + np.eye(1, 24)[0]):
        monkeypatch.setattr(feasibility, "nearest_whole", lambda *_, found=wrong: found)
        assert nearest(TREE, CELLS, facts, LEAVES.astype(float), witness) is LEAVES
        with pytest.raises(BadInvariant, match="no table was found"):
            find_witness(TREE, CELLS, facts)
