"""The best unbiased estimate from all noisy measurements, without looking at signs: weighted least squares on the tree.

Every query group sums a table over some of its columns. All such sums share one set of axes: the table falls
into components, one for each set S of columns, made of means over the columns outside S of deviations from the
mean over the columns in S (the decomposition of an analysis of variance). In these axes every measurement is a
number with a variance, so generalised least squares on the whole tree takes one pass up and one down, with
scalars where others need matrices. For trees this is the estimator of Hay, Rastogi, Miklau and Suciu (VLDB
2010), Section 4, carried over to tables.

Let w be 1 / sigma² of a query group q. Its precision in component S is w · (cells that q adds up) if q keeps all
of S, else 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privet.protect.tabulate._invariants import summed
from privet.protect.tabulate._spine_tree import Tree
from privet.protect.tabulate._table_cells import Group, TableCells

Reals: TypeAlias = "NDArray[np.float64]"
# For each component: places × (the columns of the component, 1 for every other column).
Components: TypeAlias = dict[Group, Reals]
# For each component: one number for each place.
Scalars: TypeAlias = dict[Group, Reals]


@dataclass(frozen=True)
class EstimatePrecision:
    """What is known of each level before any answer: needs the tree and the noise, and no data.

    `own` is the precision of the places' own measurements, `subtree` that of everything measured at or below,
    `children` the variance of the sum of the children's estimates (for all levels but the last), and
    `variance` the variance of the final estimate, which uses everything measured anywhere.
    """

    own: tuple[dict[Group, float], ...]
    subtree: tuple[Scalars, ...]
    children: tuple[Scalars, ...]
    variance: tuple[Scalars, ...]


@dataclass(frozen=True)
class SpineEstimates:
    """Unbiased tables of places × cells for each level: from everything below, and from everything."""

    subtree: tuple[Reals, ...]
    final: tuple[Reals, ...]


def precision(tree: Tree, cells: TableCells, sigmas: Mapping[tuple[int, Group], float]) -> EstimatePrecision:
    """The precision of every place in every component, from the standard deviations of the noise."""
    own = tuple(
        {part: _own(cells, part, depth, sigmas) for part in cells.groups} for depth in range(len(tree.levels))
    )
    subtree: list[Scalars] = [_constant(own[-1], len(tree.leaves))]
    children: list[Scalars] = []
    for depth in range(len(tree.levels) - 2, -1, -1):
        size, parents = len(tree.levels[depth]), tree.levels[depth + 1].parents
        spread = {part: summed(1 / known, parents, size) for part, known in subtree[0].items()}
        children.insert(0, spread)
        subtree.insert(0, {part: own[depth][part] + 1 / spread[part] for part in cells.groups})
    variance: list[Scalars] = [{part: 1 / known for part, known in subtree[0].items()}]
    for depth in range(1, len(tree.levels)):
        parents, above = tree.levels[depth].parents, variance[-1]
        found = {}
        for part in cells.groups:
            alone, together = 1 / subtree[depth][part], children[depth - 1][part][parents]
            gain = alone / together
            found[part] = alone - gain**2 * (together - above[part][parents])
        variance.append(found)
    return EstimatePrecision(own, tuple(subtree), tuple(children), tuple(variance))


def combine(
    tree: Tree,
    cells: TableCells,
    known: EstimatePrecision,
    sigmas: Mapping[tuple[int, Group], float],
    noisy: Mapping[tuple[int, Group], NDArray[np.int64]],
) -> SpineEstimates:
    """Up: each place from its own measurements and its children's sum. Down: each child takes its share of the rest."""
    up: list[Components] = []
    sums: list[Components] = []
    for depth in range(len(tree.levels) - 1, -1, -1):
        seen = _seen(cells, depth, len(tree.levels[depth]), sigmas, noisy)
        if up:
            below = {
                part: summed(values, tree.levels[depth + 1].parents, len(tree.levels[depth]))
                for part, values in up[0].items()
            }
            sums.insert(0, below)
            for part, values in below.items():
                seen[part] = seen[part] + values / _wide(known.children[depth][part], values)
        up.insert(
            0, {part: values / _wide(known.subtree[depth][part], values) for part, values in seen.items()}
        )
    down: list[Components] = [up[0]]
    for depth in range(1, len(tree.levels)):
        parents = tree.levels[depth].parents
        found = {}
        for part, values in up[depth].items():
            gain = 1 / (known.subtree[depth][part] * known.children[depth - 1][part][parents])
            rest = (down[-1][part] - sums[depth - 1][part])[parents]
            found[part] = values + _wide(gain, values) * rest
        down.append(found)
    return SpineEstimates(
        tuple(_whole(cells, parts) for parts in up), tuple(_whole(cells, parts) for parts in down)
    )


