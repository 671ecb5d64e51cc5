"""Tells a log what a fit by noisy gradients goes through, step by step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privet.guarantee import ApproxDP, epsilon_for
from privet.protect.train._training_log import TrainingLog
from privet.protect.train.gradients import OwnerView, Progress
from privet.protect.train.tabular._learner_registry import Task
from privet.protect.train.tabular._loss_functions import losses_of
from privet.protect.train.tabular._noise_multiplier import run_of

_POINTS = 20  # so many epsilons are computed on the way


@dataclass
class StepLog:
    """Of one fit: what it was planned with, and the log it tells."""

    log: TrainingLog
    task: Task
    promise: ApproxDP
    q: Fraction
    steps: int
    sigma: Fraction
    clip: float
    reach: float
    rate: float
    _epsilons: dict[int, float] = field(default_factory=dict)

    def see(
        self,
        done: int,
        scores: NDArray[np.float64],
        targets: NDArray[np.float64],
        norms: NDArray[np.float64],
        noisy: Sequence[NDArray[np.float64]],
    ) -> None:
        """One step: the batch's scores and targets, its units' norms before clipping, and the sums with noise."""
        there = np.isfinite(norms)
        losses = losses_of(scores, targets, self.task)
        losses = losses[np.isfinite(losses)]
        cut = float((norms[there] > self.clip).mean()) if there.any() else 0.0
        self.log.owner(
            OwnerView(
                done,
                len(norms),
                float(losses.mean()) if len(losses) else math.nan,
                cut,
                int((~there).sum()),
            )
        )
        energy = sum(float((part**2).sum()) for part in noisy)
        expected = sum(part.size for part in noisy) * (float(self.sigma) * self.reach) ** 2
        signal = max(0.0, energy / expected - 1)
        epsilon = self._epsilon_after(done)
        self.log.progress(Progress(done, self.steps, epsilon, self.rate, self.clip, signal))

    def _epsilon_after(self, done: int) -> float:
        """An epsilon that holds for the first steps: that of a point a little later, since only some are computed."""
        point = min(self.steps, math.ceil(math.ceil(done * _POINTS / self.steps) * self.steps / _POINTS))
        if point not in self._epsilons:
            run = run_of(self.q, point, self.sigma)
            found = epsilon_for(
                run, self.promise.delta, accountant="pld", change=self.task.unit.change
            ).epsilon
            self._epsilons[point] = min(float(self.promise.epsilon), float(found))
        return self._epsilons[point]
