"""K-means from a public start, and principal components, in forms that halves agree on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privet.protect.pac._design_matrix import Array, DesignMatrix
from privet.protect.pac._output_alignment import canonical
from privet.protect.pac._summary_functions import covariance_matrix_of

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class Centres:
    """Lloyd's k-means from a public start, each centre drawn to where it began as by so many people there."""

    design: DesignMatrix
    start: Array  # scaled
    pull: float

    def __call__(self, rows: pa.Table) -> Array:
        """The centres in the units of the columns, in the order of the start."""
        from sklearn.cluster import KMeans

        points = self.design.scaled(rows)
        fitted = KMeans(len(self.start), init=self.start, n_init=1, max_iter=100).fit(points)
        # A centre that lost all its points is put elsewhere by the library; which place is whose is settled by the start.
        near = canonical(np.asarray(fitted.cluster_centers_, np.float64), "matched", self.start)
        away = np.square(points[:, None, :] - near[None, :, :]).sum(axis=2)
        sizes = np.bincount(away.argmin(axis=1), minlength=len(near)).astype(np.float64)[:, None]
        return self.design.unscaled((sizes * near + self.pull * self.start) / (sizes + self.pull))


def spread_start(clusters: int, features: int) -> Array:
    """A start that nobody's data went into: evenly along the diagonal of the bounds."""
    places = (2 * np.arange(clusters) + 1) / clusters - 1
    return np.repeat(places[:, None], features, axis=1)


@dataclass(frozen=True, eq=False)
class Components:
    """The leading principal directions of the scaled columns, turned to fit public ones."""

    design: DesignMatrix
    reference: Array

    def __call__(self, rows: pa.Table) -> Array:
        """One direction in each row."""
        covariance = np.cov(self.design.scaled(rows).T, ddof=0)
        leading = np.linalg.eigh(covariance.reshape(-1, len(self.reference[0])))[1].T[::-1][
            : len(self.reference)
        ]
        # Turned among themselves alone: a turn of the columns would take any directions to any others.
        return canonical(np.asarray(leading).T, "rotated", self.reference.T).T


@dataclass(frozen=True, eq=False)
class PacClusters:
    """Released centres, which say to which each point belongs."""

    design: DesignMatrix
    centres: Array

    def predict(self, rows: object) -> list[int]:
        """The number of the nearest centre, in scaled columns, for each of some points."""
        points = self.design.points(rows)
        centres = self.design.points(np.asarray(self.centres))
        return [
            int(one) for one in np.square(points[:, None, :] - centres[None, :, :]).sum(axis=2).argmin(axis=1)
        ]


@dataclass(frozen=True, eq=False)
class PacComponents:
    """Principal components read off a released covariance matrix of scaled columns."""

    components: Array
    variances: Array

    @classmethod
    def read(cls, triangle: Array, design: DesignMatrix, number: int) -> PacComponents:
        """The leading ones; noise may leave a variance below zero, which is shown as zero. Signs: the largest part is positive."""
        low, high = design.ends()
        units = (high - low) / 2
        matrix = covariance_matrix_of(triangle, len(units)) / np.outer(units, units)
        values, vectors = np.linalg.eigh(matrix)
        leading = vectors.T[::-1][:number]
        largest = leading[np.arange(len(leading)), np.abs(leading).argmax(axis=1)]
        return cls(leading * np.sign(largest)[:, None], np.maximum(values[::-1][:number], 0.0))
