"""Summaries of columns, each in the variant that moves least between halves: quantiles, covariances, shares of bins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privet.protect.pac._design_matrix import Array, DesignMatrix, Feature
from privet.protect.pac._row_forms import doubles

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Means:
    """The mean of each column. The engine computes it in one pass; here it is what the numbers mean."""

    design: DesignMatrix

    def __call__(self, rows: pa.Table) -> Array:
        """One number for each column; that of no rows is 0, as the engine has it."""
        return np.array(
            [float(found.mean()) if len(found := _valid(one, rows)) else 0.0 for one in self.design.numbers]
        )


@dataclass(frozen=True)
class Quantiles:
    """Harrell and Davis' quantiles (1982): a weighted mean of all order statistics instead of one or two of them."""

    design: DesignMatrix
    at: tuple[float, ...]

    def __call__(self, rows: pa.Table) -> Array:
        """One row for each column; the middle of the bounds where there is nothing."""
        from scipy.stats.mstats import hdquantiles

        found = []
        for one in self.design.numbers:
            values = _valid(one, rows)
            if len(values) < 2 or (values == values[0]).all():
                found.append(np.full(len(self.at), values[0] if len(values) else (one.low + one.high) / 2))
            else:
                found.append(np.asarray(hdquantiles(values, prob=list(self.at)), np.float64))
        return np.array(found)


@dataclass(frozen=True)
class Covariances:
    """The covariance matrix of the columns, each number of it once."""

    design: DesignMatrix

    def __call__(self, rows: pa.Table) -> Array:
        """The upper triangle, row by row."""
        scaled = self.design.scaled(rows)
        low, high = self.design.ends()
        units = np.outer(high - low, high - low) / 4
        return np.asarray((np.cov(scaled.T, ddof=0).reshape(units.shape) * units)[np.triu_indices(len(low))])


@dataclass(frozen=True)
class Bins:
    """The public bins of a column: intervals of one width between its bounds, or its public values."""

    feature: Feature
    edges: tuple[float, ...]

    @classmethod
    def of(cls, feature: Feature, number: int) -> Bins:
        """So many bins; of values there are as many as values."""
        edges = () if feature.values else tuple(np.linspace(feature.low, feature.high, number + 1).tolist())
        return cls(feature, edges)

    @property
    def labels(self) -> tuple[str, ...]:
        """A name for each bin."""
        if self.feature.values is not None:
            return self.feature.labels
        return tuple(
            f"{self.feature.column} from {low:.6g} to {high:.6g}"
            for low, high in zip(self.edges[:-1], self.edges[1:], strict=True)
        )

    def shares(self, rows: pa.Table) -> Array:
        """The share of each bin among the rows that have a value."""
        if self.feature.values is not None:
            counts = self.feature.scaled(rows[self.feature.column].to_pylist()).sum(axis=0)
        else:
            counts = np.histogram(_valid(self.feature, rows), np.asarray(self.edges))[0].astype(np.float64)
        return np.asarray(counts / max(float(counts.sum()), 1.0))


@dataclass(frozen=True)
class Shares:
    """Histograms of several columns, as shares."""

    bins: tuple[Bins, ...]

    def __call__(self, rows: pa.Table) -> Array:
        """The shares of all bins, column by column."""
        return np.concatenate([one.shares(rows) for one in self.bins])


def covariance_matrix_of(triangle: Array, columns: int) -> Array:
    """The whole matrix of an upper triangle."""
    found = np.zeros((columns, columns))
    found[np.triu_indices(columns)] = triangle
    return np.asarray(found + np.triu(found, 1).T)


def triangle_labels(names: Sequence[str]) -> tuple[str, ...]:
    """A name for each number of an upper triangle."""
    return tuple(
        f"variance of {first}" if first == second else f"covariance of {first} and {second}"
        for at, first in enumerate(names)
        for second in names[at:]
    )


def _valid(one: Feature, rows: pa.Table) -> Array:
    """The values of a column that there are, inside the bounds."""
    values = doubles(rows[one.column])
    return np.asarray(np.clip(values[np.isfinite(values)], one.low, one.high))
