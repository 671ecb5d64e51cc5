"""Texts as 64-bit words, for oracles whose values are too many to number: prefixes, whole texts, and fragments with a check.

The functions are public and keyed by the specification's seed. Whoever reads reports uses the same ones as the devices.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.guarantee.oracles._hash_family import text_words

# Separate functions for texts and prefixes, and for fragments with their checks.
_WORDS, _CHECK = 0x77, 0x63
CHECKS = 256


def text_marks(codes: NDArray[np.int64], seed: int) -> NDArray[np.uint64]:
    """The words of texts or of prefixes of one length, from rows of character codes."""
    return text_words(codes, seed ^ _WORDS)


def text_checks(marks: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The 8-bit check of each text, which joins its fragments."""
    return (marks >> np.uint64(56)).astype(np.int64)


def fragment_marks(checks: Any, codes: NDArray[np.int64], number: int, seed: int) -> NDArray[np.uint64]:
    """The words of fragments with the checks of their texts; each place has functions of its own."""
    return text_words(np.column_stack([checks, codes]), seed ^ _CHECK ^ (number << 16))
