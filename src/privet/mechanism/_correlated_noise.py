"""Normal noise that correlates over the steps of a run, and batches that come round in a fixed order, from one secret seed.

The event of the permit decides how many steps there are, how large the noise is, how it correlates, and how often one record
may take part. A step's noise needs as many vectors of earlier noise as the event has bands, less one. They are a function of the
seed, so nothing of them is kept on disk: an interrupted run makes them again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import InternalError, PermitMismatch, PermitSpent
from privet.guarantee import (
    BandedStrategy,
    BufferedStrategy,
    Event,
    Gaussian,
    PoissonSampled,
    Repeated,
    SealedPlan,
    float_up,
)
from privet.guarantee.mechanisms import BandedGaussian, BandedInverseGaussian, CorrelatedGaussian
from privet.ledger import Permit, digest
from privet.mechanism._gradient_noise import assigned, on_grid, stream_of
from privet.mechanism._keyed_normals import standard_normals
from privet.mechanism._proofs import proven
from privet.mechanism._secret_seed import SecretSeed

_NOISE, _OTHER, _SAMPLE = 1, -2, -3
_UNIT = 2.0**-31  # that of coefficients
_PIECE = 1 << 15  # so many entries at a time stay close to the processor

Correlation = CorrelatedGaussian | BandedStrategy | BufferedStrategy


@dataclass(frozen=True, slots=True)
class CorrelatedRun:
    """What an event, and a strategy beside it, say of a run."""

    strategy: Correlation
    ratio: Fraction  # the standard deviation of a draw where one record moves a step by at most 1
    steps: int
    participations: int
    separation: int
    q: Fraction = Fraction(1)  # the probability of a record to take part when it is its group's turn


@proven(
    "correlated_noise.proof.md", digest="b4c7235b55e51a58", events=(BandedGaussian, BandedInverseGaussian)
)
def correlated_run(event: Event, strategy: BandedStrategy | BufferedStrategy | None = None) -> CorrelatedRun:
    """The run that an event pays for, with this strategy where the event names none; refuses events that do not."""
    inner = event.event if isinstance(event, SealedPlan) else event
    if strategy is None and isinstance(inner, BandedGaussian | BandedInverseGaussian):
        ratio = inner.sigma / inner.sensitivity
        return CorrelatedRun(inner, ratio, inner.steps, inner.participations, inner.separation)
    if strategy is None:
        raise PermitMismatch(
            f"a {event.kind} event of this form is not a run with correlated noise.",
            "Charge BandedInverseGaussian(sigma, steps, bands, participations, separation), or a sealed plan of it.",
        )
    one = strategy.pattern
    if isinstance(inner, Gaussian) and strategy.squares() <= inner.sensitivity**2:
        return CorrelatedRun(strategy, inner.sigma, one.steps, one.participations, one.separation)
    rounds, sampled = (inner.count, inner.event) if isinstance(inner, Repeated) else (1, inner)
    if (
        isinstance(sampled, PoissonSampled)
        and isinstance(sampled.event, Gaussian)
        and isinstance(strategy, BandedStrategy)
        and strategy.bands <= one.separation
        and one.participations <= rounds
        and strategy.column_norm() <= sampled.event.sensitivity
    ):
        noise = sampled.event
        return CorrelatedRun(strategy, noise.sigma, one.steps, one.participations, one.separation, sampled.q)
    raise PermitMismatch(
        f"a {event.kind} event of this form does not pay for this strategy.",
        "Charge Gaussian(sigma, strategy.sensitivity()); amplification by sampling needs at most as many bands as groups.",
    )


@proven("correlated_noise.proof.md", digest="5c8158be65cce5e8")
def first_needed(strategy: Correlation, step: int) -> int:
    """The first step whose draw the noise of `step` depends on."""
    if isinstance(strategy, BufferedStrategy) or strategy.feeds_back:
        return 0
    return max(0, step - strategy.bands + 1)


@proven("correlated_noise.proof.md", digest="082535769a26974a")
def next_noise(
    fresh: NDArray[np.float64],
    earlier: Sequence[NDArray[np.float64]],
    strategy: CorrelatedGaussian | BandedStrategy,
) -> NDArray[np.float64]:
    """One step's correlated noise: its fresh draw less a share of each of `earlier`, the latest first.

    These are earlier noises where the strategy has the bands, and earlier draws where its inverse has. Multiplied and
    subtracted one by one: the same to the last bit whenever it is computed.
    """
    noise = fresh.copy()
    own = np.empty(min(_PIECE, len(noise)))
    for start in range(0, len(noise), _PIECE):
        piece = noise[start : start + _PIECE]
        for coefficient, vector in zip(strategy.coefficients[1:], earlier, strict=False):
            part = own[: len(piece)]
            np.multiply(vector[start : start + _PIECE], coefficient * _UNIT, out=part)
            piece -= part
    return noise


@proven("correlated_noise.proof.md", digest="3d8ace6453374999")
def next_buffered(
    fresh: NDArray[np.float64], buffers: Sequence[NDArray[np.float64]], strategy: BufferedStrategy
) -> NDArray[np.float64]:
    """One step's correlated noise: its fresh draw less the weighted buffers, each of which then decays and takes it in.

    Entry by entry and one operation after the other: the same to the last bit whenever it is computed.
    """
    noise = fresh.copy()
    own = np.empty(min(_PIECE, len(noise)))
    for start in range(0, len(noise), _PIECE):
        piece = noise[start : start + _PIECE]
        for weight, buffer in zip(strategy.weights, buffers, strict=True):
            part = own[: len(piece)]
            np.multiply(buffer[start : start + _PIECE], weight * _UNIT, out=part)
            piece -= part
        for decay, buffer in zip(strategy.decays, buffers, strict=True):
            held = buffer[start : start + _PIECE]
            held *= decay * _UNIT
            held += piece
    return noise


@proven("correlated_noise.proof.md", digest="9e90e722796e34a1")
def taking_part(run: CorrelatedRun, seed: SecretSeed, step: int, size: int) -> NDArray[np.bool_]:
    """Which of `size` records are in a step's batch: of the group whose turn it is all, or each with probability q (at most).

    Groups are picked once, at random, and take turns: there are `separation` of them.
    """
    if run.participations * run.separation < run.steps:
        raise PermitMismatch(
            "batches come round more often than the booked event allows a record to take part.",
            "Charge for as many participations as there are rounds.",
        )
    group = assigned(seed, 0, run.separation, step % run.separation, size)
    if run.q == 1:
        return group
    drawn = stream_of(seed, step, _SAMPLE).words(size)
    return np.asarray(group & (drawn < np.uint64(math.floor(run.q * 2**64))))


class CorrelatedMemory:
    """The noise of one step after the other, in units of its standard deviation, and what of it later steps need."""

    __slots__ = ("_earlier", "_next", "_seed", "_size", "_strategy")

    def __init__(self, strategy: Correlation, seed: SecretSeed) -> None:
        self._strategy, self._seed = strategy, seed
        self._next, self._size = 0, -1
        self._earlier: list[NDArray[np.float64]] = []

    def noise(self, step: int, size: int) -> NDArray[np.float64]:
        """The noise of a step, each once and in order; the noise of steps before it is made again where it is not there."""
        if step < self._next:
            raise PermitSpent("this step's noise was drawn before.", "Charge for more steps.")
        if self._size < 0:
            self._size, self._next = size, first_needed(self._strategy, step)
            if isinstance(self._strategy, BufferedStrategy):
                self._earlier = [np.zeros(size) for _ in self._strategy.decays]
        if self._size != size:
            raise InternalError("all steps of a run with correlated noise have sums of one size.")
        while True:
            found = self._another()
            self._next += 1
            if self._next > step:
                return found

    def _another(self) -> NDArray[np.float64]:
        fresh = standard_normals(stream_of(self._seed, self._next, _NOISE), self._size)
        if isinstance(self._strategy, BufferedStrategy):
            return next_buffered(fresh, self._earlier, self._strategy)
        found = next_noise(fresh, self._earlier, self._strategy)
        self._earlier.insert(0, found if self._strategy.feeds_back else fresh)
        del self._earlier[max(1, self._strategy.bands - 1) :]
        return found


class CorrelatedStep:
    """One step of a stream: its batch, and its noise once."""

    __slots__ = ("_stream", "index")

    def __init__(self, stream: CorrelatedStream, index: int) -> None:
        self._stream, self.index = stream, index

    def mask(self, size: int) -> NDArray[np.bool_]:
        """Which of `size` records are in this step's batch."""
        return taking_part(self._stream.run, self._stream.seed, self.index, size)

    def number(self) -> int:
        """A secret number to seed what else is random in this step and carries no proof: dropout, views."""
        return self._stream.seed.key(self.index, _OTHER) >> 65

    def noised(
        self, sums: Sequence[NDArray[Any]], clip: float, *, part: int = 0
    ) -> tuple[NDArray[np.float64], ...]:
        """The sums with noise, where one record changes them by at most `clip` in L2 norm, all of them together.

        `clip` is the same in all steps: how far a record moves C x is stated for that alone.
        """
        if part:
            raise PermitMismatch(
                "the booked event has no such noise.", "Charge for every sum that is released."
            )
        return self._stream.noised(self.index, sums, clip)


