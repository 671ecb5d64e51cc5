"""Toeplitz strategies for noise that correlates over steps: their coefficients, and how far one unit moves what they encode.

Noise C⁻¹z on the vectors of all steps is independent noise z on C times those vectors (the matrix mechanism: Li, Miklau, Hay,
McGregor, Rastogi 2015; for steps that depend on earlier answers Denisov, McMahan, Rush, Smith, Thakurta 2022). C is lower
triangular with the same coefficients c_0 = 1 >= c_1 >= … >= 0 in every column. Near the best for running sums is the root of the
matrix of ones, 1, 1/2, 3/8, 5/16, … (Fichtenberger, Henzinger, Upadhyay 2023), of which one keeps few coefficients: of C (the
banded root: Kalinin, Lampert 2024) or of its inverse (the banded inverse root: Kalinin, McKenna, Upadhyay, Lampert 2025).

Coefficients are whole multiples of 2^-31: so they are the same on every machine, floats hold them exactly, and sums of
their products in 64 bits too.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

UNIT = 2**31
_WIDE = 128  # bits in which the closed forms are stepped through
_SHIFT = _WIDE - 31


@lru_cache(maxsize=32)
def root_coefficients(bands: int) -> tuple[int, ...]:
    """The first coefficients of (1 - x)^(-1/2), binomial(2j, j) / 4^j, rounded up: 1, 1/2, 3/8, 5/16, and so on."""
    value, found = 1 << _WIDE, [UNIT]
    for j in range(1, bands):
        value = value * (2 * j - 1) // (2 * j)
        found.append(-(-value >> _SHIFT))
    return tuple(found)


@lru_cache(maxsize=32)
def inverse_root_coefficients(bands: int) -> tuple[int, ...]:
    """The first coefficients of (1 - x)^(1/2) without their sign, rounded down: 1, (-)1/2, (-)1/8, (-)1/16, ….

    All but the first are negative, and add up to less than one.
    """
    value, found = 1 << _WIDE, [UNIT]
    for j in range(1, bands):
        value = value if j == 1 else value * (2 * j - 3)
        value //= 2 * j
        found.append(value >> _SHIFT)
    return tuple(found)


@lru_cache(maxsize=32)
def encoded_by_inverse(bands: int, steps: int) -> NDArray[np.int64]:
    """The column of C whose inverse has `inverse_root_coefficients(bands)`, each entry rounded up.

    c_t is the sum of f_j c_(t-j) over j = 1 … bands - 1, with f_j the coefficients of the inverse without their sign. What is
    added has no sign and adds up to less than 2^62. The column does not rise: beyond the bands each difference is a mean of
    differences before it with weights f_j, and up to there it is looked at (`is_falling`).
    """
    import numpy as np

    taken = np.array(inverse_root_coefficients(bands)[:0:-1], dtype=np.int64)
    found = np.zeros(steps, dtype=np.int64)
    found[0] = UNIT
    for t in range(1, steps):
        own = found[max(0, t - len(taken)) : t]
        found[t] = -(-int(own @ taken[len(taken) - len(own) :]) // UNIT) if len(own) else 0
    found.setflags(write=False)
    return found


@lru_cache(maxsize=32)
def is_falling(bands: int) -> bool:
    """Whether the exact column that `encoded_by_inverse` rounds falls over its bands; then it falls everywhere.

    Stepped through in 128 bits once rounded down and once rounded up, which enclose it.
    """
    taken = inverse_root_coefficients(bands)[1:]
    low, high = [1 << _WIDE], [1 << _WIDE]
    for t in range(1, bands):
        below = sum(f * c for f, c in zip(taken, reversed(low), strict=False))
        above = sum(f * c for f, c in zip(taken, reversed(high), strict=False))
        low.append(below // UNIT)
        high.append(-(-above // UNIT))
        if high[t] > low[t - 1]:
            return False
    return True


def moved_squares(column: NDArray[np.int64], steps: int, participations: int, separation: int) -> int:
    """The squared L2 sensitivity of C x in units of 2^-62, where a unit moves each of its steps by a vector no longer than 1.

    A unit takes part in at most `participations` steps, any two of them at least `separation` apart. As columns do not rise and have
    no negative entries, their products are largest where steps are as early and as close as allowed: the sum of the columns
    0, separation, 2 separation, … is what moves farthest (Kalinin, Lampert 2024, Theorem 2; Choquette-Choo et al. 2023 where
    columns do not overlap). Exact for the column given.
    """
    import numpy as np

    rows = -(-steps // separation)
    whole = np.zeros(rows * separation, dtype=np.int64)
    whole[: min(len(column), steps)] = column[:steps]
    sums = np.cumsum(whole.reshape(rows, separation), axis=0)
    if participations < rows:
        sums[participations:] -= sums[: rows - participations].copy()
    return sum(value * value for value in sums.reshape(-1)[:steps].tolist())


def inverse_response(coefficients: tuple[int, ...], steps: int, *, is_inverse: bool) -> NDArray[np.float64]:
    """The first column of C⁻¹, for error bars."""
    import numpy as np
    from scipy.signal import lfilter

    signed = np.array(coefficients, dtype=np.float64) / UNIT
    pulse = np.zeros(steps)
    pulse[0] = 1.0
    if is_inverse:
        signed[1:] *= -1
        return np.asarray(lfilter(signed, [1.0], pulse))
    return np.asarray(lfilter([1.0], signed, pulse))
