"""Sets of columns chosen by one model and measured together: a fit is dear, a choice is not.

Each choice costs what the exponential mechanism costs, and each measurement what its noise does. Within a batch tables
are measured at prices that grow with their size: rho in proportion to cells to the power 2/3 makes the sum of all absolute
errors the least (Zhang et al., "PrivSyn: Differentially Private Data Synthesis", USENIX Security 2021, section 4.2).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.mechanism import Draws
from privet.protect.synthesize._graphical_model import Array, GraphicalModel, NoisyMarginal
from privet.protect.synthesize._junction_tree import Clique, cells_of
from privet.protect.synthesize._kept_codes import KeptCodes
from privet.protect.synthesize._measurement_run import MeasurementRun
from privet.protect.synthesize._row_sampling import sampled_rows

MOST_SAMPLED = 100_000  # rows from which marginals outside the tree are read
HAIR = 1 - 1e-9  # prices are rounded up when they are booked
_MEAN_ABSOLUTE = math.sqrt(2 / math.pi)  # of Gaussian noise, in standard deviations
_POWER = 2 / 3

# Whether a set may still be chosen, after those that were chosen before it in the same batch.
Fits = Callable[[Sequence[Clique], Clique], bool]


@dataclass(frozen=True)
class Batch:
    """What one batch may spend: on choices and on measurements, for so many sets."""

    many: int
    choosing: float
    measuring: float


def expected_counts(model: GraphicalModel, sets: Iterable[Clique], draws: Draws) -> dict[Clique, Array]:
    """What the model says of these sets; of those outside its tree, what a sample of it says.

    Nothing private depends on `draws`.
    """
    found: dict[Clique, Array] = {}
    rows: NDArray[np.int64] | None = None
    for columns in sets:
        inside = model.marginal(columns)
        if inside is None:
            if rows is None:
                rows = sampled_rows(model, min(max(1, round(model.total)), MOST_SAMPLED), draws)
            inside = counted(rows, columns, model.tree.sizes) * (model.total / len(rows))
        found[columns] = inside
    return found


def noise_due(run: MeasurementRun, columns: Clique, rho: float, cells: int) -> float:
    """By how many rows noise alone puts a table of so many cells wrong on average, where it is measured for this much rho."""
    return _MEAN_ABSOLUTE * run.sigma(columns, rho) * cells


def chosen_sets(
    run: MeasurementRun,
    kept: KeptCodes,
    expected: Mapping[Clique, Array],
    weights: Mapping[Clique, int],
    batch: Batch,
    *,
    fits: Fits,
) -> list[Clique]:
    """The sets that the model gets most wrong, less what their noise would put wrong; each choice is paid for."""
    each = batch.measuring / batch.many
    spread = {columns: kept.spread(columns, table) for columns, table in expected.items()}
    penalties = {columns: noise_due(run, columns, each, table.size) for columns, table in expected.items()}
    chosen: list[Clique] = []
    for _ in range(batch.many):
        # What no longer fits does not fit later either: more sets only make the tree larger.
        spread = {
            columns: table
            for columns, table in spread.items()
            if columns not in chosen and fits(chosen, columns)
        }
        if not spread:
            break
        chosen.append(run.choose(spread, weights, penalties, batch.choosing / batch.many))
    return chosen


def measured_sets(
    run: MeasurementRun, kept: KeptCodes, sets: Sequence[Clique], rho: float
) -> list[NoisyMarginal]:
    """Noisy counts of these sets for this much rho together, larger tables for more of it."""
    prices = np.array([cells_of(columns, kept.sizes) ** _POWER for columns in sets])
    shares = prices / max(prices.sum(), 1.0) * rho * HAIR
    return [
        kept.reduced(run.measure(columns, float(price))) for columns, price in zip(sets, shares, strict=True)
    ]


def joins_parts(chosen: Sequence[Clique], pair: Clique) -> bool:
    """Whether a pair joins columns that no chain of chosen pairs joins: so chosen pairs are a forest."""
    reached, grown = {pair[0]}, True
    while grown:
        more = {column for one in chosen if reached & set(one) for column in one}
        grown = not more <= reached
        reached |= more
    return pair[1] not in reached


def counted(rows: NDArray[np.int64], columns: Clique, sizes: Sequence[int]) -> Array:
    """How many of these synthetic rows fall into each cell."""
    cell = np.zeros(len(rows), np.int64)
    for column in columns:
        cell = cell * sizes[column] + rows[:, column]
    return np.bincount(cell, minlength=cells_of(columns, sizes)).astype(np.float64)
