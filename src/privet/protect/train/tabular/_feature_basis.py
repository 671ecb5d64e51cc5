"""The numbers a linear model sees: smooth terms of a number's bins, one indicator for each category.

A number's bins carry cosines of growing frequency whose size falls with the frequency, so that a step of the same
noise first settles the trend and only then the detail: what indicators of bins can say, at a fraction of the noise
where records are few. The sum of all terms is still one number for each level, so the model stays a sum over columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privet.artifact import Column, Features, NumberColumn

SMOOTH = 1.5  # the power of the frequency that terms are divided by
_DENSE = 0.2  # from this share of non-zero entries on, whole rows are faster than their non-zero entries


@dataclass(frozen=True, eq=False)
class Basis:
    """One table for each column: a row of terms for each of its levels."""

    tables: tuple[NDArray[np.float64], ...]

    @classmethod
    def of(cls, features: Features, terms: int) -> Basis:
        """With so many smooth terms for each number."""
        return cls(tuple(_table(column, terms) for column in features.columns))

    @property
    def width(self) -> int:
        """How many terms there are, the constant included."""
        return sum(int(table.shape[1]) for table in self.tables) + 1

    @property
    def length(self) -> float:
        """How long the terms of a row are, on average over levels: a figure of the columns, not of any row."""
        squares = sum(float((table**2).sum(axis=1).mean()) for table in self.tables)
        return float(np.sqrt(1 + squares))

    def design(self, codes: NDArray[np.int32]) -> Any:
        """The terms of each row, the constant last: a matrix, sparse where that pays."""
        if self._density > 2 * _DENSE:  # as dense as that by its levels: not worth a look at the rows
            ones = np.ones((len(codes), 1))
            return np.concatenate(
                [*(table[codes[:, at]] for at, table in enumerate(self.tables)), ones], axis=1
            )
        blocks: list[Any] = [sp.csr_matrix(table)[codes[:, at]] for at, table in enumerate(self.tables)]
        matrix = sp.hstack([*blocks, sp.csr_matrix(np.ones((len(codes), 1)))], format="csr")
        share = matrix.nnz / max(1, matrix.shape[0] * matrix.shape[1])
        return matrix.toarray() if share > _DENSE else matrix

    @property
    def _density(self) -> float:
        """The share of terms that are not zero, on average over levels."""
        return (1 + sum(float((table != 0).sum(axis=1).mean()) for table in self.tables)) / self.width

    def worth(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """What each level of each column adds to the scores, all levels in one table."""
        found, start = [], 0
        for table in self.tables:
            found.append(table @ weights[start : start + table.shape[1]])
            start += table.shape[1]
        return np.concatenate(found) if found else np.zeros((0, weights.shape[1]))


def _table(column: Column, terms: int) -> NDArray[np.float64]:
    if not isinstance(column, NumberColumn):
        return np.eye(column.levels)
    middles = (np.arange(column.bins) + 0.5) / column.bins
    used = min(terms, column.bins)
    waves = [np.sqrt(2) * np.cos(np.pi * k * middles) / k**SMOOTH for k in range(1, used + 1)]
    table = np.zeros((column.levels, used + 1))
    table[:-1, :-1] = np.stack(waves, axis=1)
    table[-1, -1] = 1.0  # missing
    return table
