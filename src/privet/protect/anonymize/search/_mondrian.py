"""Sets and intervals instead of hierarchy nodes: the least loss, for those who can use such cells.

Mondrian (LeFevre et al. 2006) cuts the table in two, column by column, as long as both parts keep the promise. Cuts
run between values in the order of numbers, or of paths in the hierarchy. Where only the number of rows counts, cutting
stops at blocks, and each block is clustered greedily: a class takes in whatever widens it least until it has enough rows
(k-member clustering; Byun et al. 2007), then single tuples move where that saves most. A cell is published as the
range of numbers or the set of values in its class.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from privet.errors import Unreachable
from privet.protect.anonymize import _information_loss as loss
from privet.protect.anonymize._privacy_rules import Group, Rules
from privet.protect.anonymize.hierarchies import Hierarchy
from privet.protect.anonymize.search._distinct_tuples import Tuples
from privet.protect.anonymize.search._local_hierarchy_search import cells_in
from privet.protect.anonymize.search._loss_metrics import LossMetric
from privet.protect.anonymize.search._recoding_solution import Solution

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
# Blocks are clustered when they have at most this many distinct tuples.
_BLOCK = 400
# Rounds of moving tuples between classes; tables with more tuples are not improved, which would take too long.
_ROUNDS = 3
_IMPROVED = 60_000


def mondrian(
    tuples: Tuples, rules: Rules, weights: Floats, limit: int, everyone: Tuples | None = None
) -> Solution:
    """Classes published as sets and ranges; no row is suppressed.

    `everyone` holds the same tuples and, behind them, those of the population: a class then has as many people as
    its sets and ranges stand for.
    """
    table = _Table(tuples, rules, weights, everyone)
    if not table.keeps(np.arange(len(tuples))):
        raise Unreachable(
            f"the whole table as one class does not keep the promise with at most {limit} suppressed rows.",
            "Ask for less, or search with 'local' or 'optimal'.",
        )
    labels = np.zeros(len(tuples), np.int64)
    number = 0
    for part in table.parts():
        found = table.clusters(part) if rules.only_sizes else np.zeros(len(part), np.int64)
        labels[part] = found + number
        number += int(found.max()) + 1
    if rules.only_sizes and len(tuples) <= _IMPROVED:
        for _ in range(_ROUNDS):
            labels, moved = table.improved(labels)
            if not moved:
                break
    return table.solution(np.unique(labels, return_inverse=True)[1])


def numbers_of(hierarchy: Hierarchy) -> Floats | None:
    """The values of a hierarchy as numbers; None where one of them is none."""
    try:
        found = np.array([float(value) for value in hierarchy.values])
    except ValueError:
        return None
    return found if np.isfinite(found).all() else None


class _Table:
    """The tuples as places in each column's order, with what widening a cell costs."""

    def __init__(self, tuples: Tuples, rules: Rules, weights: Floats, everyone: Tuples | None = None) -> None:
        self.tuples, self.rules, self.everyone = tuples, rules, everyone
        measure = LossMetric(tuples, weights)
        self.weights = measure.weights
        self.steps = measure.step * measure.weights
        self.places: list[Ints] = []  # of each tuple, in the order of its column's values
        self.theirs: list[Ints] = []  # of each of everyone's tuples
        self.ranged: list[bool] = []
        self.ranks: list[Ints] = []  # of each of the table's codes
        for j, ladder in enumerate(tuples.ladders):
            hierarchy = ladder.hierarchy
            numbers = numbers_of(hierarchy)
            keys = hierarchy.levels[:, ::-1].T[::-1] if numbers is None else numbers[None, :]
            order = np.lexsort(keys)
            rank = np.empty(len(order), np.int64)
            rank[order] = np.arange(len(order))
            self.ranks.append(rank[ladder.rows])
            self.places.append(self.ranks[j][tuples.codes[:, j]])
            if everyone is not None:
                self.theirs.append(self.ranks[j][everyone.codes[:, j]])
            self.ranged.append(numbers is not None)
        self.leaves = np.array([len(ladder.hierarchy.values) for ladder in tuples.ladders])
        self.unit = self.steps / self.leaves  # what one more value in a cell costs each row

    def widths(self, members: Ints) -> Floats:
        """How many values each column's cell would stand for, were these one class."""
        return np.array(
            [
                np.ptp(places[members]) + 1 if ranged else np.count_nonzero(np.bincount(places[members]))
                for places, ranged in zip(self.places, self.ranged, strict=True)
            ],
            float,
        )

    def keeps(self, members: Ints) -> bool:
        """Whether these tuples together keep every rule."""
        rows = int(self.tuples.counts[members].sum())
        if rows < self.rules.least_rows or self.rules.only_sizes:
            return rows >= self.rules.least_rows
        of_tuple = np.full(len(self.tuples), -1)
        of_tuple[members] = 0
        cells = {
            name: cells_in(cells, of_tuple)
            for name, cells in zip(self.tuples.sensitive, self.tuples.bottom.cells, strict=True)
        }
        group = Group(np.array([rows]), self._people(members), cells)
        return all(bool(rule.kept(group)[0]) for rule in self.rules.classes)

    def _people(self, members: Ints) -> Ints | None:
        """People of the population whose values lie in the sets and ranges that these tuples need."""
        if self.everyone is None:
            return None
        assert self.everyone.people is not None
        inside = np.arange(len(self.everyone))
        for j, ranged in enumerate(self.ranged):
            listed = np.zeros(int(self.leaves[j]), bool)
            mine, theirs = self.places[j][members], self.theirs[j][inside]
            if ranged:
                listed[mine.min() : mine.max() + 1] = True
            else:
                listed[mine] = True
            inside = inside[listed[theirs]]
        return np.array([int(self.everyone.people[inside].sum())])

    # --- cutting -------------------------------------------------------------------------------

    def parts(self) -> Iterator[Ints]:
        """Parts that are not cut any further."""
        todo = [np.arange(len(self.tuples))]
        while todo:
            part = todo.pop()
            small = self.rules.only_sizes and len(part) <= _BLOCK
            halves = None if small else self._cut(part)
            if halves is None:
                yield part
            else:
                todo += halves

    def _cut(self, part: Ints) -> list[Ints] | None:
        """The part in two, in the column whose cells are widest; None where no cut keeps the promise."""
        widths = self.widths(part)
        rows = self.tuples.counts[part]
        for j in np.argsort(-(widths - 1) * self.unit, kind="stable"):
            if widths[j] <= 1:
                return None
            places = self.places[j][part]
            below = np.cumsum(np.bincount(places, weights=rows))
            cuts = np.flatnonzero(
                (below[:-1] >= self.rules.least_rows) & (below[-1] - below[:-1] >= self.rules.least_rows)
            )
            for cut in cuts[np.argsort(np.abs(below[cuts] - below[-1] / 2), kind="stable")[:1]]:
                halves = [part[places <= cut], part[places > cut]]
                if all(len(half) and self.keeps(half) for half in halves):
                    return halves
        return None

    # --- clustering ----------------------------------------------------------------------------

    def clusters(self, part: Ints) -> Ints:
        """The number of each tuple's class within a part."""
        k = self.rules.least_rows
        rows = self.tuples.counts[part]
        labels = np.full(len(part), -1, np.int64)
        own = np.flatnonzero(rows >= k)
        labels[own] = np.arange(len(own))
        number = len(own)
        block = _Block(self, part)
        left = np.flatnonzero(labels < 0)
        seed_cost = block.distances(left)
        while rows[left].sum() >= k:
            at = int(np.argmax(seed_cost))
            chosen, seed_cost_next = block.grow(left, at, rows, k)
            labels[left[chosen]] = number
            number += 1
            keep = np.ones(len(left), bool)
            keep[chosen] = False
            left, seed_cost = left[keep], seed_cost_next[keep]
        for tuple_ in left:
            if number == 0:
                labels[tuple_], number = 0, 1
                continue
            labels[tuple_] = self._nearest(part, labels, int(tuple_))
        return labels

    def _nearest(self, part: Ints, labels: Ints, tuple_: int) -> int:
        """The class that one more tuple widens at least cost."""
        known = labels >= 0
        state = _Classes(self, part[known], labels[known])
        return int(np.argmin(state.joining(int(part[tuple_]))))

    # --- moving --------------------------------------------------------------------------------

    def improved(self, labels: Ints) -> tuple[Ints, int]:
        """Tuples move, one after the other, to the class where they save most, if theirs stays large enough."""
        k = self.rules.least_rows
        labels = labels.copy()
        state = _Classes(self, np.arange(len(labels)), labels)
        rows = self.tuples.counts
        gains = state.leaving()
        movable = np.flatnonzero((state.rows[labels] - rows >= k) & (gains > 0))
        moved = 0
        for tuple_ in movable[np.argsort(-gains[movable], kind="stable")]:
            home = int(labels[tuple_])
            if state.rows[home] - rows[tuple_] < k:
                continue
            saved = state.saved(int(tuple_), home)
            costs = state.joining(int(tuple_))
            costs[home] = np.inf
            best = int(np.argmin(costs))
            if costs[best] < saved - 1e-15:
                state.move(int(tuple_), home, best)
                labels[tuple_] = best
                moved += 1
        return labels, moved

    # --- the answer ----------------------------------------------------------------------------

    def solution(self, labels: Ints) -> Solution:
        """Classes with the share of values that each cell stands for."""
        tuples = self.tuples
        state = _Classes(self, np.arange(len(labels)), labels)
        shares = (state.widths / self.leaves)[labels]
        suppressed = np.zeros(len(tuples), bool)
        by_column = loss.column_losses(shares, tuples.counts, suppressed, self.leaves.tolist())
        value = float(loss.arithmetic(by_column, self.weights))
        sets = []
        for j, ladder in enumerate(tuples.ladders):
            listed = np.zeros((len(state.rows), len(ladder.rows)), bool)
            if self.ranged[j]:
                rank = self.ranks[j]
                listed = (rank >= state.low[:, j][:, None]) & (rank <= state.high[:, j][:, None])
            else:
                listed[labels, tuples.codes[:, j]] = True
            sets.append(listed)
        return Solution(
            columns=tuples.columns,
            codes=tuples.codes,
            counts=tuples.counts,
            nodes=np.zeros(tuples.codes.shape, np.int32),
            levels=None,
            suppressed=suppressed,
            labels=labels,
            shares=shares,
            loss=value,
            value=(value,),
            metric="loss",
            nodes_evaluated=0,
            optimal=False,
            output_type="sets of values, ranges of numbers",
            sets=tuple(sets),
        )


