"""Gaussian noise that several sites add in shares, so that nobody knows it, and only the sum over all sites is seen.

Of the shares in a sum, those of sites that are lost or conspire do not count. So an event states how many are guaranteed:
what a site promises its patients holds whatever the others do.

The price is that of the sum of `shares` independent discrete Gaussians, which is nearly one of variance shares · sigma².
Let X and Y be discrete Gaussians of parameters s and t. Completing the square,
    P[X + Y = z] = exp(-z² / 2 (s² + t²)) · T(c) / S_s S_t,   T(c) = the sum over x of exp(-(x - c)² / 2 r²),
with r² = s² t² / (s² + t²), and by Poisson summation |T(c) / r sqrt(2 pi) - 1| <= k = 2.01 exp(-2 pi² r²). So the ratio to the discrete
Gaussian of parameter sqrt(s² + t²) varies by a factor of at most (1 + k) / (1 - k), and is nowhere further from 1 than that. Share by
share, with s² = j sigma² and t² = sigma², the logarithm of the ratio is in each coordinate at most tau / 2, where
    tau = 10 · sum over j < shares of exp(-2 pi² sigma² j / (j + 1)).
(Kairouz, Liu and Steinke 2021, arXiv:2102.06387, whose bound on the Rényi divergence is used; tau is theirs.)
With the losses of continuous noise, `_gaussian` says how far discrete noise is from it; here tau is added to the drift and
tau / 2 to the swell of each coordinate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

from privet.errors import BadAmount
from privet.guarantee._costs import ROUNDING, ConcentratedCost
from privet.guarantee._loss_grid import Priced, Slack
from privet.guarantee.exact_amounts import Number, float_up, from_float_up, positive, readable, whole
from privet.guarantee.mechanisms._capsule import (
    CONFIDENCE,
    GaussianNoise,
    Moved,
    Notation,
    costlier,
    normal_quantile,
    safer,
)

# Sums of this noise are priced where they are as good as continuous, which finer steps always reach.
_LEAST_VARIANCE = 2_000**2
# Summands and noise then stay far inside the 64 bits in which sums are taken.
LARGEST_SHARE_SIGMA = Fraction(2**45)
MOST_SHARES = 1_000
# Below what a float tells from nothing.
_LEAST = 1e-300


@dataclass(frozen=True)
class DistributedGaussian(GaussianNoise):
    """Of each of at least `shares` sites, integer noise with P[z] proportional to exp(-z² / 2 sigma²) in every coordinate.

    One unit changes at most `coordinates` coordinates of its site's answer, the squares of all changes adding up to at most
    `squares`. Answers are counted in `steps` fine steps for each of their own before the noise is added.
    """

    sigma: Fraction
    shares: int
    squares: int = 1
    coordinates: int = 1
    steps: int = 1
    kind: ClassVar[str] = "distributed-gaussian"
    title: ClassVar[str] = "Gaussian noise in shares"
    notation: ClassVar[Notation] = Notation(
        "distributed_gaussian",
        (
            safer("sigma"),
            safer("shares", whole=True),
            costlier("squares", whole=True, optional=True),
            costlier("coordinates", whole=True, optional=True),
            costlier("steps", whole=True, optional=True),
        ),
        "integer Gaussian noise of {shares} shares of sigma {sigma} each, on squared changes of {squares} in {coordinates} "
        "coordinate(s), counted in {steps} step(s)",
    )

    def __init__(
        self, sigma: Number, shares: int, squares: int = 1, coordinates: int = 1, steps: int = 1
    ) -> None:
        exact = positive(sigma, "sigma", at_most=LARGEST_SHARE_SIGMA)
        count = whole(shares, "shares")
        if count > MOST_SHARES:
            raise BadAmount(f"noise comes in at most {MOST_SHARES} shares.")
        if count * exact**2 <= _LEAST_VARIANCE:
            raise BadAmount(
                "the variance of all shares together must exceed 2,000².",
                "Count in more steps: sigma and steps grow together, and nothing else changes.",
            )
        self._set(
            sigma=exact,
            shares=count,
            squares=whole(squares, "squares"),
            coordinates=whole(coordinates, "coordinates"),
            steps=whole(steps, "steps"),
        )

    @property
    def variance(self) -> Fraction:
        """Of the shares that are guaranteed, in fine steps."""
        return self.shares * self.sigma**2

    @property
    def _moved(self) -> Fraction:
        """(L2 sensitivity / sigma of the sum)²."""
        return self.squares * self.steps**2 / self.variance

    def concentrated_cost(self) -> ConcentratedCost:
        """The second of three bounds of Kairouz, Liu and Steinke 2021: half of a₂² + 2 a₁ tau + d tau², with a₁ <= sqrt(d) a₂."""
        tau = shares_apart(float(self.sigma), self.shares)
        length = math.sqrt(float_up(self.coordinates * self._moved))
        beyond = (2 * length * tau + self.coordinates * tau**2) * (1 + ROUNDING)
        return ConcentratedCost((self._moved + from_float_up(beyond)) / 2)

    def merged_gaussian(self) -> Priced:
        """Continuous noise, with the slack of discrete noise and of its shares in every coordinate that may change."""
        tau = shares_apart(float(self.sigma), self.shares)
        swell = 1 / (8 * self.variance)
        reach = from_float_up(
            math.sqrt(float_up(Fraction(self.squares * self.steps**2)))
            + 13 * math.sqrt(float_up(self.variance))
            + 1
        )
        drift = swell + reach**2 / (8 * self.variance**2) + Fraction(1, 10**300)
        discrete = Slack(float_up(drift), float_up(swell), 1e-36)
        return Priced(squares=self._moved, slack=(discrete + Slack(tau, tau / 2)).times(self.coordinates))

    def _moments(self) -> tuple[float, float]:
        """At most those of continuous noise of the same variance, and one fine step."""
        sigma = math.sqrt(float_up(self.variance)) / self.steps
        return sigma, sigma * math.sqrt(2 / math.pi) + 1 / self.steps

    def _half_width(self, confidence: float) -> float:
        sigma = math.sqrt(float_up(self.variance))
        return math.ceil(sigma * normal_quantile(confidence) + 1) / self.steps

    def expectation(self) -> str:
        """How far most entries of the sum move."""
        width = readable(self.half_width(CONFIDENCE))
        return (
            f"Each entry of the sum gets whole-number noise from at least {self.shares} site(s); with that of no other site, "
            f"95 % of the entries move by at most {width}."
        )

    def stage(self, what: str) -> str:
        """Sigma of a share, and what one person moves."""
        return (
            f"Add a share of discrete Gaussian noise of standard deviation {readable(self.sigma / self.steps)}, of which every sum "
            f"has at least {self.shares}, to: {what}"
        )

    def covers(self, moved: Moved) -> bool:
        """As many coordinates, and a change no longer, than are priced."""
        return moved.coordinates <= self.coordinates and moved.squares <= self.squares

    def noise_scale(self, moved: Moved) -> Fraction:
        """Sigma of one share, whatever is moved."""
        del moved
        return self.sigma


@lru_cache(maxsize=256)
def shares_apart(sigma: float, shares: int) -> float:
    """tau: how far the sum of so many discrete Gaussians is from one, rounded up."""
    if shares == 1:
        return 0.0
    terms = (math.exp(-2 * math.pi**2 * sigma**2 * j / (j + 1)) for j in range(1, shares))
    return 10 * math.fsum(terms) * (1 + 1e-9) + _LEAST