class CorrelatedStream:
    """The randomness of one run with correlated noise, opened with its permit: exactly as many steps as were paid for.

    Args:
        permit: for (a sealed plan of) `BandedGaussian` or `BandedInverseGaussian`; or, with a `strategy`, of `Gaussian(sigma, s)` for
            all steps together, or of `Repeated(PoissonSampled(q, Gaussian(sigma, s)), rounds)` where batches are sampled from
            groups that take turns. Charged with `question=seed.question(run)`.
        seed: the run's secret seed.
        run: the digest of everything else that the run depends on: 64 hexadecimal digits.
        start: the first step to take; above 0 where a checkpoint is taken up.
        strategy: what correlates the noise, where the event does not say it; its sensitivity must be within the event's.

    Guarantee:
        The released sums of all steps together have the privacy of the permit's event, and opening the stream
        again for the same booking gives the same noise: see `correlated_noise.proof.md`.
    Assumes:
        Each batch is the step's mask and nothing else; or, without sampling, whoever makes the batches lets no record take part more often, or at
        steps closer together, than the event says, and decides this without looking at records or releases. One record
        changes a step's sums by at most `clip`. For a stream that is opened again, all is as the first time.
    """

    def __init__(
        self,
        permit: Permit,
        seed: SecretSeed,
        run: str,
        *,
        start: int = 0,
        strategy: BandedStrategy | BufferedStrategy | None = None,
    ) -> None:
        if not isinstance(permit, Permit):
            raise PermitMismatch("noise is drawn with a permit.", "Get one from ledger.charge(event, why=…).")
        if strategy is not None and type(strategy) not in (BandedStrategy, BufferedStrategy):
            raise PermitMismatch(
                "a strategy is a BandedStrategy or a BufferedStrategy, and no class made of one: it prices itself.",
                "Fit one with fitted_bands or fitted_buffers.",
            )
        self.run = correlated_run(permit.event, strategy)
        if permit.question != digest(seed.question(run)):
            raise PermitMismatch(
                "the booking does not commit to this seed and this run.",
                "Charge with question=seed.question(run); go on with the seed that was started with.",
            )
        if not 0 <= start <= self.run.steps:
            raise PermitMismatch("the run has no such step.", "Start within the steps that were charged.")
        permit.use(replaying=True)
        self.seed, self._next = seed, start
        self._memory = CorrelatedMemory(self.run.strategy, seed)
        self._clip: float | None = None

    @property
    def steps(self) -> int:
        """How many steps were paid for."""
        return self.run.steps

    @property
    def taken(self) -> int:
        """How many were taken: the index of the next."""
        return self._next

    def step(self) -> CorrelatedStep:
        """The next step; refuses when all that were paid for are taken."""
        if self._next >= self.steps:
            raise PermitSpent(
                f"all {self.steps} steps that were paid for are taken.",
                "Plan more steps and charge for them.",
            )
        step = CorrelatedStep(self, self._next)
        self._next += 1
        return step

    def noised(self, step: int, sums: Sequence[NDArray[Any]], clip: float) -> tuple[NDArray[np.float64], ...]:
        """The sums of one step with its noise, on a grid."""
        if not 0 < clip < math.inf:
            raise InternalError("a clipping norm must be positive and finite.")
        if self._clip is not None and clip != self._clip:
            raise PermitMismatch(
                "the clipping norm changes during a run with correlated noise.",
                "Clip at one bound in all steps.",
            )
        self._clip = clip
        sigma = float_up(self.run.ratio * Fraction(clip))
        noise = self._memory.noise(step, sum(exact.size for exact in sums))
        released: list[NDArray[np.float64]] = []
        at = 0
        for exact in sums:
            own = noise[at : at + exact.size].reshape(exact.shape)
            at += exact.size
            released.append(on_grid(exact, own.copy(), sigma))  # what is kept for later steps stays as it is
        return tuple(released)
