"""Fractional tables that are not negative and add up: one quadratic programme for each family, solved by OSQP.

Everything declared is an equality. A heavy penalty instead of an equality makes a first-order solver return a poor
answer without complaint, so none is used; and what the solver returns is measured before it is believed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.protect.release.spine.family import Family, Reals

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
    """Solve for the distance from `start`: then numbers are of the size of the noise, not of the population."""
    import osqp
    from scipy.sparse import csc_array, csc_matrix, eye_array, vstack

    quadratic, pull = _objective(family, start)
    sums, values = family.equalities
    constraints = csc_matrix(csc_array(vstack([sums, eye_array(family.size)])))
    lower = np.concatenate([values - sums @ start, -start])
    upper = np.concatenate([values - sums @ start, np.full(family.size, np.inf)])
    solver = osqp.OSQP()
    solver.setup(
        quadratic,
        pull,
        constraints,
        lower,
        upper,
        verbose=False,
        eps_abs=_ACCURATE,
        eps_rel=_ACCURATE,
        max_iter=_ITERATIONS,
        polishing=False,
    )
    result = solver.solve(raise_error=False)
    moved = np.asarray(result.x, np.float64)
    if result.info.status_val not in _SOLVED or not np.all(np.isfinite(moved)):
        return None
    return start + moved


def _objective(family: Family, start: Reals) -> tuple[Any, Reals]:
    """The upper triangle of the weights, one block a child, scaled to 1, and the gradient at `start`."""
    from scipy.sparse import coo_array, csc_matrix

    counts = family.allowed.sum(axis=1)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    rows, columns, entries = [], [], []
    pull = np.zeros(family.size)
    scale = float(np.mean(np.diagonal(family.weights, axis1=1, axis2=2)))
    for child, open_cells in enumerate(family.allowed):
        first, last = offsets[child], offsets[child + 1]
        weights = family.weights[child][open_cells] / scale
        block = weights[:, open_cells]
        across, down = np.nonzero(np.triu(np.ones(block.shape, bool)))
        rows.append(across + first)
        columns.append(down + first)
        entries.append(block[across, down])
        # Impossible cells pull as well: what was estimated for them lies in the others.
        at_start = np.zeros(len(open_cells))
        at_start[open_cells] = start[first:last]
        pull[first:last] = weights @ (at_start - family.wanted[child])
    index: tuple[NDArray[Any], NDArray[Any]] = (np.concatenate(rows), np.concatenate(columns))
    matrix = csc_matrix(coo_array((np.concatenate(entries), index), shape=(family.size, family.size)))
    return matrix, pull


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
