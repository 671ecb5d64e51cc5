"""Rows from what evolved: each candidate about as often as its votes say, its numbers spread over the room around it.

All of it is post-processing of noisy numbers. A thousand candidates stand for all rows, so in a table of few columns a model
that learns from copies of them sees points with gaps between. Moving numbers by a part of the distance between candidates fills
the gaps; noisy counts of the column decide how often a move is made (Metropolis), so that a peak stays a peak.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from privet.mechanism import Draws
from privet.protect.synthesize._column_domain import ColumnDomain
from privet.protect.synthesize._graphical_model import NoisyMarginal
from privet.protect.synthesize._junction_tree import Clique
from privet.protect.synthesize._structural_zeros import impossible
from privet.protect.synthesize._tabular_evolution import FEW, Population, rows_of

_REACH = 0.35  # of the distance between candidates
_CLEAR = 2.0  # standard deviations under which a count is nothing
Codes = NDArray[np.int64]


def evolved_rows(  # noqa: PLR0917
    population: Population,
    rows: int,
    columns: Sequence[ColumnDomain],
    noisy: Sequence[NoisyMarginal],
    zeros: Mapping[Clique, NDArray[np.bool_]],
    draws: Draws,
) -> Codes:
    """As many rows, none of which lies in a cell that cannot be unless a candidate does."""
    codes = rows_of(population, rows, draws)
    if len(columns) > FEW:
        return codes
    spread = _spread(codes, max(1, int((population.votes > 0).sum())), columns, noisy, draws)
    wrong = impossible(spread, zeros, [column.size for column in columns])
    spread[wrong] = codes[wrong]
    return spread


def _spread(
    codes: Codes, lives: int, columns: Sequence[ColumnDomain], noisy: Sequence[NoisyMarginal], draws: Draws
) -> Codes:
    numbers = [at for at, column in enumerate(columns) if column.kind != "category"]
    made = codes.copy()
    for at in numbers:
        bins, old = columns[at].bins, codes[:, at]
        reach = _REACH * bins * lives ** (-1 / len(numbers))
        new = old + np.rint(draws.uniform(-reach, reach, len(old))).astype(np.int64)
        new = np.where((old < bins) & (new >= 0) & (new < bins), new, old)
        shares = _shares(at, columns, noisy)
        chance = shares[new] / np.maximum(shares[old], 1e-12)
        made[:, at] = np.where(draws.random(len(old)) < chance, new, old)
    return made


def _shares(at: int, columns: Sequence[ColumnDomain], noisy: Sequence[NoisyMarginal]) -> NDArray[np.float64]:
    """How common each code of a column is, by the last noisy counts that it is in; all alike where there are none."""
    for one in reversed(noisy):
        if at in one.columns:
            table = one.counts.reshape([columns[place].size for place in one.columns])
            others = tuple(axis for axis, place in enumerate(one.columns) if place != at)
            counts: NDArray[np.float64] = table.sum(axis=others)
            noise = one.sigma * np.sqrt(table.size / counts.size)
            return np.where(counts < _CLEAR * noise, 0.0, counts)
    return np.ones(columns[at].size)
