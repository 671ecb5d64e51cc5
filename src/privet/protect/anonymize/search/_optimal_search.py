"""The best node of the lattice, with proof.

Nodes that are looked at first generalize many others. A node that has to suppress too much rules out everything it
generalizes; one that does not bounds the cost of everything it generalizes. What remains is looked at until no node
can be better than the best: then it is optimal, for every model and metric here, monotone or not. Of nodes that cost
the same, one is taken below which none does: no cell is made coarse for nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from types import EllipsisType

import numpy as np
from numpy.typing import NDArray

from privet.errors import LatticeTooLarge
from privet.protect.anonymize._privacy_rules import Rules
from privet.protect.anonymize.search._class_check import judge
from privet.protect.anonymize.search._distinct_tuples import Classes, Tuples
from privet.protect.anonymize.search._generalization_lattice import Levels, down, up
from privet.protect.anonymize.search._loss_metrics import (
    TOLERANCE,
    Metric,
    NodeVerdict,
    SearchCost,
    less,
)
from privet.protect.anonymize.search._recoding_solution import Visited

# An optimal search keeps a few numbers for every node.
LARGEST_LATTICE = 2_000_000
_SNAPSHOTS = 200
_STORED_CELLS = 50_000_000


@dataclass
class Snapshots:
    """Class tables of nodes looked at before, to start from where they are below."""

    tuples: Tuples
    levels: NDArray[np.int32] = field(init=False)
    sizes: NDArray[np.int64] = field(init=False)
    stored: list[Classes] = field(init=False)

    def __post_init__(self) -> None:
        self.stored = [self.tuples.bottom]
        self.levels = np.zeros((1, len(self.tuples.columns)), np.int32)
        self.sizes = np.array([len(self.tuples)])

    def classes(self, levels: Levels) -> Classes:
        """The classes at a node, from the smallest stored table below it."""
        finer = (self.levels <= np.asarray(levels)).all(axis=1)
        at = np.flatnonzero(finer)
        start = self.stored[int(at[np.argmin(self.sizes[at])])]
        found = self.tuples.classes(levels, start)
        self._keep(found, start)
        return found

    def _keep(self, classes: Classes, start: Classes) -> None:
        room = len(self.stored) < _SNAPSHOTS and self.sizes[1:].sum() + len(classes) < _STORED_CELLS
        if room and len(classes) > 64 and 2 * len(classes) < len(start):
            self.stored.append(classes)
            self.levels = np.vstack([self.levels, np.asarray(classes.levels, np.int32)])
            self.sizes = np.append(self.sizes, len(classes))


@dataclass
class SearchState:
    """The best node so far, and everything looked at on the way."""

    value: tuple[float, ...] | None = None
    classes: Classes | None = None
    verdict: NodeVerdict | None = None
    visited: list[Visited] = field(default_factory=list)
    proven: bool = False


def optimal(tuples: Tuples, rules: Rules, metric: Metric, limit: int) -> SearchState:
    """The node of least cost among those that suppress at most `limit` rows; `value` is None where there is none."""
    lattice = tuples.lattice
    if len(lattice) > LARGEST_LATTICE:
        raise LatticeTooLarge(
            f"there are {len(lattice):,} combinations of levels, and an optimal search stops at {LARGEST_LATTICE:,}.",
            "Search with how='anytime' or how='local', or drop levels you would not publish.",
        )
    walk = _Walk(tuples, rules, metric, limit)
    for node in walk:
        walk.look(node)
    walk.settle()
    walk.found.proven = True
    return walk.found


class _Walk:
    """The state of an optimal search: which nodes are open, and bounds on their costs."""

    def __init__(self, tuples: Tuples, rules: Rules, metric: Metric, limit: int) -> None:
        self.tuples, self.rules, self.metric, self.limit = tuples, rules, metric, limit
        self.lattice = tuples.lattice
        self.snapshots = Snapshots(tuples)
        self.found = SearchState()
        shape = self.lattice.shape
        self.base = [base.reshape(shape).copy() for base in metric.bases()]
        self.penalty = [np.zeros(shape) for _ in self.base]
        self.alive = np.ones(shape, bool)
        self.open = np.ones(shape, bool)
        self.order = self.lattice.below
        self.turn = 0

    def __iter__(self) -> Iterator[int]:
        """Nodes to look at, until none is open: those that generalize most open nodes come first.

        Where bases are only known from nodes looked at, every other node is one that generalizes least.
        """
        while True:
            score = np.where(self.open.ravel(), self.order, 0.0)
            if not self.metric.known and self.turn % 2:
                score = np.where(self.open.ravel(), 1 / self.order, 0.0)
            node = int(score.argmax())
            if score[node] == 0:
                return
            self.turn += 1
            yield node

    def look(self, node: int) -> None:
        """Evaluates a node and closes what it rules out."""
        levels = self.lattice.levels(node)
        below = down(levels)
        self.alive[levels] = self.open[levels] = False
        seen = self._evaluated(levels)
        if seen is None:
            return
        classes, verdict, cost, visited, value = seen
        self.found.visited.append(visited)
        if int(verdict.least.sum()) > self.limit:
            self.alive[below] = self.open[below] = False
        elif cost.lasting.any():
            self._bound(self.penalty, cost.lasting, below)
        if not self.metric.known:
            self._bound(self.base, cost.base, up(levels))
        if visited.feasible and (self.found.value is None or less(value, self.found.value)):
            self.found.value, self.found.classes, self.found.verdict = value, classes, verdict
            self._close(...)

    def _evaluated(
        self, levels: Levels
    ) -> tuple[Classes, NodeVerdict, SearchCost, Visited, tuple[float, ...]] | None:
        """What a node costs; None where no suppression makes it keep the promise."""
        classes = self.snapshots.classes(levels)
        verdict = judge(self.tuples, classes, self.rules)
        if verdict is None:
            return None
        cost = self.metric.cost(classes, verdict)
        rows = int(classes.sizes[verdict.suppressed].sum())
        value = self.metric.score(cost.base + cost.penalty)
        kept = int((~verdict.suppressed & (classes.sizes > 0)).sum())
        return classes, verdict, cost, Visited(levels, value[0], rows, kept, rows <= self.limit), value

    def settle(self) -> None:
        """Goes down from the best node for as long as nothing is lost by it."""
        while any(self._lower(at) for at in range(len(self.lattice.heights))):
            pass

    def _lower(self, at: int) -> bool:
        """Takes the node one level below in a column if it costs the same."""
        if self.found.classes is None or self.found.value is None or not self.found.classes.levels[at]:
            return False
        levels = self.found.classes.levels
        finer = (*levels[:at], levels[at] - 1, *levels[at + 1 :])
        # A lower base is paid for by suppressed rows: such nodes were looked at, or bounded, before.
        if self.metric.known and any(not _equal(base[finer], base[levels]) for base in self.base):
            return False
        seen = self._evaluated(finer)
        if seen is None or not seen[3].feasible or not all(map(_equal, seen[4], self.found.value)):
            return False
        if all(node.levels != finer for node in self.found.visited):
            self.found.visited.append(seen[3])
        self.found.classes, self.found.verdict, self.found.value = seen[0], seen[1], seen[4]
        return True

    def _bound(
        self, bounds: list[NDArray[np.float64]], least: NDArray[np.float64], where: tuple[slice, ...]
    ) -> None:
        for bound, number in zip(bounds, least, strict=True):
            np.maximum(bound[where], number, out=bound[where])
        self._close(where)

    def _close(self, where: tuple[slice, ...] | EllipsisType) -> None:
        """Nodes stay open where base and penalty leave room below the best."""
        parts = [base[where] + penalty[where] for base, penalty in zip(self.base, self.penalty, strict=True)]
        self.open[where] = self.alive[where] & self.metric.better(parts, self.found.value)


def _equal(one: float, other: float) -> bool:
    return bool(abs(one - other) <= TOLERANCE * max(1.0, abs(other)))
