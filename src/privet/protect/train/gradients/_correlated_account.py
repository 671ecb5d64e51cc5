"""Noise that correlates over the steps of a run: which kinds there are, what they cost, and the least that keeps a promise.

For runs whose batches come round in a fixed order, each record at most once in a round. What one step adds is partly taken back
by those after it, so trained weights are less noisy than with independent noise at the same promise. Nothing here is read off data.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

from privet.errors import BadTraining, PrivetError
from privet.guarantee import (
    ApproxDP,
    BandedInverseGaussian,
    BandedStrategy,
    BufferedStrategy,
    Change,
    ErrorMeasure,
    Event,
    Gaussian,
    Participation,
    PoissonSampled,
    Repeated,
    SealedPlan,
    ZeroConcentratedDP,
    calibrate,
    epsilon_for,
    fitted_bands,
    fitted_buffers,
    float_up,
    root_up,
)
from privet.protect.train.gradients._training_account import quick_epsilon

ROUNDS = ("epochs", "cyclic")  # ways of sampling in which batches come round
_TRIED = (1, 4, 16, 64, 256)  # numbers of bands, where it is left open


@dataclass(frozen=True, slots=True)
class BandedNoise:
    """Noise of which the strategy has few bands, fitted to the run; the only kind that cyclic sampling amplifies.

    Args:
        bands: how many steps correlate; as many vectors of noise, less one, are kept in memory. With "cyclic" sampling there are
            as many groups of records as bands.
        momentum: that of the optimizer, which the noise is fitted to.
        error: whether the "mean" or the "max" of the error over all steps is made small.
    """

    bands: int
    momentum: float = 0.0
    error: ErrorMeasure = "mean"


@dataclass(frozen=True, slots=True)
class BufferedToeplitzNoise:
    """Noise of buffered linear Toeplitz strategies, fitted to the run: nearly the least there is, in the memory of a few vectors.

    Args:
        buffers: how many vectors of noise are kept in memory.
        momentum: that of the optimizer, which the noise is fitted to.
        error: whether the "mean" or the "max" of the error over all steps is made small.
    """

    buffers: int = 2
    momentum: float = 0.0
    error: ErrorMeasure = "mean"


@dataclass(frozen=True, slots=True)
class BandedInverseNoise:
    """Noise of the banded inverse root: nothing is fitted, and a run that is taken up again draws few steps again.

    Args:
        bands: how many steps correlate; as many vectors of noise, less one, are kept in memory.
    """

    bands: int = 16


CorrelatedNoise = BandedNoise | BufferedToeplitzNoise | BandedInverseNoise
NoiseChoice = CorrelatedNoise | Literal["independent", "correlated"]
Strategy = BandedStrategy | BufferedStrategy


@dataclass(frozen=True)
class RoundsAccount:
    """What a run on batches that come round costs: its noise in clipping bounds, its event, and its strategy.

    `strategy` is None where the event says it all.
    """

    sigma: Fraction
    event: Event
    groups: int
    q: Fraction
    strategy: Strategy | None

    def deviation_at(self, step: int) -> float:
        """The standard deviation of a step's noise, in clipping bounds."""
        if self.strategy is not None:
            return float(self.sigma) * self.strategy.deviation_at(step)
        inner = _inner(self.event)
        assert isinstance(inner, BandedInverseGaussian)
        return inner.deviation_at(step)

    def independent_deviation(self) -> float:
        """The deviation, in clipping bounds, of independent noise that would leave running sums of the steps as noisy.

        Steps take back part of what earlier ones added, so it is less than that of a step. Over T steps, the mean variance of
        running sums of independent noise is (T + 1) / 2 times that of a step.
        """
        inner = _inner(self.event)
        if self.strategy is not None:
            steps, error = self.strategy.pattern.steps, _running_error(self)
        else:
            assert isinstance(inner, BandedInverseGaussian)
            steps, error = inner.steps, inner.running_error()
        return error / math.sqrt((steps + 1) / 2)

    def until(self, steps: int) -> Event:
        """What the first `steps` steps alone tell."""
        inner = _inner(self.event)
        if isinstance(inner, BandedInverseGaussian):
            return inner.until(steps)
        if isinstance(inner, Repeated):
            return Repeated(inner.event, min(inner.count, math.ceil(steps / self.groups)))
        assert isinstance(inner, Gaussian)
        assert self.strategy is not None
        return Gaussian(inner.sigma, self.strategy.until(steps).sensitivity())

    def epsilon_after(self, steps: int, promise: ApproxDP | ZeroConcentratedDP, change: Change) -> float:
        """An epsilon that holds for what the first `steps` steps tell."""
        few = self.until(steps)
        if isinstance(promise, ZeroConcentratedDP):
            return epsilon_for(few, Fraction(1, 10**6), accountant="zcdp").epsilon
        if isinstance(few, Repeated):
            found = quick_epsilon(few.event, few.count, promise.delta, change)
        else:
            found = epsilon_for(few, promise.delta, change=change).epsilon
        return min(found, float(promise.epsilon))

    def to_json(self) -> dict[str, Any] | None:
        """The strategy, where there is one beside the event."""
        return None if self.strategy is None else self.strategy.to_json()


