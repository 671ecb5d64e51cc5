"""Microaggregation by MDAV: rows in groups of at least k that are alike, each with its group's mean.

MDAV (Domingo-Ferrer and Torra, Data Mining and Knowledge Discovery 11, 2005, algorithm 5.1): take the row farthest
from the centre and its k-1 nearest as a group, then the row farthest from that one and its nearest; go on while at
least 2k rows are left. Columns are standardised, so that units do not matter. Work grows with the square of the rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from privet.engine import ColumnKind, settled, with_columns
from privet.errors import BadTransform
from privet.protect.transform._rewritten_table import Rewritten, checked_columns, rewritten
from privet.source import Table


def microaggregate(table: Table, columns: Sequence[str], k: int) -> Rewritten:
    """Numbers replaced by the mean of a group of at least k rows that are alike in these columns.

    Every combination of these columns then occurs at least k times. Means of whole-number columns are rounded.
    """
    import pyarrow as pa

    names = checked_columns(table, columns, ColumnKind.INTEGER, ColumnKind.REAL)
    arrow = settled(table.relation)
    if k < 2 or arrow.num_rows < k:
        raise BadTransform(
            "groups need at least two rows, and the table at least one group.", "Choose a smaller k."
        )
    gaps = [name for name in names if arrow[name].null_count]
    if gaps:
        raise BadTransform(
            f"values are missing in {', '.join(repr(name) for name in gaps)}.",
            "Rows without a value have no mean: leave them out, or fill them first.",
            columns=gaps,
        )
    values = np.column_stack([arrow[name].to_numpy().astype(np.float64) for name in names])
    if not np.isfinite(values).all():
        raise BadTransform("infinite values have no mean.", "Top-code the column first.")
    groups = mdav(values, k)
    changed = {}
    for at, name in enumerate(names):
        means = _means(values[:, at], groups)
        whole = table.columns[name] is ColumnKind.INTEGER
        changed[name] = pa.array(np.rint(means).astype(np.int64) if whole else means)
    done = dict.fromkeys(names, f"mean of a group of at least {k} rows (MDAV)")
    return rewritten(table, with_columns(arrow, changed), done, {"groups": int(groups.max()) + 1})


def mdav(values: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """The group of each row: each has k to 2k-1 rows."""
    spread = values.std(axis=0)
    # One line for each column: sums over a column then run through memory in order.
    rest = np.ascontiguousarray(((values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)).T)
    groups = np.full(len(values), -1, np.int64)
    left = np.arange(len(values))
    made = 0

    def take(far: int) -> NDArray[np.float64]:
        """Group a row with its nearest; returns how far from it the others are."""
        nonlocal left, rest, made
        away = _distances(rest, rest[:, far])
        near = np.argpartition(away, k - 1)[:k]
        groups[left[near]] = made
        made += 1
        kept = np.ones(len(left), np.bool_)
        kept[near] = False
        left, rest = left[kept], np.compress(kept, rest, axis=1)
        return away[kept]

    while len(left) >= 3 * k:
        away = take(int(np.argmax(_distances(rest, rest.mean(axis=1)))))
        take(int(np.argmax(away)))
    if len(left) >= 2 * k:
        take(int(np.argmax(_distances(rest, rest.mean(axis=1)))))
    groups[left] = made
    return groups


def _distances(points: NDArray[np.float64], centre: NDArray[np.float64]) -> NDArray[np.float64]:
    """Squared distances; a column of `points` is a row of the table."""
    total = np.zeros(points.shape[1])
    for line, middle in zip(points, centre, strict=True):
        away = line - middle
        total += away * away
    return total


def _means(values: NDArray[np.float64], groups: NDArray[np.int64]) -> NDArray[np.float64]:
    sizes = np.bincount(groups)
    means: NDArray[np.float64] = np.bincount(groups, weights=values) / sizes
    return means[groups]
