"""A graphical model fitted to noisy marginals: potentials, beliefs by log-space propagation, mirror descent.

The model is the distribution of greatest entropy among those that fit the measurements best (McKenna, Sheldon and
Miklau 2019, "Graphical-model based estimation and inference for differential privacy"). Parameters belong to the
measured sets of columns, not to the cliques of one tree, so that they stay as they are when another set is measured
and the tree changes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.protect.synthesize._junction_tree import Clique, JunctionTree, junction_tree

Array = NDArray[np.float64]
_FLOOR = -1e4  # the logarithm of what cannot happen: small enough to vanish, and still a number


@dataclass(frozen=True)
class NoisyMarginal:
    """Noisy counts of a set of columns, flat, and the standard deviation of their noise."""

    columns: Clique
    counts: Array
    sigma: float


@dataclass(frozen=True)
class GraphicalModel:
    """A distribution over coded columns: beliefs of the cliques of a tree, each summing to `total`."""

    tree: JunctionTree
    total: float
    beliefs: tuple[Array, ...]
    potentials: Mapping[Clique, Array]
    step: float

    def marginal(self, columns: Clique) -> Array | None:
        """Expected counts of columns that share a clique, flat; None for others."""
        home = self.tree.home(columns)
        return None if home < 0 else summed(self.beliefs[home], self.tree.cliques[home], columns).reshape(-1)


def estimated_total(measured: Sequence[NoisyMarginal]) -> float:
    """The number of rows that the measurements agree on, each weighed by the variance of its sum."""
    weights = np.array([1 / (one.sigma**2 * one.counts.size) for one in measured])
    sums = np.array([one.counts.sum() for one in measured])
    return max(1.0, float((weights * sums).sum() / weights.sum()))


def fitted(
    measured: Sequence[NoisyMarginal],
    sizes: Sequence[int],
    *,
    before: GraphicalModel | None = None,
    iterations: int = 60,
    zeros: Mapping[Clique, NDArray[np.bool_]] | None = None,
    last: Set[int] = frozenset(),
) -> GraphicalModel:
    """The model that fits these measurements, started from an earlier one; post-processing of noisy numbers alone.

    `zeros` are cells of sets of columns that cannot be: the model puts nothing there. Of the tree, columns in `last` are
    eliminated after all others: the others can then be drawn given these.
    """
    fit = _Fit(_merged(measured), tuple(sizes), dict(zeros or {}), last)
    known = {} if before is None else before.potentials
    theta = {columns: known.get(columns, np.zeros(_shape(columns, sizes))) for columns in fit.targets}
    return fit.descended(theta, iterations, 0.0 if before is None else before.step)


def _merged(measured: Sequence[NoisyMarginal]) -> dict[Clique, tuple[Array, float]]:
    """One target and one weight for each set of columns: repeated measurements are averaged by their variances."""
    found: dict[Clique, tuple[Array, float]] = {}
    for one in measured:
        weight = one.sigma**-2
        if one.columns in found:
            mean, known = found[one.columns]
            weight += known
            found[one.columns] = ((mean * known + one.counts * one.sigma**-2) / weight, weight)
        else:
            found[one.columns] = (one.counts, weight)
    return found


class _Fit:
    """One optimisation: least squares of the measurements over the marginals of the tree."""

    def __init__(
        self,
        targets: dict[Clique, tuple[Array, float]],
        sizes: tuple[int, ...],
        zeros: dict[Clique, NDArray[np.bool_]],
        last: Set[int],
    ) -> None:
        self.total = estimated_total(
            [NoisyMarginal(columns, mean, weight**-0.5) for columns, (mean, weight) in targets.items()]
        )
        self.tree = junction_tree([*targets, *zeros], sizes, last)
        self.sizes = sizes
        # Largest weight first, and scaled to it: steps then mean the same in every round.
        self.heaviest = max(weight for _, weight in targets.values())
        self.targets = {
            columns: (mean.reshape(_shape(columns, sizes)), weight / self.heaviest)
            for columns, (mean, weight) in targets.items()
        }
        self.homes = {columns: self.tree.home(columns) for columns in self.targets}
        self.base = [np.zeros(_shape(clique, sizes)) for clique in self.tree.cliques]
        for columns, never in zeros.items():
            home = self.tree.home(columns)
            impossible = np.where(never.reshape(_shape(columns, sizes)), _FLOOR, 0.0)
            self.base[home] += _spread(impossible, columns, self.tree.cliques[home])

    def beliefs(self, theta: Mapping[Clique, Array]) -> list[Array]:
        """Expected counts in every clique, by one pass of messages up the tree and one down."""
        potentials = [base.copy() for base in self.base]
        for columns, home in self.homes.items():
            potentials[home] += _spread(theta[columns], columns, self.tree.cliques[home])
        return propagated(self.tree, potentials, self.total)

    def losses(self, beliefs: Sequence[Array]) -> tuple[float, dict[Clique, Array]]:
        """Half the weighted squared error, and what is left of each measurement."""
        loss, residuals = 0.0, {}
        for columns, (mean, weight) in self.targets.items():
            home = self.homes[columns]
            off = summed(beliefs[home], self.tree.cliques[home], columns) - mean
            residuals[columns] = off * weight
            loss += 0.5 * weight * float(np.vdot(off, off))
        return loss, residuals

    def descended(self, theta: dict[Clique, Array], iterations: int, step: float) -> GraphicalModel:
        """Entropic mirror descent with momentum, begun anew where the error would rise.

        Beck and Teboulle 2003; the momentum and its restart are Nesterov's and O'Donoghue and Candès's (2015). Few
        iterations on purpose: a model that is fitted to the end fits the noise.
        """
        # A fit that had settled ends with a tiny step, which says nothing about a new measurement.
        step = max(step, 2.0 / self.total)
        before, ahead, pace = theta, theta, 1.0
        beliefs = self.beliefs(ahead)
        loss, gradient = self.losses(beliefs)
        best = (loss, ahead, beliefs, gradient)
        for _ in range(iterations):
            moved = {columns: ahead[columns] - step * gradient[columns] for columns in theta}
            quicker = (1 + math.sqrt(1 + 4 * pace * pace)) / 2
            push = (pace - 1) / quicker
            tried = {columns: moved[columns] + push * (moved[columns] - before[columns]) for columns in theta}
            found = self.beliefs(tried)
            new_loss, new_gradient = self.losses(found)
            if not new_loss <= loss:
                if pace <= 1:
                    step *= 0.5
                loss, ahead, beliefs, gradient = best
                before, pace = ahead, 1.0
                continue
            before, ahead, pace = moved, tried, quicker
            loss, beliefs, gradient = new_loss, found, new_gradient
            best = (loss, ahead, beliefs, gradient)
            step *= 1.02
        return GraphicalModel(self.tree, self.total, tuple(best[2]), best[1], step)


def propagated(tree: JunctionTree, potentials: Sequence[Array], total: float) -> list[Array]:
    """Beliefs from log-potentials (Shafer and Shenoy): messages to the root, then from it."""
    count = len(tree.cliques)
    separators = [() if tree.parents[at] < 0 else tree.separator(at) for at in range(count)]
    logs = list(potentials)
    upward: list[Array | None] = [None] * count
    for at in range(count - 1, -1, -1):
        above = tree.parents[at]
        if above >= 0:
            message = _log_summed(logs[at], tree.cliques[at], separators[at])
            upward[at] = message
            logs[above] = logs[above] + _spread(message, separators[at], tree.cliques[above])
    beliefs: list[Array] = []
    for at in range(count):
        above = tree.parents[at]
        if above < 0:
            table = np.exp(logs[at] - logs[at].max())
            table *= total / table.sum()
        else:
            # Each cell of the separator is scaled by itself: one that is rare here and common above would underflow.
            away = tuple(axis for axis, column in enumerate(tree.cliques[at]) if column not in separators[at])
            peak = logs[at].max(axis=away, keepdims=True)
            mine = np.exp(logs[at] - np.where(np.isfinite(peak), peak, 0.0))
            own = summed(mine, tree.cliques[at], separators[at])
            wanted = summed(beliefs[above], tree.cliques[above], separators[at])
            ratio = np.divide(wanted, own, out=np.zeros_like(wanted), where=own > 0)
            table = mine * _spread(ratio, separators[at], tree.cliques[at])
        beliefs.append(table)
    return beliefs


def _shape(columns: Clique, sizes: Sequence[int]) -> tuple[int, ...]:
    return tuple(sizes[column] for column in columns)


def _spread(table: Array, columns: Clique, clique: Clique) -> Array:
    """A table of some of a clique's columns, ready to be broadcast over all of them."""
    sizes = iter(table.shape)
    return table.reshape([next(sizes) if column in columns else 1 for column in clique])


def summed(table: Array, clique: Clique, columns: Clique) -> Array:
    away = tuple(at for at, column in enumerate(clique) if column not in columns)
    found: Array = table.sum(axis=away) if away else table
    return found


def _log_summed(logs: Array, clique: Clique, columns: Clique) -> Array:
    away = tuple(at for at, column in enumerate(clique) if column not in columns)
    if not away:
        return logs
    top = logs.max(axis=away, keepdims=True)
    summed = np.exp(logs - top).sum(axis=away)
    found: Array = np.log(np.maximum(summed, 1e-300)) + top.reshape(summed.shape)
    return found
