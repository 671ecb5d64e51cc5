"""Laplace noise, continuous and on integers: pure differential privacy by the L1 sensitivity.

Continuous noise covers integer noise, so that no accountant has to walk over every integer; fixed-point sums carry
noise of a scale of 1e9 and more. Let a = exp(-1/scale) and D the sensitivity. At epsilon = (D - 2j)/scale, j = 0..D,
the hockey-stick divergence of the discrete pair is P[Z <= j] - e^epsilon P[Z <= j - D] = 1 - a^j, which is what
the continuous pair has at that epsilon. Between these points the discrete divergence is linear in
y = e^epsilon, and the continuous one is 1 - c sqrt(y). Over one interval the chord of -c sqrt(y) exceeds it by
at most the factor cosh(1 / 2 scale) on c sqrt(y), so a continuous pair with c divided by that factor, that is
with sensitivity D + 2 scale log cosh(1 / 2 scale) <= D + 1/(4 scale), is nowhere below. Outside
[-D/scale, D/scale] the discrete divergence is the least that any pair has. Hence Laplace noise of the same
scale on sensitivity D + 1/(4 scale) dominates, and so it does under composition and under Poisson sampling
(Zhu, Dong, Wang 2022, Theorems 10 and 11).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from privet.guarantee._costs import BasicCost
from privet.guarantee._loss_grid import Priced, laplace_distribution, mean_loss, require_room
from privet.guarantee._parameter_search import TIGHT, edge, log_ratio
from privet.guarantee._renyi_curves import laplace_curve, pure_curve
from privet.guarantee.exact_amounts import (
    LOSS_UNIT,
    Number,
    float_up,
    positive,
    readable,
    units_up,
    whole,
)
from privet.guarantee.mechanisms._capsule import (
    CONFIDENCE,
    LARGEST_INTEGER_SCALE,
    LaplaceNoise,
    Moved,
    Notation,
    costlier,
    safer,
)

if TYPE_CHECKING:
    from privet.guarantee._renyi_curves import Curve

# Integers that are worth walking over one by one; beyond, continuous noise takes over.
_MOST_STEPS = 2_000


@dataclass(frozen=True)
class Laplace(LaplaceNoise):
    """Continuous Laplace noise of the given scale on a vector whose L1 sensitivity is `sensitivity`."""

    scale: Fraction
    sensitivity: Fraction = Fraction(1)
    kind: ClassVar[str] = "laplace"
    title: ClassVar[str] = "Laplace noise"
    notation: ClassVar[Notation] = Notation(
        "laplace",
        (safer("scale"), costlier("sensitivity", optional=True)),
        "Laplace noise of scale {scale}, sensitivity {sensitivity}",
    )

    def __init__(self, scale: Number, sensitivity: Number = 1) -> None:
        self._set(scale=positive(scale, "scale"), sensitivity=positive(sensitivity, "sensitivity"))

    def basic_cost(self) -> BasicCost:
        """Epsilon is sensitivity / scale (Dwork, McSherry, Nissim, Smith 2006)."""
        return BasicCost(self.sensitivity / self.scale)

    def renyi_curve(self) -> tuple[Curve, Fraction]:
        """That of one coordinate with the whole sensitivity in it (Mironov 2017, Proposition 6)."""
        return laplace_curve(self.basic_cost().epsilon), Fraction(0)

    def loss_distribution(self, grid: float) -> Priced:
        """A vector's release is bounded by a scalar's whose whole L1 sensitivity sits in one coordinate."""
        return self.sampled_distribution(Fraction(1), grid)

    def sampled_distribution(self, q: Fraction, grid: float) -> Priced:
        """As `loss_distribution`, on a Poisson sample."""
        basic = self.basic_cost()
        distribution = laplace_distribution(basic.epsilon, grid, float_up(q))
        return Priced(distribution=distribution, mean=mean_loss(basic.sampled(q).epsilon, grid))

    def _moments(self) -> tuple[float, float]:
        scale = float(self.scale)
        return math.sqrt(2) * scale, scale

    def _half_width(self, confidence: float) -> float:
        return -float(self.scale) * math.log1p(-confidence)

    def expectation(self) -> str:
        """How far most entries move."""
        return f"Each entry gets independent real noise; 95 % of the entries move by at most {readable(self.half_width(CONFIDENCE))}."


@dataclass(frozen=True)
class DiscreteLaplace(LaplaceNoise):
    """Integer noise with P[z] proportional to exp(-|z| / scale), on an integer vector of L1 sensitivity `sensitivity`."""

    scale: Fraction
    sensitivity: int = 1
    kind: ClassVar[str] = "discrete-laplace"
    title: ClassVar[str] = "discrete Laplace noise"
    notation: ClassVar[Notation] = Notation(
        "discrete_laplace",
        (safer("scale"), costlier("sensitivity", whole=True, optional=True)),
        "integer Laplace noise of scale {scale}, sensitivity {sensitivity}",
    )

    def __init__(self, scale: Number, sensitivity: int = 1) -> None:
        self._set(
            scale=positive(scale, "scale", at_most=LARGEST_INTEGER_SCALE),
            sensitivity=whole(sensitivity, "sensitivity"),
        )

    def basic_cost(self) -> BasicCost:
        """Epsilon is sensitivity / scale (Ghosh, Roughgarden, Sundararajan 2009)."""
        return BasicCost(self.sensitivity / self.scale)

    def renyi_curve(self) -> tuple[Curve, Fraction]:
        """The lower, order by order, of any pure mechanism's curve and that of the Laplace noise that covers it."""
        import numpy

        covering = laplace_curve(covering_sensitivity(self.scale, self.sensitivity) / self.scale)
        return numpy.minimum(pure_curve(self.basic_cost().epsilon), covering), Fraction(0)

    def loss_distribution(self, grid: float) -> Priced:
        """A vector's release is bounded by a scalar's, as with continuous noise."""
        return self.sampled_distribution(Fraction(1), grid)

    def sampled_distribution(self, q: Fraction, grid: float) -> Priced:
        """As `loss_distribution`, on a Poisson sample."""
        distribution = discrete_distribution(self.scale, self.sensitivity, grid, float_up(q))
        return Priced(distribution=distribution, mean=mean_loss(self.basic_cost().sampled(q).epsilon, grid))

    def _moments(self) -> tuple[float, float]:
        return discrete_moments(self.scale)

    def _half_width(self, confidence: float) -> float:
        return discrete_half_width(self.scale, confidence)

    def expectation(self) -> str:
        """How far most entries move."""
        width = readable(self.half_width(CONFIDENCE))
        return f"Each entry gets independent whole-number noise; 95 % of the entries move by at most {width}."

    def stage(self, what: str) -> str:
        """The scale, and what one person moves."""
        return (
            f"Add discrete Laplace noise of scale {readable(self.scale)} to: {what} (one privacy unit moves it by at most "
            f"{self.sensitivity})"
        )

    def covers(self, moved: Moved) -> bool:
        """The L1 sensitivity is within the one that is priced."""
        return moved.total <= self.sensitivity

    def noise_scale(self, moved: Moved) -> Fraction:
        """The scale, whatever is moved."""
        del moved
        return self.scale


