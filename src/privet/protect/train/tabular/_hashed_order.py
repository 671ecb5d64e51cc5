"""Many rows in an order that only they decide, without comparing them: by 128 bits that are mixed from each row's values.

Rows that are equal have equal bits, and it does not matter which comes first. Rows that differ and share all bits would be left as
the engine gave them; of ten million rows, two do so once in 10^24 tables. A person's place follows from the sum of the bits of
the person's rows, which has no order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.engine import set_aside
from privet.protect.train.tabular._learner_registry import Examples

_BLOCK = 1 << 18  # rows
_SEEDS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1B54A32D192ED03))
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)

Words = NDArray[np.uint64]


def in_order(examples: Examples) -> Examples:
    """The same rows and units in an order that only they decide; rows that lie in a file are set aside anew."""
    return _hashed(examples) if isinstance(examples.codes, np.memmap) else examples.in_order()


def _hashed(examples: Examples) -> Examples:
    words = [_words(examples, seed) for seed in _SEEDS]
    owner = examples.owner
    if owner is None:
        order = np.lexsort((words[1], words[0]))
    else:
        sums = [_sums(_mixed(word), owner, examples.units) for word in words]
        place = np.empty(examples.units, dtype=np.int64)
        place[np.lexsort((sums[1], sums[0]))] = np.arange(examples.units)
        owner = place[owner]
        order = np.lexsort((words[1], words[0], owner))
        owner = owner[order]
    starts = range(0, max(1, len(order)), _BLOCK)
    codes, target = set_aside(
        (examples.codes[order[start : start + _BLOCK]], examples.target[order[start : start + _BLOCK]])
        for start in starts
    )
    return Examples(codes, target, owner)


def _words(examples: Examples, seed: np.uint64) -> Words:
    """64 bits of each row: its values go in one after the other."""
    found = np.empty(len(examples), dtype=np.uint64)
    for start in range(0, len(found), _BLOCK):
        here = slice(start, start + _BLOCK)
        codes = np.asarray(examples.codes[here])
        word = _mixed(np.asarray(examples.target[here], dtype=np.float64).view(np.uint64) ^ seed)
        for at in range(codes.shape[1]):
            word = _mixed(word + seed ^ codes[:, at].astype(np.uint64))
        found[here] = word
    return found


def _mixed(word: NDArray[Any]) -> Words:
    """Every bit depends on every bit (Steele et al. 2014, SplitMix)."""
    word = (word ^ (word >> np.uint64(30))) * _FIRST
    word = (word ^ (word >> np.uint64(27))) * _SECOND
    return np.asarray(word ^ (word >> np.uint64(31)))


def _sums(words: Words, owner: NDArray[np.int64], units: int) -> Words:
    """Of each unit, modulo 2^64."""
    found = np.zeros(units, dtype=np.uint64)
    np.add.at(found, owner, words)
    return found
