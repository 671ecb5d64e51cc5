"""Rows drawn from a model, column after column in the reverse order of elimination, with as little variance as whole rows allow.

In each group of rows that agree on what a column depends on, the column's values are laid out by systematic sampling:
each value gets its expected number of rows, rounded up or down. So a large sample repeats the model's counts nearly
exactly, where independent draws would add noise of their own.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from privet.mechanism import Draws
from privet.protect.synthesize._graphical_model import Array, GraphicalModel, summed
from privet.protect.synthesize._junction_tree import Clique

Codes = NDArray[np.int64]


def sampled_rows(
    model: GraphicalModel, rows: int, draws: Draws, *, beside: Mapping[int, Codes] | None = None
) -> Codes:
    """Codes of `rows` rows, one column of the array for each column of the model.

    Columns are drawn in the reverse of the order of elimination, each given its neighbours that were eliminated later:
    that is the model's distribution. Codes of the columns that were eliminated last may be given (`beside`); the others are
    then drawn given these.
    """
    tree, given = model.tree, dict(beside or {})
    # Column by column in memory: that is how they are drawn, and counted afterwards.
    codes = np.zeros((rows, len(tree.sizes)), np.int64, order="F")
    for column, known in given.items():
        codes[:, column] = known
    for column, around in reversed(tree.order):
        if column in given:
            continue
        home = tree.home(around)
        table = summed(model.beliefs[home], tree.cliques[home], around)
        table = np.moveaxis(table, around.index(column), -1)
        codes[:, column] = _laid_out(table, codes, tuple(one for one in around if one != column), draws)
    return codes


def _laid_out(table: Array, codes: Codes, given: Clique, draws: Draws) -> Codes:
    """The values of one column: systematic within each group, in random order."""
    size = table.shape[-1]
    flat = table.reshape(-1, size)
    group = np.zeros(len(codes), np.int64)
    for place, column in enumerate(given):
        group = group * table.shape[place] + codes[:, column]
    mixed = draws.permutation(len(codes))
    order = mixed[np.argsort(group[mixed], kind="stable")]
    present, start, counts = np.unique(group[order], return_index=True, return_counts=True)
    weights = np.maximum(flat[present], 0)
    sums = weights.sum(axis=1, keepdims=True)
    # A group that the model holds for impossible cannot be told from rounding: its values are the column's own.
    lost = sums[:, 0] <= 0
    if lost.any():
        weights[lost] = np.maximum(flat.sum(axis=0), 1e-12)
        sums = weights.sum(axis=1, keepdims=True)
    steps = np.cumsum(weights / sums, axis=1)
    steps[:, -1] = 1.0
    which = np.repeat(np.arange(len(present)), counts)
    rank = np.arange(len(codes)) - np.repeat(start, counts)
    spot = (rank + np.repeat(draws.random(len(present)), counts)) / np.repeat(counts, counts)
    found = np.searchsorted(
        (steps + np.arange(len(present))[:, None]).reshape(-1), which + spot, side="right"
    )
    values = np.empty(len(codes), np.int64)
    values[order] = np.minimum(found - which * size, size - 1)
    return np.maximum(values, 0)
