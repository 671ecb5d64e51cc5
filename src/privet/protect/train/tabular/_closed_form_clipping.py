"""Clipped sums of gradients in closed form, for rows or for persons with several rows.

A row's gradient of a linear model is (residual) x (terms), an outer product, so its norm is the product of two norms
and no gradient is ever written out. A person's gradient is the mean of those of the person's rows; its squared norm
is the sum over pairs of rows of (product of residuals) · (product of terms), divided by the square of their number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

# Norms and sums are computed in 64 bits; one unit may move a sum by this share of the bound more than the bound.
ROUNDING = 2.0**-30
# Rows of a person that nearly cancel leave a small difference of large numbers: its error, as a share of the numbers.
_PAIRS_ROUNDING = 2.0**-48


@dataclass(frozen=True, eq=False)
class RowSums:
    """Rows that are units themselves."""

    terms: Any
    lengths: NDArray[np.float64]

    @classmethod
    def of(cls, terms: Any) -> RowSums:
        """With the length of each row's terms."""
        return cls(terms, np.sqrt(_squares(terms)))

    @property
    def units(self) -> int:
        """How many there are."""
        return int(self.terms.shape[0])

    def chosen(self, mask: NDArray[np.bool_]) -> RowSums:
        """Those in a batch."""
        return self if mask.all() else RowSums(self.terms[mask], self.lengths[mask])

    def rows_of(self, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which rows belong to the chosen units."""
        return mask

    def clipped_sum(self, residuals: NDArray[np.float64], clip: float) -> NDArray[np.float64]:
        """The sum of all gradients, each at most `clip` long."""
        return np.asarray(self.terms.T @ _scaled(residuals, _shares(self.norms(residuals), clip)))

    def norms(self, residuals: NDArray[np.float64]) -> NDArray[np.float64]:
        """The length of each row's gradient."""
        return np.asarray(np.sqrt(np.einsum("ij,ij->i", residuals, residuals)) * self.lengths)


@dataclass(frozen=True, eq=False)
class PersonSums:
    """Rows of persons, in their order: a person's rows stand together."""

    terms: Any
    starts: NDArray[np.int64]  # where each person's rows begin, and the end of all
    lengths: NDArray[np.float64]

    @classmethod
    def of(cls, terms: Any, owner: NDArray[np.int64]) -> PersonSums:
        """`owner` ascends."""
        many = int(owner.max(initial=-1)) + 1
        starts = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=many))])
        return cls(terms, starts.astype(np.int64), np.sqrt(_squares(terms)))

    @property
    def units(self) -> int:
        """How many persons there are."""
        return len(self.starts) - 1

    def rows_of(self, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which rows belong to the chosen persons."""
        return np.repeat(mask, np.diff(self.starts))

    def chosen(self, mask: NDArray[np.bool_]) -> PersonSums:
        """Those in a batch."""
        if mask.all():
            return self
        rows = self.rows_of(mask)
        counts = np.diff(self.starts)[mask]
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return PersonSums(self.terms[rows], starts, self.lengths[rows])

    def clipped_sum(self, residuals: NDArray[np.float64], clip: float) -> NDArray[np.float64]:
        """The sum of the persons' mean gradients, each at most `clip` long."""
        counts = np.diff(self.starts)
        shares = _shares(self.norms(residuals), clip) / np.maximum(counts, 1)
        return np.asarray(self.terms.T @ _scaled(residuals, np.repeat(shares, counts)))

    def norms(self, residuals: NDArray[np.float64]) -> NDArray[np.float64]:
        """The length of each person's mean gradient, by pairs of rows that are so many places apart."""
        counts = np.diff(self.starts)
        owner = np.repeat(np.arange(self.units), counts)
        squares = np.einsum("ij,ij->i", residuals, residuals) * self.lengths**2
        total = np.bincount(owner, squares, self.units)
        rounding = total * counts * _PAIRS_ROUNDING
        for apart in range(1, int(counts.max(initial=1))):
            first = np.flatnonzero(owner[:-apart] == owner[apart:])
            if not len(first):
                break
            alike = _products(self.terms[first], self.terms[first + apart])
            alike *= np.einsum("ij,ij->i", residuals[first], residuals[first + apart])
            total += 2 * np.bincount(owner[first], alike, self.units)
        return np.asarray(np.sqrt(np.maximum(total, 0) + rounding) / np.maximum(counts, 1))


def _shares(norms: NDArray[np.float64], clip: float) -> NDArray[np.float64]:
    """What is left of each gradient; none of one that is not finite."""
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.minimum(1.0, clip * (1 - ROUNDING) / norms)
    return np.where(np.isfinite(norms), np.where(norms > 0, shares, 1.0), 0.0)


def _scaled(residuals: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Residuals times what is left of them; nothing is left of one that is not finite."""
    return np.where(shares[:, None] > 0, residuals, 0.0) * shares[:, None]


def _squares(terms: Any) -> NDArray[np.float64]:
    return _products(terms, terms)


def _products(left: Any, right: Any) -> NDArray[np.float64]:
    """Row by row."""
    if sp.issparse(left):
        return np.asarray(left.multiply(right).sum(axis=1)).ravel()
    return np.asarray(np.einsum("ij,ij->i", left, right))
