"""Logistic, softmax and ridge regression by clipped, noised gradients (Abadi et al. 2016), in closed form.

The result is a sum over columns of what each level is worth: a generalized additive model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.artifact import FittedWeights
from privet.errors import BadTraining
from privet.guarantee import ApproxDP, Change, Event, Person, SealedPlan
from privet.mechanism import NoiseStream
from privet.protect.train._training_log import TrainingLog
from privet.protect.train.tabular._default_hyperparameters import LinearSettings, pull_of, settings_for
from privet.protect.train.tabular._feature_basis import Basis
from privet.protect.train.tabular._learner_registry import Examples, Paid, Report, Task
from privet.protect.train.tabular._loss_functions import residuals_of
from privet.protect.train.tabular._noise_multiplier import noise_for, run_of
from privet.protect.train.tabular._row_batches import batches_of
from privet.protect.train.tabular._step_log import StepLog

# Found on the data sets that the rule for settings was found on.
AT_REST = (50.0, 150.0)


class LinearLearner:
    """The default: two classes, more, or a number; rows, or persons with several rows."""

    def plan(
        self, task: Task, promise: ApproxDP, *, settings: LinearSettings | None = None, **options: Any
    ) -> LinearPlan:
        """Settings by the public rule, unless given; the noise that the promise needs with them."""
        if options:
            raise BadTraining(
                f"the linear learner has no option {', '.join(sorted(options))}.", "Leave it out."
            )
        chosen = settings or settings_for(task, promise)
        sigma = noise_for(chosen.q, chosen.steps, promise, task.unit.change)
        return LinearPlan(task, promise, chosen, sigma)


@dataclass(frozen=True)
class LinearPlan:
    """A linear fit as it will be booked: everything its privacy depends on, and no data."""

    task: Task
    promise: ApproxDP
    chosen: LinearSettings
    sigma: Fraction
    replays = True

    @property
    def event(self) -> Event:
        """The whole fit, sealed."""
        return SealedPlan(run_of(self.chosen.q, self.chosen.steps, self.sigma), self.promise.delta)

    @property
    def divisor(self) -> float:
        """What noisy sums are divided by: a constant that knows nothing of the batch."""
        return float(self.chosen.q) * self.task.records

    @property
    def reach(self) -> float:
        """How far one unit moves a step's sum."""
        return self.chosen.clip * (2 if self.task.unit.change is Change.REPLACE else 1)

    @property
    def settings(self) -> dict[str, Any]:
        """For the model's record."""
        return {
            **self.chosen.to_json(),
            "noise_multiplier": float(self.sigma),
            "records": self.task.records,
            "divisor": self.divisor,
            "class_weights": list(self.task.class_weights),
            "balance": self.balance,
        }

    @property
    def balance(self) -> float | None:
        """The length of a residual at which clipping sets in, for `probabilities`: public, so it costs nothing.

        A fit that stops before clipped residuals cancel is less sure of itself than the rule supposes. How near it came is
        judged by how much is known of each column (records · epsilon / columns / outputs): from `AT_REST[0]` on the rule
        begins to hold, from `AT_REST[1]` on it holds in full.
        """
        features, outputs = self.task.features, self.task.target.outputs
        if not self.task.target.classes:
            return None
        known = self.task.records * float(self.promise.epsilon) / len(features.columns) / outputs
        near = min(1.0, math.log(known / AT_REST[0]) / math.log(AT_REST[1] / AT_REST[0]))
        return self.chosen.clip / Basis.of(features, self.chosen.terms).length / near if near > 0 else None

    def fit(
        self,
        examples: Examples,
        paid: Paid,
        report: Report | None = None,
        log: TrainingLog | None = None,
    ) -> FittedWeights:
        """Take exactly the steps that were paid for."""
        basis = Basis.of(self.task.features, self.chosen.terms)
        held = batches_of(basis, examples, persons=isinstance(self.task.unit, Person))
        stream = NoiseStream(paid.permit, paid.seed, paid.run)
        walk = _Walk.begin(self._pulls(basis), self.task.target.outputs, self.chosen)
        witness = self._witness(log) if log is not None else None
        for _ in range(stream.steps):
            step = stream.step()
            total, seen = np.zeros_like(walk.weights), []
            for batch, wanted in held.chosen(step.mask(held.units)):
                scores = batch.terms @ walk.weights
                residuals = residuals_of(scores, wanted, self.task)
                total += batch.clipped_sum(residuals, self.chosen.clip)
                if witness:
                    seen.append((scores, wanted, batch.norms(residuals)))
            (noisy,) = step.noised([total], self.reach)
            walk.move(noisy / self.divisor)
            if witness:
                scores, wanted, norms = (np.concatenate(parts) for parts in zip(*seen, strict=True))
                witness.see(step.index + 1, scores, wanted, norms, [noisy])
            if report:
                report(step.index + 1, stream.steps)
        weights = walk.mean()
        return FittedWeights(
            "additive", {"shapes": basis.worth(weights), "intercept": weights[-1].copy()}, self.settings
        )

    def _pulls(self, basis: Basis) -> NDArray[np.float64]:
        """What draws each weight to zero in a mean gradient; the constant is free."""
        many = self.task.records
        each = [self.chosen.pull * pull_of(column, many) / many for column in self.task.features.columns]
        return np.append(np.repeat(each, [table.shape[1] for table in basis.tables]), 0.0)[:, None]

    def _witness(self, log: TrainingLog) -> StepLog:
        chosen = self.chosen
        return StepLog(
            log, self.task, self.promise, chosen.q, chosen.steps, self.sigma, chosen.clip, self.reach, chosen.rate
        )  # fmt: skip


@dataclass
class _Walk:
    """Where the weights are: gradient steps with momentum, and the mean of the last ones."""

    weights: NDArray[np.float64]
    speed: NDArray[np.float64]
    total: NDArray[np.float64]
    pulls: NDArray[np.float64]
    settings: LinearSettings
    taken: int = 0
    kept: int = 0

    @classmethod
    def begin(cls, pulls: NDArray[np.float64], outputs: int, settings: LinearSettings) -> _Walk:
        shape = (len(pulls), outputs)
        return cls(np.zeros(shape), np.zeros(shape), np.zeros(shape), pulls, settings)

    def move(self, gradient: NDArray[np.float64]) -> None:
        settings = self.settings
        self.speed = settings.momentum * self.speed + gradient + self.pulls * self.weights
        self.weights = self.weights - settings.rate * self.speed
        self.taken += 1
        if self.taken > settings.steps * (1 - settings.averaged):
            self.total += self.weights
            self.kept += 1

    def mean(self) -> NDArray[np.float64]:
        return self.total / max(1, self.kept)
