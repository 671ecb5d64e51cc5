"""Gaussian noise, continuous and on integers: concentrated differential privacy by the L2 sensitivity.

Continuous noise covers integer noise of a large sigma. Let p be the mass function of the discrete Gaussian and c that
of continuous Gaussian noise rounded to integers,
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

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

from privet.errors import BadAmount
from privet.guarantee._costs import ConcentratedCost
from privet.guarantee._loss_grid import (
    Priced,
    Slack,
    require_room,
    require_room_for_sum,
    sampled_mean_loss,
)
from privet.guarantee._parameter_search import TIGHT, edge, log_ratio
from privet.guarantee._renyi_curves import concentrated_curve
from privet.guarantee.exact_amounts import (
    LOSS_UNIT,
    Number,
    float_down,
    float_up,
    positive,
    readable,
    units_up,
    whole,
)
from privet.guarantee.mechanisms._capsule import (
    CONFIDENCE,
    LARGEST_INTEGER_SCALE,
    GaussianNoise,
    Moved,
    Notation,
    costlier,
    normal_quantile,
    safer,
)

if TYPE_CHECKING:
    from privet.guarantee._renyi_curves import Curve

# What `_one_coordinate` cuts off: 2 exp(-81/2), rounded up.
_CUT_OFF = 1e-17
# Up to here the losses of integer noise are walked over one by one; beyond, continuous noise takes over.
_LARGEST_SIGMA = Fraction(2_000)
# Up to here its error is summed integer by integer.
_LARGEST_SUM = 2_000


@dataclass(frozen=True)
class Gaussian(GaussianNoise):
    """Continuous Gaussian noise of standard deviation sigma on a vector whose L2 sensitivity is `sensitivity`."""

    sigma: Fraction
    sensitivity: Fraction = Fraction(1)
    kind: ClassVar[str] = "gaussian"
    title: ClassVar[str] = "Gaussian noise"
    is_gaussian: ClassVar[bool] = True
    notation: ClassVar[Notation] = Notation(
        "gaussian",
        (safer("sigma"), costlier("sensitivity", optional=True)),
        "Gaussian noise of standard deviation {sigma}, sensitivity {sensitivity}",
    )

    def __init__(self, sigma: Number, sensitivity: Number = 1) -> None:
        self._set(sigma=positive(sigma, "sigma"), sensitivity=positive(sensitivity, "sensitivity"))

    def concentrated_cost(self) -> ConcentratedCost:
        """sensitivity² / 2 sigma² (Bun and Steinke 2016, Proposition 1.6)."""
        return ConcentratedCost((self.sensitivity / self.sigma) ** 2 / 2)

    def renyi_curve(self) -> tuple[Curve, Fraction]:
        """That of zCDP (Mironov 2017, Proposition 7)."""
        return concentrated_curve(self.concentrated_cost().rho), Fraction(0)

    def merged_gaussian(self) -> Priced:
        """Always: squares of sensitivity / sigma add."""
        return Priced(squares=(self.sensitivity / self.sigma) ** 2)

    def _moments(self) -> tuple[float, float]:
        sigma = float(self.sigma)
        return sigma, sigma * math.sqrt(2 / math.pi)

    def _half_width(self, confidence: float) -> float:
        return float(self.sigma) * normal_quantile(confidence)

    def expectation(self) -> str:
        """How far most entries move."""
        return f"Each entry gets independent real noise; 95 % of the entries move by at most {readable(self.half_width(CONFIDENCE))}."


@dataclass(frozen=True)
class DiscreteGaussian(GaussianNoise):
    """Integer noise with P[z] proportional to exp(-z² / 2 sigma²), independent in each coordinate.

    One unit changes at most `coordinates` coordinates, each by at most `sensitivity` (so that the squared
    L2 sensitivity is coordinates · sensitivity², with no root to round).
    """

    sigma: Fraction
    sensitivity: int = 1
    coordinates: int = 1
    kind: ClassVar[str] = "discrete-gaussian"
    title: ClassVar[str] = "discrete Gaussian noise"
    notation: ClassVar[Notation] = Notation(
        "discrete_gaussian",
        (
            safer("sigma"),
            costlier("sensitivity", whole=True, optional=True),
            costlier("coordinates", whole=True, optional=True),
        ),
        "integer Gaussian noise with sigma {sigma}, sensitivity {sensitivity} in each of {coordinates} coordinate(s)",
    )

    def __init__(self, sigma: Number, sensitivity: int = 1, coordinates: int = 1) -> None:
        self._set(
            sigma=positive(sigma, "sigma", at_most=LARGEST_INTEGER_SCALE),
            sensitivity=whole(sensitivity, "sensitivity"),
            coordinates=whole(coordinates, "coordinates"),
        )

    def concentrated_cost(self) -> ConcentratedCost:
        """sensitivity² / 2 sigma² per coordinate (Canonne, Kamath, Steinke 2020, Theorem 4), which adds up."""
        return ConcentratedCost(self.coordinates * (self.sensitivity / self.sigma) ** 2 / 2)

    def loss_distribution(self, grid: float) -> Priced:
        """One shift by the full sensitivity per coordinate: such pairs dominate, and so does their product.

        Zhu, Dong, Wang 2022, Theorem 10. With a large sigma, continuous noise with its slack.
        """
        merged = self.merged_gaussian()
        if merged is not None:
            return merged
        one = self._one_coordinate(grid)
        mean = float_up(self.coordinates * (self.sensitivity / self.sigma) ** 2) / 2
        require_room_for_sum(mean, 0, grid)
        slack = Slack(lost=self.coordinates * _CUT_OFF)
        return Priced(distribution=one, times=self.coordinates, mean=mean, slack=slack)

    def merged_gaussian(self) -> Priced | None:
        """Where sigma is large, by the proof above."""
        if self.sigma <= _LARGEST_SIGMA:
            return None
        squares = self.coordinates * (self.sensitivity / self.sigma) ** 2
        return Priced(squares=squares, slack=continuous_slack(self))

    def sampled_distribution(self, q: Fraction, grid: float) -> Priced | None:
        """One coordinate alone; a product of sampled pairs is not what a sample of several gives."""
        if self.coordinates > 1:
            return None
        mean = sampled_mean_loss(q, (self.sensitivity / self.sigma) ** 2, grid)
        distribution = self._one_coordinate(grid, float_up(q))
        return Priced(distribution=distribution, mean=mean, slack=Slack(lost=_CUT_OFF))

    def _one_coordinate(self, grid: float, q: float = 1.0) -> Any:
        """One coordinate, cut off at 9 sigma beyond the shift so that the cut does not show up as an infinite loss.

        The part cut off has probability t <= 2 exp(-81/2), and delta <= t + delta of the pair that is left.
        """
        from dp_accounting.pld import privacy_loss_distribution as library

        ratio = self.sensitivity / self.sigma
        require_room(float_up(3 * ratio * (ratio + 6)), grid)
        return library.from_discrete_gaussian_mechanism(
            float_down(self.sigma),
            self.sensitivity,
            truncation_bound=math.ceil(9 * self.sigma) + self.sensitivity,
            value_discretization_interval=grid,
            sampling_prob=q,
            use_connect_dots=True,
        )

    def _moments(self) -> tuple[float, float]:
        """Summed exactly up to sigma 2,000; beyond, bounds that are above by less than one step.

        There the standard deviation is at most sigma, and P[Z >= m] <= P[N >= m - 1] for the continuous N of the
        same sigma (Canonne, Kamath, Steinke 2020, Section 2.2), which adds at most 1 to E|N|.
        """
        if self.sigma > _LARGEST_SUM:
            sigma = float_up(self.sigma)
            return sigma, sigma * math.sqrt(2 / math.pi) + 1
        return _summed_moments(float(self.sigma))

    def _half_width(self, confidence: float) -> float:
        """Summed from the outside in; for large sigma the continuous quantile rounded up, which the bound above covers."""
        if self.sigma > _LARGEST_SUM:
            return float(math.ceil(float_up(self.sigma) * normal_quantile(confidence)))
        return _summed_width(float(self.sigma), confidence)

    def expectation(self) -> str:
        """How far most entries move."""
        width = readable(self.half_width(CONFIDENCE))
        return f"Each entry gets independent whole-number noise; 95 % of the entries move by at most {width}."

    def stage(self, what: str) -> str:
        """Sigma, and what one person moves."""
        return (
            f"Add discrete Gaussian noise of standard deviation {readable(self.sigma)} to: {what} (one privacy unit moves at most "
            f"{self.coordinates} groups by at most {self.sensitivity} each)"
        )

    def covers(self, moved: Moved) -> bool:
        """As many coordinates, and each moved as far, as are priced."""
        return moved.coordinates <= self.coordinates and moved.largest <= self.sensitivity

    def noise_scale(self, moved: Moved) -> Fraction:
        """Sigma, whatever is moved."""
        del moved
        return self.sigma


@dataclass(frozen=True)
class NormedGaussian(GaussianNoise):
    """Integer noise with P[z] proportional to exp(-z² / 2 sigma²), independent in each coordinate.

    One unit changes at most `coordinates` coordinates, by a vector whose Euclidean length is at most `norm`: normalised
    votes. Rényi divergences of independent coordinates add up, so the sum of the squared changes counts, however it is
    spread. Of loss distributions that is known of continuous noise alone, where every change of one length is alike; so
    sigma must be as large as the proof above asks, which a finer fixed point always reaches.
    """

    sigma: Fraction
    norm: int = 1
    coordinates: int = 1
    kind: ClassVar[str] = "normed-gaussian"
    title: ClassVar[str] = "discrete Gaussian noise within a norm"
    notation: ClassVar[Notation] = Notation(
        "normed_gaussian",
        (
            safer("sigma"),
            costlier("norm", whole=True, optional=True),
            costlier("coordinates", whole=True, optional=True),
        ),
        "integer Gaussian noise with sigma {sigma} on a change of length {norm} in {coordinates} coordinate(s)",
    )

    def __init__(self, sigma: Number, norm: int = 1, coordinates: int = 1) -> None:
        exact = positive(sigma, "sigma", at_most=LARGEST_INTEGER_SCALE)
        if exact <= _LARGEST_SIGMA:
            raise BadAmount(
                f"the sigma of noise within a norm must exceed {_LARGEST_SIGMA}.",
                "Count in finer steps of fixed point: norm and sigma grow together, and nothing else changes.",
            )
        self._set(
            sigma=exact,
            norm=whole(norm, "norm"),
            coordinates=whole(coordinates, "coordinates"),
        )

    @property
    def _everywhere(self) -> DiscreteGaussian:
        """The same noise where every coordinate may change by the whole length."""
        return DiscreteGaussian(self.sigma, self.norm, self.coordinates)

    def concentrated_cost(self) -> ConcentratedCost:
        """norm² / 2 sigma² (Canonne, Kamath, Steinke 2020, Theorem 4, added up over the coordinates)."""
        return ConcentratedCost((self.norm / self.sigma) ** 2 / 2)

    def merged_gaussian(self) -> Priced:
        """Continuous noise, with the slack of every coordinate that may change."""
        return Priced(squares=(self.norm / self.sigma) ** 2, slack=continuous_slack(self._everywhere))

    def _moments(self) -> tuple[float, float]:
        spread = self._everywhere.spread()
        return spread.standard_deviation, spread.mean_absolute

    def _half_width(self, confidence: float) -> float:
        return self._everywhere.half_width(confidence)

    def expectation(self) -> str:
        """How far most entries move."""
        return self._everywhere.expectation()

    def stage(self, what: str) -> str:
        """Sigma, and what one person moves."""
        return (
            f"Add discrete Gaussian noise of standard deviation {readable(self.sigma)} to: {what} (one privacy unit moves at most "
            f"{self.coordinates} entries, by {self.norm} in Euclidean length)"
        )

    def covers(self, moved: Moved) -> bool:
        """As many coordinates, and a change no longer, than are priced."""
        return moved.coordinates <= self.coordinates and moved.squares <= self.norm**2

    def noise_scale(self, moved: Moved) -> Fraction:
        """Sigma, whatever is moved."""
        del moved
        return self.sigma


def continuous_slack(event: DiscreteGaussian) -> Slack:
    """What a discrete Gaussian event of sigma >= 10 may lose beyond continuous noise of the same sigma."""
    spread = event.sigma**2
    swell = 1 / (8 * spread)
    reach = event.sensitivity + 13 * event.sigma
    drift = swell + reach**2 / (8 * spread**2) + Fraction(1, 10**300)
    return Slack(float_up(drift), float_up(swell), 1e-36).times(event.coordinates)


@lru_cache(maxsize=8)
def _weights(sigma: float) -> tuple[float, ...]:
    """exp(-z² / 2 sigma²) for z = 0, 1, … until it is below 1e-40 of the first."""
    last = math.ceil(13.6 * sigma) + 1
    return tuple(math.exp(-((z / sigma) ** 2) / 2) for z in range(last + 1))


# Both are asked again and again of few sigmas, by every plan that weighs one split of a budget against another.


@lru_cache(maxsize=256)
def _summed_moments(sigma: float) -> tuple[float, float]:
    """The standard deviation and the mean absolute value."""
    weights = _weights(sigma)
    total = 2 * math.fsum(weights) - 1
    variance = 2 * math.fsum(z * z * weight for z, weight in enumerate(weights)) / total
    mean_absolute = 2 * math.fsum(z * weight for z, weight in enumerate(weights)) / total
    return math.sqrt(variance), mean_absolute


@lru_cache(maxsize=256)
def _summed_width(sigma: float, confidence: float) -> float:
    """Which distance is exceeded with a chance of at most 1 - confidence."""
    weights = _weights(sigma)
    allowed = (1 - confidence) * (2 * math.fsum(weights) - 1) * (1 + 1e-12)
    outside, width = 0.0, len(weights) - 1
    while width > 0 and outside + 2 * weights[width] <= allowed:
        outside += 2 * weights[width]
        width -= 1
    return float(width)


# --- calibration -------------------------------------------------------------------------------


def gaussian_sigma(rho: Number, largest: int, coordinates: int = 1) -> Fraction:
    """The least sigma, as a float, of (discrete) Gaussian noise at rho.

    One unit changes at most `coordinates` coordinates by at most `largest` each.
    """
    square = whole(coordinates, "coordinates") * whole(largest, "largest") ** 2 / (2 * positive(rho, "rho"))
    sigma = math.sqrt(float_up(square))
    while Fraction(sigma) ** 2 < square:
        sigma = math.nextafter(sigma, math.inf)
    while Fraction(math.nextafter(sigma, 0)) ** 2 >= square:
        sigma = math.nextafter(sigma, 0)
    return Fraction(sigma)


def rho_for_error(half_width: Number, confidence: float, largest: int = 1, coordinates: int = 1) -> Fraction:
    """The least rho at which discrete Gaussian noise strays no further than `half_width`.

    That is on each coordinate with probability `confidence`; `gaussian_sigma` turns it back into noise.
    """
    width = positive(half_width, "half_width")

    def excess(sigma: Fraction) -> float:
        return log_ratio(DiscreteGaussian(sigma).half_width(confidence), width)

    sigma = edge(excess, upwards=True, precision=TIGHT)
    square = whole(coordinates, "coordinates") * whole(largest, "largest") ** 2
    return units_up(square / (2 * sigma**2), LOSS_UNIT) * LOSS_UNIT
