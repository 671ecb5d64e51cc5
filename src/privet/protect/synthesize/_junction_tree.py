"""A junction tree over coded columns: which columns are modelled together, and in which order beliefs travel.

Koller and Friedman 2009, chapters 9 and 10. The triangulation is greedy: the column whose elimination makes the
smallest table goes first.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

Clique = tuple[int, ...]


@dataclass(frozen=True)
class JunctionTree:
    """Maximal cliques, and for each but the root the clique nearer to the root; parents stand before children.

    `order` are the columns as they were eliminated, each with its neighbours at that time: given those of them that are
    eliminated later, a column depends on no other column that is.
    """

    sizes: tuple[int, ...]
    cliques: tuple[Clique, ...]
    parents: tuple[int, ...]  # -1 for the root of each part
    order: tuple[tuple[int, Clique], ...]

    @property
    def cells(self) -> int:
        """How many numbers the model holds."""
        return sum(cells_of(clique, self.sizes) for clique in self.cliques)

    def separator(self, at: int) -> Clique:
        """The columns that a clique shares with its parent."""
        return tuple(sorted(set(self.cliques[at]) & set(self.cliques[self.parents[at]])))

    def home(self, columns: Clique) -> int:
        """The smallest clique that holds all of these columns; -1 where none does."""
        wanted = set(columns)
        fitting = [at for at, clique in enumerate(self.cliques) if wanted <= set(clique)]
        return min(fitting, key=lambda at: cells_of(self.cliques[at], self.sizes), default=-1)


def cells_of(columns: Iterable[int], sizes: Sequence[int]) -> int:
    """How many cells the table of these columns has."""
    return math.prod(sizes[column] for column in columns)


def junction_tree(
    measured: Iterable[Clique], sizes: Sequence[int], last: Set[int] = frozenset()
) -> JunctionTree:
    """A junction tree in which every measured set of columns lies inside a clique.

    Columns in `last` are eliminated after all others, so that the others can be drawn given these.
    """
    order = _triangulated(measured, sizes, last)
    cliques = _maximal([one for _, one in order])
    return _rooted(cliques, tuple(sizes), tuple((column, tuple(sorted(one))) for column, one in order))


def model_cells(measured: Iterable[Clique], sizes: Sequence[int], last: Set[int] = frozenset()) -> int:
    """How many numbers a model of these measurements would hold; no tree is built."""
    return sum(
        cells_of(clique, sizes)
        for clique in _maximal([one for _, one in _triangulated(measured, sizes, last)])
    )


def _triangulated(
    measured: Iterable[Clique], sizes: Sequence[int], last: Set[int]
) -> list[tuple[int, frozenset[int]]]:
    """Each column with itself and its neighbours at the time when it is eliminated."""
    near: list[set[int]] = [set() for _ in sizes]
    for columns in measured:
        for one, other in itertools.combinations(columns, 2):
            near[one].add(other)
            near[other].add(one)
    left, found = set(range(len(sizes))), []
    cost = {one: (one in last, cells_of(near[one], sizes) * sizes[one], one) for one in left}
    while left:
        column = min(left, key=cost.__getitem__)
        around = near[column]
        found.append((column, frozenset(around | {column})))
        left.discard(column)
        for one in around:
            near[one] |= around
            near[one] -= {one, column}
            cost[one] = (one in last, cells_of(near[one], sizes) * sizes[one], one)
    return found


def _maximal(sets: list[frozenset[int]]) -> list[Clique]:
    kept: list[frozenset[int]] = []
    for one in sorted(set(sets), key=lambda one: (-len(one), sorted(one))):
        if not any(one <= other for other in kept):
            kept.append(one)
    return [tuple(sorted(one)) for one in kept]


def _rooted(
    cliques: list[Clique], sizes: tuple[int, ...], eliminated: tuple[tuple[int, Clique], ...]
) -> JunctionTree:
    """A spanning tree of largest separators (Prim), which makes the cliques of a triangulated graph a junction tree."""
    order, parents = [0], [-1]
    left = set(range(1, len(cliques)))
    best = {at: (len(set(cliques[at]) & set(cliques[0])), 0) for at in left}
    while left:
        at = max(left, key=lambda one: (best[one][0], -one))
        shared, place = best[at]
        order.append(at)
        parents.append(place if shared else -1)
        left.discard(at)
        for one in left:
            overlap = len(set(cliques[one]) & set(cliques[at]))
            if overlap > best[one][0]:
                best[one] = (overlap, len(order) - 1)
    return JunctionTree(sizes, tuple(cliques[at] for at in order), tuple(parents), eliminated)
