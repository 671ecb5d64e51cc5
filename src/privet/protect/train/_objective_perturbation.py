"""Logistic regression by objective perturbation: noise in the loss, one exact fit, nothing to tune.

See `privet.mechanism._objective_noise` for what is proven. It draws noise once, where gradient steps draw it at every step; in
exchange the loss must be convex with rows of bounded length.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.artifact import FittedWeights
from privet.errors import BadTraining, InternalError
from privet.guarantee import ApproxDP, Change, Event, Opaque, Person
from privet.mechanism import Geometry, perturbation
from privet.protect.train._training_log import TrainingLog
from privet.protect.train.tabular import Basis, Examples, Paid, Report, Task

TERMS = 4
SLACK = 1e-6  # the largest gradient at which the fit counts as done; far less than the noise
LARGEST = 90  # epsilon; beyond it the finish has no proof, and nobody needs it
# The part of epsilon that pays for the change of curvature; it decides how strong the pull is.
CURVATURE_SHARE = 0.25


class ObjectiveLearner:
    """Two classes, one row a unit that is added or removed."""

    def plan(self, task: Task, promise: ApproxDP, **options: Any) -> ObjectivePlan:
        """The pull by a fixed rule; the noise follows from the promise."""
        faults = []
        if options:
            faults.append(f"the learner objective has no option {', '.join(sorted(options))}.")
        if len(task.target.classes) != 2:
            faults.append("objective perturbation learns two classes.")
        if isinstance(task.unit, Person) and task.unit.max_rows != 1:
            faults.append("its proof is for units of one row.")
        if task.unit.change is Change.REPLACE:
            faults.append("its proof is for rows that are added or removed, not replaced.")
        if promise.epsilon > LARGEST:
            faults.append(f"epsilon must not be above {LARGEST}.")
        if faults:
            raise BadTraining(" ".join(faults), 'Use model="linear"; nothing was read or spent.')
        return ObjectivePlan(task, promise)


@dataclass(frozen=True)
class ObjectivePlan:
    """A fit as it will be booked."""

    task: Task
    promise: ApproxDP
    replays = False

    @property
    def event(self) -> Event:
        """All that is known of it is its (epsilon, delta)."""
        return Opaque(self.promise.epsilon, self.promise.delta)

    @property
    def geometry(self) -> Geometry:
        """Rows have length 1 at most, so gradients have too; the logistic loss bends by a quarter."""
        weight = max(self.task.class_weights, default=1.0)
        curvature = weight / 4
        return Geometry(
            weight, curvature, curvature / math.expm1(CURVATURE_SHARE * float(self.promise.epsilon))
        )

    @property
    def settings(self) -> dict[str, Any]:
        """For the model's record."""
        return {
            "terms": TERMS,
            "pull": self.geometry.pull,
            "slack": SLACK,
            "class_weights": list(self.task.class_weights),
        }

    def fit(
        self,
        examples: Examples,
        paid: Paid,
        report: Report | None = None,
        log: TrainingLog | None = None,  # noqa: ARG002  it takes no steps that could be told
    ) -> FittedWeights:
        """Find the minimum of the perturbed loss by Newton's method, and tell a point near it."""
        basis = Basis.of(self.task.features, TERMS)
        longest = math.sqrt(1 + sum(float((table**2).sum(axis=1).max()) for table in basis.tables))
        rows = basis.design(examples.codes) * ((1 - 2.0**-30) / longest)
        drawn = perturbation(paid.permit, self.geometry, basis.width)
        weighed = np.asarray(self.task.class_weights or (1.0, 1.0))[examples.target.astype(np.int64)]
        found = _minimum(rows, examples.target, weighed, self.geometry.pull, drawn.term)
        weights = (drawn.finish(found, SLACK) / longest)[:, None]
        if report:
            report(1, 1)
        return FittedWeights(
            "additive", {"shapes": basis.worth(weights), "intercept": weights[-1].copy()}, self.settings
        )


def _minimum(
    rows: Any,
    targets: NDArray[np.float64],
    weighed: NDArray[np.float64],
    pull: float,
    term: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Damped Newton steps until the gradient is no longer than the slack."""

    def loss(weights: NDArray[np.float64]) -> float:
        scores = rows @ weights
        each = np.logaddexp(0, scores) - targets * scores
        return float(weighed @ each + pull / 2 * weights @ weights + term @ weights)

    weights = np.zeros_like(term)
    for _ in range(200):
        shares = 1 / (1 + np.exp(-np.clip(rows @ weights, -500, 500)))
        gradient = np.asarray(rows.T @ (weighed * (shares - targets))).ravel() + pull * weights + term
        if float(np.linalg.norm(gradient)) <= SLACK * 0.9:
            return weights
        bend = weighed * shares * (1 - shares)
        scaled = rows.multiply(bend[:, None]) if hasattr(rows, "multiply") else rows * bend[:, None]
        curve = rows.T @ scaled
        curve = (curve.toarray() if hasattr(curve, "toarray") else curve) + pull * np.eye(len(weights))
        step, now, pace = np.linalg.solve(curve, gradient), loss(weights), 1.0
        while loss(weights - pace * step) > now - 1e-4 * pace * float(gradient @ step) and pace > 1e-6:
            pace /= 2
        weights = weights - (pace if pace > 1e-6 else 1.0) * step
    raise InternalError("the perturbed loss was not minimised.", 'Use model="linear".')
