"""What a published table shows of many records at once: how near its rows come, and how often their values are in it.

Counts of the record's own values in one, two and three columns are what marginals remember of it, the distance to the
nearest rows is what copies do (Houssiau et al., "TAPAS", 2022; Meeus et al., "Achilles' Heels", 2023, query-based attack).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from privet.attacks._seeded_generator import repeatable_generator
from privet.attacks.tables._gower_distance import nearest
from privet.attacks.tables._table_codes import Coded

_BINS = 20  # of a column of numbers
_PAIRS, _TRIPLES = 105, 60  # sets of columns whose cells are counted
_NEIGHBOURS = 5

Groups = tuple[slice, slice, slice]


@dataclass(frozen=True)
class Questions:
    """The sets of columns that are counted, and the edges of the bins of numbers: chosen without what was published."""

    sets: tuple[tuple[int, ...], ...]
    edges: tuple[NDArray[np.float64] | None, ...] = field(repr=False)

    def binned(self, table: Coded) -> NDArray[np.int64]:
        """Codes with few values in each column; gaps are a value."""
        made = np.empty(table.codes.shape, np.int64)
        for at, edges in enumerate(self.edges):
            if edges is None:
                made[:, at] = table.codes[:, at] + 1
                continue
            numbers = table.numbers[:, at]
            made[:, at] = np.where(
                np.isnan(numbers), 0, 1 + np.searchsorted(edges, np.nan_to_num(numbers), "right")
            )
        return made

    def sizes(self, table: Coded) -> list[int]:
        """How many codes each column can have."""
        return [
            table.sizes[at] + 1 if edges is None else len(edges) + 2 for at, edges in enumerate(self.edges)
        ]


def questions(people: Coded, seed: int) -> Questions:
    """All columns, and pairs and triples of them, as many as there is time for."""
    columns = range(len(people.columns))
    draw = repeatable_generator(seed, "traces")
    chosen: list[tuple[int, ...]] = [(at,) for at in columns]
    for width, most in ((2, _PAIRS), (3, _TRIPLES)):
        every = list(itertools.combinations(columns, width))
        kept = sorted(draw.permutation(len(every))[:most].tolist())
        chosen += [every[at] for at in kept]
    return Questions(tuple(chosen), tuple(_edges(people, at) for at in columns))


def _edges(people: Coded, at: int) -> NDArray[np.float64] | None:
    """Even shares of the people in each bin; None for a column that has few values as it is."""
    if not people.is_number[at] or people.sizes[at] <= _BINS:
        return None
    known = people.numbers[:, at][~np.isnan(people.numbers[:, at])]
    return np.unique(np.quantile(known, np.linspace(0, 1, _BINS + 1)[1:-1]))


def traces_of(people: Coded, published: Coded, asked: Questions) -> NDArray[np.float64]:
    """A row for each person: closeness of the nearest rows, how often the whole row is there, then the counts asked for."""
    away = nearest(people, published, min(_NEIGHBOURS, len(published))).astype(float)
    closeness = np.stack([-np.log(away[:, 0] + 1e-3), -np.log(away + 1e-3).mean(axis=1)], axis=1)
    mine, theirs, sizes = asked.binned(people), asked.binned(published), asked.sizes(people)
    whole = _counted(mine, theirs, tuple(range(mine.shape[1])), sizes)
    counts = [_counted(mine, theirs, one, sizes) for one in asked.sets]
    return np.concatenate([closeness, whole[:, None], np.stack(counts, axis=1)], axis=1)


def _counted(
    mine: NDArray[np.int64], theirs: NDArray[np.int64], columns: Sequence[int], sizes: Sequence[int]
) -> NDArray[np.float64]:
    """How many published rows have the same values as each person in these columns."""
    keys = np.zeros(len(mine) + len(theirs), np.int64)
    for at in columns:
        both = np.concatenate([mine[:, at], theirs[:, at]])
        keys = keys * sizes[at] + both
        if keys.max(initial=0) >= 2**31:  # labels instead, before they overflow
            keys = np.unique(keys, return_inverse=True)[1].astype(np.int64)
    labels = np.unique(keys, return_inverse=True)[1]
    counts = np.bincount(labels[len(mine) :], minlength=int(labels.max(initial=0)) + 1)
    return counts[labels[: len(mine)]].astype(float)