def choice_faults(noise: NoiseChoice, sampling: object, style: str, *, has_steps: bool) -> list[str]:
    """What is wrong with the choice of noise, in sentences."""
    if sampling not in ROUNDS:
        if noise == "independent":
            return []
        return [
            "correlated noise is priced for records that take part at a known distance: use "
            'sampling="epochs", or "cyclic"; batches that are drawn or shuffled anew bring a record back at any time.'
        ]
    found = [] if isinstance(noise, str) else _number_faults(noise)
    if sampling == "cyclic" and isinstance(noise, BufferedToeplitzNoise | BandedInverseNoise):
        found.append(
            'amplification by "cyclic" sampling is proven for banded strategies alone: use BandedNoise(bands=…).'
        )
    if style == "adaptive":
        found.append("where batches come round, the clipping bound is the same in all steps: not adaptive.")
    if not has_steps:
        found.append("where batches come round, the noise follows from the steps: give steps.")
    return found


def _number_faults(noise: CorrelatedNoise) -> list[str]:
    """Of what a kind of noise was told; whether it fits the run shows when it is fitted."""
    found = []
    name = "buffers" if isinstance(noise, BufferedToeplitzNoise) else "bands"
    size: object = getattr(noise, name)
    if not isinstance(size, int) or isinstance(size, bool) or size < 1:
        found.append(f"{name} must be a whole number of at least 1.")
    if isinstance(noise, BandedInverseNoise):
        return found
    momentum: object = noise.momentum
    if not isinstance(momentum, int | float) or not 0 <= momentum < 1:
        found.append("momentum must lie between 0 and 1.")
    if noise.error not in ("mean", "max"):
        found.append('the error that a fit makes small is "mean" or "max".')
    return found


