"""Whether everything declared can hold at once: answered from public facts, before anything is spent.

A witness, one table of leaves that keeps every declared count and every impossible cell, is found (or shown not
to exist) by HiGHS. It is kept: whatever the noise does later, there is at least one answer to fall back on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privet.errors import BadInvariant
from privet.protect.tabulate._controlled_rounding import nearest_whole
from privet.protect.tabulate._invariants import Facts, collapsed, summed
from privet.protect.tabulate._sibling_family import Reals, Whole, stacked, sums_by
from privet.protect.tabulate._spine_tree import Tree
from privet.protect.tabulate._table_cells import TableCells


@dataclass(frozen=True, eq=False)
class FeasibleWitness:
    """A table of leaves × cells that keeps every public fact."""

    leaves: Whole


def find_witness(tree: Tree, cells: TableCells, facts: Facts) -> FeasibleWitness:
    """A table that keeps everything declared, or a refusal."""
    empty = np.zeros((len(tree.leaves), cells.size), np.int64)
    if not facts.declared:
        return FeasibleWitness(empty)
    found = _solved(tree, cells, facts, None)
    if found is None:
        raise BadInvariant(
            "no table was found that keeps all the exact counts together with the impossible cells.",
            "Correct the counts or the impossible cells; nothing was read or spent.",
        )
    return FeasibleWitness(found)


def nearest(tree: Tree, cells: TableCells, facts: Facts, wanted: Reals, witness: FeasibleWitness) -> Whole:
    """The leaves nearest to what is wanted that keep every public fact; the witness where none is found in time."""
    if not facts.declared:
        return np.where(facts.allowed[-1], np.rint(np.maximum(wanted, 0)), 0).astype(np.int64)
    found = _solved(tree, cells, facts, wanted)
    return witness.leaves if found is None else found


def _solved(tree: Tree, cells: TableCells, facts: Facts, wanted: Reals | None) -> Whole | None:
    """All leaves at once: whole numbers with every declared sum."""
    allowed = facts.allowed[-1]
    leaf, cell = np.nonzero(allowed)
    rows, values = [], []
    for depth, group in facts.declared:
        counts = facts.exact[depth, group]
        keys = tree.of_leaves(depth)[leaf] * cells.group_size(group) + cells.into(group)[cell]
        rows.append(sums_by(keys, counts.size))
        values.append(counts.reshape(-1))
    target = None if wanted is None else np.maximum(wanted, 0)[allowed]
    found = nearest_whole(stacked(rows, len(leaf)), np.concatenate(values), target)
    if found is None:
        return None
    table = np.zeros(allowed.shape, np.int64)
    table[allowed] = np.rint(found).astype(np.int64)
    return table if _keeps(tree, cells, facts, table) else None


def _keeps(tree: Tree, cells: TableCells, facts: Facts, table: Whole) -> bool:
    if np.any(table < 0):
        return False
    return all(
        np.array_equal(
            collapsed(cells, group, summed(table, tree.of_leaves(depth), len(tree.levels[depth]))),
            facts.exact[depth, group],
        )
        for depth, group in facts.declared
    )
