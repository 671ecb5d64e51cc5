"""Normal noise and random batches for training, step by step, from one secret seed.

The event of the permit decides how many steps there are, with what probability a record is in a batch, and how
large the noise is. Every step's randomness is a function of the seed and the step's number, so an interrupted run
goes on where it stopped with the very noise it would have had.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import InternalError, PermitMismatch, PermitSpent
from privet.guarantee import (
    Composed,
    Event,
    Gaussian,
    PoissonSampled,
    Repeated,
    SealedPlan,
    TruncatedPoissonSampled,
    float_up,
)
from privet.ledger import Permit, digest
from privet.mechanism._keyed_normals import NormalDraws, StepNormals
from privet.mechanism._proofs import proven
from privet.mechanism._secret_seed import SecretSeed
from privet.mechanism._word_stream import WordStream

# Released sums are multiples of this share of the noise: a million times finer than the noise, and far coarser
# than the gaps between the values that a float normal can take.
GRID = 2.0**-20
_BATCH, _NOISE, _CUT, _OTHER, _REST = 0, 1, -1, -2, -3


@dataclass(frozen=True, slots=True)
class NoiseShape:
    """What an event says of a training run."""

    steps: int
    q: Fraction
    batch: int | None  # at most so many records in a batch, where batches are cut
    size: int | None  # at most so many records in the data, where batches are cut
    noises: tuple[Gaussian, ...]  # in each step, one for each sum that is released


@proven("gradient_noise.proof.md", digest="fcc1c27a611a23d1")
def shape_of(event: Event) -> NoiseShape:
    """The run that an event pays for; refuses events that are not one."""
    inner = event.event if isinstance(event, SealedPlan) else event
    steps = inner.count if isinstance(inner, Repeated) else 1
    one = inner.event if isinstance(inner, Repeated) else inner
    q, batch, size = Fraction(1), None, None
    if isinstance(one, TruncatedPoissonSampled):
        batch, size = one.batch, one.size
    if isinstance(one, PoissonSampled | TruncatedPoissonSampled):
        q, one = one.q, one.event
    parts = one.events if isinstance(one, Composed) else (one,)
    noises = tuple(part for part in parts if isinstance(part, Gaussian))
    if len(noises) != len(parts):
        raise PermitMismatch(
            f"a {event.kind} event of this form is not a training run.",
            "Charge Repeated(PoissonSampled(q, Gaussian(sigma, 1)), steps), or a sealed plan of it.",
        )
    return NoiseShape(steps, q, batch, size, noises)


@proven("gradient_noise.proof.md", digest="4a87aa5792c89550")
def generator_of(seed: SecretSeed, step: int, purpose: int) -> np.random.Generator:
    """A step's generator for one purpose."""
    return np.random.Generator(np.random.Philox(key=seed.key(step, purpose)))


@proven("gradient_noise.proof.md", digest="86c54f48cc9575f8")
def stream_of(seed: SecretSeed, step: int, purpose: int) -> WordStream:
    """A step's random words for one purpose."""
    return seed.stream(step, purpose)


@proven("gradient_noise.proof.md", digest="1c7ce82eabe20ca7")
def assigned(seed: SecretSeed, draw: int, disjoint: int, slot: int, size: int) -> NDArray[np.bool_]:
    """Which of `size` records are in one of the `disjoint` batches that share one draw of the event.

    Each record picks its batch alone and at random, so that it is in exactly one of them.
    """
    return np.equal(generator_of(seed, draw, _BATCH).integers(0, disjoint, size), slot)


@proven("gradient_noise.proof.md", digest="f9357b94d4378ef6")
def included(shape: NoiseShape, seed: SecretSeed, step: int, size: int) -> NDArray[np.bool_]:
    """Which of `size` records are in the step's batch: each with probability q (at most), independently."""
    if shape.size is not None and size > shape.size:
        raise PermitMismatch(
            f"the data hold more than the {shape.size} records that the booked event allows for.",
            "Plan with a bound on the number of records that holds.",
        )
    if shape.q == 1:
        mask = np.ones(size, dtype=np.bool_)
    else:
        least = math.floor(shape.q * 2**64)
        first = stream_of(seed, step, _BATCH).bytes(size)
        mask = first < least >> 56
        # The first byte of a record's integer settles nearly all comparisons: where it ties, the other seven are drawn.
        tied = np.flatnonzero(first == least >> 56)
        if len(tied):
            rest = stream_of(seed, step, _REST).words(len(tied)) >> np.uint64(8)
            mask[tied] = rest < np.uint64(least % 2**56)
    if shape.batch is not None and int(mask.sum()) > shape.batch:
        kept = generator_of(seed, step, _CUT).permutation(np.flatnonzero(mask))[: shape.batch]
        mask = np.zeros(size, dtype=np.bool_)
        mask[kept] = True
    return mask


@proven("gradient_noise.proof.md", digest="6d324f5bd2c82f45")
def noised(
    sums: Sequence[NDArray[Any]], sigma: float, generator: np.random.Generator | NormalDraws
) -> tuple[NDArray[np.float64], ...]:
    """The sums with independent normal noise of standard deviation `sigma` in every entry, on a grid."""
    if not 0 < sigma < math.inf:
        raise InternalError("noise needs a positive, finite scale.")
    return tuple(on_grid(exact, generator.standard_normal(exact.shape), sigma) for exact in sums)


