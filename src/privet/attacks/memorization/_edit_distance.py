"""Levenshtein's distance between many pairs of token sequences at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def edit_distances(these: NDArray[np.int64], those: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many tokens are to be put in, taken out or exchanged, for each pair of rows (Levenshtein 1966)."""
    pairs, wide = these.shape[0], those.shape[1]
    above = np.tile(np.arange(wide + 1, dtype=np.int64), (pairs, 1))
    for row in range(these.shape[1]):
        here = np.empty_like(above)
        here[:, 0] = row + 1
        exchanged = above[:, :-1] + (these[:, row, None] != those)
        cheaper = np.minimum(exchanged, above[:, 1:] + 1)
        for column in range(wide):
            here[:, column + 1] = np.minimum(cheaper[:, column], here[:, column] + 1)
        above = here
    return above[:, -1]
