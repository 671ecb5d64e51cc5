"""Keys of the data shown where a noisy number exceeds the bound of the noise itself, which is cut off there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from privet.guarantee._costs import BasicCost, ConcentratedCost, chance_of_any
from privet.guarantee._loss_grid import (
    Priced,
    require_room_for_sum,
    worst_distribution,
)
from privet.guarantee._parameter_search import smallest_whole
from privet.guarantee._renyi_curves import pure_curve
from privet.guarantee.exact_amounts import Number, float_down, positive, readable, whole
from privet.guarantee.mechanisms._capsule import (
    LARGEST_INTEGER_SCALE,
    Moved,
    Notation,
    PartitionSelection,
    costlier,
    safer,
)
from privet.guarantee.mechanisms._laplace import discrete_moments

if TYPE_CHECKING:
    from privet.guarantee._renyi_curves import Curve

# Up to here the error is summed integer by integer.
_LARGEST_SUM = 100_000


@dataclass(frozen=True)
class TruncatedKeys(PartitionSelection):
    """Unknown keys shown where the noisy number of distinct persons *exceeds* the bound of the noise (strictly).

    Integer noise with P[z] proportional to exp(-|z| / scale) for |z| <= bound and zero beyond, on the number of
    persons of each key (Desfontaines, Voss, Gipson, Mandayam 2022); a person counts once in at most `keys` keys.
    Keys that nobody has are not noised and not shown.
    """

    scale: Fraction
    bound: int
    keys: int = 1
    kind: ClassVar[str] = "truncated-keys"
    title: ClassVar[str] = "keys selected with truncated noise"
    notation: ClassVar[Notation] = Notation(
        "truncated_keys",
        (safer("scale"), safer("bound", whole=True), costlier("keys", whole=True, optional=True)),
        "keys shown above {bound} persons after integer Laplace noise of scale {scale} cut off at {bound}, {keys} key(s) a person",
    )

    def __init__(self, scale: Number, bound: int, keys: int = 1) -> None:
        self._set(scale=positive(scale, "scale"), bound=whole(bound, "bound"), keys=whole(keys, "keys"))

    @property
    def shown_above(self) -> int:
        """What a noisy number must exceed."""
        return self.bound

    def basic_cost(self) -> BasicCost:
        """1 / scale and the chance of the noise's largest value for each key, in up to `keys` keys."""
        return BasicCost(self.keys / self.scale, truncated_delta(self.scale, self.bound, self.keys))

    def concentrated_cost(self) -> ConcentratedCost:
        """(1 / scale)² / 2 for each key: keys are noised independently, so their costs add, not their epsilons."""
        return ConcentratedCost(self.keys / self.scale**2 / 2, self.basic_cost().delta)

    def renyi_curve(self) -> tuple[Curve, Fraction]:
        """That of a pure mechanism of 1 / scale, as many times as there are keys; the delta is set aside."""
        return self.keys * pure_curve(1 / self.scale), self.basic_cost().delta

    def loss_distribution(self, grid: float) -> Priced:
        """The worst (1 / scale, delta)-private mechanism once for each key, which is what a key is.

        Between counts n and n + 1 the loss is 1 / scale, or its negative, or infinite at the noise's largest value:
        the three losses of the worst mechanism, with its chances. Between no person and one it is dominated by that.
        """
        one = worst_distribution(1 / self.scale, truncated_delta(self.scale, self.bound, 1), grid)
        mean, failing = self.keys * one.mean, self.keys * one.failing
        require_room_for_sum(mean, failing, grid)
        return Priced(distribution=one.distribution, times=self.keys, mean=mean, failing=failing)

    def _moments(self) -> tuple[float, float]:
        """Summed exactly up to a bound of 100,000; beyond, that of the noise before it is cut off, which is above."""
        if self.bound > _LARGEST_SUM:
            return discrete_moments(self.scale)
        weights = [math.exp(-z / float(self.scale)) for z in range(self.bound + 1)]
        total = 2 * math.fsum(weights) - 1
        variance = 2 * math.fsum(z * z * weight for z, weight in enumerate(weights)) / total
        mean_absolute = 2 * math.fsum(z * weight for z, weight in enumerate(weights)) / total
        return math.sqrt(variance), mean_absolute

    def _half_width(self, confidence: float) -> float:
        """From P[|Z| > w] = 2a (a^w - a^k) / (1 - a + 2a (1 - a^k)) for w up to the bound k."""
        decay = 1 / float(self.scale)
        rest, least = -math.expm1(-decay), math.exp(-decay * self.bound)
        total = rest + 2 * math.exp(-decay) * (1 - least)
        # The comparison allows for the last digits, so that a bound met exactly counts as met.
        allowed = (1 - confidence) * (1 + 1e-12) * total / (2 * math.exp(-decay))
        low, high = -1, self.bound
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if math.exp(-decay * middle) - least <= allowed else (middle, high)
        return float(high)

    def expectation(self) -> str:
        """Which keys are shown."""
        lone = truncated_delta(self.scale, self.bound, 1)
        return (
            f"A key is shown where its noisy number of persons exceeds {self.bound}. A key that a single person has is "
            f"shown with probability {readable(lone)}, one of {self.bound + 1} persons more often than not, one of more "
            f"than {2 * self.bound} always."
        )

    def stage(self, what: str) -> str:
        """By which number a group is shown, and from where."""
        del what
        return (
            f"Show a group only if its number of persons, with discrete Laplace noise of scale {readable(self.scale)} "
            f"cut off at {self.bound}, is above {self.bound}: no private rule shows more groups"
        )

    def covers(self, moved: Moved) -> bool:
        """Numbers of persons alone, in at most as many keys as are priced."""
        return moved.largest == moved.block == 1 and moved.coordinates <= self.keys

    def noise_scale(self, moved: Moved) -> Fraction:
        """The scale, whatever is moved."""
        del moved
        return self.scale


def truncated_delta(scale: Fraction, bound: int, keys: int) -> Fraction:
    """The chance that the noise on one of `keys` keys takes its largest value, rounded up.

    Then, and only then, a key of one person alone is shown, and a count tells of a person that the neighbour
    lacks. With a = exp(-1/scale) and bound k that is a^k (1 - a) / (1 - a + 2a (1 - a^k)), which rises with the
    scale.
    """
    decay = float_down(1 / scale)
    reach = float_down(bound / scale)
    rest, inner = -math.expm1(-decay), -math.expm1(-reach)
    log_one = -reach + math.log(rest) - math.log(rest + 2 * math.exp(-decay) * inner)
    return chance_of_any(keys, log_one)


def bound_for(scale: Number, keys: int, delta: Number) -> int:
    """The smallest bound of truncated noise that costs no more than delta over `keys` keys."""
    noise, allowed = positive(scale, "scale", at_most=LARGEST_INTEGER_SCALE), positive(delta, "delta")
    count = whole(keys, "keys")
    return smallest_whole(lambda bound: truncated_delta(noise, bound, count), allowed, above=0)
