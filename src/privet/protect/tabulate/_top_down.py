"""From the top down: every place's table is divided among its children, in whole numbers, until the leaves are reached.

The top-down idea of the 2020 Census (Abowd and others, The 2020 Census Disclosure Avoidance System TopDown
Algorithm, Harvard Data Science Review 2022). Two things differ. What is fitted for a place is the best estimate
from everything measured at it *and below* it, so that upper levels profit from lower ones; and one weighted
fit takes the place of several passes over ranked queries.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from privet.errors import InternalError
from privet.protect.tabulate._controlled_rounding import round_far, round_near
from privet.protect.tabulate._feasibility import FeasibleWitness, nearest
from privet.protect.tabulate._invariants import Facts, summed
from privet.protect.tabulate._quadratic_fit import fit
from privet.protect.tabulate._sibling_family import Family, Whole
from privet.protect.tabulate._spine_tree import Tree
from privet.protect.tabulate._table_cells import TableCells
from privet.protect.tabulate._weighted_estimates import EstimatePrecision, SpineEstimates, weights


@dataclass(frozen=True)
class Descent:
    """Consistent whole tables for each level, and how many families were solved in which way."""

    tables: tuple[Whole, ...]
    fitted: int
    rounded_far: int
    repaired: bool


def descend(
    tree: Tree,
    cells: TableCells,
    facts: Facts,
    known: EstimatePrecision,
    estimates: SpineEstimates,
    *,
    witness: FeasibleWitness,
    progress: Callable[[str], None] | None = None,
) -> Descent:
    """Tables that add up exactly, keep what was declared, and are never negative.

    Never fails for what the numbers are: a family that cannot be divided as its parent stands is mended by
    solving for all leaves at once, which has a solution because one was known before anything was spent.
    """
    say = progress or (lambda _: None)
    tables: list[Whole] = []
    fitted = far = 0
    for depth, level in enumerate(tree.levels):
        table = np.zeros((len(level), cells.size), np.int64)
        costs = weights(cells, known.subtree[depth])
        exact = facts.at(depth)
        families = tree.families(depth - 1) if depth else [np.zeros(1, np.int64)]
        for parent, children in enumerate(families):
            family = Family(
                cells,
                estimates.subtree[depth][children],
                {group: cost[children] for group, cost in costs.items()},
                facts.allowed[depth][children],
                tables[-1][parent] if depth else None,
                {group: counts[children] for group, counts in exact.items()},
            )
            found, near = divided(family)
            say(f"fitting {level.name}")
            if found is None:
                leaves = nearest(tree, cells, facts, estimates.final[-1], witness)
                return Descent(_added_up(tree, leaves), fitted, far, repaired=True)
            fitted, far = fitted + near, far + (not near)
            table[children] = found
        tables.append(table)
    return Descent(tuple(tables), fitted, far, repaired=False)


def divided(family: Family) -> tuple[Whole | None, bool]:
    """One family in whole numbers, and whether the fit and the near rounding both worked."""
    fractional = fit(family)
    near = None if fractional is None else round_near(family, fractional)
    if near is not None:
        return near, True
    return round_far(family, family.wanted if fractional is None else fractional), False


def _added_up(tree: Tree, leaves: Whole) -> tuple[Whole, ...]:
    tables = [leaves]
    for depth in range(len(tree.levels) - 1, 0, -1):
        tables.insert(0, summed(tables[0], tree.levels[depth].parents, len(tree.levels[depth - 1])))
    return tuple(tables)


def check_consistent(tree: Tree, cells: TableCells, facts: Facts, tables: tuple[Whole, ...]) -> None:
    """The last look before anything is shown: every law of the release, checked again on the finished tables."""
    for depth, level in enumerate(tree.levels):
        whole = Family(
            cells,
            np.zeros((0, 0)),
            {},
            facts.allowed[depth],
            None,
            facts.at(depth),
        )
        above = depth == 0 or np.array_equal(
            summed(tables[depth], level.parents, len(tree.levels[depth - 1])), tables[depth - 1]
        )
        if not (above and whole.holds(tables[depth])):
            raise InternalError("the tables of a spine do not add up.")
