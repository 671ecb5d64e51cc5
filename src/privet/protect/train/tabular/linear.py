"""Logistic, softmax and ridge regression by clipped, noised gradients (Abadi et al. 2016), in closed form.

The result is a sum over columns of what each level is worth: a generalized additive model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.artifact.fitted import Fitted
from privet.errors import BadTraining
from privet.guarantee.calibration import calibrate
from privet.guarantee.composing import epsilon_for
from privet.guarantee.events import Event, Gaussian, PoissonSampled, Repeated, SealedPlan
from privet.guarantee.promises import ApproxDP
from privet.guarantee.units import Change, Person
from privet.mechanism import NoiseStream
from privet.protect.train.tabular.basis import Basis
from privet.protect.train.tabular.clipping import Persons, Rows
from privet.protect.train.tabular.learners import Examples, Paid, Report, Task
from privet.protect.train.tabular.rule import Settings, settings_for


class LinearLearner:
    """The default: the most accurate of the learners here at every epsilon."""

    def plan(
        self, task: Task, promise: ApproxDP, *, settings: Settings | None = None, **options: Any
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
    chosen: Settings
    sigma: Fraction

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
        }

    def fit(self, examples: Examples, paid: Paid, report: Report | None = None) -> Fitted:
        """Take exactly the steps that were paid for."""
        basis = Basis.of(self.task.features, self.chosen.terms)
        held, targets = _held(basis.design(examples.codes), examples, self.task)
        stream = NoiseStream(paid.permit, paid.seed, paid.run)
        walk = _Walk.begin(basis.width, self.task.target.outputs, self.chosen)
        for _ in range(stream.steps):
            step = stream.step()
            mask = step.mask(held.units)
            batch = held.chosen(mask)
            residuals = residuals_of(batch.terms @ walk.weights, targets[held.rows_of(mask)], self.task)
            total = batch.clipped_sum(residuals, self.chosen.clip)
            (noisy,) = step.noised([total], self.reach)
            walk.move(noisy / self.divisor)
            if report:
                report(step.index + 1, stream.steps)
        weights = walk.mean()
        return Fitted(
            "additive", {"shapes": basis.worth(weights), "intercept": weights[-1].copy()}, self.settings
        )


@dataclass
class _Walk:
    """Where the weights are: gradient steps with momentum, and the mean of the last ones."""

    weights: NDArray[np.float64]
    speed: NDArray[np.float64]
    total: NDArray[np.float64]
    settings: Settings
    taken: int = 0
    kept: int = 0

    @classmethod
    def begin(cls, width: int, outputs: int, settings: Settings) -> _Walk:
        shape = (width, outputs)
        return cls(np.zeros(shape), np.zeros(shape), np.zeros(shape), settings)

    def move(self, gradient: NDArray[np.float64]) -> None:
        settings = self.settings
        pull = settings.decay * self.weights
        pull[-1] = 0
        self.speed = settings.momentum * self.speed + gradient + pull
        self.weights = self.weights - settings.rate * self.speed
        self.taken += 1
        if self.taken > settings.steps * (1 - settings.averaged):
            self.total += self.weights
            self.kept += 1

    def mean(self) -> NDArray[np.float64]:
        return self.total / max(1, self.kept)


def _held(terms: Any, examples: Examples, task: Task) -> tuple[Rows | Persons, NDArray[np.float64]]:
    """The rows as units, and their targets in the same order."""
    targets = examples.target
    if not isinstance(task.unit, Person) or examples.owner is None:
        return Rows.of(terms), targets
    order = np.argsort(examples.owner, kind="stable")
    return Persons.of(terms[order], examples.owner[order]), targets[order]


def residuals_of(
    scores: NDArray[np.float64], targets: NDArray[np.float64], task: Task
) -> NDArray[np.float64]:
    """The gradient of the loss in the scores: what the model expects less what is there."""
    target, weights = task.target, task.class_weights
    if target.kind == "number":
        return scores - targets[:, None]
    named = targets.astype(np.int64)
    if target.outputs == 1:
        found = 1 / (1 + np.exp(-np.clip(scores, -500, 500))) - targets[:, None]
    else:
        found = np.exp(scores - scores.max(axis=1, keepdims=True))
        found /= found.sum(axis=1, keepdims=True)
        found[np.arange(len(named)), named] -= 1
    return found * np.asarray(weights)[named, None] if weights else found


def run_of(q: Fraction, steps: int, sigma: Fraction) -> Event:
    """The event of so many steps."""
    noise = Gaussian(sigma, 1)
    return Repeated(noise if q == 1 else PoissonSampled(q, noise), steps)


@lru_cache(maxsize=256)
def noise_for(q: Fraction, steps: int, promise: ApproxDP, change: Change) -> Fraction:
    """The least noise that keeps the promise over all steps.

    Without sampling, T steps with sigma·√T are as private as one with sigma (Gaussian noise composes to Gaussian
    noise), so the exact formula for one (Balle and Wang, ICML 2018, Theorem 8) is where to start; the result is
    checked as a whole, by the accountant that it will be booked with.
    """
    if q < 1:
        return calibrate(lambda sigma: run_of(q, steps, sigma), promise, accountant="pld", change=change)
    sigma, more = analytic_sigma(float(promise.epsilon), float(promise.delta)) * math.sqrt(steps), 2.0**-20
    while True:
        run = run_of(q, steps, Fraction(sigma))
        if epsilon_for(run, promise.delta, accountant="pld", change=change).epsilon <= promise.epsilon:
            return Fraction(sigma)
        sigma, more = sigma * (1 + more), 2 * more


def analytic_sigma(epsilon: float, delta: float) -> float:
    """The least noise on sensitivity 1, up to rounding."""
    from scipy.optimize import brentq
    from scipy.special import log_ndtr

    def excess(log_sigma: float) -> float:
        sigma = math.exp(log_sigma)
        gain = math.exp(log_ndtr(1 / (2 * sigma) - epsilon * sigma))
        return gain - math.exp(epsilon + log_ndtr(-1 / (2 * sigma) - epsilon * sigma)) - delta

    return math.exp(brentq(excess, math.log(1e-3), math.log(1e6), xtol=1e-12))
