"""What a search found: what becomes of each distinct tuple, and how sure it is that nothing is better."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from privet.protect.anonymize.search._generalization_lattice import Levels


@dataclass(frozen=True)
class Visited:
    """One node that was looked at: its levels, its loss, and how many rows it suppresses or classes it keeps."""

    levels: Levels
    value: float
    suppressed_rows: int
    classes: int
    feasible: bool


@dataclass(frozen=True, eq=False)
class Solution:
    """An anonymization of a table of distinct tuples.

    `nodes[i, j]` is the level of column j in tuple i; the same for every tuple under global recoding, where
    `levels` says which. Suppressed tuples are not published. `labels[i]` numbers the class of tuple i (-1 where it
    is suppressed). `shares[i, j]` is the share of the column's values that the published cell stands for. Where the
    output is of sets, `sets[j]` holds, for each class and each of the table's codes, whether the cell lists it.
    """

    columns: tuple[str, ...]
    codes: NDArray[np.int32] = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)
    nodes: NDArray[np.int32] = field(repr=False)
    levels: Levels | None
    suppressed: NDArray[np.bool_] = field(repr=False)
    labels: NDArray[np.int64] = field(repr=False)
    shares: NDArray[np.float64] = field(repr=False)
    loss: float
    value: tuple[float, ...]
    metric: str
    nodes_evaluated: int
    optimal: bool
    output_type: str
    visited: tuple[Visited, ...] = field(default=(), repr=False)
    sets: tuple[NDArray[np.bool_], ...] | None = field(default=None, repr=False)

    @property
    def suppressed_rows(self) -> int:
        """Rows that are not published."""
        return int(self.counts[self.suppressed].sum())

    @property
    def classes(self) -> int:
        """Classes that are published."""
        return len(np.unique(self.labels[~self.suppressed]))
