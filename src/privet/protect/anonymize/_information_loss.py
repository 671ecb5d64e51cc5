"""How much information an anonymized table has lost, from what became of each distinct tuple.

Every function takes counts of distinct tuples and a mask of those that were suppressed: a suppressed row is one
whose every cell stands for every value. 0 means that nothing was lost. Definitions: Loss (Iyengar 2002, as
normalized by ARX), NCP and GCP (Xu et al. 2006; Ghinita et al. 2007), precision (Sweeney 2002), discernibility
(Bayardo and Agrawal 2005), average class size (LeFevre et al. 2006), non-uniform entropy (Gionis and Tassa 2009).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import BadSearch

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Mask = NDArray[np.bool_]


def factors(gs_factor: float) -> tuple[float, float]:
    """What generalization and suppression weigh: at 0.5 alike, at 0 suppression is free, at 1 generalization is."""
    if not 0 <= gs_factor <= 1:
        raise BadSearch("the factor between generalization and suppression must lie between 0 and 1.")
    return (1.0 if gs_factor <= 0.5 else 2 - 2 * gs_factor), (2 * gs_factor if gs_factor < 0.5 else 1.0)


def normalized(excess: Floats, rows: int, leaves: Floats, generalizing: float = 1.0) -> Floats:
    """Sums over all rows of what cells stand for beyond one value, scaled so that a suppressed table has loss 1.

    A cell that stands for its one value adds nothing at all, so that a table in which nothing is lost has loss 0 and no
    rounding error in its place.
    """
    room = rows - generalizing * rows / leaves
    return np.where(room > 0, np.maximum(0, excess) / np.where(room > 0, room, 1), 0.0)


def column_losses(
    shares: Floats, counts: Counts, suppressed: Mask, leaves: Sequence[int], *, gs_factor: float = 0.5
) -> Floats:
    """Loss of each column, between 0 and 1.

    Args:
        shares: for each tuple and column, the share of the column's values that the published cell stands for.
        counts: rows of each tuple.
        suppressed: tuples that are not published.
        leaves: how many values each column's hierarchy has.
        gs_factor: what generalization weighs against suppression.
    """
    generalizing, suppressing = factors(gs_factor)
    values = np.asarray(leaves, float)
    beyond = np.where(
        suppressed[:, None],
        suppressing + (1 - suppressing) * shares - generalizing / values,
        generalizing * (shares - 1 / values),
    )
    return normalized(np.asarray(counts @ beyond, float), int(counts.sum()), values, generalizing)


def column_weights(columns: int, weights: Floats | None) -> Floats:
    """Weights that add up to 1."""
    given = np.ones(columns) if weights is None else np.asarray(weights, float)
    if len(given) != columns or (given < 0).any() or not 0 < given.sum() < np.inf:
        raise BadSearch("weights are one for each column, not negative and not all zero.")
    return np.asarray(given / given.sum())


def arithmetic(losses: Floats, weights: Floats | None = None) -> Floats:
    """The weighted mean over the last axis."""
    return np.asarray(losses @ column_weights(losses.shape[-1], weights))


def geometric(losses: Floats, weights: Floats | None = None) -> Floats:
    """The weighted geometric mean of 1 + loss over the last axis, less 1."""
    return np.asarray(np.expm1(np.log1p(losses) @ column_weights(losses.shape[-1], weights)))


def rank(losses: Floats, weights: Floats | None = None) -> Floats:
    """Losses in descending order along the last axis: tables are compared by the worst column, then the next."""
    shares = column_weights(losses.shape[-1], weights)
    return -np.sort(-(losses * shares * losses.shape[-1]), axis=-1)


def precision_loss(
    levels: NDArray[np.signedinteger], heights: Sequence[int], counts: Counts, suppressed: Mask
) -> Floats:
    """Of each column: how far up its hierarchy the cells are, on average; a suppressed cell is at the top."""
    top = np.asarray(heights, float)
    climbed = np.where(top > 0, levels / np.where(top > 0, top, 1), 0.0)
    climbed = np.where(suppressed[:, None], 1.0, climbed)
    return np.asarray(counts @ climbed / max(1, int(counts.sum())))


def class_rows(labels: Counts, counts: Counts, suppressed: Mask) -> Counts:
    """Rows of each class that is published."""
    kept = ~suppressed
    found = np.bincount(labels[kept], weights=counts[kept]).astype(np.int64)
    return found[found > 0]


def discernibility(sizes: Counts, suppressed_rows: int) -> int:
    """Pairs that cannot be told apart: the square of each class, and all rows for each suppressed one."""
    rows = int(sizes.sum()) + suppressed_rows
    return (
        int((sizes.astype(object) ** 2).sum()) + rows * suppressed_rows
        if len(sizes)
        else rows * suppressed_rows
    )


def average_class_size(sizes: Counts, suppressed_rows: int) -> float:
    """Rows per class; suppressed rows are one class together."""
    return (int(sizes.sum()) + suppressed_rows) / max(1, len(sizes) + (suppressed_rows > 0))


def entropy_losses(
    values: NDArray[np.signedinteger], nodes: NDArray[np.signedinteger], counts: Counts, suppressed: Mask
) -> Floats:
    """Non-uniform entropy of each column, in bits over all rows (global recoding).

    A row costs the surprise of its value among those that share its generalized value; suppressed rows cost their
    generalized values' entropy on top.
    """
    return np.array(
        [_column_entropy(values[:, j], nodes[:, j], counts, suppressed) for j in range(values.shape[1])]
    )


def _column_entropy(
    values: NDArray[np.signedinteger], nodes: NDArray[np.signedinteger], counts: Counts, suppressed: Mask
) -> float:
    raw = np.bincount(values, weights=counts)
    wide = np.bincount(nodes, weights=counts)
    bits = float(counts @ np.log2(wide[nodes] / raw[values]))
    return bits + spread(np.bincount(nodes[suppressed], weights=counts[suppressed]))


def spread(counts: NDArray[Any]) -> float:
    """Entropy of these counts in bits, times their sum."""
    found = counts[counts > 0]
    total = found.sum()
    return float(total * np.log2(total) - found @ np.log2(found)) if total > 0 else 0.0


def certainty_penalty(shares: Floats, single: Mask, counts: Counts, suppressed: Mask) -> Floats:
    """NCP of each column: the share that a cell stands for, and 0 where it still stands for one value.

    The mean over columns is the global certainty penalty. For numbers give (max - min) / range as the share.
    """
    cost = np.where(suppressed[:, None], 1.0, np.where(single, 0.0, shares))
    return np.asarray(counts @ cost / max(1, int(counts.sum())))
