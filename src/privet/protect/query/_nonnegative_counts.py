"""Counts without negative ones, fitted to noisy counts: post-processing, which costs nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def nonnegative(noisy: NDArray[Any]) -> NDArray[np.float64]:
    """The non-negative counts with the same sum that are nearest to the noisy ones, in squares.

    All are lowered by one amount and what falls below zero is cut there (projection onto a simplex; Held, Wolfe and
    Crowder 1974). A sum that is not positive leaves nothing but zeros.
    """
    values = np.asarray(noisy, np.float64)
    total = float(values.sum())
    if total <= 0 or not len(values):
        return np.zeros_like(values)
    falling = np.sort(values)[::-1]
    excess = (np.cumsum(falling) - total) / np.arange(1, len(values) + 1)
    kept = int(np.flatnonzero(falling > excess)[-1])
    fitted: NDArray[np.float64] = np.maximum(values - excess[kept], 0.0)
    return fitted
