"""Strategies whose coefficients were fitted to a run: as values, with the sensitivity that their noise is priced at.

Noise C⁻¹z on the steps of a run is one Gaussian noise z on C x (`privet.guarantee._toeplitz_strategy`). Here C is lower triangular
and Toeplitz with any coefficients 1 = c_0 >= c_1 >= … >= 0: a few of them (banded: Choquette-Choo et al. 2023), or all those of
a few decaying sums, c_t = sum of w_i d_i^(t-1) (buffered linear Toeplitz: Dvijotham, McMahan, Pillutla, Steinke, Thakurta 2024; McMahan,
Xu, Zhang 2024), whose noise needs one vector of memory for each sum. That coefficients neither rise nor are negative is what the
closed form of the sensitivity rests on (Kalinin, Lampert 2024, Theorem 2): others are refused, as their sensitivity may be larger.

Numbers are whole multiples of 2^-31, as there. A run books the event `Gaussian(sigma, strategy.sensitivity())`, or where its batches
are sampled at random from groups that take turns, `Repeated(PoissonSampled(q, Gaussian(sigma, strategy.column_norm())), rounds)`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

from privet.errors import BadAmount
from privet.guarantee._toeplitz_strategy import UNIT, inverse_response, moved_squares
from privet.guarantee.exact_amounts import whole

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_STEPS = 10**6
_RISES = "Fit them with fitted_bands or fitted_buffers."


@dataclass(frozen=True)
class Participation:
    """Who takes part when: in at most `participations` of `steps` steps, any two of them at least `separation` apart."""

    steps: int
    participations: int
    separation: int

    def __post_init__(self) -> None:
        for name in ("steps", "participations", "separation"):
            whole(getattr(self, name), name)
        if self.steps > MOST_STEPS:
            raise BadAmount(f"correlated noise is for at most {MOST_STEPS:,} steps.", "Take fewer steps.")
        if (self.participations - 1) * self.separation >= self.steps:
            raise BadAmount(
                "so many participations, so far apart, do not fit into the steps.",
                "State as many as there can be: steps / separation, rounded up, at most.",
            )

    @classmethod
    def rounds(cls, steps: int, separation: int) -> Self:
        """Batches that come round: one step in each round of `separation` steps, always the same."""
        return cls(steps, -(-steps // separation), separation)

    def until(self, steps: int) -> Participation:
        """That of the first `steps` steps."""
        few = min(steps, self.steps)
        return Participation(few, min(self.participations, -(-few // self.separation)), self.separation)


@dataclass(frozen=True)
class NoiseStrategy(ABC):
    """A lower triangular Toeplitz matrix C with falling coefficients, for the steps of one run."""

    pattern: Participation

    @abstractmethod
    def column(self) -> NDArray[np.int64]:
        """The first column of C in units of 2^-31; each entry is exact, or rounded up."""

    @abstractmethod
    def _inverse(self) -> NDArray[np.float64]:
        """The first column of C⁻¹, for error bars."""

    @abstractmethod
    def until(self, steps: int) -> Self:
        """The same strategy on the first `steps` steps alone."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """A stable record."""

    # --- how far one unit moves C x ---

    @cached_property
    def _squares(self) -> Fraction:
        one = self.pattern
        moved = moved_squares(self.column(), one.steps, one.participations, one.separation)
        return Fraction(moved, UNIT**2)

    def squares(self) -> Fraction:
        """The squared L2 sensitivity of C x, where a unit moves each of its steps by a vector no longer than 1."""
        return self._squares

    def sensitivity(self) -> Fraction:
        """Its root, rounded up."""
        return root_up(self.squares())

    def column_norm(self) -> Fraction:
        """The L2 norm of one column, rounded up: how far one participation moves C x."""
        return root_up(Fraction(sum(int(c) ** 2 for c in self.column().tolist()), UNIT**2))

    # --- error, in units of the standard deviation of z ---

    @cached_property
    def _response(self) -> NDArray[np.float64]:
        return self._inverse()

    @cached_property
    def _deviations(self) -> NDArray[np.float64]:
        import numpy as np

        return np.asarray(np.sqrt(np.cumsum(self._response**2)))

    def deviation_at(self, step: int) -> float:
        """The standard deviation of the noise on one entry of a step's vector, counted from 0."""
        return float(self._deviations[step])

    def running_error(self, momentum: float = 0.0) -> float:
        """The root of the mean variance, over all steps, of the noise on the running sum of vectors (of their momentum)."""
        return math.sqrt(squared_error(self._response, momentum, "mean"))


@dataclass(frozen=True)
class BandedStrategy(NoiseStrategy):
    """C has these coefficients and no others; the first is 2^31, which stands for 1."""

    coefficients: tuple[int, ...]

    def __post_init__(self) -> None:
        if (
            not self.coefficients
            or self.coefficients[0] != UNIT
            or len(self.coefficients) > self.pattern.steps
        ):
            raise BadAmount(
                "a banded strategy has 1 to as many coefficients as there are steps, the first of them 1.",
                _RISES,
            )
        if any(type(c) is not int or c < 0 for c in self.coefficients) or any(
            later > earlier for earlier, later in pairwise(self.coefficients)
        ):
            raise BadAmount("the coefficients of a strategy neither rise nor are negative.", _RISES)

    feeds_back = True  # noise is made of earlier noise

    @property
    def bands(self) -> int:
        """How many coefficients there are."""
        return len(self.coefficients)

    def column(self) -> NDArray[np.int64]:
        """Exact."""
        import numpy as np

        return np.array(self.coefficients, dtype=np.int64)

    def _inverse(self) -> NDArray[np.float64]:
        return inverse_response(self.coefficients, self.pattern.steps, is_inverse=False)

    def until(self, steps: int) -> Self:
        """Of its coefficients those that fit."""
        few = self.pattern.until(steps)
        return type(self)(few, self.coefficients[: few.steps])

    def to_json(self) -> dict[str, Any]:
        """With all coefficients."""
        return {"kind": "banded", **_pattern(self.pattern), "coefficients": list(self.coefficients)}


