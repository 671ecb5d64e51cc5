"""Laplace noise in floating-point numbers, told by its lowest bits.

(Mironov, "On Significance of the Least Significant Bits for Differential Privacy", CCS 2012.)

A generator draws one of finitely many uniform numbers, and the logarithm spreads them unevenly over the numbers that a
computer has: around each exact answer other outputs can occur. One output is then often possible on one input and
impossible on its neighbour, whatever epsilon was aimed at. Noise that is made of whole numbers, or snapped to a grid,
has the same outputs everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NEAREST = 16  # uniform numbers looked at on either side of the one that the noise stands for


def possible(outputs: NDArray[np.float64], exact: float, scale: float, bits: int = 53) -> NDArray[np.bool_]:
    """Which outputs can be `exact` plus or minus scale · log(u) for some u that is a multiple of 2^-bits.

    numpy draws Laplace noise so, with 53 bits.
    """
    values = np.asarray(outputs, float).reshape(len(outputs))
    away = np.abs(values - exact) / scale
    middle = np.rint(np.exp(-away) * 2.0**bits)
    sign = np.where(values < exact, 1.0, -1.0)
    found = np.zeros(len(values), bool)
    for step in range(-_NEAREST, _NEAREST + 1):
        share = (middle + step) / 2.0**bits
        inside = (share > 0) & (share <= 1)
        made = exact + sign * (scale * np.log(np.where(inside, share, 1.0)))
        near = (
            inside
            & ~found
            & (np.abs(made - values) <= 4 * np.spacing(np.maximum(np.abs(values), abs(exact))))
        )
        # Vectorised logarithms differ in the last bit from the one that the noise was drawn with.
        for at in np.flatnonzero(near).tolist():
            found[at] = exact + sign[at] * (scale * math.log(share[at])) == values[at]
    return found


def float_laplace_score(
    here: float, there: float, scale: float, bits: int = 53
) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """A score for `Neighbours`: 1 where an output is possible here and not there, -1 the other way round, else 0."""

    def score(draws: NDArray[np.float64]) -> NDArray[np.float64]:
        one, other = (possible(draws, exact, scale, bits) for exact in (here, there))
        return one.astype(float) - other

    return score
