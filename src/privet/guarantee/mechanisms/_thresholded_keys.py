"""Keys of the data shown where a noisy number exceeds a threshold: discrete Laplace noise, and a delta for lone keys."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from privet.errors import BadAmount
from privet.guarantee._costs import BasicCost, chance_of_any
from privet.guarantee._loss_grid import Priced, mean_loss
from privet.guarantee._parameter_search import smallest_whole
from privet.guarantee.exact_amounts import Number, float_down, float_up, positive, readable, whole
from privet.guarantee.mechanisms._capsule import (
    CONFIDENCE,
    LARGEST_INTEGER_SCALE,
    Moved,
    Notation,
    PartitionSelection,
    costlier,
    safer,
)
from privet.guarantee.mechanisms._laplace import (
    discrete_distribution,
    discrete_half_width,
    discrete_moments,
)


@dataclass(frozen=True)
class ThresholdedKeys(PartitionSelection):
    """Unknown keys shown where the noisy number of distinct persons *exceeds* the threshold (strictly).

    Discrete Laplace noise of the given scale on the number of persons of each key; a person counts once
    in at most `keys` keys. Keys that nobody has are not noised and not shown.

    With a `reach` it is any number that one unit moves by at most so much in each of its keys, such as the number of
    rows. With two `parts` a key has two such numbers, noised each for itself, and is shown by their sum; a unit moves
    all numbers by at most `keys` times `reach` together.
    """

    scale: Fraction
    threshold: int
    keys: int = 1
    reach: int = 1
    parts: int = 1
    kind: ClassVar[str] = "thresholded-keys"
    title: ClassVar[str] = "thresholded keys"
    notation: ClassVar[Notation] = Notation(
        "thresholded_keys",
        (
            safer("scale"),
            safer("threshold", whole=True),
            costlier("keys", whole=True, optional=True),
            costlier("reach", whole=True, optional=True),
            costlier("parts", whole=True, optional=True),
        ),
        "keys shown above {threshold} after integer Laplace noise of scale {scale} on {parts} number(s) of each, {keys} "
        "key(s) a person, moved by {reach}",
    )

    def __init__(self, scale: Number, threshold: int, keys: int = 1, reach: int = 1, parts: int = 1) -> None:
        self._set(
            scale=positive(scale, "scale", at_most=LARGEST_INTEGER_SCALE),
            keys=whole(keys, "keys"),
            reach=whole(reach, "reach"),
            parts=whole(parts, "parts"),
        )
        if self.parts > 2:
            raise BadAmount("a key has one part or two.", "Write parts=2.")
        # A key of one unit alone must need noise to be shown.
        self._set(threshold=whole(threshold, "threshold", at_least=self.parts * self.reach + 1))

    @property
    def shown_above(self) -> int:
        """What a noisy number must exceed."""
        return self.threshold

    def basic_cost(self) -> BasicCost:
        """The reach of all keys over the scale, and the chance that a key of one unit alone is shown."""
        delta = threshold_delta(self.scale, self.threshold, self.keys, self.reach, self.parts)
        return BasicCost(self.keys * self.reach / self.scale, delta)

    def loss_distribution(self, grid: float) -> Priced:
        """The noise on the counts, and the chance that a key of one person alone is shown."""
        noise = discrete_distribution(self.scale, self.keys * self.reach, grid)
        basic = self.basic_cost()
        shown = float_up(basic.delta)
        return Priced(distribution=noise, mean=mean_loss(basic.epsilon, grid), failing=shown, apart=shown)

    def _moments(self) -> tuple[float, float]:
        return discrete_moments(self.scale)

    def _half_width(self, confidence: float) -> float:
        return discrete_half_width(self.scale, confidence)

    def expectation(self) -> str:
        """Which keys are shown."""
        if self.reach * self.parts > 1:
            alone = threshold_delta(self.scale, self.threshold, 1, self.reach, self.parts)
            return (
                f"A key is shown where its noisy number exceeds {self.threshold}. A key that a single person has is shown "
                f"with probability {readable(alone)} at most."
            )
        scale = float_up(self.scale)
        threshold = self.threshold_at(scale)
        lone = math.exp(threshold * (-1 / scale)) / (1 + math.exp(-1 / scale))
        return (
            f"A key is shown where its noisy number of persons exceeds {threshold}. A key that a single person "
            f"has is shown with probability {readable(lone)}; one that "
            f"{math.ceil(threshold + self.half_width(CONFIDENCE) + 1)} or more persons have, with probability 0.975 or more."
        )

    def stage(self, what: str) -> str:
        """By which number a group is shown, and from where."""
        noise = f"discrete Laplace noise of scale {readable(self.scale)}"
        if self.reach * self.parts == 1:
            return f"Show a group only if its number of persons, with {noise}, is above {self.threshold}"
        number = (
            f"the sum of its {what}, with {noise} on each" if self.parts > 1 else f"its {what}, with {noise}"
        )
        return (
            f"Show a group only if {number}, is above {self.threshold:,} (one privacy unit moves at most {self.keys} groups by at "
            f"most {self.reach:,} each)"
        )

    def covers(self, moved: Moved) -> bool:
        """Entries, their total and the keys they lie in, each within what is priced; blocks are the parts of a key."""
        kept = moved.largest <= self.reach and moved.total <= self.keys * self.reach
        return kept and moved.block == self.parts and moved.blocks <= self.keys

    def noise_scale(self, moved: Moved) -> Fraction:
        """The scale, whatever is moved."""
        del moved
        return self.scale

    def threshold_at(self, scale: float) -> int:
        """The threshold for noise of the scale drawn: one higher where that is not exact, which alone would raise delta."""
        return self.threshold if Fraction(scale) == self.scale else self.threshold + 1


def threshold_delta(scale: Fraction, threshold: int, keys: int, reach: int = 1, parts: int = 1) -> Fraction:
    """The chance that one of `keys` keys held by one person alone is shown, rounded up.

    Such a key has at most parts · reach, so it is shown when the noise is t = threshold - parts · reach + 1 or more.
    With a = exp(-1/scale) that has a chance of a^t / (1 + a) for discrete Laplace noise, and for the sum of two
    of a^t (t (1 - a) + (1 + a²) / (1 + a) + a) / (1 + a)². In logarithms, so that nothing underflows to a delta of
    zero.
    """
    decay, least = float_down(1 / scale), threshold - parts * reach + 1
    a = math.exp(-decay)
    log_one = -float_down(least / scale) - parts * math.log1p(a)
    if parts == 2:
        log_one += math.log(least * -math.expm1(-float_up(1 / scale)) + (1 + a * a) / (1 + a) + a)
    return chance_of_any(keys, log_one)


def threshold_for(scale: Number, keys: int, delta: Number, reach: int = 1, parts: int = 1) -> int:
    """The smallest threshold at which keys of one person alone stay hidden except with probability delta.

    `reach` and `parts` are those of `ThresholdedKeys`.
    """
    noise, allowed = positive(scale, "scale", at_most=LARGEST_INTEGER_SCALE), positive(delta, "delta")
    count = whole(keys, "keys")

    def cost(threshold: int) -> Fraction:
        return threshold_delta(noise, threshold, count, reach, parts)

    return smallest_whole(cost, allowed, above=parts * reach)