# --- integer noise of this shape, whatever it is used for --------------------------------------


def covering_sensitivity(scale: Fraction, sensitivity: int) -> Fraction:
    """The sensitivity at which continuous Laplace noise of the same scale is at least as revealing."""
    return sensitivity + 1 / (4 * scale)


def discrete_distribution(scale: Fraction, sensitivity: int, grid: float, q: float = 1.0) -> Any:
    """The privacy-loss distribution of integer noise, on a Poisson sample where q is below one."""
    from dp_accounting.pld import privacy_loss_distribution as library

    if sensitivity > _MOST_STEPS:
        return laplace_distribution(covering_sensitivity(scale, sensitivity) / scale, grid, q)
    require_room(2 * float_up(sensitivity / scale), grid)
    return library.from_discrete_laplace_mechanism(
        float_up(1 / scale),
        sensitivity,
        value_discretization_interval=grid,
        sampling_prob=q,
        use_connect_dots=True,
    )


def discrete_moments(scale: Fraction) -> tuple[float, float]:
    """The roots of variance 2a / (1 - a)², and mean absolute value 2a / (1 - a²), where a = exp(-1/scale)."""
    decay = 1 / float(scale)
    rest = -math.expm1(-decay)
    variance = 2 * math.exp(-decay) / rest**2
    return math.sqrt(variance), 2 * math.exp(-decay) / -math.expm1(-2 * decay)


def discrete_half_width(scale: Fraction, confidence: float) -> float:
    """From P[|Z| > w] = 2 a^(w + 1) / (1 + a)."""
    decay = 1 / float(scale)
    log_share = math.log(2) - math.log1p(math.exp(-decay))
    log_outside = math.log1p(-confidence)
    # The comparison allows for the last digits, so that a bound met exactly counts as met.
    width = math.ceil((log_share - log_outside) / decay * (1 - 1e-12) - 1)
    return float(max(0, width))


# --- calibration -------------------------------------------------------------------------------


def laplace_scale(epsilon: Number, total: int) -> Fraction:
    """The least scale, as a float, of (discrete) Laplace noise on L1 sensitivity `total` at epsilon."""
    return Fraction(float_up(whole(total, "total") / positive(epsilon, "epsilon")))


def epsilon_for_error(half_width: Number, confidence: float, total: int = 1) -> Fraction:
    """The least epsilon at which discrete Laplace noise strays no further than `half_width`.

    That is with probability `confidence`, on L1 sensitivity `total`; `laplace_scale` turns it back into noise.
    """
    width = positive(half_width, "half_width")

    def excess(scale: Fraction) -> float:
        return log_ratio(DiscreteLaplace(scale).half_width(confidence), width)

    scale = edge(excess, upwards=True, precision=TIGHT)
    return units_up(whole(total, "total") / scale, LOSS_UNIT) * LOSS_UNIT
