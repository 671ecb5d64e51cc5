"""Integer noise covered by continuous noise, so that no accountant has to walk over every integer.

Fixed-point sums carry noise of a scale of 1e9 and more. Enumerating that many integers is out of the question,
and not needed: the two proofs below bound the integer mechanism by a continuous one at a cost that vanishes
with the scale.

Discrete Laplace. Let a = exp(-1/scale) and D the sensitivity. At epsilon = (D - 2j)/scale, j = 0..D, the
hockey-stick divergence of the discrete pair is P[Z <= j] - e^epsilon P[Z <= j - D] = 1 - a^j, which is what
the continuous pair has at that epsilon. Between these points the discrete divergence is linear in
y = e^epsilon, and the continuous one is 1 - c sqrt(y). Over one interval the chord of -c sqrt(y) exceeds it by
at most the factor cosh(1 / 2 scale) on c sqrt(y), so a continuous pair with c divided by that factor, that is
with sensitivity D + 2 scale log cosh(1 / 2 scale) <= D + 1/(4 scale), is nowhere below. Outside
[-D/scale, D/scale] the discrete divergence is the least that any pair has. Hence Laplace noise of the same
scale on sensitivity D + 1/(4 scale) dominates, and so it does under composition and under Poisson sampling
(Zhu, Dong, Wang 2022, Theorems 10 and 11).

Discrete Gaussian. Let p be the mass function and c that of continuous Gaussian noise rounded to integers,
which is post-processing and so costs nothing. With g(x) = exp(-x²/2 sigma²), symmetry gives
c(x)/p(x) = (S / sigma sqrt(2 pi)) · (integral over |u| <= 1/2 of cosh(x u / sigma²) exp(-u²/2 sigma²)), where
S is the sum of g over the integers; by Poisson summation sigma sqrt(2 pi) <= S <= sigma sqrt(2 pi) (1 + k) with
k < 1e-300 for sigma >= 10. As 1 <= cosh(t) <= exp(t²/2), for every x
    p(x) <= c(x) exp(1 / 8 sigma²)     and     p(x) >= c(x) exp(-x² / 8 sigma⁴) / (1 + k).
For outputs within D + 13 sigma of either centre this bounds both sides of the pair, mixed by sampling or not;
the other outputs have probability at most 2 exp(-13²/2) < 1e-36, because the noise is sigma²-subgaussian
(Canonne, Kamath, Steinke 2020). So with swell = 1 / 8 sigma² and drift = swell + (D + 13 sigma)² / 8 sigma⁴,
    delta_discrete(epsilon) <= lost + exp(swell) · delta_continuous(epsilon - drift),
and over several coordinates and compositions lost, swell and drift add up.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from privet.guarantee.amounts import float_up
from privet.guarantee.events import DiscreteGaussian, DiscreteLaplace


def laplace_sensitivity(event: DiscreteLaplace) -> Fraction:
    """The sensitivity at which continuous Laplace noise of the same scale is at least as revealing."""
    return event.sensitivity + 1 / (4 * event.scale)


@dataclass(frozen=True)
class Slack:
    """What separates a pair of distributions from the one that is computed with; adds up under composition."""

    drift: float = 0.0
    swell: float = 0.0
    lost: float = 0.0

    def __add__(self, other: Slack) -> Slack:
        return Slack(self.drift + other.drift, self.swell + other.swell, self.lost + other.lost)

    def times(self, count: int) -> Slack:
        """The slack of `count` compositions."""
        return Slack(count * self.drift, count * self.swell, count * self.lost)


def gaussian_slack(event: DiscreteGaussian) -> Slack:
    """What a discrete Gaussian event of sigma >= 10 may lose beyond continuous noise of the same sigma."""
    spread = event.sigma**2
    swell = 1 / (8 * spread)
    reach = event.sensitivity + 13 * event.sigma
    drift = swell + reach**2 / (8 * spread**2) + Fraction(1, 10**300)
    return Slack(float_up(drift), float_up(swell), 1e-36).times(event.coordinates)
