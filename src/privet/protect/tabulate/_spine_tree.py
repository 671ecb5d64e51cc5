"""The spine itself: levels of places, each place inside one of the level above, leaves known beforehand.

A place is named by the values of its level's column and of all columns above it, so that two counties of one
name in two states are two counties, and levels refine each other by construction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Indices: TypeAlias = "NDArray[np.int64]"
Place: TypeAlias = tuple[Any, ...]

# The level above all columns: one place that holds everybody.
TOP = "all"


@dataclass(frozen=True, eq=False)
class Level:
    """The places of one level, in the order of their first leaf, and the position of each one's parent."""

    name: str
    places: tuple[Place, ...]
    parents: Indices

    def __len__(self) -> int:
        return len(self.places)

    @cached_property
    def position(self) -> dict[Place, int]:
        """Where each place stands."""
        return {place: at for at, place in enumerate(self.places)}


@dataclass(frozen=True, eq=False)
class Tree:
    """All levels, from everything down to the leaves; the leaves are in the order they were given."""

    columns: tuple[str, ...]
    levels: tuple[Level, ...]

    @property
    def leaves(self) -> Level:
        """The finest level."""
        return self.levels[-1]

    def depth(self, name: str) -> int:
        """The position of a level by its name."""
        return [level.name for level in self.levels].index(name)

    def of_leaves(self, depth: int) -> Indices:
        """For each leaf, the place of the given level that it lies in."""
        found = np.arange(len(self.leaves))
        for level in reversed(self.levels[depth + 1 :]):
            found = level.parents[found]
        return found

    def families(self, depth: int) -> list[Indices]:
        """For each place of a level, the positions of its children in the level below."""
        parents = self.levels[depth + 1].parents
        order = np.argsort(parents, kind="stable")
        counts = np.bincount(parents, minlength=len(self.levels[depth]))
        return np.split(order, np.cumsum(counts)[:-1])


def make_tree(columns: Sequence[str], leaves: Sequence[Place]) -> Tree:
    """The levels above a list of leaves, each leaf named by its values from the top down."""
    levels = [Level(TOP, ((),), np.zeros(0, np.int64))]
    for depth, column in enumerate(columns, 1):
        places = tuple(dict.fromkeys(leaf[:depth] for leaf in leaves))
        above = levels[-1].position
        levels.append(Level(column, places, np.array([above[place[:-1]] for place in places], np.int64)))
    return Tree(tuple(columns), tuple(levels))
