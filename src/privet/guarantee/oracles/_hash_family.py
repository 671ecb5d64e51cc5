"""The public hash functions of local hashing and of sketches: strongly universal multiply-shift on 64 bits.

    h(x) = floor(range · floor((a·x + b mod 2^64) / 2^32) / 2^32)

With a and b uniform, the upper 32 bits of two different values below 2^32 are uniform and independent (Dietzfelbinger
1996, Theorem 3), which is all that the variances rest on. A function is named by one 64-bit seed, from which a and b are
mixed. It is keyed by a published seed and never by data; nothing here is secret or random.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_MASK = 2**64 - 1
_GOLDEN = 0x9E3779B97F4A7C15
_SECOND = 0xD1B54A32D192ED03
_PART = 1 << 15  # words at once: they stay in the processor's cache


def mixed(x: Any) -> Any:
    """The finaliser of SplitMix64 (Steele, Lea and Flood 2014), on an array of 64-bit words: a bijection."""
    with np.errstate(over="ignore"):
        z = np.asarray(x, np.uint64)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def factors(seeds: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The numbers a and b of the functions with these seeds."""
    with np.errstate(over="ignore"):
        return mixed(seeds + np.uint64(_GOLDEN)), mixed(seeds + np.uint64(_SECOND))


def pool(seed: int, count: int, *, first: int = 0) -> NDArray[np.uint64]:
    """The seeds of so many functions of a specification's public seed, from the first on."""
    places = np.arange(first + 1, first + count + 1, dtype=np.uint64)
    with np.errstate(over="ignore"):
        return np.asarray(mixed(np.uint64(seed & _MASK) + places * np.uint64(_GOLDEN)))


def hashed(seeds: NDArray[np.uint64], values: NDArray[Any], bound: int) -> NDArray[np.int64]:
    """The hash below `bound` of values under functions; arrays are broadcast against each other."""
    a, b = factors(np.asarray(seeds, np.uint64))
    with np.errstate(over="ignore"):
        return _below(np.atleast_1d(a * values.astype(np.uint64, copy=False) + b), bound)


def _below(word: NDArray[np.uint64], bound: int) -> NDArray[np.int64]:
    """Words as hashes below `bound`, in place: they are many, and each copy of them costs as much as a step."""
    word >>= np.uint64(32)
    word *= np.uint64(bound)
    word >>= np.uint64(32)
    return word.view(np.int64)


def pooled(seeds: NDArray[np.uint64], values: NDArray[Any], bound: int) -> NDArray[np.int64]:
    """The same for functions of a public pool: values are mixed first.

    A pool is fixed for a whole collection. Unmixed, values that follow each other would fall together in every function
    whose a is near a simple fraction of 2^64, and an unlucky pool would move the counts of all of them alike.
    """
    with np.errstate(over="ignore"):
        return hashed(seeds, mixed(values.astype(np.uint64) + np.uint64(_GOLDEN)), bound)


def pooled_each(
    seeds: NDArray[np.uint64], chosen: NDArray[np.int64], values: NDArray[Any], bound: int
) -> NDArray[np.int64]:
    """`pooled(seeds[chosen], values, bound)`, with the numbers of each function mixed once and not for each value."""
    a, b = factors(seeds)
    found = np.empty(len(values), np.int64)
    with np.errstate(over="ignore"):
        for start in range(0, len(values), _PART):
            part = slice(start, start + _PART)
            word = mixed(values[part].astype(np.uint64) + np.uint64(_GOLDEN))
            word *= a[chosen[part]]
            word += b[chosen[part]]
            found[part] = _below(word, bound)
    return found


def pool_sums(
    cells: NDArray[Any], seeds: NDArray[np.uint64], values: NDArray[Any], bound: int
) -> NDArray[np.float64]:
    """For each value, the sum over all functions of the cell that the value falls into: row of the function, place of the hash."""
    a, b = factors(seeds)
    flat, rows = np.ascontiguousarray(cells).ravel(), np.arange(len(seeds)) * bound
    step, sums = max(1, _PART // len(seeds)), np.zeros(len(values))
    with np.errstate(over="ignore"):
        marks = mixed(values.astype(np.uint64) + np.uint64(_GOLDEN))
        for start in range(0, len(values), step):
            word = marks[start : start + step, None] * a
            word += b
            places = _below(word, bound)
            places += rows
            sums[start : start + step] = flat[places].sum(axis=1)
    return sums


def window(values: NDArray[np.int64], bound: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Where the words (a·x + b) begin that have this hash, and how many there are."""
    low, high = (-((-(values + more) << 32) // bound) for more in (0, 1))
    with np.errstate(over="ignore"):
        begin = low.astype(np.uint64) << np.uint64(32)
        return begin, (high.astype(np.uint64) << np.uint64(32)) - begin


def text_words(codes: NDArray[np.int64], seed: int) -> NDArray[np.uint64]:
    """One 64-bit word for each row of character codes: a keyed chain of mixings, for values too many to number."""
    with np.errstate(over="ignore"):
        state = np.full(len(codes), np.uint64(seed & _MASK))
        for place in range(codes.shape[1]):
            state = mixed((state ^ (codes[:, place].astype(np.uint64) + np.uint64(1))) + np.uint64(_GOLDEN))
        return state