@dataclass(frozen=True)
class BufferedStrategy(NoiseStrategy):
    """C has the coefficients 1, then the sum of weights[i] · decays[i]^(t-1) over i; both in units of 2^-31.

    Decays are at least 0 and below 1, weights are positive and add up to 1 at most: so coefficients fall.
    """

    decays: tuple[int, ...]
    weights: tuple[int, ...]

    def __post_init__(self) -> None:
        if (
            not self.decays
            or len(self.decays) != len(self.weights)
            or len(set(self.decays)) < len(self.decays)
        ):
            raise BadAmount(
                "a buffered strategy has one weight for each of its decays, which differ.", _RISES
            )
        if any(whole(d, "decay", at_least=0) >= UNIT for d in self.decays):
            raise BadAmount("decays lie between 0 and 1.", _RISES)
        if sum(whole(w, "weight") for w in self.weights) > UNIT:
            raise BadAmount(
                "the coefficients of a strategy do not rise: weights add up to 1 at most.", _RISES
            )

    @property
    def buffers(self) -> int:
        """How many vectors its noise remembers."""
        return len(self.decays)

    def column(self) -> NDArray[np.int64]:
        """Each entry rounded up."""
        return _buffered_column(self.decays, self.weights, self.pattern.steps)

    def _inverse(self) -> NDArray[np.float64]:
        import numpy as np

        decays, weights = (np.array(each, dtype=np.float64) / UNIT for each in (self.decays, self.weights))
        return buffered_inverse(decays, weights, self.pattern.steps)

    def until(self, steps: int) -> Self:
        """With the same sums."""
        return type(self)(self.pattern.until(steps), self.decays, self.weights)

    def to_json(self) -> dict[str, Any]:
        """With all decays and weights."""
        return {
            "kind": "buffered",
            **_pattern(self.pattern),
            "decays": list(self.decays),
            "weights": list(self.weights),
        }


def root_up(value: Fraction) -> Fraction:
    """The square root as a multiple of 2^-40, rounded up."""
    scaled = -(-value.numerator * 2**80 // value.denominator)
    root = math.isqrt(scaled)
    return Fraction(root + (root * root < scaled), 2**40)


def squared_error(inverse: NDArray[np.float64], momentum: float, error: str) -> float:
    """The variance of noise C⁻¹z on running sums of vectors, or of their momentum: over all steps the mean, or the largest."""
    response, weights = workload_response(inverse, momentum), error_weights(len(inverse), error)
    return float((response**2) @ weights)


def workload_response(inverse: NDArray[np.float64], momentum: float) -> NDArray[np.float64]:
    """What one draw adds to the running sums after it, or, with heavy-ball momentum, to the weights."""
    import numpy as np
    from scipy.signal import lfilter

    summed = np.cumsum(inverse)
    return np.asarray(lfilter([1.0], [1.0, -momentum], summed)) if momentum else summed


def error_weights(steps: int, error: str) -> NDArray[np.float64]:
    """How often the square of each entry of a response counts: for the mean over all steps, or for the last, which is the largest."""
    import numpy as np

    return np.arange(steps, 0, -1) / steps if error == "mean" else np.ones(steps)


def buffered_inverse(
    decays: NDArray[np.float64], weights: NDArray[np.float64], steps: int
) -> NDArray[np.float64]:
    """The first column of the inverse, -w (D - 1w)^(t-1) 1, by the eigenvalues of D - 1w (it is a buffered strategy as well)."""
    import numpy as np

    ones = np.ones(len(decays))
    values, vectors = np.linalg.eig(np.diag(decays) - np.outer(ones, weights))
    shares = -(weights @ vectors) * np.linalg.solve(vectors, ones)
    found = np.empty(steps)
    found[0] = 1.0
    found[1:] = (shares[:, None] * np.power(values[:, None], np.arange(steps - 1))).sum(axis=0).real
    return found


@lru_cache(maxsize=32)
def _buffered_column(decays: tuple[int, ...], weights: tuple[int, ...], steps: int) -> NDArray[np.int64]:
    import numpy as np

    total = np.zeros(max(0, steps - 1), dtype=np.int64)
    for decay, weight in zip(decays, weights, strict=True):
        total += _ceil(_powers(decay, len(total)) * weight)
    found = np.concatenate([[UNIT], total])
    found.setflags(write=False)
    return found


def _powers(base: int, count: int) -> NDArray[np.int64]:
    """base^0, base^1, … in units of 2^-31, each rounded up: the latter half of them is the former times one of them."""
    import numpy as np

    found = np.array([UNIT], dtype=np.int64)
    step = base  # base^len(found), rounded up
    while len(found) < count:
        found = np.concatenate([found, _ceil(found * step)])
        step = -(-step * step // UNIT)
    return found[:count]


def _ceil(products: NDArray[np.int64]) -> NDArray[np.int64]:
    """Products of two numbers up to 2^31, in units of 2^-31, rounded up."""
    return -(-products // UNIT)


def _pattern(pattern: Participation) -> dict[str, int]:
    return {
        "steps": pattern.steps,
        "participations": pattern.participations,
        "separation": pattern.separation,
    }
