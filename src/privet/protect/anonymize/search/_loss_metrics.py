"""Metrics as a search over the lattice needs them: a cost, and what every refinement must cost at least.

The cost of a node is a *base*, what it would cost without suppression, and a *penalty* for suppressed rows. The base
never falls when going up. The penalty never rises when going up, as long as suppressed rows stay suppressed
further down. So each node that was looked at bounds the base above it and the penalty below it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.errors import BadSearch
from privet.protect.anonymize import _information_loss as loss
from privet.protect.anonymize.search._distinct_tuples import Classes, Tuples
from privet.protect.anonymize.search._generalization_lattice import Levels

Floats = NDArray[np.float64]
# Costs that differ by less than this, relative to their size, are equal.
TOLERANCE = 1e-12


@dataclass(frozen=True, eq=False)
class NodeVerdict:
    """Which classes a node has to suppress, and how many rows of each class every refinement must suppress."""

    suppressed: NDArray[np.bool_]
    least: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SearchCost:
    """Parts of a node's cost, and how much of the penalty holds for every refinement as well."""

    base: Floats
    penalty: Floats
    lasting: Floats


def less(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """Whether one value comes before the other; what differs by rounding alone is equal, and decides nothing."""
    for here, there in zip(one, other, strict=True):
        slack = TOLERANCE * max(1.0, abs(there))
        if abs(here - there) > slack:
            return here < there
    return False


def rounded(value: tuple[float, ...]) -> tuple[float, ...]:
    """A value to be sorted by: rounding errors do not decide what comes first."""
    return tuple(float(f"{part:.12g}") for part in value)


class Metric(ABC):
    """One way of counting lost information; parts are added up before they are compared."""

    name: str = ""
    known: bool = True  # whether bases follow from the columns alone, without looking at a node

    def __init__(self, tuples: Tuples, weights: Floats | None = None) -> None:
        self.tuples = tuples
        self.weights = loss.column_weights(len(tuples.columns), weights)
        self.leaves = np.array([len(ladder.hierarchy.values) for ladder in tuples.ladders], float)

    @abstractmethod
    def bases(self) -> list[Floats]:
        """For each part the base at every node of the lattice (0 where it is not known)."""

    @abstractmethod
    def cost(self, classes: Classes, verdict: NodeVerdict) -> SearchCost:
        """The cost of a node."""

    def values(self, parts: list[Floats]) -> Floats:
        """What is compared, from base plus penalty: for each node one number, or several in order of importance."""
        return parts[0][..., None]

    def score(self, parts: Floats) -> tuple[float, ...]:
        """The value of one node."""
        return tuple(self.values([part.reshape(()) for part in parts]).tolist())

    def better(self, parts: list[Floats], best: tuple[float, ...] | None) -> NDArray[np.bool_]:
        """Where nodes could still be better than the best so far."""
        if best is None:
            return np.ones(parts[0].shape, bool)
        values = self.values(parts)
        answer = np.zeros(values.shape[:-1], bool)
        equal = np.ones(values.shape[:-1], bool)
        for at, limit in enumerate(best):
            slack = TOLERANCE * max(1.0, abs(limit))
            answer |= equal & (values[..., at] < limit - slack)
            equal &= values[..., at] <= limit + slack
        return answer


class LossMetric(Metric):
    """Loss with the weighted mean over columns: one part."""

    name = "loss"

    def __init__(self, tuples: Tuples, weights: Floats | None = None, gs_factor: float = 0.5) -> None:
        super().__init__(tuples, weights)
        self.generalizing, self.suppressing = loss.factors(gs_factor)
        rows = tuples.rows
        room = rows - self.generalizing * rows / self.leaves
        # What one whole suppressed or generalized row adds to the column's loss.
        self.step = np.where(room > 0, 1 / np.where(room > 0, room, 1), 0.0)
        self.columns = [self._levels(j) for j in range(len(tuples.columns))]

    def _levels(self, j: int) -> Floats:
        ladder, tuples = self.tuples.ladders[j], self.tuples
        rows = np.bincount(tuples.codes[:, j], weights=tuples.counts, minlength=len(ladder.rows))
        beyond = self.generalizing * (rows @ (ladder.shares - 1 / self.leaves[j]))
        return loss.normalized(beyond, tuples.rows, self.leaves[j], self.generalizing)

    def _penalties(self, classes: Classes, rows: NDArray[np.int64]) -> Floats:
        """Of each column: what suppressing so many rows of each class adds."""
        chosen = np.flatnonzero(rows)
        number = rows[chosen]
        total = float(number.sum())
        tuples = classes.tuples[chosen]
        # Not `@`: a dot product of this length starts threads, which cost more than they save.
        wide = np.array(
            [(number * self.tuples.shares(j, h, tuples)).sum() for j, h in enumerate(classes.levels)]
        )
        spared = 1 - self.generalizing - self.suppressing
        return np.asarray((self.suppressing * total + spared * wide) * self.step)

    def _parts(self, columns: Floats) -> Floats:
        return np.atleast_1d(columns @ self.weights)

    def bases(self) -> list[Floats]:
        """The weighted sum over columns, for every node."""
        return [self.tuples.lattice.outer([w * c for w, c in zip(self.weights, self.columns, strict=True)])]

    def base(self, levels: Levels) -> Floats:
        """The base of one node."""
        return self._parts(np.array([column[h] for column, h in zip(self.columns, levels, strict=True)]))

    def cost(self, classes: Classes, verdict: NodeVerdict) -> SearchCost:
        """Base, penalty and lasting penalty of a node."""
        suppressed = np.where(verdict.suppressed, classes.sizes, 0)
        penalty = self._parts(self._penalties(classes, suppressed))
        same = np.array_equal(suppressed, verdict.least)
        lasting = penalty if same else self._parts(self._penalties(classes, verdict.least))
        return SearchCost(self.base(classes.levels), penalty, lasting)


class LossByColumn(LossMetric):
    """Loss whose columns are combined after penalties are added: one part for each column."""

    def _parts(self, columns: Floats) -> Floats:
        return columns

    def bases(self) -> list[Floats]:
        """The loss of each column at every node."""
        lattice = self.tuples.lattice
        return [
            np.broadcast_to(lattice.broadcast(j, column), lattice.shape).ravel()
            for j, column in enumerate(self.columns)
        ]


class GeometricLoss(LossByColumn):
    """Loss with the geometric mean over columns (ARX's default)."""

    name = "loss-geometric"

    def values(self, parts: list[Floats]) -> Floats:
        """The weighted geometric mean."""
        total = sum(w * np.log1p(part) for w, part in zip(self.weights, parts, strict=True))
        return np.asarray(np.expm1(np.asarray(total))[..., None])


class RankedLoss(LossByColumn):
    """Loss compared by the worst column, then by the next."""

    name = "loss-rank"

    def values(self, parts: list[Floats]) -> Floats:
        """Losses in descending order."""
        return loss.rank(np.stack(parts, axis=-1), self.weights)


class PrecisionMetric(Metric):
    """How far up their hierarchies the cells are."""

    name = "precision"

    def _columns(self) -> list[Floats]:
        return [np.arange(h + 1) / max(1, h) for h in self.tuples.lattice.heights]

    def bases(self) -> list[Floats]:
        """The weighted mean of relative levels."""
        parts = [w * column for w, column in zip(self.weights, self._columns(), strict=True)]
        return [self.tuples.lattice.outer(parts)]

    def cost(self, classes: Classes, verdict: NodeVerdict) -> SearchCost:
        """A suppressed cell is at the top."""
        columns = self._columns()
        base = sum(w * column[h] for w, column, h in zip(self.weights, columns, classes.levels, strict=True))
        room = (1 - base) / max(1, self.tuples.rows)
        rows = int(classes.sizes[verdict.suppressed].sum())
        least = int(verdict.least.sum())
        return SearchCost(np.array([base]), np.array([room * rows]), np.array([room * least]))


class Discernibility(Metric):
    """Pairs of rows that cannot be told apart."""

    name = "discernibility"
    known = False

    def bases(self) -> list[Floats]:
        """Not known before a node is looked at."""
        return [np.zeros(len(self.tuples.lattice))]

    def cost(self, classes: Classes, verdict: NodeVerdict) -> SearchCost:
        """The sum of squares, and n instead of the class for each suppressed row."""
        sizes = classes.sizes.astype(float)
        extra = self.tuples.rows - sizes
        suppressed = np.where(verdict.suppressed, sizes, 0.0)
        return SearchCost(
            np.array([sizes @ sizes]), np.array([suppressed @ extra]), np.array([verdict.least @ extra])
        )


class ClassSize(Metric):
    """Average class size; suppressed rows are one class together."""

    name = "class-size"
    known = False

    def bases(self) -> list[Floats]:
        """At least rows by the number of classes there could be: of all combinations of the columns' values."""
        tuples = self.tuples
        values = [
            np.array(
                [len(np.unique(level)) for level in ladder.nodes[np.unique(tuples.codes[:, j])].T], float
            )
            for j, ladder in enumerate(tuples.ladders)
        ]
        most = np.minimum(tuples.lattice.outer(values, multiply=True), max(1, len(tuples)))
        return [tuples.rows / most]

    def cost(self, classes: Classes, verdict: NodeVerdict) -> SearchCost:
        """Rows per class; nothing of the penalty is sure to last."""
        there = classes.sizes > 0
        rows = self.tuples.rows
        base = rows / max(1, int(there.sum()))
        suppressed = verdict.suppressed & there
        kept = int((there & ~suppressed).sum()) + bool(suppressed.any())
        return SearchCost(np.array([base]), np.array([rows / max(1, kept) - base]), np.zeros(1))


class Entropy(Metric):
    """Non-uniform entropy, summed over columns (times the number of columns where they are weighted)."""

    name = "entropy"

    def __init__(self, tuples: Tuples, weights: Floats | None = None) -> None:
        super().__init__(tuples, weights)
        self.weights = self.weights * len(self.weights)
        self.columns = [self._levels(j) for j in range(len(tuples.columns))]

    def _levels(self, j: int) -> Floats:
        ladder, tuples = self.tuples.ladders[j], self.tuples
        rows = np.bincount(tuples.codes[:, j], weights=tuples.counts, minlength=len(ladder.rows))
        seen = rows > 0
        bits = []
        for level in range(ladder.height + 1):
            nodes = ladder.nodes[:, level]
            wide = np.bincount(nodes, weights=rows)[nodes]
            bits.append(float(rows[seen] @ np.log2(wide[seen] / rows[seen])))
        return np.asarray(self.weights[j] * np.array(bits))

    def bases(self) -> list[Floats]:
        """The weighted sum over columns, for every node."""
        return [self.tuples.lattice.outer(self.columns)]

    def _penalty(self, classes: Classes, chosen: NDArray[np.bool_]) -> float:
        tuples, rows = classes.tuples[chosen], classes.sizes[chosen]
        total = 0.0
        for j, level in enumerate(classes.levels):
            nodes = self.tuples.ladders[j].nodes[self.tuples.codes[tuples, j], level]
            total += self.weights[j] * loss.spread(np.bincount(nodes, weights=rows))
        return total

    def cost(self, classes: Classes, verdict: NodeVerdict) -> SearchCost:
        """The entropy of generalized values among suppressed rows is the penalty."""
        base = sum(column[h] for column, h in zip(self.columns, classes.levels, strict=True))
        penalty = self._penalty(classes, verdict.suppressed)
        whole = verdict.least >= np.maximum(1, classes.sizes)
        lasting = penalty if np.array_equal(whole, verdict.suppressed) else self._penalty(classes, whole)
        return SearchCost(np.array([base]), np.array([penalty]), np.array([lasting]))


METRICS: dict[str, type[Metric]] = {
    metric.name: metric
    for metric in (LossMetric, GeometricLoss, RankedLoss, PrecisionMetric, Discernibility, ClassSize, Entropy)
}


def metric_named(
    name: str, tuples: Tuples, weights: Floats | None = None, gs_factor: float | None = None
) -> Metric:
    """The metric with this name, ready for these tuples."""
    found = METRICS.get(name)
    if found is None:
        raise BadSearch("there is no such metric.", f"Use one of {', '.join(METRICS)}.")
    if gs_factor is None:
        return found(tuples, weights)
    if not issubclass(found, LossMetric):
        raise BadSearch("only Loss weighs generalization against suppression.", "Leave gs_factor out.")
    return found(tuples, weights, gs_factor)
