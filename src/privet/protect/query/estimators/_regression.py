"""Linear regression from noisy sums: one set of vectors, one solve, intervals simulated from the noise.

Coefficients follow from the sums of products of all columns but the target's own square (Wang 2018, "Revisiting
differentially private linear regression"). Noise in the predictors' products can make their matrix nearly singular:
then a ridge lifts its smallest eigenvalue to the size of its noise, and where even that says little, nothing is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privet.protect.query._simulated_intervals import ends
from privet.protect.query.estimators._counts import CLAMPED, Estimator, Rows, WantedVectors
from privet.protect.query.estimators._moment_vectors import Moments
from privet.protect.query.estimators._moments import (
    COMPLETE,
    NARROWED,
    SIMULATED,
    MomentReading,
    complete_rows,
    said_of,
)
from privet.protect.query.estimators._sql_calls import least_squares
from privet.source import INTERCEPT, Query, Regression

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

RIDGE = (
    "Where the noise could hide the spread of the predictors, a ridge of the noise's size is added, which draws "
    "coefficients towards zero; intervals may then hold the truth slightly less often than they say. Where it hides it more often than not, none "
    "is told. The intervals cover the noise, not the chance that made the data."
)


@dataclass(frozen=True)
class RegressionReading(MomentReading):
    """The coefficients of a least-squares line; the last column is the target."""

    def labels(self) -> dict[str, tuple[str, ...]]:
        """The terms: the intercept and the predictors."""
        return {"term": (INTERCEPT, *(one.column for one in self.of.columns[:-1]))}

    def notes(self) -> tuple[str, ...]:
        """Clamping, gaps, the ridge and where the intervals come from."""
        return CLAMPED, NARROWED, COMPLETE, SIMULATED, RIDGE

    def formula(self, moments: Moments) -> Numbers:
        """Intercept and slopes in the user's units; undefined where the predictors' covariances are no covariances."""
        return self._solved(moments, 0.0, _least_eigenvalue(moments))

    def _solved(self, moments: Moments, ridge: float, least: Numbers) -> Numbers:
        size = len(self.of.columns) - 1
        good = np.asarray(least + ridge > 0)
        among = moments.covariances[..., :size, :size] + ridge * np.eye(size)
        among = np.where(good[..., None, None], among, np.eye(size))
        with_target = np.where(good[..., None], moments.covariances[..., :size, size], np.nan)
        slopes = np.linalg.solve(among, with_target[..., None])[..., 0]
        halves, middles = self.of.halves(), self.of.middles()
        scaled = slopes * halves[size] / halves[:size]
        means = middles + moments.means * halves
        constant = means[..., size] - (scaled * means[..., :size]).sum(axis=-1)
        return np.concatenate([constant[..., None], scaled], axis=-1)

    def read_one(self, sums: Numbers, draws: Numbers, confidence: float) -> Rows:
        """The coefficients of one group."""
        moments, simulated = self.of.moments(sums), self.of.moments(sums - draws)
        least, simulated_least = _least_eigenvalue(moments), _least_eigenvalue(simulated)
        hidden = float(np.mean(~(simulated_least > 0)))
        if not least > 0 or hidden > 1 / 2:
            return [(None, None, None)] * len(self.of.columns)
        ridge = 0.0
        if hidden > (1 - confidence) / 2:
            noise = np.nanquantile(np.abs(simulated_least - least), confidence)
            ridge = max(0.0, float(noise - least))
        values = self._solved(moments, ridge, least)
        low, high = ends(self._solved(simulated, 0.0, simulated_least), confidence)
        inside = np.clip(values, low, high)
        return [tuple(row) for row in np.stack([inside, low, high], axis=-1).tolist()]

    def scales(self) -> Numbers:
        """Slopes by what they move the prediction over the whole range of the predictor; the intercept follows."""
        return np.array([0.0, *(2 * self.of.halves()[:-1])])


def _least_eigenvalue(moments: Moments) -> Numbers:
    """The smallest eigenvalue of the predictors' covariances; below zero where there are no rows."""
    size = moments.means.shape[-1] - 1
    among = moments.covariances[..., :size, :size]
    there = np.asarray(np.isfinite(among).all(axis=(-1, -2)))
    found = np.linalg.eigvalsh(np.where(there[..., None, None], among, -np.eye(size)))
    return np.asarray(found[..., 0])


def _regression(query: Query, name: str, aggregate: Regression) -> WantedVectors:
    last = len(aggregate.columns) - 1
    pairs = tuple((i, j) for i in range(last) for j in range(i, last + 1))
    of = complete_rows(query, aggregate, pairs)
    words = f"least-squares coefficients of {aggregate.target} on {', '.join(aggregate.predictors)}"
    return WantedVectors(of.measures(), (RegressionReading(name, aggregate, of, said_of(words, of)),))


REGRESSION = (Estimator(Regression, _regression, {"REGRESSION": least_squares}, ("REGRESSION(y, x)",)),)
