"""Which model to train: the size, batch and steps that lose least for the compute, the examples and the promise there are.

Every combination on fixed grids is looked at whose compute is affordable: the noise that the promise needs for its steps and
sampling rate decides the noise-batch ratio, and the scaling law the loss (McKenna et al. 2025, arXiv 2501.18914, section 4). The
grids do not depend on what was asked for, so more compute only adds combinations, and more epsilon or examples only lower the
noise of each: neither can make the prediction worse. The chosen one is priced exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import BadTraining, NoSolution, checked
from privet.guarantee import ApproxDP, Gaussian, PoissonSampled, Repeated, calibrate
from privet.protect.train.language._loss_table import LossTable, measured_by_us
from privet.protect.train.language._noise_table import noise_table
from privet.protect.train.language._scaling_law import ScalingLaw

Floats = NDArray[np.float64]

_SIZES = 48  # between the smallest and the largest that were measured
_BATCHES = 2.0 ** (np.arange(0, 57) / 2)
_STEPS = np.unique(np.round(10 * 2.0 ** (np.arange(0, 81) / 4)))
NEAR, SATURATED = 0.02, 0.01


@dataclass(frozen=True)
class PlanSpace:
    """All combinations for a number of examples, a sequence length and a promise, whatever they compute."""

    law: ScalingLaw
    examples: int
    sequence: int
    epsilon: float
    delta: float

    @cached_property
    def axes(self) -> tuple[Floats, Floats, Floats]:
        """Sizes, batches and steps; batches no larger than all examples."""
        low, high = self.law.sizes
        first, last = self.law.steps
        sizes = np.geomspace(low, high, _SIZES)
        return sizes, _BATCHES[self.examples >= _BATCHES], _STEPS[(first <= _STEPS) & (last >= _STEPS)]

    @cached_property
    def sigmas(self) -> Floats:
        """About the noise that the promise needs, by batch and steps."""
        _, batches, steps = self.axes
        rate = batches[:, None] / self.examples
        return noise_table().sigma(self.epsilon, self.delta, steps[None, :], rate)

    @cached_property
    def losses(self) -> Floats:
        """The predicted losses by size, batch and steps; infinite where there is more noise than in any run that was measured."""
        sizes, batches, steps = self.axes
        ratio = (self.sigmas / batches[:, None])[None, :, :]
        losses = self.law.loss(sizes[:, None, None], steps[None, None, :], ratio, batches[None, :, None])
        return np.where(ratio <= self.law.table.noise_ratios[-1], losses, math.inf)

    @cached_property
    def compute(self) -> Floats:
        """Floating-point operations of each combination: 6 for each weight and token (Kaplan et al. 2020)."""
        sizes, batches, steps = self.axes
        return 6 * self.sequence * sizes[:, None, None] * batches[None, :, None] * steps[None, None, :]

    def best(self, compute: float) -> tuple[int, int, int] | None:
        """Where the loss is least, by size, batch and steps; of equal ones the cheapest; None where nothing is affordable."""
        losses = np.where(self.compute <= compute, self.losses, math.inf)
        least = float(losses.min(initial=math.inf))
        if math.isinf(least):
            return None
        cheapest = np.where(losses <= least, self.compute, math.inf)
        size, batch, steps = np.unravel_index(int(np.argmin(cheapest)), cheapest.shape)
        return int(size), int(batch), int(steps)

    def least_loss(self, compute: float) -> float:
        """The loss of the best combination; infinite where nothing is affordable."""
        return float(np.where(self.compute <= compute, self.losses, math.inf).min(initial=math.inf))

    def saturating(self) -> float:
        """The least compute whose best loss is within one percent of what any compute reaches."""
        enough = self.losses <= self.least_loss(math.inf) * (1 + SATURATED)
        return float(self.compute[enough].min())

    def near(self, compute: float) -> dict[str, tuple[int, int]]:
        """The smallest and largest size, batch and steps of affordable combinations within two percent of the best."""
        close = (self.compute <= compute) & (self.losses <= self.least_loss(compute) * (1 + NEAR))
        places = np.nonzero(close)
        found = {}
        for name, axis, points in zip(("size", "batch", "steps"), places, self.axes, strict=True):
            ends = float(points[axis.min()]), float(points[axis.max()])
            low, high = (math.ceil(end) if name == "batch" else round(end) for end in ends)
            found[name] = (low, high)
        return found


@dataclass(frozen=True)
class LanguagePlan:
    """What to train, and what to expect of it.

    Args:
        size: weights of the model.
        batch: expected examples of a step.
        steps: how many steps.
        rate: the learning rate of Adam that lost least in the measured runs nearest to this.
        sampling_rate: with which probability an example is in a step.
        noise_multiplier: in clipping bounds, exactly what the promise needs.
        expected_loss: in nats a token, predicted by the law.
        near: the smallest and largest of each that lose at most two percent more.
        saturating_compute: beyond which compute no more than one percent is left to gain.
        doubled: the predicted loss with twice the epsilon, examples or compute.
        cautions: in which respects the law goes beyond what was measured.
    """

    compute: float
    examples: int
    sequence: int
    promise: ApproxDP
    size: int
    batch: int
    steps: int
    rate: float
    sampling_rate: float
    noise_multiplier: float
    expected_loss: float
    near: dict[str, tuple[int, int]]
    saturating_compute: float
    doubled: dict[str, float]
    cautions: tuple[str, ...]
    space: PlanSpace

    @property
    def noise_batch_ratio(self) -> float:
        """The noise on the mean clipped gradient, in clipping bounds."""
        return self.noise_multiplier / self.batch

    @property
    def epochs(self) -> float:
        """How often an example is expected to be seen."""
        return self.batch * self.steps / self.examples

    @property
    def tokens_per_parameter(self) -> float:
        """Tokens that are trained on for each weight; without privacy about 20 is best (Hoffmann et al. 2022)."""
        return self.batch * self.steps * self.sequence / self.size

    @property
    def used_compute(self) -> float:
        """Floating-point operations of the run."""
        return 6.0 * self.size * self.sequence * self.batch * self.steps

    def to_json(self) -> dict[str, Any]:
        """A stable record."""
        return {
            "artifact": "language plan",
            "compute": self.compute,
            "examples": self.examples,
            "sequence": self.sequence,
            "promise": self.promise.to_json(),
            "size": self.size,
            "batch": self.batch,
            "steps": self.steps,
            "rate": self.rate,
            "sampling_rate": self.sampling_rate,
            "noise_multiplier": self.noise_multiplier,
            "noise_batch_ratio": self.noise_batch_ratio,
            "expected_loss": self.expected_loss,
            "epochs": self.epochs,
            "tokens_per_parameter": self.tokens_per_parameter,
            "used_compute": self.used_compute,
            "within_two_percent": {name: list(ends) for name, ends in self.near.items()},
            "saturating_compute": self.saturating_compute,
            "loss_if_doubled": self.doubled,
            "cautions": list(self.cautions),
            "law": {"measured_on": self.space.law.table.measured_on, "not_for": self.space.law.table.not_for},
        }

    def __str__(self) -> str:
        table = self.space.law.table
        extended = ", extended beyond the steps that were measured" if self.steps > table.steps[-1] else ""
        rows = [
            ("size", f"{self.size:,} weights", *self.near["size"]),
            ("batch", f"{self.batch:,} sequences", *self.near["batch"]),
            ("steps", f"{self.steps:,}", *self.near["steps"]),
        ]
        lines = [f"{'':<8}{'best':>24}   within 2 % of its loss"]
        lines += [f"{name:<8}{best:>24}   {low:,} to {high:,}" for name, best, low, high in rows]
        lines += [
            "",
            f"Noise multiplier {self.noise_multiplier:.4g}, sampling rate {self.sampling_rate:.3g}, noise-batch ratio "
            f"{self.noise_batch_ratio:.3g}; {self.epochs:.3g} epochs, {self.tokens_per_parameter:.3g} tokens for each weight.",
            f"Learning rate: {self.rate:g}, of those that were tried the best in the runs nearest to this.",
            f"Expected loss{extended}: {self.expected_loss:.3f} nats a token, with {self.used_compute:.3g} operations.",
            f"More than {self.saturating_compute:.2g} operations would gain less than 1 %.",
            "Twice as much would lead to: "
            + ", ".join(f"{what} {loss:.3f}" for what, loss in self.doubled.items())
            + ".",
            "",
            f"The law was measured on {table.measured_on}. {table.not_for}",
        ]
        if self.cautions:
            lines.append("Beyond what was measured: " + "; ".join(self.cautions) + ".")
        return "\n".join(lines)


@checked
def plan_language_model(
    compute: float,
    examples: int,
    sequence: int,
    promise: ApproxDP,
    *,
    law: ScalingLaw | LossTable | None = None,
) -> LanguagePlan:
    """The size, batch and steps that lose least. Reads no text and spends nothing.

    Args:
        compute: floating-point operations that training may take.
        examples: sequences there are to train on; a public number.
        sequence: tokens of one sequence.
        promise: for each sequence, or whatever unit an example is.
        law: fitted to runs of your own; else to the table that comes with Privet, measured on small models.

    Guarantee: none by itself; the noise multiplier is what `promise` needs for these steps with Poisson sampling, by loss
        distributions, for adding or removing one example.
    Assumes: that the law holds for your text and model; `cautions` says where it goes beyond what was measured.
    """
    _check(compute, examples, sequence)
    fitted = law if isinstance(law, ScalingLaw) else ScalingLaw.of(law or measured_by_us())
    space = PlanSpace(fitted, examples, sequence, float(promise.epsilon), float(promise.delta))
    found = space.best(compute)
    if found is None:
        raise _nothing(space, compute)
    size, batch, steps = (float(axis[at]) for axis, at in zip(space.axes, found, strict=True))
    # A whole batch, rounded up, and whole weights: what is said is what is priced.
    batch_, steps_, size_ = math.ceil(batch), round(steps), round(size)
    rate = min(Fraction(1), Fraction(batch_, examples))
    sigma = _noise(promise, rate, steps_)
    loss = float(space.losses[found])
    doubled = {
        "epsilon": replace(space, epsilon=2 * space.epsilon).least_loss(compute),
        "examples": replace(space, examples=2 * examples).least_loss(compute),
        "compute": space.least_loss(2 * compute),
    }
    return LanguagePlan(
        compute, examples, sequence, promise, size_, batch_, steps_, fitted.rate(size, steps, sigma / batch_), float(rate), sigma, loss, space.near(compute),
        space.saturating(), doubled, fitted.trusted(size, steps, sigma / batch_), space,
    )  # fmt: skip


def _nothing(space: PlanSpace, compute: float) -> NoSolution:
    """Why nothing can be planned: too little compute for anything, or for as large batches as the noise would need."""
    least, smallest, first = float(space.compute.min()), space.law.sizes[0], space.axes[2][0]
    if least > compute:
        return NoSolution(
            f"not even the smallest model that was measured ({smallest:,} weights) can be trained for {first:,.0f} steps.",
            f"At least {least:.2g} operations are needed.",
        )
    known = space.compute[np.isfinite(space.losses)]
    return NoSolution(
        "with this promise, whatever can be afforded has more noise than any run that was measured: what would come of it, nobody "
        "can say.",
        f"With these examples and this promise, at least {known.min():.2g} operations are needed."
        if known.size
        else "Have more examples, or a larger epsilon.",
    )


def _noise(promise: ApproxDP, rate: Fraction, steps: int) -> float:
    def run(sigma: Fraction) -> Repeated:
        noise = Gaussian(sigma, 1)
        return Repeated(PoissonSampled(rate, noise) if rate < 1 else noise, steps)

    return float(calibrate(run, promise, accountant="pld" if rate < 1 else None))


def _check(compute: float, examples: int, sequence: int) -> None:
    faults = []
    if not 0 < compute < math.inf:
        faults.append("compute is a positive number of operations.")
    if examples < 2 or sequence < 1:
        faults.append("examples is at least 2, and a sequence has at least one token.")
    if faults:
        raise BadTraining(" ".join(faults), "Correct what was given.")
