"""Gaussian noise that correlates over the steps of one run, for runs whose batches cannot be sampled at random.

What one step adds is partly taken back by those after it, so running sums, and with them trained weights, are far less noisy than
with independent noise of the same privacy. No amplification is claimed: who takes part when is fixed and may be known.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Self

from privet.errors import BadAmount
from privet.guarantee._costs import ConcentratedCost
from privet.guarantee._loss_grid import Priced
from privet.guarantee._renyi_curves import concentrated_curve
from privet.guarantee._toeplitz_strategy import (
    UNIT,
    encoded_by_inverse,
    inverse_response,
    inverse_root_coefficients,
    is_falling,
    moved_squares,
    root_coefficients,
)
from privet.guarantee.exact_amounts import Number, positive, readable, whole
from privet.guarantee.mechanisms._capsule import (
    CONFIDENCE,
    Mechanism,
    Notation,
    costlier,
    normal_quantile,
    safer,
)

if TYPE_CHECKING:
    from privet.guarantee._renyi_curves import Curve

_MOST_STEPS = 10**6
_MOST_INVERSE_BANDS = 1_024  # beyond, looking at the strategy takes longer than it gains


@dataclass(frozen=True)
class CorrelatedGaussian(Mechanism):
    """Noise C⁻¹z on the vectors of `steps` steps, z being continuous Gaussian noise of standard deviation sigma.

    A unit takes part in at most `participations` steps, any two of them at least `separation` apart, whatever was released
    before; it moves the vector of such a step by at most `sensitivity` in L2 norm, and no other.
    """

    sigma: Fraction
    steps: int
    bands: int
    participations: int
    separation: int
    sensitivity: Fraction = Fraction(1)

    def __init__(  # noqa: PLR0917 -- the parameters of a record, in its order
        self,
        sigma: Number,
        steps: int,
        bands: int,
        participations: int,
        separation: int,
        sensitivity: Number = 1,
    ) -> None:
        self._set(
            sigma=positive(sigma, "sigma"),
            steps=whole(steps, "steps"),
            bands=whole(bands, "bands"),
            participations=whole(participations, "participations"),
            separation=whole(separation, "separation"),
            sensitivity=positive(sensitivity, "sensitivity"),
        )
        if self.steps > _MOST_STEPS:
            raise BadAmount(f"correlated noise is for at most {_MOST_STEPS:,} steps.", "Take fewer steps.")
        if self.bands > self.steps:
            raise BadAmount("there are more bands than steps.", "Use at most as many bands as steps.")
        if (self.participations - 1) * self.separation >= self.steps:
            raise BadAmount(
                "so many participations, so far apart, do not fit into the steps.",
                "State as many as there can be: steps / separation, rounded up, at most.",
            )

    # --- the strategy ---

    @property
    @abstractmethod
    def feeds_back(self) -> bool:
        """Whether `coefficients` are those of C, so that noise is made of earlier noise; or those of its inverse."""

    @property
    @abstractmethod
    def coefficients(self) -> tuple[int, ...]:
        """As many as there are bands, in units of 2^-31 and without their sign."""

    @abstractmethod
    def squares(self) -> Fraction:
        """The squared L2 sensitivity of C x, in units of `sensitivity`: an upper bound that is reached."""

    # --- prices ---

    def _ratio(self) -> Fraction:
        return self.squares() * (self.sensitivity / self.sigma) ** 2

    def concentrated_cost(self) -> ConcentratedCost:
        """Sensitivity of C x, squared, / 2 sigma² (Bun and Steinke 2016, Proposition 1.6).

        Steps may depend on earlier answers, as C is triangular (Denisov et al. 2022, Theorem 2.1).
        """
        return ConcentratedCost(self._ratio() / 2)

    def renyi_curve(self) -> tuple[Curve, Fraction]:
        """That of zCDP (Mironov 2017, Proposition 7)."""
        return concentrated_curve(self.concentrated_cost().rho), Fraction(0)

    def merged_gaussian(self) -> Priced:
        """Always: it is one Gaussian noise on C x."""
        return Priced(squares=self._ratio())

    # --- error ---

    def until(self, steps: int) -> Self:
        """What the first `steps` steps alone tell: the same noise on fewer steps."""
        few = min(steps, self.steps)
        fitting = min(self.participations, -(-few // self.separation))
        return type(self)(self.sigma, few, min(self.bands, few), fitting, self.separation, self.sensitivity)

    def deviation_at(self, step: int) -> float:
        """The standard deviation of the noise on one entry of the vector of each step, counted from 0."""
        return float(self.sigma) * float(_deviations(self._key())[step])

    def running_error(self) -> float:
        """The root of the mean variance, over all steps, of the noise on one entry of the running sum of their vectors."""
        import numpy as np

        response = np.cumsum(inverse_response(*self._key()[:2], is_inverse=not self.feeds_back))
        weights = np.arange(self.steps, 0, -1) / self.steps
        return float(self.sigma) * math.sqrt(float(np.sum(response**2 * weights)))

    def _key(self) -> tuple[tuple[int, ...], int, bool]:
        return self.coefficients, self.steps, not self.feeds_back

    def _moments(self) -> tuple[float, float]:
        """Of the last step, whose noise is the largest."""
        deviation = self.deviation_at(self.steps - 1)
        return deviation, deviation * math.sqrt(2 / math.pi)

    def _half_width(self, confidence: float) -> float:
        return self.deviation_at(self.steps - 1) * normal_quantile(confidence)

    def expectation(self) -> str:
        """How far most entries move, in a step and in the running sum."""
        return (
            f"Each entry of each step gets real noise that later steps partly take back; 95 % of the entries of a step move by at "
            f"most {readable(self.half_width(CONFIDENCE))}, and running sums have a standard deviation of about "
            f"{readable(self.running_error())}."
        )

    def stage(self, what: str) -> str:
        """Sigma, bands and who takes part how often."""
        return (
            f"Add Gaussian noise of standard deviation {readable(self.sigma)} that correlates over {self.bands} steps to: {what} (one privacy "
            f"unit takes part at most {self.participations} times, at least {self.separation} steps apart)"
        )


def _notation(name: str, what: str) -> Notation:
    return Notation(
        name,
        (
            safer("sigma"),
            costlier("steps", whole=True),
            costlier("bands", whole=True),
            costlier("participations", whole=True),
            safer("separation", whole=True),
            costlier("sensitivity", optional=True),
        ),
        f"Gaussian noise of standard deviation {{sigma}} over {{steps}} steps, correlated by {what} of {{bands}} band(s); at most "
        "{participations} participation(s) at least {separation} steps apart, sensitivity {sensitivity} in each",
    )


@dataclass(frozen=True, init=False)
class BandedGaussian(CorrelatedGaussian):
    """Correlated noise of which C has `bands` coefficients: those of the root of the running sum.

    Where participations are at least `bands` apart, no two columns overlap and the squared sensitivity is that of one
    column as often as a unit takes part (Choquette-Choo et al. 2023).
    """

    kind: ClassVar[str] = "banded-gaussian"
    title: ClassVar[str] = "banded Gaussian noise"
    notation: ClassVar[Notation] = _notation("banded_gaussian", "a root")

    @property
    def feeds_back(self) -> bool:
        """Noise is made of earlier noise."""
        return True

    @property
    def coefficients(self) -> tuple[int, ...]:
        """Of C: 1, 1/2, 3/8, 5/16, and so on."""
        return root_coefficients(self.bands)

    def squares(self) -> Fraction:
        """Exact."""
        return _squares(
            self.steps, self.bands, self.participations, self.separation, feeds_back=self.feeds_back
        )


@dataclass(frozen=True, init=False)
class BandedInverseGaussian(CorrelatedGaussian):
    """Correlated noise of which the inverse of C has `bands` coefficients: those of the inverse root of the running sum.

    With few bands it is much better than `BandedGaussian`, and a step's noise depends on that of few steps before.
    """

    kind: ClassVar[str] = "banded-inverse-gaussian"
    title: ClassVar[str] = "banded inverse Gaussian noise"
    notation: ClassVar[Notation] = _notation("banded_inverse_gaussian", "an inverse root")

    def __init__(  # noqa: PLR0917 -- as above
        self,
        sigma: Number,
        steps: int,
        bands: int,
        participations: int,
        separation: int,
        sensitivity: Number = 1,
    ) -> None:
        super().__init__(sigma, steps, bands, participations, separation, sensitivity)
        if self.bands > _MOST_INVERSE_BANDS or not is_falling(self.bands):
            raise BadAmount(
                f"an inverse root has at most {_MOST_INVERSE_BANDS:,} bands here.", "Use fewer: 8 to 64 do."
            )

    @property
    def feeds_back(self) -> bool:
        """Noise is made of earlier draws."""
        return False

    @property
    def coefficients(self) -> tuple[int, ...]:
        """Of the inverse of C: 1, (-)1/2, (-)1/8, (-)1/16, and so on."""
        return inverse_root_coefficients(self.bands)

    def squares(self) -> Fraction:
        """Rounded up, by less than a millionth part."""
        return _squares(
            self.steps, self.bands, self.participations, self.separation, feeds_back=self.feeds_back
        )


@lru_cache(maxsize=256)
def _squares(steps: int, bands: int, participations: int, separation: int, *, feeds_back: bool) -> Fraction:
    import numpy as np

    if feeds_back:
        column = np.array(root_coefficients(bands), dtype=np.int64)
    else:
        column = encoded_by_inverse(bands, steps)
    return Fraction(moved_squares(column, steps, participations, separation), UNIT**2)


@lru_cache(maxsize=16)
def _deviations(key: tuple[tuple[int, ...], int, bool]) -> tuple[float, ...]:
    import numpy as np

    coefficients, steps, is_inverse = key
    response = inverse_response(coefficients, steps, is_inverse=is_inverse)
    return tuple(np.sqrt(np.cumsum(response**2)).tolist())
