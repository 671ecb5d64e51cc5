"""Two classes in a wide table: noisy class means, rounds that look closer where something was seen, and shrinkage.

A classifier by shrunken centroids (Tibshirani et al. 2002): the weight of an entry is the difference between the classes' means, in
spreads, drawn to zero by what noise alone would show. A gradient's noise grows with the number of columns, whether or not they say
anything; here each round weighs columns by what earlier rounds let expect of them, so that those that say nothing soon cost
nothing (the screening of Fan and Lv 2008, without a threshold). What columns share is then taken out, as far as it stands out of
noise. Means, spreads, the share of the second class, all rounds and the
slope at the end are steps of one run, which is booked whole. Each step releases a sum in which one unit counts up to a
bound that follows from public figures and from what earlier steps released.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.artifact import FittedWeights
from privet.errors import BadTraining
from privet.guarantee import ApproxDP, Change, Event, SealedPlan
from privet.mechanism import NoiseStream
from privet.protect.train._score_calibration import Line
from privet.protect.train._spike_slab_posterior import posterior
from privet.protect.train._spiked_covariance import apart
from privet.protect.train._standardized_rows import Coding, Floats, Units
from privet.protect.train._training_log import TrainingLog
from privet.protect.train.tabular import Examples, Paid, Report, StepLog, Task, noise_for, run_of

# Steps for means, spreads, the share of the second class, each round, what columns share, the spread of the score, and its line.
# Found on made-up tables of 120 to 300 numbers.
MEANS, SPREADS, SHARE, ROUNDS, EACH, SHARED, SCORES, LINES = 2, 2, 1, 8, 3, 2, 1, 3
STEPS = MEANS + SPREADS + SHARE + ROUNDS * EACH + SHARED + SCORES + LINES
WIDEST = 1_000  # entries; of more, products are not asked for,
ENOUGH = 20.0  # nor with fewer records · epsilon for each
LEAST = 0.05  # columns of which nothing is expected count so much, so that they can come back
FARTHEST, LONGEST = 8.0, 2.0  # scores beyond so many spreads are cut; the bound of gradients of the line


class CentroidLearner:
    """Two classes; rows, or persons with several rows."""

    def plan(self, task: Task, promise: ApproxDP, **options: Any) -> CentroidPlan:
        """Everything is fixed; the noise follows from the promise."""
        faults = []
        if options:
            faults.append(f"the learner centroids has no option {', '.join(sorted(options))}.")
        if len(task.target.classes) != 2:
            faults.append("shrunken centroids learn two classes.")
        if faults:
            raise BadTraining(" ".join(faults), 'Use model="linear"; nothing was read or spent.')
        width = Coding.of(task.features).width
        enough = task.records * float(promise.epsilon) >= ENOUGH * width
        shared = SHARED if enough and width <= WIDEST else 0
        steps = STEPS - SHARED + shared
        return CentroidPlan(task, promise, shared, noise_for(Fraction(1), steps, promise, task.unit.change))


@dataclass(frozen=True)
class CentroidPlan:
    """A fit as it will be booked."""

    task: Task
    promise: ApproxDP
    shared: int
    sigma: Fraction
    replays = True

    @property
    def steps(self) -> int:
        """Of the whole run."""
        return STEPS - SHARED + self.shared

    @property
    def event(self) -> Event:
        """The whole fit, sealed."""
        return SealedPlan(run_of(Fraction(1), self.steps, self.sigma), self.promise.delta)

    @property
    def settings(self) -> dict[str, Any]:
        """For the model's record."""
        return {
            "learner": "centroids",
            "steps": self.steps,
            "rounds": ROUNDS,
            "noise_multiplier": float(self.sigma),
            "records": self.task.records,
            "class_weights": list(self.task.class_weights),
            "balance": None,
        }

    def fit(
        self,
        examples: Examples,
        paid: Paid,
        report: Report | None = None,
        log: TrainingLog | None = None,
    ) -> FittedWeights:
        """Take exactly the steps that were paid for."""
        run = _Run(self, Units.of(examples), NoiseStream(paid.permit, paid.seed, paid.run), report, log)
        coding, share = run.standardized(Coding.of(self.task.features)), run.share()
        weights, apart = run.direction(coding, share)
        line = run.line(coding, weights, apart, share)
        intercept = line.intercept
        if self.task.class_weights:
            intercept += math.log(self.task.class_weights[1] / self.task.class_weights[0])
        return FittedWeights(
            "additive",
            {"shapes": coding.worth(line.slope * weights), "intercept": np.array([intercept])},
            self.settings,
        )


