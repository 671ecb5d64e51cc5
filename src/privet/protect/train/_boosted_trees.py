"""Gradient-boosted trees for two classes, for tables whose columns matter together.

The structure of a tree is drawn from noisy statistics and not from rows; what its leaves say are Newton steps on noisy sums of
gradients and curvatures (Maddock et al. 2022, who find that random splits with Newton leaves do best under noise). What a random
split would leave to luck is bought first: how units spread over the levels of each column, what each column says alone, and
what each pair of columns says together, so that also pairs are found of which neither column says anything alone. All that is
bought, and the leaves of each tree, are steps of one run, which is booked whole before a row is read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.artifact import Features, FittedWeights, right_side
from privet.errors import BadTraining
from privet.guarantee import ApproxDP, Change, Event, SealedPlan
from privet.mechanism import NoiseStream, generator_of
from privet.protect.train._split_proposals import Levels, Proposals, Split, said_alone, said_together
from privet.protect.train._training_log import TrainingLog
from privet.protect.train.tabular import (
    ROUNDING,
    Examples,
    Paid,
    Report,
    StepLog,
    Task,
    noise_for,
    run_of,
)

# Steps for counts of levels, for what columns say alone and together, and trees. Found on made-up tables of 10 to 20 numbers.
COUNTS, ALONE, TOGETHER, TREES = 4, 4, 8, 60
DEPTH, RATE, FARTHEST = 3, 0.4, 1.0  # a leaf moves log-odds by at most FARTHEST
PULL = 2.0  # leaves are drawn to zero as if so many deviations of the noise in curvature spoke for it
MOST = 60  # columns; pairs of more drown in noise, and are not asked for
_BLOCK = 1 << 14  # rows

Floats = NDArray[np.float64]


class TreeLearner:
    """Two classes; rows, or persons with several rows."""

    def plan(self, task: Task, promise: ApproxDP, **options: Any) -> TreePlan:
        """Everything is fixed; the noise follows from the promise."""
        faults = []
        if options:
            faults.append(f"the learner boosted_trees has no option {', '.join(sorted(options))}.")
        if len(task.target.classes) != 2:
            faults.append("boosted trees learn two classes.")
        if faults:
            raise BadTraining(" ".join(faults), 'Use model="linear"; nothing was read or spent.')
        pairs = TOGETHER if 2 <= len(task.features.columns) <= MOST else 0
        steps = COUNTS + ALONE + pairs + TREES
        return TreePlan(task, promise, pairs, steps, noise_for(Fraction(1), steps, promise, task.unit.change))


@dataclass(frozen=True)
class TreePlan:
    """A fit as it will be booked."""

    task: Task
    promise: ApproxDP
    pairs: int
    steps: int
    sigma: Fraction
    replays = True

    @property
    def event(self) -> Event:
        """The whole fit, sealed."""
        return SealedPlan(run_of(Fraction(1), self.steps, self.sigma), self.promise.delta)

    @property
    def settings(self) -> dict[str, Any]:
        """For the model's record."""
        return {
            "learner": "boosted_trees",
            "trees": TREES,
            "depth": DEPTH,
            "rate": RATE,
            "steps": self.steps,
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
        stream = NoiseStream(paid.permit, paid.seed, paid.run)
        run = _Run(self, _Rows.of(examples, self.task.features), stream, report, log)
        share, proposals = run.proposals()
        intercept = math.log(share / (1 - share))
        trees, leaves = run.boosted(proposals, intercept, generator_of(paid.seed, -1, 0).random)
        if self.task.class_weights:
            intercept += math.log(self.task.class_weights[1] / self.task.class_weights[0])
        return FittedWeights(
            "trees",
            {
                "splits": np.array(trees, dtype=np.float64),
                "leaves": np.stack(leaves)[:, :, None],
                "intercept": np.array([intercept]),
            },
            self.settings,
        )


@dataclass(eq=False)
class _Rows:
    """The private rows. The rows of a unit weigh 1 together, so a unit's part of a sum is a mean of what its rows give."""

    codes: NDArray[Any]
    target: Floats
    weights: Floats
    features: Features

    @classmethod
    def of(cls, examples: Examples, features: Features) -> _Rows:
        if examples.owner is None:
            each = np.ones(len(examples))
        else:
            each = 1 / np.bincount(examples.owner, minlength=examples.units)[examples.owner]
        return cls(examples.codes, examples.target, each * (1 - ROUNDING), features)

    def over_levels(self, values: Floats) -> Floats:
        """The sum of a value of each row over the levels of each column; a row is in one level of each."""
        counted = values * self.weights
        return np.concatenate([
            _sums(self.codes[:, at], counted, column.levels)
            for at, column in enumerate(self.features.columns)
        ])  # fmt: skip

    def over_pairs(self, values: Floats, halves: Sequence[Split]) -> Floats:
        """The sum of a value of each row times the sides, 1 or -1, that it is on in both columns of each pair."""
        many = len(halves)
        found = np.zeros((many, many))
        counted = values * self.weights
        for start in range(0, len(counted), _BLOCK):
            here = slice(start, start + _BLOCK)
            codes = self.codes[here]
            sides = np.stack([np.where(right_side(codes, split), 1.0, -1.0) for split in halves], axis=1)
            found += (sides * counted[here, None]).T @ sides
        return found[np.triu_indices(many, 1)]

    def over_leaves(self, leaf: NDArray[np.int64], *values: Floats) -> Floats:
        """The sums of values of each row over the leaves of a tree; a row is in one."""
        return np.stack([_sums(leaf, value * self.weights, 2**DEPTH) for value in values])


def _sums(places: NDArray[Any], values: Floats, many: int) -> Floats:
    return np.bincount(places, values, many).astype(
        np.float64
    )  # of no rows at all, it counts in whole numbers


@dataclass
class _Run:
    """One fit under way."""

    plan: TreePlan
    rows: _Rows
    stream: NoiseStream
    report: Report | None
    log: TrainingLog | None

    def released(self, exact: Floats, bound: float, steps: int, scores: Floats) -> tuple[Floats, float]:
        """The mean of so many noisy sums, of which one unit's part is at most `bound` long; and its noise."""
        reach = bound * (2 if self.plan.task.unit.change is Change.REPLACE else 1)
        noisy = np.zeros_like(exact)
        for _ in range(steps):
            step = self.stream.step()
            (one,) = step.noised([exact], reach)
            noisy += one / steps
            if self.log is not None:
                self._told(step.index + 1, bound, reach, scores, one)
            if self.report:
                self.report(step.index + 1, self.stream.steps)
        return noisy, float(self.plan.sigma) * reach / math.sqrt(steps)

    def proposals(self) -> tuple[float, Proposals]:
        """The share of the second class, and where trees may split."""
        task, rows, none = self.plan.task, self.rows, np.zeros(0)
        many, records = len(task.features.columns), task.records
        counted = np.append(
            rows.over_levels(np.ones(len(rows.target))), float(rows.target @ rows.weights)
        )  # a unit has one level of each column, and one class
        noisy, _ = self.released(counted, math.sqrt(many + 1), COUNTS, none)
        levels = Levels.of(task.features, noisy[:-1])
        least = min(0.5, 2 / records)
        share = float(np.clip(noisy[-1] / records, least, 1 - least))
        residuals, longest = rows.target - share, max(share, 1 - share)
        sums, noise = self.released(rows.over_levels(residuals), longest * math.sqrt(many), ALONE, none)
        alone, pairs = said_alone(levels, sums, noise, share), np.zeros(many * (many - 1) // 2)
        if self.plan.pairs:
            moments = rows.over_pairs(residuals, [levels.middle(at) for at in range(many)])
            noisy, noise = self.released(moments, longest * math.sqrt(len(moments)), self.plan.pairs, none)
            pairs = said_together(noisy, noise, share, records)
        return share, Proposals.of(levels, alone, pairs)

    def boosted(
        self, proposals: Proposals, begin: float, draw: Callable[[], float]
    ) -> tuple[list[list[Split]], list[Floats]]:
        """Trees one after the other, each towards what those before it left open."""
        rows, trees, leaves = self.rows, [], []
        scores = np.full(len(rows.target), begin)
        for _ in range(TREES):
            tree = proposals.tree(DEPTH, draw)
            leaf = np.zeros(len(scores), dtype=np.int64)
            for place, split in enumerate(tree):
                leaf += right_side(rows.codes, split).astype(np.int64) << place
            shares = 1 / (1 + np.exp(-scores))
            # Of p - y and p (1 - p), the squares together are at most 1: p² (1 + (1 - p)²) grows to 1 as p does.
            exact = rows.over_leaves(leaf, shares - rows.target, shares * (1 - shares))
            (slope, bend), noise = self.released(exact, 1.0, 1, scores)
            worth = np.clip(-RATE * slope / (np.maximum(bend, 0.0) + PULL * noise), -FARTHEST, FARTHEST)
            scores = scores + worth[leaf]
            trees.append(tree)
            leaves.append(worth)
        return trees, leaves

    def _told(self, done: int, bound: float, reach: float, scores: Floats, noisy: Floats) -> None:
        """The log hears of losses, once there is a score; nothing is ever clipped."""
        assert self.log is not None
        plan, rows = self.plan, self.rows
        witness = StepLog(
            self.log, plan.task, plan.promise, Fraction(1), plan.steps, plan.sigma, bound, reach, RATE
        )
        seen = rows.target if len(scores) else scores
        witness.see(done, scores[:, None], seen, np.zeros(len(rows.target)), [noisy])