@proven("gradient_noise.proof.md", digest="1c54136e11e6f1ba")
def on_grid(exact: NDArray[Any], noise: NDArray[np.float64], sigma: float) -> NDArray[np.float64]:
    """A sum with `sigma` times this noise, on a grid that `sigma` decides; the array of the noise is used up for it."""
    grid = math.ldexp(GRID, math.frexp(sigma)[1] - 1)
    noise *= sigma
    noise += exact
    if not math.isfinite(noise.sum()):  # one entry that is not finite makes the sum so
        raise InternalError("a sum of clipped gradients is not finite.")
    noise *= 1 / grid
    np.rint(noise, out=noise)
    noise *= grid
    return noise


@proven("gradient_noise.proof.md", digest="2b8ba8114ec12d33")
def deviation(noise: Gaussian, clip: float) -> float:
    """The standard deviation where one record moves a sum by at most `clip`; rounded up."""
    return float_up(noise.sigma / noise.sensitivity * Fraction(clip))


_deviation = lru_cache(maxsize=64)(deviation)  # the same in every step of most runs


class NoiseStep:
    """One step of a stream: its batch, and each of its noises once."""

    __slots__ = ("_disjoint", "_drawn", "_normals", "_number", "_seed", "_shape", "index")

    def __init__(
        self, shape: NoiseShape, seed: SecretSeed, normals: StepNormals, index: int, disjoint: int
    ) -> None:
        self._shape, self._seed, self.index, self._disjoint = shape, seed, index, disjoint
        self._normals = normals
        self._drawn: set[int] = set()
        self._number: int | None = None

    def mask(self, size: int) -> NDArray[np.bool_]:
        """Which of `size` records are in this step's batch."""
        if self._disjoint > 1:
            draw, slot = divmod(self.index, self._disjoint)
            return assigned(self._seed, draw, self._disjoint, slot, size)
        return included(self._shape, self._seed, self.index, size)

    def number(self) -> int:
        """A secret number to seed what else is random in this step and carries no proof: dropout, views."""
        if self._number is None:
            self._number = self._seed.key(self.index, _OTHER) >> 65
        return self._number

    def noised(
        self, sums: Sequence[NDArray[Any]], clip: float, *, part: int = 0
    ) -> tuple[NDArray[np.float64], ...]:
        """The sums with noise, where one record changes them by at most `clip` in L2 norm, all of them together.

        The standard deviation is sigma · clip / sensitivity of the event's noise number `part`.
        """
        if not 0 <= part < len(self._shape.noises):
            raise PermitMismatch(
                "the booked event has no such noise.", "Charge for every sum that is released."
            )
        if part in self._drawn:
            raise PermitSpent("this step's noise was drawn before.", "Charge for more steps.")
        if not 0 < clip < math.inf:
            raise InternalError("a clipping norm must be positive and finite.")
        self._drawn.add(part)
        sigma = _deviation(self._shape.noises[part], clip)
        count = sum(exact.size for exact in sums)
        return noised(sums, sigma, self._normals.of(self.index, _NOISE + part, count))


class NoiseStream:
    """The randomness of one training run, opened with its permit: exactly as many steps as were paid for.

    Args:
        permit: for (a sealed plan of) `Repeated(X, steps)`, X being Gaussian noise, or several composed, on the
            data or on a Poisson or truncated Poisson sample. Charged with `question=seed.question(run)`.
        seed: the run's secret seed.
        run: the digest of everything else that the run depends on: 64 hexadecimal digits.
        start: the first step to take; above 0 where a checkpoint is taken up.
        disjoint: how many batches share one draw of the event. Each record is in exactly one of them, picked at
            random, so what the event says of all the data holds for all these batches together. Not for samples.

    Guarantee:
        The released sums of all steps together have the privacy of the permit's event, and opening the stream
        again for the same booking gives the same noise: see `gradient_noise.proof.md`.
    Assumes:
        Each batch is the step's mask and nothing else; one record changes each step's sums by at most `clip`; for
        a stream that is opened again, the data and the computation are those of the first time.
    """

    def __init__(
        self, permit: Permit, seed: SecretSeed, run: str, *, start: int = 0, disjoint: int = 1
    ) -> None:
        if not isinstance(permit, Permit):
            raise PermitMismatch("noise is drawn with a permit.", "Get one from ledger.charge(event, why=…).")
        self._shape = shape_of(permit.event)
        if permit.question != digest(seed.question(run)):
            raise PermitMismatch(
                "the booking does not commit to this seed and this run.",
                "Charge with question=seed.question(run); go on with the seed that was started with.",
            )
        if disjoint < 1 or (disjoint > 1 and (self._shape.q != 1 or self._shape.batch is not None)):
            raise PermitMismatch(
                "batches that share a draw are not samples.", "Charge the event without sampling."
            )
        if not 0 <= start <= self._shape.steps * disjoint:
            raise PermitMismatch("the run has no such step.", "Start within the steps that were charged.")
        permit.use(replaying=True)
        self._seed, self._next, self._disjoint = seed, start, disjoint
        self._normals = StepNormals(seed)

    @property
    def steps(self) -> int:
        """How many steps were paid for."""
        return self._shape.steps * self._disjoint

    @property
    def taken(self) -> int:
        """How many were taken: the index of the next."""
        return self._next

    @property
    def q(self) -> Fraction:
        """The probability that a record is in a batch."""
        return self._shape.q

    @property
    def batch(self) -> int | None:
        """The most records in a batch, where batches are cut."""
        return self._shape.batch

    def step(self) -> NoiseStep:
        """The next step; refuses when all that were paid for are taken."""
        if self._next >= self.steps:
            raise PermitSpent(
                f"all {self.steps} steps that were paid for are taken.",
                "Plan more steps and charge for them.",
            )
        step = NoiseStep(self._shape, self._seed, self._normals, self._next, self._disjoint)
        self._next += 1
        return step