def deviation(cells: TableCells, group: Group, variance: Scalars) -> Reals:
    """For each place, the standard deviation of an estimated entry of a query group (the same for all entries)."""
    total: Any = 0.0
    for part, spread in variance.items():
        if set(part) <= set(group):
            share = math.prod(
                1 - 1 / cells.shape[axis] if axis in part else 1 / cells.shape[axis] for axis in group
            )
            merged = math.prod(size for axis, size in enumerate(cells.shape) if axis not in group)
            total = total + spread * share * merged
    return np.asarray(np.sqrt(total), np.float64)


def weights(cells: TableCells, known: Scalars) -> Scalars:
    """For each query group, what a squared deviation of one of its entries costs: the precision, as sums of squares.

    The precision of component S is the sum, over groups T that keep all of S, of weight · (cells that T adds up);
    this is solved for the weights from the detailed table upwards. Where children are precise in different
    ways a weight may come out below zero; it is then zero, which costs a little accuracy and nothing else.
    """
    found: Scalars = {}
    for group in cells.groups:
        signed: Any = 0.0
        for part, precisions in known.items():
            if set(part) >= set(group):
                signed = signed + (-1) ** (len(part) - len(group)) * precisions
        found[group] = np.maximum(signed * (cells.group_size(group) / cells.size), 0.0)
    return found


def _own(cells: TableCells, part: Group, depth: int, sigmas: Mapping[tuple[int, Group], float]) -> float:
    return math.fsum(
        cells.size / cells.group_size(group) / sigma**2
        for (level, group), sigma in sigmas.items()
        if level == depth and set(part) <= set(group)
    )


def _constant(own: Mapping[Group, float], size: int) -> Scalars:
    return {part: np.full(size, value) for part, value in own.items()}


def _seen(
    cells: TableCells,
    depth: int,
    size: int,
    sigmas: Mapping[tuple[int, Group], float],
    noisy: Mapping[tuple[int, Group], NDArray[np.int64]],
) -> Components:
    """The places' own measurements, each weighted by its precision, in every component."""
    found: Components = {
        part: np.zeros((size, *(n if axis in part else 1 for axis, n in enumerate(cells.shape))))
        for part in cells.groups
    }
    for (level, group), vector in noisy.items():
        if level == depth:
            shape = (n if axis in group else 1 for axis, n in enumerate(cells.shape))
            table = np.asarray(vector, np.float64).reshape(size, *shape)
            for part in found:
                if set(part) <= set(group):
                    found[part] += _component(table, part, group) / sigmas[level, group] ** 2
    return found


def _component(table: Reals, part: Group, group: Sequence[int]) -> Reals:
    for axis in group:
        mean = table.mean(axis=axis + 1, keepdims=True)
        table = table - mean if axis in part else mean
    return table


def _wide(scalars: Reals, like: Reals) -> Reals:
    return scalars.reshape(-1, *(1 for _ in like.shape[1:]))


def _whole(cells: TableCells, parts: Components) -> Reals:
    first = next(iter(parts.values()))
    total = np.zeros((len(first), *cells.shape))
    for values in parts.values():
        total += values
    return total.reshape(len(first), cells.size)
