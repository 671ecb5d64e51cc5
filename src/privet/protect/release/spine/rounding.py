"""Whole numbers from fractional ones without losing a sum: controlled rounding by an exact integer programme (HiGHS).

Every cell goes to the whole number below or above it, nowhere else, and so do the total and the nested margins of
every child, while all equalities hold exactly. Of all such roundings one nearest in total absolute distance is
taken. Where numerical error leaves none, the margins are let go first; the last step, which always succeeds if
the family has a solution at all, lets cells move as far as they must.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from privet.protect.release.spine.family import Family, Reals, Whole

# A fraction this close to a whole number is that number.
_WHOLE = 1e-6
_SECONDS = 60.0


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
        up = _programme(cost, rows, np.ones(family.size), np.ones(family.size))
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
    from scipy.sparse import csr_array, eye_array, hstack

    size = sums.shape[1]
    if target is None:
        return _programme(np.zeros(size), [(sums, values, values)], np.full(size, np.inf), np.ones(size))
    # Minimise the sum of d over x and d with d >= x - target and d >= target - x.
    unit = eye_array(size)
    rows = [
        (hstack([sums, csr_array(sums.shape)]), values, values),
        (hstack([unit, -unit]), np.full(size, -np.inf), target),
        (hstack([unit, unit]), target, np.full(size, np.inf)),
    ]
    cost = np.concatenate([np.zeros(size), np.ones(size)])
    integral = np.concatenate([np.ones(size), np.zeros(size)])
    found = _programme(cost, rows, np.full(2 * size, np.inf), integral)
    return None if found is None else found[:size]


def _equal(family: Family, lower: Reals) -> tuple[Any, Any, Any]:
    sums, values = family.equalities
    left = values - sums @ lower
    return sums, left, left


def _programme(cost: Reals, rows: list[tuple[Any, Any, Any]], upper: Reals, integral: Reals) -> Reals | None:
    from scipy.optimize import Bounds, LinearConstraint, milp

    constraints = [LinearConstraint(*row) for row in rows if row[0].shape[0]]
    if not len(cost):
        fits = all(np.all((row[1] <= 0) & (row[2] >= 0)) for row in rows)
        return np.zeros(0) if fits else None
    result = milp(
        cost,
        constraints=constraints,
        bounds=Bounds(0, upper),
        integrality=integral,
        options={"time_limit": _SECONDS},
    )
    return None if result.x is None else np.asarray(result.x, np.float64)


def _finished(family: Family, variables: Reals) -> Whole | None:
    table = family.table(np.rint(variables).astype(np.int64))
    return table if family.holds(table) else None
