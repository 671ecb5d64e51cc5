"""A score made a probability: its slope and intercept by Newton's steps on noisy gradients (Platt 1999).

The curvature is that of a score with a normal distribution, so it needs no data: only gradients are paid for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FLATTEST, STEEPEST = 0.1, 10.0  # slopes stay between these, so that noise cannot turn a score around
_RIDGE = 1e-4


@dataclass(frozen=True, slots=True)
class Line:
    """Log-odds are slope · score + intercept, for a score of mean 0 and variance 1."""

    slope: float
    intercept: float

    @classmethod
    def between(cls, apart: float, share: float) -> Line:
        """Of two normal classes whose mean scores lie so far apart, with this share of the second (Fisher 1936)."""
        apart = max(apart, 0.0)
        within = max(1 - share * (1 - share) * apart**2, 0.1)
        slope = float(np.clip(apart / within, FLATTEST, STEEPEST))
        return cls(slope, float(np.log(share / (1 - share)) - slope * (1 - 2 * share) * apart / 2))

    def residuals(self, scores: NDArray[np.float64], wanted: NDArray[np.float64]) -> NDArray[np.float64]:
        """What is expected less what is there."""
        return 1 / (1 + np.exp(-np.clip(self.slope * scores + self.intercept, -500, 500))) - wanted

    def moved(self, gradient: NDArray[np.float64], gain: float) -> Line:
        """One step of Newton's, of this part: `gradient` is the mean of residual · (score, 1)."""
        points, weights = np.polynomial.hermite_e.hermegauss(32)
        shares = 1 / (1 + np.exp(-np.clip(self.slope * points + self.intercept, -500, 500)))
        bend = weights / weights.sum() * shares * (1 - shares)
        first, both, last = (float((bend * points**power).sum()) for power in (2, 1, 0))
        curve = np.array([[first + _RIDGE, both], [both, last + _RIDGE]])
        step = gain * np.linalg.solve(curve, gradient)
        step *= min(1.0, 2 / float(np.linalg.norm(step) + 1e-300))  # at most 2 away
        return Line(float(np.clip(self.slope - step[0], FLATTEST, STEEPEST)), float(self.intercept - step[1]))
