"""The measurements of one run: each opens sealed marginals with a permit of the run's filter, and is written down.

This is the only way from private counts to the rest of this room, and what comes out of it is noisy. Everything else
here (fitting, choosing what could be asked next, sampling rows) is post-processing of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privet.engine import SealedMarginals
from privet.guarantee import DiscreteGaussian, Exponential, NormedGaussian, gaussian_sigma
from privet.ledger import AdaptiveRun
from privet.mechanism import discrete_gaussian, select
from privet.protect.synthesize._graphical_model import NoisyMarginal
from privet.protect.synthesize._junction_tree import Clique
from privet.sealed import Sensitivity

_COARSEST = 2_048  # sigma in steps, of noise within a norm: what its proof asks for, and a little more


@dataclass(frozen=True)
class Measured:
    """One noisy marginal as it was drawn, and what it cost."""

    columns: Clique
    counts: NDArray[np.int64]
    sigma: float
    rho: Fraction


@dataclass(frozen=True)
class Choice:
    """One choice among sets of columns, and what it cost."""

    columns: Clique
    candidates: int
    rho: Fraction


@dataclass
class MeasurementRun:
    """Measures and chooses until the booking is used up; the lists are the transcript."""

    run: AdaptiveRun
    exact: SealedMarginals
    measured: list[Measured] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)
    parities: list[Measured] = field(default_factory=list)  # whether marginals suffice
    votes: list[Measured] = field(
        default_factory=list
    )  # rounds in which rows chose the nearest synthetic one
    until: Fraction | None = (
        None  # where a booking pays for several tables: what all may have cost after this one
    )

    @property
    def remaining(self) -> float:
        """How much rho is left."""
        left = self.run.remaining
        return float(left if self.until is None else min(left, self.until - self.run.spent.rho))

    def sigma(self, columns: Clique, rho: float) -> float:
        """The noise that a measurement at rho would have."""
        noise, steps = row_noise(self.exact.moved(columns), rho)
        return float(noise.sigma / steps)

    def measure(self, columns: Clique, rho: float) -> NoisyMarginal:
        """Noisy counts of a set of columns, for at most this much rho."""
        noise, steps = row_noise(self.exact.moved(columns), rho)
        spent = self.run.spent.rho
        drawn = discrete_gaussian(self.exact.sealed(columns, steps), self.run.permit(noise))
        counts = drawn if steps == 1 else np.rint(drawn / steps).astype(np.int64)
        sigma = float(noise.sigma / steps)
        self.measured.append(Measured(columns, counts, sigma, self.run.spent.rho - spent))
        return NoisyMarginal(columns, counts.astype(np.float64), sigma)

    def choose(
        self,
        expected: Mapping[Clique, NDArray[np.float64]],
        weights: Mapping[Clique, int],
        penalties: Mapping[Clique, float],
        rho: float,
    ) -> Clique:
        """The set whose counts lie furthest from what is expected of them, by the exponential mechanism."""
        scores = self.exact.distances(expected, weights, penalties)
        spent = self.run.spent.rho
        at = select(scores, self.run.permit(Exponential(_epsilon(rho))))
        found = list(expected)[at]
        self.choices.append(Choice(found, len(expected), self.run.spent.rho - spent))
        return found


def row_noise(moved: Sensitivity, rho: float) -> tuple[DiscreteGaussian | NormedGaussian, int]:
    """The noise of counts of rows at this much rho, and in how many steps to a row they are counted.

    Rényi divergences of independent Gaussian coordinates add up to squares / 2 sigma², where `squares` is what the squares
    of one unit's changes add up to at most (Canonne, Kamath and Steinke 2020, Theorem 4). Of a person with R rows that is
    R² (`privet.engine` says why, and that it is reached), and not R cells of R² each: sigma is √R smaller. Whole numbers
    are counted in finer steps, since what is known of noise within a norm asks for a large sigma; what comes out is
    rounded to rows again, as post-processing.
    """
    if moved.squares == moved.coordinates * moved.largest**2:
        sigma = gaussian_sigma(Fraction(rho), moved.largest, moved.coordinates)
        return DiscreteGaussian(sigma, moved.largest, moved.coordinates), 1
    steps, least = 1, math.sqrt(moved.squares / (2 * rho))
    while steps * least < _COARSEST:
        steps *= 2
    norm = math.isqrt(moved.squares * steps**2 - 1) + 1
    return NormedGaussian(gaussian_sigma(Fraction(rho), norm), norm, moved.coordinates), steps


def _epsilon(rho: float) -> Fraction:
    """The epsilon of a selection that costs at most rho: epsilon²/8, rounded down."""
    epsilon = Fraction(math.sqrt(8 * rho))
    while epsilon**2 / 8 > Fraction(rho):
        epsilon = Fraction(math.nextafter(float(epsilon), 0.0))
    return epsilon
