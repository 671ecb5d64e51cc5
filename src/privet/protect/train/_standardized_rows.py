"""Rows as vectors whose entries have about mean 0 and spread 1, and sums of them in which each unit counts up to a bound.

A number has one entry, its place between its public bounds from -1 to 1; a category has one for each level. What is missing is
at the middle. Rows are turned into vectors block by block, so that memory does not grow with their number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.artifact import Column, Features, NumberColumn
from privet.protect.train.tabular import ROUNDING, Examples

FURTHEST = 3.0  # entries beyond so many spreads from the mean count as if they were there
_BLOCK = 1 << 16  # rows
_SMALL_BLOCK = 1 << 13
# What a column adds to the squared length of a row, of entries and of their squares around the mean: a number, a category.
_LENGTH, _SPREAD = (0.36, 1.0), (0.0225, 0.25)

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Coding:
    """One table for each column: what each of its levels is in each of its entries."""

    tables: tuple[Floats, ...]
    numbers: int

    @classmethod
    def of(cls, features: Features) -> Coding:
        """By public bounds and values alone."""
        numbers = sum(isinstance(column, NumberColumn) for column in features.columns)
        return cls(tuple(_entries(column) for column in features.columns), numbers)

    @property
    def width(self) -> int:
        """How many entries a row has."""
        return sum(table.shape[1] for table in self.tables)

    @property
    def length(self) -> float:
        """At what length the entries of a unit are cut."""
        return self._expected(_LENGTH)

    @property
    def spread(self) -> float:
        """At what length the squares of a unit's entries around the mean are cut."""
        return self._expected(_SPREAD)

    def rows(self, codes: NDArray[np.integer]) -> Floats:
        """The vectors of some rows."""
        return np.concatenate([table[codes[:, at]] for at, table in enumerate(self.tables)], axis=1)

    def standardized(self, mean: Floats, spread: Floats) -> Coding:
        """The same columns, less the mean and over the spread; what is missing is at the mean."""
        found, start = [], 0
        for table in self.tables:
            here = slice(start, start + table.shape[1])
            moved = np.clip((table - mean[here]) / spread[here], -FURTHEST, FURTHEST)
            if table.shape[1] == 1:
                moved[-1] = 0.0
            found.append(moved)
            start += table.shape[1]
        return Coding(tuple(found), self.numbers)

    def worth(self, weights: Floats) -> Floats:
        """What each level of each column adds to a score, all levels in one table."""
        found, start = [], 0
        for table in self.tables:
            found.append(table @ weights[start : start + table.shape[1]])
            start += table.shape[1]
        return np.concatenate(found)[:, None]

    def _expected(self, each: tuple[float, float]) -> float:
        return float(np.sqrt(each[0] * self.numbers + each[1] * (len(self.tables) - self.numbers)))


def _entries(column: Column) -> Floats:
    if not isinstance(column, NumberColumn):
        return np.eye(column.levels)
    places = 2 * (np.arange(column.bins) + 0.5) / column.bins - 1
    return np.append(places, 0.0)[:, None]


@dataclass(frozen=True, eq=False)
class Units:
    """The private rows: those of one unit stand together."""

    examples: Examples
    starts: (
        NDArray[np.int64] | None
    )  # where each unit's rows begin, and the end of all; none, where each row is a unit

    @classmethod
    def of(cls, examples: Examples) -> Units:
        """Rows, or persons with all of their rows."""
        if examples.owner is None:
            return cls(examples, None)
        order = np.argsort(examples.owner, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(examples.owner, minlength=examples.units))])
        return cls(Examples(examples.codes[order], examples.target[order], None), starts.astype(np.int64))

    @property
    def many(self) -> int:
        """How many units there are."""
        return len(self.examples) if self.starts is None else len(self.starts) - 1

    def total(
        self, of_rows: Callable[[NDArray[np.int32], Floats], Floats], bound: float
    ) -> tuple[Floats, Floats]:
        """The sum over units of the mean of what their rows give, each at most `bound` long; and the lengths before that."""
        found, lengths = None, []
        for codes, target, counts in self._blocks(_BLOCK):
            given = of_rows(codes, target)
            if counts is not None:
                given = _means(given, counts)
            length = np.sqrt(np.einsum("ij,ij->i", given, given))
            kept = np.minimum(1.0, bound * (1 - ROUNDING) / np.maximum(length, 1e-300))
            part = kept @ given
            found = part if found is None else found + part
            lengths.append(length)
        return (np.zeros(0) if found is None else found), np.concatenate(lengths or [np.zeros(0)])

    def products(self, of_rows: Callable[[NDArray[np.int32]], Floats], bound: float) -> Floats:
        """The sum over units of the mean of their rows' products of two entries, each pair once, rows at most `bound` long.

        The products of a row of length b, each pair once, have a length of at most b² / √2.
        """
        found = None
        for codes, _, counts in self._blocks(_SMALL_BLOCK):
            rows = of_rows(codes)
            length = np.sqrt(np.einsum("ij,ij->i", rows, rows))
            rows = rows * np.minimum(1.0, bound * (1 - ROUNDING) / np.maximum(length, 1e-300))[:, None]
            each = np.ones(len(rows)) if counts is None else np.repeat(1 / counts, counts)
            part = (rows * each[:, None]).T @ rows
            found = part if found is None else found + part
        assert found is not None  # there is at least one block
        return np.asarray(found[np.triu_indices(len(found), 1)])

    def _blocks(self, size: int) -> Iterator[tuple[NDArray[np.int32], Floats, NDArray[np.int64] | None]]:
        """Whole units, about so many rows at a time; at least one block, so that sums have their shape."""
        codes, target, many = self.examples.codes, self.examples.target, len(self.examples)
        start = 0
        while True:
            end, counts = min(many, start + size), None
            if self.starts is not None:
                first = int(np.searchsorted(self.starts, start))
                last = max(
                    min(first + 1, len(self.starts) - 1), int(np.searchsorted(self.starts, end, "right")) - 1
                )
                end, counts = int(self.starts[last]), np.diff(self.starts[first : last + 1])
            yield codes[start:end], target[start:end], counts
            start = end
            if start >= many:
                return


def _means(given: Floats, counts: NDArray[np.int64]) -> Floats:
    """Of the rows of each unit; every unit has some."""
    if not len(counts):
        return np.zeros((0, given.shape[1]))
    return np.add.reduceat(given, np.concatenate([[0], np.cumsum(counts)[:-1]]), axis=0) / counts[:, None]