class _Block:
    """Tuples of one part, to grow classes from."""

    def __init__(self, table: _Table, part: Ints) -> None:
        self.ranged = [j for j, ranged in enumerate(table.ranged) if ranged]
        self.sets = [j for j, ranged in enumerate(table.ranged) if not ranged]
        self.unit = table.unit
        self.numbers = np.stack([table.places[j][part] for j in self.ranged], axis=1) if self.ranged else None
        starts = np.cumsum([0, *[table.leaves[j] for j in self.sets]])
        self.width = int(starts[-1])
        self.codes = (
            np.stack([table.places[j][part] + s for j, s in zip(self.sets, starts, strict=False)], axis=1)
            if self.sets
            else np.zeros((len(part), 0), np.int64)
        )
        self.price = np.concatenate(
            [np.full(table.leaves[j], table.unit[j]) for j in self.sets] or [np.zeros(0)]
        )

    def _extra(self, left: Ints, codes: Ints, open_: Floats, low: Ints, high: Ints) -> Floats:
        """What taking in each of the tuples would add to the width of a class."""
        extra = open_[codes].sum(axis=1)
        for at, j in enumerate(self.ranged):
            assert self.numbers is not None
            column = self.numbers[left, at]
            extra += self.unit[j] * (np.maximum(column - high[at], 0) + np.maximum(low[at] - column, 0))
        return np.asarray(extra)

    def distances(self, left: Ints) -> Floats:
        """How far each tuple is from the most frequent values: the odd ones are served first."""
        usual = (
            np.bincount(self.codes[left].ravel(), minlength=self.width) if len(left) else np.zeros(self.width)
        )
        price = self.price * (1 - usual / max(1, len(left)))
        return np.asarray(price[self.codes[left]].sum(axis=1))

    def grow(self, left: Ints, seed: int, rows: Ints, k: int) -> tuple[list[int], Floats]:
        """Places in `left` of a class around a seed, and how far everything is from the seed."""
        open_ = self.price.copy()
        codes = self.codes[left]
        chosen = [seed]
        total = int(rows[left[seed]])
        open_[codes[seed]] = 0
        low = self.numbers[left[seed]].copy() if self.numbers is not None else np.zeros(0, np.int64)
        high = low.copy()
        extra = self._extra(left, codes, open_, low, high)
        far = extra.copy()
        counts = rows[left]
        while total < k:
            extra[chosen] = np.inf
            need = k - total
            # Whoever fills what is needed with the least widening; more rows at once break ties.
            best = int(np.argmin(extra - 1e-12 * np.minimum(counts, need)))
            chosen.append(best)
            total += int(counts[best])
            open_[codes[best]] = 0
            if self.numbers is not None:
                low = np.minimum(low, self.numbers[left[best]])
                high = np.maximum(high, self.numbers[left[best]])
            extra = self._extra(left, codes, open_, low, high)
        return chosen, far


