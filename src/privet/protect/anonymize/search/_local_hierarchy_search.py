"""Local recoding: every tuple goes to the most specific hierarchy nodes that it can share with enough others.

Nodes of the lattice are swept from specific to general, and a class that keeps the promise among the rows still left
is fixed. A class is fixed only when its own cost is below a threshold; then the threshold is raised and the sweep
starts again. So classes are fixed in the order of what they really cost, not of what their node costs on average.
Rows that are left at the end widen the class that this costs least, or are suppressed where that is allowed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from privet.disclosure import ContingencyCells, cells_of, labels_of, mixed_radix
from privet.errors import Unreachable
from privet.protect.anonymize import _information_loss as loss
from privet.protect.anonymize._privacy_rules import Group, Rules
from privet.protect.anonymize.search._distinct_tuples import Tuples
from privet.protect.anonymize.search._generalization_lattice import Levels
from privet.protect.anonymize.search._loss_metrics import LossMetric
from privet.protect.anonymize.search._recoding_solution import Solution

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
# Thresholds on a class's loss: the first, how they grow, and the last before everything is allowed.
_FIRST, _GROWTH, _LAST = 0.01, 1.2, 0.4
# Larger lattices are swept by their most specific nodes on average, and the top.
_MOST_NODES = 20_000
# Larger tables are swept with coarser thresholds, so that work stays in proportion.
_LARGE = 100_000
_TRIES = 40
BY_ROW = "hierarchy nodes, levels by row"


def local(
    tuples: Tuples, rules: Rules, weights: Floats, limit: int, everyone: Tuples | None = None
) -> Solution:
    """The loss that was reached, each tuple at its own levels; never a proof that nothing is better.

    `everyone` holds the same tuples and, behind them, those of the population: a class then has as many people as
    its cells stand for, whatever levels the rows of others are published at.
    """
    sweep = _Sweep(tuples, rules, weights, everyone)
    sweep.run()
    sweep.place_rest(limit)
    return sweep.solution(limit)


@dataclass
class _Sweep:
    tuples: Tuples
    rules: Rules
    weights: Floats
    everyone: Tuples | None = None
    levels: NDArray[np.int32] = field(init=False)
    left: Ints = field(init=False)
    looked: int = 0

    def __post_init__(self) -> None:
        tuples = self.tuples
        measure = LossMetric(tuples, self.weights)
        steps = measure.step * measure.weights
        self.whole = float(steps.sum())
        # cost[j][i, h]: what a row of tuple i adds to the loss with column j at level h.
        self.cost = [ladder.shares[tuples.codes[:, j]] * steps[j] for j, ladder in enumerate(tuples.ladders)]
        self.least = float((steps / measure.leaves).sum())
        self.levels = np.zeros(tuples.codes.shape, np.int32)
        self.left = np.arange(len(tuples))

    # --- sweeping ------------------------------------------------------------------------------

    def run(self) -> None:
        """Fixes classes, cheap ones first."""
        average = self._averages()
        growth = _GROWTH if len(self.tuples) <= _LARGE else _GROWTH**4
        limits = []
        threshold = _FIRST
        while threshold < _LAST:
            limits.append(threshold / self.tuples.rows + self.least)
            threshold *= growth
        for limit in [*limits, np.inf]:
            if np.isinf(limit):
                average = self._averages()
            nodes = np.flatnonzero(average <= limit)
            nodes = nodes[np.argsort(average[nodes], kind="stable")]
            if len(nodes) > _MOST_NODES:
                nodes = np.append(nodes[: _MOST_NODES - 1], len(average) - 1)
            for node in nodes:
                if not self._enough():
                    return
                self._fix(self.tuples.lattice.levels(int(node)), limit)

    def _enough(self) -> bool:
        rows = int(self.tuples.counts[self.left].sum())
        return rows >= max(1, self.rules.least_rows)

    def _averages(self) -> Floats:
        """What a row that is left costs on average, at every node."""
        rows = self.tuples.counts[self.left]
        total = max(1, int(rows.sum()))
        return self.tuples.lattice.outer([(rows @ cost[self.left]) / total for cost in self.cost])

    def row_cost(self, tuples: Ints, levels: Levels) -> Floats:
        """What each of these tuples costs at a node, for one row."""
        return np.asarray(
            sum((cost[tuples, h] for cost, h in zip(self.cost, levels, strict=True)), np.zeros(len(tuples)))
        )

    def _fix(self, levels: Levels, limit: float) -> None:
        """Fixes the classes at a node that keep the promise and cost at most the limit."""
        self.looked += 1
        left = self.left
        labels = labels_of(*self.tuples.keys(left, levels))
        rows = np.bincount(labels, weights=self.tuples.counts[left])
        good = rows >= self.rules.least_rows
        if not good.any():
            return
        if np.isfinite(limit):
            first = np.zeros(len(rows), np.int64)
            first[labels] = left
            good[good] = self.row_cost(first[good], levels) <= limit
        if not self.rules.only_sizes and good.any():
            good[good] = self._kept(left, labels, good, np.asarray(levels))
        chosen = good[labels]
        self.levels[left[chosen]] = levels
        self.left = left[~chosen]

    def _kept(
        self, members: Ints, labels: Ints, good: Mask, levels: NDArray[np.integer] | None = None
    ) -> Mask:
        """Which of the good classes keep every rule; `labels` says to which class each member belongs.

        The classes are looked at with the given levels, or with those of their members.
        """
        number = np.cumsum(good) - 1
        of_tuple = np.full(len(self.tuples), -1)
        inside = good[labels]
        of_tuple[members[inside]] = number[labels[inside]]
        sizes = np.bincount(
            number[labels[inside]], weights=self.tuples.counts[members[inside]], minlength=int(good.sum())
        ).astype(np.int64)
        cells = {
            name: cells_in(cells, of_tuple)
            for name, cells in zip(self.tuples.sensitive, self.tuples.bottom.cells, strict=True)
        }
        first = np.zeros(len(sizes), np.int64)
        first[number[labels[inside]]] = members[inside]
        at = self.levels[first] if levels is None else np.broadcast_to(levels, (len(first), len(self.cost)))
        group = Group(sizes, self._people(first, at), cells)
        kept = np.ones(len(sizes), bool)
        for rule in self.rules.classes:
            kept &= rule.kept(group)
        return kept

    def _people(self, first: Ints, levels: NDArray[np.integer]) -> Ints | None:
        """People of the population whom the cells of each class stand for: one of its tuples, at these levels."""
        if self.everyone is None:
            return None
        assert self.everyone.people is not None
        found = np.zeros(len(first), np.int64)
        nodes, which = np.unique(levels, axis=0, return_inverse=True)
        for number, node in enumerate(nodes):
            labels = labels_of(*self.everyone.keys(None, tuple(int(level) for level in node)))
            people = np.bincount(labels, weights=self.everyone.people)
            chosen = which.reshape(-1) == number
            found[chosen] = people[labels[first[chosen]]]
        return found

    # --- rows that are left --------------------------------------------------------------------

    def place_rest(self, limit: int) -> None:
        """Puts tuples that no class was found for into the class that is widened at least cost.

        As many rows as are allowed stay suppressed, those first that would cost most.
        """
        if int(self.tuples.counts[self.left].sum()) <= limit:
            return
        for tuple_ in self.left[np.argsort(-self.tuples.counts[self.left], kind="stable")]:
            if int(self.tuples.counts[self.left].sum()) <= limit:
                return
            if self._widen(int(tuple_)):
                self.left = self.left[self.left != tuple_]

    def _widen(self, tuple_: int) -> bool:
        fixed = np.ones(len(self.tuples), bool)
        fixed[self.left] = False
        members = np.flatnonzero(fixed)
        if not len(members):
            return False
        labels = self.labels(members)
        first = np.zeros(int(labels.max()) + 1, np.int64)
        first[labels] = members
        rows = np.bincount(labels, weights=self.tuples.counts[members])
        levels, reached = self._meeting(tuple_, first)
        before = sum((c[first, self.levels[first, j]] for j, c in enumerate(self.cost)), np.zeros(len(first)))
        after = sum((c[first, levels[:, j]] for j, c in enumerate(self.cost)), np.zeros(len(first)))
        extra = rows * (after - before) + self.tuples.counts[tuple_] * after
        order = np.argsort(np.where(reached, extra, np.inf), kind="stable")
        for choice in order[:_TRIES]:
            if not reached[choice]:
                return False
            joined = np.append(members[labels == choice], tuple_)
            together = np.zeros(len(joined), np.int64)
            good = np.ones(1, bool)
            if self.rules.only_sizes or self._kept(joined, together, good, levels[choice])[0]:
                self.levels[joined] = levels[choice]
                return True
        return False

    def _meeting(self, tuple_: int, others: Ints) -> tuple[NDArray[np.int32], Mask]:
        """The lowest levels, from those of the others upwards, where a tuple is equal to each of them."""
        levels = self.levels[others].copy()
        reached = np.ones(len(others), bool)
        for j, ladder in enumerate(self.tuples.ladders):
            paths = ladder.nodes[self.tuples.codes[others, j]]
            same = paths == ladder.nodes[self.tuples.codes[tuple_, j]]
            same &= np.arange(ladder.height + 1) >= levels[:, j][:, None]
            levels[:, j] = np.where(same.any(axis=1), same.argmax(axis=1), ladder.height)
            reached &= same.any(axis=1)
        return levels, reached

    # --- the answer ----------------------------------------------------------------------------

    def labels(self, members: Ints) -> Ints:
        """The class of each of these tuples by what is published: equal texts are equal, whatever their level."""
        columns, widths = [], []
        for j, ladder in enumerate(self.tuples.ladders):
            numbers, texts = _texts(ladder.hierarchy.labels)
            codes = self.tuples.codes[members, j]
            nodes = ladder.nodes[codes, self.levels[members, j]]
            columns.append(numbers[self.levels[members, j], nodes])
            widths.append(texts)
        return labels_of(*mixed_radix(columns, widths))

    def solution(self, limit: int) -> Solution:
        """What was reached, checked once more class by class."""
        tuples = self.tuples
        suppressed = np.zeros(len(tuples), bool)
        suppressed[self.left] = True
        kept = np.flatnonzero(~suppressed)
        labels = np.full(len(tuples), -1, np.int64)
        labels[kept] = self.labels(kept)
        classes = int(labels.max(initial=-1)) + 1
        if int(tuples.counts[suppressed].sum()) > limit or (
            classes and not self._kept(kept, labels[kept], np.ones(classes, bool)).all()
        ):
            raise Unreachable(
                f"local recoding found no table that keeps the promise with at most {limit} suppressed rows.",
                "Search with how='optimal', or allow more suppressed rows.",
            )
        every = np.arange(len(tuples))
        shares = np.stack(
            [
                ladder.shares[tuples.codes[:, j], self.levels[every, j]]
                for j, ladder in enumerate(tuples.ladders)
            ],
            axis=1,
        )
        leaves = [len(ladder.hierarchy.values) for ladder in tuples.ladders]
        by_column = loss.column_losses(shares, tuples.counts, suppressed, leaves)
        value = float(loss.arithmetic(by_column, self.weights))
        return Solution(
            columns=tuples.columns,
            codes=tuples.codes,
            counts=tuples.counts,
            nodes=self.levels,
            levels=None,
            suppressed=suppressed,
            labels=labels,
            shares=shares,
            loss=value,
            value=(value,),
            metric="loss",
            nodes_evaluated=self.looked,
            optimal=False,
            output_type=BY_ROW,
        )


def cells_in(cells: ContingencyCells, of_tuple: Ints) -> ContingencyCells:
    """The sensitive values of chosen tuples, by their new classes."""
    classes = of_tuple[cells.classes]
    inside = classes >= 0
    return cells_of(classes[inside], cells.values[inside], cells.counts[inside], cells.shares)


def _texts(labels: tuple[tuple[str, ...], ...]) -> tuple[Ints, int]:
    """The number of each level's and code's text, and how many texts there are."""
    numbers: dict[str, int] = {}
    table = np.zeros((len(labels), max(len(level) for level in labels)), np.int64)
    for level, texts in enumerate(labels):
        for code, text in enumerate(texts):
            table[level, code] = numbers.setdefault(text, len(numbers))
    return table, len(numbers)
