"""All combinations of levels, one for each column: node 0 changes nothing, the last generalizes everything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

Levels = tuple[int, ...]
Corner = tuple[slice, ...]


@dataclass(frozen=True)
class Lattice:
    """Nodes are numbered in the order of their levels, the last column fastest."""

    heights: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """Levels of each column."""
        return tuple(height + 1 for height in self.heights)

    def __len__(self) -> int:
        return prod(self.shape)

    def levels(self, node: int) -> Levels:
        """The levels of a node."""
        return tuple(int(level) for level in np.unravel_index(node, self.shape))

    def node(self, levels: Sequence[int]) -> int:
        """The number of the node with these levels."""
        return int(np.ravel_multi_index(tuple(levels), self.shape))

    @cached_property
    def below(self) -> NDArray[np.float64]:
        """How many nodes each node generalizes, itself among them."""
        return self.outer([np.arange(1.0, height + 2) for height in self.heights], multiply=True)

    def outer(self, columns: Sequence[NDArray[np.float64]], *, multiply: bool = False) -> NDArray[np.float64]:
        """For every node the sum (or product) of one number for each column's level."""
        total = np.full(1, 1.0 if multiply else 0.0)
        for column in columns:
            total = (total[:, None] * column if multiply else total[:, None] + column).ravel()
        return total

    def broadcast(self, at: int, column: NDArray[np.float64]) -> NDArray[np.float64]:
        """One number for each level of a column, shaped to be combined with arrays over the lattice."""
        return column.reshape([-1 if place == at else 1 for place in range(len(self.heights))])


def down(levels: Sequence[int]) -> Corner:
    """The corner of the lattice that a node generalizes, itself included."""
    return tuple(slice(0, level + 1) for level in levels)


def up(levels: Sequence[int]) -> Corner:
    """The corner of the lattice that generalizes a node, itself included."""
    return tuple(slice(level, None) for level in levels)