@dataclass
class _Run:
    """One fit under way."""

    plan: CentroidPlan
    units: Units
    stream: NoiseStream
    report: Report | None
    log: TrainingLog | None

    def released(
        self, of_rows: Callable[[NDArray[np.int32], Floats], Floats], bound: float, steps: int
    ) -> tuple[Floats, float]:
        """A sum over all units, the mean of so many noisy ones, divided by their public number; and its noise."""
        exact, lengths = self.units.total(of_rows, bound)
        return self.noised(exact, lengths, bound, steps)

    def noised(self, exact: Floats, lengths: Floats, bound: float, steps: int) -> tuple[Floats, float]:
        """The same of a sum that is there, of which one unit's part is at most `bound` long."""
        reach = bound * (2 if self.plan.task.unit.change is Change.REPLACE else 1)
        noisy = np.zeros_like(exact)
        for _ in range(steps):
            step = self.stream.step()
            (one,) = step.noised([exact], reach)
            noisy += one / steps
            if self.log is not None:
                self._told(step.index + 1, lengths, bound, reach, one)
            if self.report:
                self.report(step.index + 1, self.stream.steps)
        many = self.plan.task.records
        return noisy / many, float(self.plan.sigma) * reach / math.sqrt(steps) / many

    def standardized(self, coding: Coding) -> Coding:
        """With means and spreads as they were released."""
        mean, _ = self.released(lambda codes, _: coding.rows(codes), coding.length, MEANS)
        mean = np.clip(mean, -1, 1)
        square, noise = self.released(
            lambda codes, _: (coding.rows(codes) - mean) ** 2, coding.spread, SPREADS
        )
        return coding.standardized(mean, np.sqrt(np.maximum(square, max(2 * noise, 1e-4))))

    def share(self) -> float:
        """The share of the second class, at least that of two units."""
        found, _ = self.released(lambda _, target: target[:, None], 1.0, SHARE)
        least = min(0.5, 2 / self.plan.task.records)
        return float(np.clip(found[0], least, 1 - least))

    def direction(self, coding: Coding, share: float) -> tuple[Floats, float]:
        """Weights of length 1, and how far apart the classes' means are expected to lie along them."""
        ahead = np.ones(coding.width)
        seen, precision = np.zeros(coding.width), np.zeros(coding.width)
        for _ in range(ROUNDS):
            bound = max(share, 1 - share) * float(np.linalg.norm(ahead))
            found, noise = self.released(_weighed(coding, ahead, share), bound, EACH)
            more = (ahead / noise) ** 2
            seen, precision = seen + found / ahead * more, precision + more
            believed = posterior(seen / precision, 1 / precision)
            ahead = np.sqrt(believed.square)
            ahead = np.maximum(ahead / ahead.max(), LEAST)
        weights = believed.mean
        if self.plan.shared:
            weights = apart(weights, ahead, *self.products(coding, ahead))
        length = max(float(np.linalg.norm(weights)), 1e-300)
        return weights / length, float(weights @ believed.mean) / length / (share * (1 - share))

    def products(self, coding: Coding, ahead: Floats) -> tuple[Floats, float]:
        """What columns share: the mean products of two entries, nothing on the diagonal; and their noise."""
        bound = float(np.linalg.norm(ahead))
        exact = self.units.products(lambda codes: coding.rows(codes) * ahead, bound)
        told = np.zeros(self.units.many)  # nobody is told how long the rows were
        found, noise = self.noised(exact, told, bound**2 / math.sqrt(2), self.plan.shared)
        table = np.zeros((len(ahead), len(ahead)))
        table[np.triu_indices(len(ahead), 1)] = found
        return table + table.T, noise

    def line(self, coding: Coding, weights: Floats, apart: float, share: float) -> Line:
        """What a score means: its spread first, then slope and intercept."""

        def scored(codes: NDArray[np.int32]) -> Floats:
            return np.asarray(np.clip(coding.rows(codes) @ weights, -FARTHEST, FARTHEST))

        size, noise = self.released(lambda codes, _: np.abs(scored(codes))[:, None], FARTHEST, SCORES)
        spread = math.sqrt(math.pi / 2) * max(float(size[0]), 2 * noise, 0.1)  # as of a normal distribution
        line = Line.between(apart / spread, share)
        for taken in range(LINES):
            gradient, _ = self.released(_sloped(lambda codes: scored(codes) / spread, line), LONGEST, 1)
            line = line.moved(gradient, 1 / (taken + 2))
        return Line(line.slope / spread, line.intercept)

    def _told(self, done: int, lengths: Floats, bound: float, reach: float, noisy: Floats) -> None:
        """The log hears of lengths and noise; there are no losses before there is a score."""
        assert self.log is not None
        plan = self.plan
        witness = StepLog(
            self.log, plan.task, plan.promise, Fraction(1), plan.steps, plan.sigma, bound, reach, 0.0
        )
        witness.see(done, np.zeros((0, 1)), np.zeros(0), lengths, [noisy])


def _weighed(coding: Coding, ahead: Floats, share: float) -> Callable[[NDArray[np.int32], Floats], Floats]:
    return lambda codes, target: coding.rows(codes) * ahead * (target - share)[:, None]


def _sloped(
    scored: Callable[[NDArray[np.int32]], Floats], line: Line
) -> Callable[[NDArray[np.int32], Floats], Floats]:
    def given(codes: NDArray[np.int32], target: Floats) -> Floats:
        scores = scored(codes)
        return np.asarray(
            line.residuals(scores, target)[:, None] * np.column_stack([scores, np.ones(len(scores))])
        )

    return given
