"""Which few of very many to look at: repeatable choices, spread like random ones.

An audit is for its owner and must give the same figures twice, so choices are read off a hash of a name and not
drawn. They protect nobody, and nothing secret may be made from them.
"""

from __future__ import annotations

import hashlib
from math import comb

import numpy as np
from numpy.typing import NDArray


def whole_numbers(name: str, length: int, below: int) -> NDArray[np.int64]:
    """Whole numbers in 0 … below - 1, evenly spread (to within 2**-64 · below)."""
    digest = hashlib.shake_128(name.encode()).digest(8 * length)
    halves = np.frombuffer(digest, "<u8")
    # The high part of a 64 by 32 bit product: a number below 2**32 without a remainder's bias.
    high, low = halves >> np.uint64(32), halves & np.uint64(2**32 - 1)
    wide = np.uint64(below)
    return ((high * wide + ((low * wide) >> np.uint64(32))) >> np.uint64(32)).astype(np.int64)


def row_pairs(
    name: str, counts: NDArray[np.int64], pairs: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Ordered pairs of different rows, each pair alike, as positions of their tuples."""
    rows = int(counts.sum())
    first = whole_numbers(f"{name} first", pairs, rows)
    second = whole_numbers(f"{name} second", pairs, rows - 1)
    second += second >= first
    ends = np.cumsum(counts)
    return np.searchsorted(ends, first, side="right"), np.searchsorted(ends, second, side="right")


def subsets(name: str, width: int, size: int, number: int) -> list[tuple[int, ...]]:
    """Different subsets of 0 … width - 1 of one size; `number` must not be above half of all there are."""
    chosen: dict[tuple[int, ...], None] = {}
    turn = 0
    number = min(number, comb(width, size))
    while len(chosen) < number:
        order = np.argsort(whole_numbers(f"{name} {turn}", width, 2**31), kind="stable")
        chosen.setdefault(tuple(sorted(int(j) for j in order[:size])))
        turn += 1
    return list(chosen)
