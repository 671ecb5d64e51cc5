"""Identifiers for synthetic rows: they look like identifiers, and nothing of them comes from the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.engine import ColumnKind
from privet.mechanism import Draws

if TYPE_CHECKING:
    import pyarrow as pa

_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # none that is easily taken for another


def surrogates(kind: ColumnKind, rows: int, draws: Draws) -> pa.Array:
    """As many identifiers, all different: numbers for a column of numbers, else texts of nine signs."""
    import pyarrow as pa

    if kind is ColumnKind.INTEGER:
        return pa.array(_different(rows, 10 ** max(6, len(str(rows)) + 2), draws))
    width = 8
    numbers = _different(rows, len(_LETTERS) ** width, draws)
    letters = np.array(list(_LETTERS))
    signs = [letters[numbers // len(_LETTERS) ** at % len(_LETTERS)] for at in range(width)]
    joined = signs[0]
    for one in signs[1:]:
        joined = np.char.add(joined, one)
    return pa.array(np.char.add("S", joined).tolist(), pa.string())


def _different(rows: int, below: int, draws: Draws) -> np.ndarray:
    """Different whole numbers below a bound, in random order."""
    found = np.unique(draws.integers(below // 10, below, rows))
    while len(found) < rows:
        found = np.unique(np.concatenate([found, draws.integers(below // 10, below, rows)]))
    return draws.permutation(found)[:rows]
