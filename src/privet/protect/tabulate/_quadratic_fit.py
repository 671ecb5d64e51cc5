"""Fractional tables that are not negative and add up: one quadratic programme for each family, solved by OSQP.

Everything declared is an equality. A heavy penalty instead of an equality makes a first-order solver return a poor
answer without complaint, so none is used; and what the solver returns is measured before it is believed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.protect.tabulate._invariants import collapsed
from privet.protect.tabulate._sibling_family import Family, Reals, stacked, sums_by

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# In persons. Rounding follows, so more digits would be lost again.
_ACCURATE = 1e-4
_USABLE = 1e-2
_ITERATIONS = 20_000
_SOLVED = (1, 2)  # OSQP_SOLVED, OSQP_SOLVED_INACCURATE


def fit(family: Family) -> Reals | None:
    """The table nearest to the wanted one, in the family's weights; None where the solver found none it stands by."""
    if family.size == 0:
        return np.zeros(family.allowed.shape)
    start = np.maximum(family.wanted, 0)[family.allowed]
    found = _solved(family, start)
    if found is None:
        return None
    variables = _raked(family, np.maximum(found, 0))
    return family.table(variables) if _residual(family, variables) <= _USABLE else None


def _solved(family: Family, start: Reals) -> Reals | None:
    """Solve for the distance from `start`: then numbers are of the size of the noise, not of the population.

    The deviation of every sum that has a weight is a variable of its own, so that all matrices stay sparse: with
    them the objective is a diagonal.
    """
    import osqp
    from scipy.sparse import block_array, csc_matrix, diags_array, eye_array

    sums, values = family.equalities
    merged, behind, costs = _merged(family, start)
    own = family.weights[family.cells.detailed][family.places[0]]
    scale = float(np.mean(own))
    pull = np.concatenate([own / scale * (start - family.wanted[family.allowed]), np.zeros(len(costs))])
    constraints = block_array(
        [[sums, None], [-merged, eye_array(len(costs))], [eye_array(family.size), None]], format="csc"
    )
    left = values - sums @ start
    solver = osqp.OSQP()
    solver.setup(
        csc_matrix(diags_array(np.concatenate([own, costs]) / scale)),
        pull,
        csc_matrix(constraints),
        np.concatenate([left, behind, -start]),
        np.concatenate([left, behind, np.full(family.size, np.inf)]),
        verbose=False,
        eps_abs=_ACCURATE,
        eps_rel=_ACCURATE,
        max_iter=_ITERATIONS,
        polishing=False,
    )
    result = solver.solve(raise_error=False)
    moved = np.asarray(result.x, np.float64)[: family.size]
    if result.info.status_val not in _SOLVED or not np.all(np.isfinite(moved)):
        return None
    return start + moved


def _merged(family: Family, start: Reals) -> tuple[csr_array, Reals, Reals]:
    """All weighted sums but single cells: how variables make them up, how far `start` is off, and their weights."""
    child, cell = family.places
    whole = family.table(start)
    rows, behind, costs = [], [], []
    for group, weight in family.weights.items():
        if group != family.cells.detailed and np.any(weight > 0):
            entries = family.cells.group_size(group)
            rows.append(sums_by(child * entries + family.cells.into(group)[cell], len(whole) * entries))
            behind.append(collapsed(family.cells, group, whole - family.wanted).reshape(-1))
            costs.append(np.repeat(weight, entries))
    none = [np.zeros(0)]
    return stacked(rows, family.size), np.concatenate(behind or none), np.concatenate(costs or none)


def _raked(family: Family, variables: Reals) -> Reals:
    """Take out what is left of the residuals by scaling the terms of each sum, a few times over."""
    sums, values = family.equalities
    if not len(values):
        return variables
    parts = _blocks(family)
    for _ in range(20):
        for first, last in parts:
            block, wanted = sums[first:last], values[first:last]
            reached = block @ variables
            factor = np.where(reached > 0, wanted / np.where(reached > 0, reached, 1), 1.0)
            variables = variables * (block.T @ factor)
        if _residual(family, variables) < 1e-9:
            break
    return variables


def _blocks(family: Family) -> list[tuple[int, int]]:
    """The rows of each kind of sum: within a kind every variable is in exactly one."""
    sizes = [] if family.parent is None else [family.cells.size]
    sizes += [counts.size for counts in family.exact.values()]
    ends = np.cumsum(sizes).tolist()
    return list(zip([0, *ends[:-1]], ends, strict=True))


def _residual(family: Family, variables: Reals) -> float:
    sums, values = family.equalities
    return float(np.max(np.abs(sums @ variables - values), initial=0.0))