def rounds_account(
    noise: NoiseChoice,
    *,
    sampling: str,
    records: int,
    batch: int,
    steps: int,
    promise: ApproxDP | ZeroConcentratedDP,
    change: Change,
) -> RoundsAccount:
    """The least noise of this kind that keeps the promise, and what is booked for it."""
    try:
        if sampling == "epochs":
            pattern = Participation.rounds(steps, max(1, round(records / batch)))
            return _unsampled(noise, pattern, promise, change)
        if isinstance(noise, BandedNoise):
            return _cyclic(noise, records, batch, steps, promise, change)
        most = 1 if noise == "independent" else min(steps, records // batch)
        tried = [bands for bands in _TRIED if bands <= most]
        return min(
            (_cyclic(BandedNoise(bands), records, batch, steps, promise, change) for bands in tried),
            key=_running_error,
        )
    except PrivetError as problem:
        raise BadTraining(f"the noise of this plan: {problem.fact}", problem.hint) from None


def _unsampled(
    noise: NoiseChoice, pattern: Participation, promise: ApproxDP | ZeroConcentratedDP, change: Change
) -> RoundsAccount:
    """One Gaussian noise on what the strategy makes of all steps."""
    if isinstance(noise, BandedInverseNoise):
        bands = min(noise.bands, pattern.steps)

        run = BandedInverseGaussian(1, pattern.steps, bands, pattern.participations, pattern.separation)
        sigma = Fraction(float_up(root_up(run.squares()) * _least_noise(Fraction(1), 1, promise, change)))
        event = _sealed(replace(run, sigma=sigma), promise)
        return RoundsAccount(sigma, event, pattern.separation, Fraction(1), None)
    strategy: Strategy
    if isinstance(noise, BandedNoise):
        bands = min(noise.bands, pattern.steps)
        strategy = fitted_bands(pattern, bands, momentum=noise.momentum, error=noise.error)
    elif noise == "independent":
        strategy = fitted_bands(pattern, 1)
    else:
        own = BufferedToeplitzNoise() if noise == "correlated" else noise
        strategy = fitted_buffers(pattern, own.buffers, momentum=own.momentum, error=own.error)
    moved = strategy.sensitivity()
    sigma = Fraction(float_up(moved * _least_noise(Fraction(1), 1, promise, change)))
    event = _sealed(Gaussian(sigma, moved), promise)
    return RoundsAccount(sigma, event, pattern.separation, Fraction(1), strategy)


def _cyclic(  # noqa: PLR0917
    noise: BandedNoise,
    records: int,
    batch: int,
    steps: int,
    promise: ApproxDP | ZeroConcentratedDP,
    change: Change,
) -> RoundsAccount:
    """As many groups as bands take turns, and of the group whose turn it is each record is in the batch at random.

    One participation moves what the strategy makes of the steps by the norm of a column, and columns of one group do not
    overlap: a run costs as much as one step on a Poisson sample in each round (Choquette-Choo et al. 2023, Theorem 4).
    """
    groups = noise.bands
    q = Fraction(batch * groups, records)
    if groups > steps or q > 1:
        raise BadTraining(
            "there are more bands than steps, or a group holds fewer records than a batch.",
            "Use fewer bands or smaller batches: bands times batch is at most the number of records.",
        )
    pattern = Participation.rounds(steps, groups)
    strategy = fitted_bands(pattern, groups, momentum=noise.momentum, error=noise.error)
    if q == 1:
        return _unsampled(noise, pattern, promise, change)
    norm, rounds = strategy.column_norm(), pattern.participations
    sigma = Fraction(float_up(norm * _least_noise(q, rounds, promise, change)))
    run = Repeated(PoissonSampled(q, Gaussian(sigma, norm)), rounds)
    return RoundsAccount(sigma, _sealed(run, promise), groups, q, strategy)


@lru_cache(maxsize=64)
def _least_noise(q: Fraction, count: int, promise: ApproxDP | ZeroConcentratedDP, change: Change) -> Fraction:
    """In units of how far one unit moves what is noised; what is moved farther needs as much more, at the same price."""
    return calibrate(
        lambda sigma: Gaussian(sigma) if q == 1 else Repeated(PoissonSampled(q, Gaussian(sigma)), count),
        promise,
        accountant=None if q == 1 else "pld",
        change=change,
    )


def _running_error(account: RoundsAccount) -> float:
    assert account.strategy is not None
    return float(account.sigma) * account.strategy.running_error()


def _sealed(run: Event, promise: ApproxDP | ZeroConcentratedDP) -> Event:
    return SealedPlan(run, promise.delta) if isinstance(promise, ApproxDP) else run


def _inner(event: Event) -> Event:
    return event.event if isinstance(event, SealedPlan) else event
