"""Small spines for the tests: trees, tables, and the whole descent from made-up noise."""

from __future__ import annotations

import itertools
import math

import numpy as np

from privet.protect.tabulate._feasibility import find_witness
from privet.protect.tabulate._invariants import Invariant, collapsed, gather, summed
from privet.protect.tabulate._measurement_strategy import make_strategy
from privet.protect.tabulate._spine_tree import make_tree
from privet.protect.tabulate._table_cells import TableCells
from privet.protect.tabulate._top_down import descend
from privet.protect.tabulate._weighted_estimates import combine, precision

CELLS = TableCells(("sex", "age"), (("f", "m"), ("young", "middle", "old")))


def tree_of(*widths):
    """A tree whose places at each level have so many children; `widths` may hold lists for uneven ones."""
    places = [()]
    for width in widths:
        sizes = width if isinstance(width, list) else [width] * len(places)
        places = [(*place, child) for place, size in zip(places, sizes, strict=True) for child in range(size)]
    return make_tree([f"level{at}" for at in range(len(widths))], places)


def sums(tree, leaves):
    """The table of every level."""
    return [summed(leaves, tree.of_leaves(depth), len(level)) for depth, level in enumerate(tree.levels)]


def sigmas_of(tree, cells, rho=1.0, shares=None, queries=None):
    strategy = make_strategy(tree, cells, shares, queries)
    return {one: math.sqrt(1 / (2 * rho * float(share))) for one, share in strategy.shares}


def noisy_of(tree, cells, leaves, sigmas, dice):
    tables = sums(tree, leaves)
    found = {}
    for (depth, group), sigma in sigmas.items():
        exact = collapsed(cells, group, tables[depth])
        found[depth, group] = np.rint(exact + dice.normal(0, sigma, exact.shape)).astype(np.int64)
    return found


def invariant_of(tree, cells, leaves, level, columns=()):
    """The true counts of a level, declared exact."""
    depth, group = tree.depth(level), cells.group(columns or "total")
    table = collapsed(cells, group, sums(tree, leaves)[depth])
    values = {}
    for at, place in enumerate(tree.levels[depth].places):
        for entry, parts in enumerate(itertools.product(*(cells.values[axis] for axis in group))):
            values[*place, *parts] = int(table[at, entry])
    return Invariant(level, values, origin="declared by a test", columns=columns)


def run(tree, cells, leaves, *, seed=0, rho=1.0, invariants=(), zeros=()):
    """Noise, estimates and the descent, with everything they rest on."""
    dice = np.random.default_rng(seed)
    facts = gather(tree, cells, invariants, zeros)
    sigmas = sigmas_of(tree, cells, rho)
    known = precision(tree, cells, sigmas)
    noisy = noisy_of(tree, cells, leaves, sigmas, dice)
    estimates = combine(tree, cells, known, sigmas, noisy)
    witness = find_witness(tree, cells, facts)
    return facts, noisy, estimates, descend(tree, cells, facts, known, estimates, witness=witness)
