"""A small network on the same features as the linear model: one hidden layer, clipped in closed form.

The squared norm of an example's gradient in a dense layer is |signal|² (|input|² + 1), so no example's gradient is
ever written out and no deep-learning library is needed. For most tables the linear model is more accurate; this is for
tables whose columns matter together.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.artifact import FittedWeights
from privet.errors import BadTraining
from privet.guarantee import ApproxDP, Change, Event, Person, SealedPlan
from privet.mechanism import NoiseStream, SecretSeed, generator_of
from privet.protect.train._training_log import TrainingLog
from privet.protect.train.tabular import (
    ROUNDING,
    Examples,
    Paid,
    Report,
    StepLog,
    Task,
    noise_for,
    residuals_of,
    run_of,
    settings_for,
)

Layers = list[tuple[NDArray[np.float64], NDArray[np.float64]]]
HIDDEN, RATE, CLIP, MOMENTUM = 32, 0.5, 1.0, 0.9
# A row's gradient is about five times as long as its residual, so that is where clipping sets in.
BALANCE = 0.2 * CLIP


class NetworkLearner:
    """One hidden layer; two classes, more, or a number; one row a unit."""

    def plan(self, task: Task, promise: ApproxDP, **options: Any) -> NetworkPlan:
        """Steps and sampling by the rule of the linear model; width, rate and clipping are fixed."""
        faults = []
        if options:
            faults.append(f"the learner mlp has no option {', '.join(sorted(options))}.")
        if isinstance(task.unit, Person) and task.unit.max_rows != 1:
            faults.append("the network clips rows, not persons with several rows.")
        if faults:
            raise BadTraining(" ".join(faults), 'Use model="linear"; nothing was read or spent.')
        usual = settings_for(task, promise)
        sigma = noise_for(usual.q, usual.steps, promise, task.unit.change)
        return NetworkPlan(task, promise, usual.steps, usual.q, sigma)


@dataclass(frozen=True)
class NetworkPlan:
    """A network's fit as it will be booked."""

    task: Task
    promise: ApproxDP
    steps: int
    q: Fraction
    sigma: Fraction
    replays = True

    @property
    def event(self) -> Event:
        """The whole fit, sealed."""
        return SealedPlan(run_of(self.q, self.steps, self.sigma), self.promise.delta)

    @property
    def settings(self) -> dict[str, Any]:
        """For the model's record."""
        return {
            "hidden": HIDDEN,
            "steps": self.steps,
            "q": float(self.q),
            "rate": RATE,
            "clip": CLIP,
            "momentum": MOMENTUM,
            "noise_multiplier": float(self.sigma),
            "records": self.task.records,
            "class_weights": list(self.task.class_weights),
            "balance": BALANCE if self.task.target.classes else None,
        }

    @property
    def reach(self) -> float:
        """How far one row moves a step's sums."""
        return CLIP * (2 if self.task.unit.change is Change.REPLACE else 1)

    def fit(
        self,
        examples: Examples,
        paid: Paid,
        report: Report | None = None,
        log: TrainingLog | None = None,
    ) -> FittedWeights:
        """Take exactly the steps that were paid for; the mean of the last half of the iterates is the result."""
        stream = NoiseStream(paid.permit, paid.seed, paid.run)
        inputs = one_hot(examples.codes, self.task)
        layers = _begin(inputs.shape[1], self.task.target.outputs, paid.seed)
        speed = [np.zeros_like(part) for layer in layers for part in layer]
        total, kept = [np.zeros_like(part) for part in speed], 0
        witness = self._witness(log) if log is not None else None
        for _ in range(stream.steps):
            step = stream.step()
            mask = step.mask(len(examples))
            row = rows_gradients(layers, inputs[mask], examples.target[mask], self.task)
            noisy = step.noised(row.clipped_sums(), self.reach)
            if witness:
                witness.see(step.index + 1, row.scores, examples.target[mask], row.norms, noisy)
            parts = [part for layer in layers for part in layer]
            for at, gradient in enumerate(noisy):
                speed[at] = MOMENTUM * speed[at] + gradient / (float(self.q) * self.task.records)
                parts[at] -= RATE * speed[at]
            if step.index >= stream.steps // 2:
                total, kept = [held + part for held, part in zip(total, parts, strict=True)], kept + 1
            if report:
                report(step.index + 1, stream.steps)
        names = ("hidden", "hidden_bias", "output", "output_bias")
        return FittedWeights(
            "network", {name: held / kept for name, held in zip(names, total, strict=True)}, self.settings
        )

    def _witness(self, log: TrainingLog) -> StepLog:
        return StepLog(log, self.task, self.promise, self.q, self.steps, self.sigma, CLIP, self.reach, RATE)


def one_hot(codes: NDArray[np.int32], task: Task) -> NDArray[np.float64]:
    """One indicator for each level, scaled so that a row has length 1."""
    features = task.features
    found = np.zeros((len(codes), features.levels))
    for at, offset in enumerate(features.offsets):
        found[np.arange(len(codes)), offset + codes[:, at]] = len(features.columns) ** -0.5
    return found


@dataclass(frozen=True, eq=False)
class RowGradients:
    """The gradients of some rows, as the products they consist of."""

    inputs: NDArray[np.float64]
    hidden: NDArray[np.float64]
    scores: NDArray[np.float64]
    signal: NDArray[np.float64]
    back: NDArray[np.float64]

    @property
    def norms(self) -> NDArray[np.float64]:
        """The length of each row's gradient of all weights."""
        outer = (self.signal**2).sum(1) * ((self.hidden**2).sum(1) + 1)
        return np.asarray(np.sqrt(outer + (self.back**2).sum(1) * ((self.inputs**2).sum(1) + 1)))

    def clipped_sums(self) -> list[NDArray[np.float64]]:
        """The sum over rows of the gradient of all weights, each row's at most `CLIP` long; none of one not finite."""
        norms = self.norms
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.minimum(1.0, CLIP * (1 - ROUNDING) / norms)
        finite = np.isfinite(norms)[:, None]
        shares = np.where(np.isfinite(norms), shares, 0.0)[:, None]
        signal = np.where(finite, self.signal, 0.0) * shares
        back = np.where(finite, self.back, 0.0) * shares
        return [self.inputs.T @ back, back.sum(0), self.hidden.T @ signal, signal.sum(0)]


def rows_gradients(
    layers: Layers, inputs: NDArray[np.float64], targets: NDArray[np.float64], task: Task
) -> RowGradients:
    """Forwards and backwards through both layers."""
    (first, first_bias), (second, second_bias) = layers
    hidden = np.tanh(inputs @ first + first_bias)
    scores = hidden @ second + second_bias
    signal = residuals_of(scores, targets, task)
    return RowGradients(inputs, hidden, scores, signal, (signal @ second.T) * (1 - hidden**2))


def clipped_sums(
    layers: Layers, inputs: NDArray[np.float64], targets: NDArray[np.float64], task: Task
) -> list[NDArray[np.float64]]:
    """The sum over rows of the gradient of all weights, each row's at most `CLIP` long."""
    return rows_gradients(layers, inputs, targets, task).clipped_sums()


def _begin(width: int, outputs: int, seed: SecretSeed) -> Layers:
    """First weights from the run's seed, so that a run that is taken up begins as it began."""
    draw = generator_of(seed, -1, 0)
    return [
        (draw.normal(size=(width, HIDDEN)), np.zeros(HIDDEN)),
        (draw.normal(size=(HIDDEN, outputs)) * HIDDEN**-0.5, np.zeros(outputs)),
    ]
