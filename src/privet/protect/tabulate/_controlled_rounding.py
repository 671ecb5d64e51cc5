"""Whole numbers from fractional ones without losing a sum: controlled rounding by an exact integer programme (HiGHS).

Every cell goes to the whole number below or above it, nowhere else, and so do the total and the nested margins of
every child, while all equalities hold exactly. Of all such roundings one nearest in total absolute distance is
taken. Where numerical error leaves none, the margins are let go first; the last step, which always succeeds if
the family has a solution at all, lets cells move as far as they must.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from privet.protect.tabulate._sibling_family import Family, Reals, Whole

# A fraction this close to a whole number is that number.
_WHOLE = 1e-6
_SECONDS = 60.0
_INFEASIBLE = 2  # as scipy.optimize.milp reports it


def round_near(family: Family, fitted: Reals) -> Whole | None:
    """The nearest rounding in which nothing moves by 1 or more; None where there is none."""
    lower = np.floor(fitted[family.allowed] + _WHOLE)
    cost = 1 - 2 * np.clip(fitted[family.allowed] - lower, 0, 1)
    for margins in (True, False):
        rows = [_equal(family, lower)]
        if margins:
            reached = np.asarray(family.margins @ fitted[family.allowed])
            floor = np.floor(reached + _WHOLE)
            shift = np.asarray(family.margins @ lower)
            rows.append((family.margins, floor - shift, floor + 1 - shift))
        up = _programme(cost, rows, np.ones(family.size))
        if up is not None:
            return _finished(family, lower + up)
    return None


def round_far(family: Family, wanted: Reals) -> Whole | None:
    """The nearest whole table at any distance; None only where the family has no solution."""
    sums, values = family.equalities
    found = nearest_whole(sums, values, np.maximum(wanted, 0)[family.allowed])
    return None if found is None else _finished(family, found)


def nearest_whole(sums: Any, values: Whole, target: Reals | None) -> Reals | None:
    """Whole numbers, not negative, with the given sums, nearest to a target in total absolute distance.

    Without a target, any that have the sums. None where there are none, or none was found in time.
    """
    from scipy.sparse import hstack

    size = sums.shape[1]
    endless = np.full(size, np.inf)
    if target is None:
        return _programme(np.zeros(size), [(sums, values, values)], endless)
    # From the whole number below the target: down, the one step to the number above, and on up. Between whole
    # numbers the cost is a line, so the programme keeps the structure of the sums.
    lower = np.floor(target + _WHOLE)
    step = 1 - 2 * np.clip(target - lower, 0, 1)
    left = values - sums @ lower
    found = _programme(
        np.concatenate([np.ones(size), step, np.ones(size)]),
        [(hstack([-sums, sums, sums]), left, left)],
        np.concatenate([lower, np.ones(size), endless]),
    )
    if found is None:
        return None
    down, near, up = np.split(found, 3)
    return np.asarray(lower - down + near + up)


def _equal(family: Family, lower: Reals) -> tuple[Any, Any, Any]:
    sums, values = family.equalities
    left = values - sums @ lower
    return sums, left, left


def _programme(cost: Reals, rows: list[tuple[Any, Any, Any]], upper: Reals) -> Reals | None:
    """Whole numbers between zero and `upper` of least cost. Mostly the linear programme has whole corners already."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    constraints = [LinearConstraint(*row) for row in rows if row[0].shape[0]]
    if not len(cost):
        fits = all(np.all((row[1] <= 0) & (row[2] >= 0)) for row in rows)
        return np.zeros(0) if fits else None
    for whole in (0, 1):
        result = milp(
            cost,
            constraints=constraints,
            bounds=Bounds(0, upper),
            integrality=np.full(len(cost), whole),
            options={"time_limit": _SECONDS},
        )
        if result.x is not None and np.max(np.abs(result.x - np.rint(result.x))) < _WHOLE:
            return np.rint(np.asarray(result.x, np.float64))
        if result.status == _INFEASIBLE:
            return None
    return None


def _finished(family: Family, variables: Reals) -> Whole | None:
    table = family.table(np.rint(variables).astype(np.int64))
    return table if family.holds(table) else None
