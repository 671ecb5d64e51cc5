"""Where a record's answers lie over shadow models, and how far they spread.

Spreads are estimated from residuals about each record's own centre. With few shadow models a spread of one's own is
nearly noise, so it is shrunk towards the pooled one, as a normal-inverse-gamma prior would.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.errors import BadAttack

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PRIOR = 4.0  # how many shadow models the pooled spread counts for


def centre_and_spread(
    values: NDArray[np.float64], counted: NDArray[np.bool_], variance: str = "shrunk"
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Each record's median over the models that count for it, and the standard deviation about it.

    "own" uses the record's residuals alone, "pooled" all records' together, "shrunk" weighs the two.
    """
    chosen = np.where(counted, values, np.nan)
    centre = np.nanmedian(chosen, axis=0)
    squares = np.nansum((chosen - centre) ** 2, axis=0)
    number = counted.sum(axis=0)
    pooled = squares.sum() / max(float((number - 1).sum()), 1.0)
    match variance:
        case "shrunk":
            spread = (_PRIOR * pooled + squares) / (_PRIOR + number)
        case "pooled":
            spread = np.full(len(centre), pooled)
        case "own":
            spread = squares / number
        case _:
            raise BadAttack("there is no such way to estimate a spread.", "Choose shrunk, pooled or own.")
    return centre, np.sqrt(np.maximum(spread, 1e-12))