class _Classes:
    """All classes at once: rows, members by value, and widths."""

    def __init__(self, table: _Table, members: Ints, labels: Ints) -> None:
        self.table = table
        number = int(labels.max()) + 1
        counts = table.tuples.counts[members]
        self.rows = np.bincount(labels, weights=counts, minlength=number)
        # held[j][class, place]: how many tuples of the class have this value.
        self.held = []
        for j, places in enumerate(table.places):
            width = int(table.leaves[j])
            found = np.bincount(labels * width + places[members], minlength=number * width)
            self.held.append(found.reshape(number, width).astype(np.int32))
        self.low = np.stack([(held > 0).argmax(axis=1) for held in self.held], axis=1)
        self.high = np.stack([h.shape[1] - 1 - (h[:, ::-1] > 0).argmax(axis=1) for h in self.held], axis=1)
        self.widths = np.stack([self._width(j, slice(None)) for j in range(len(self.held))], axis=1)
        self.cost = self.widths @ table.unit
        self.members, self.labels = members, labels

    def _width(self, j: int, classes: slice | int) -> NDArray[np.float64]:
        if self.table.ranged[j]:
            return np.asarray(self.high[classes, j] - self.low[classes, j] + 1.0)
        return np.asarray(np.count_nonzero(self.held[j][classes], axis=-1).astype(float))

    def joining(self, tuple_: int) -> Floats:
        """What all rows cost more when a tuple joins each class."""
        table = self.table
        extra = np.zeros(len(self.rows))
        for j, places in enumerate(table.places):
            at = places[tuple_]
            if table.ranged[j]:
                wider = np.maximum(at - self.high[:, j], 0) + np.maximum(self.low[:, j] - at, 0)
                extra += table.unit[j] * wider
            else:
                extra += table.unit[j] * (self.held[j][:, at] == 0)
        return np.asarray(self.rows * extra + table.tuples.counts[tuple_] * (self.cost + extra))

    def leaving(self) -> Floats:
        """About what each tuple would save by leaving: what its rows cost, and the values only it brought in."""
        table = self.table
        alone = np.zeros(len(self.labels))
        for j, places in enumerate(table.places):
            alone += table.unit[j] * (self.held[j][self.labels, places[self.members]] == 1)
        return np.asarray(
            self.rows[self.labels] * alone + table.tuples.counts[self.members] * self.cost[self.labels]
        )

    def saved(self, tuple_: int, home: int) -> float:
        """What all rows cost less when a tuple leaves its class."""
        table = self.table
        after = 0.0
        for j, places in enumerate(table.places):
            held = self.held[j][home]
            held[places[tuple_]] -= 1
            there = np.flatnonzero(held)
            width = there[-1] - there[0] + 1 if table.ranged[j] else len(there)
            held[places[tuple_]] += 1
            after += table.unit[j] * width
        rows = table.tuples.counts[tuple_]
        return float(self.rows[home] * self.cost[home] - (self.rows[home] - rows) * after)

    def move(self, tuple_: int, home: int, other: int) -> None:
        """Moves a tuple from one class to another."""
        rows = self.table.tuples.counts[tuple_]
        for class_, sign in ((home, -1), (other, 1)):
            self.rows[class_] += sign * rows
            for j, places in enumerate(self.table.places):
                self.held[j][class_, places[tuple_]] += sign
                there = np.flatnonzero(self.held[j][class_])
                self.low[class_, j], self.high[class_, j] = there[0], there[-1]
                self.widths[class_, j] = self._width(j, class_)
            self.cost[class_] = self.widths[class_] @ self.table.unit
