"""How one budget is best split over several noisy vectors: closed forms in exact amounts.

An answer is moved by the noise of the vectors that it is read off. What is minimised is the sum of the vectors'
variances, each in units of what one privacy unit can do to it and times the weight of the answers that are read off
it; or, where each answer has a target, the largest error relative to its target.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from privet.guarantee import LOSS_UNIT, units_down
from privet.sealed import Sensitivity

_STEPS = 80  # of the search for equal errors, whose distance to them at least halves with each
_GRAIN = 2**40  # proportions are whole numbers of this size, so that shares are exact


@dataclass(frozen=True)
class Stake:
    """One answer: how far one step of noise on each vector moves it, how much it matters, and the error it may have."""

    moves: Mapping[int, float]
    weight: float = 1.0
    target: float | None = None  # a standard deviation, in the answer's units


def laplace_proportion(weight: float, sensitivity: Sensitivity) -> float:
    """Least sum of weighted variances 2 (s/epsilon)² at a given sum of epsilons: epsilon ~ (weight · s²)^(1/3)."""
    return math.cbrt(weight * float(sensitivity.total) ** 2)


def gaussian_proportion(weight: float, sensitivity: Sensitivity) -> float:
    """Least sum of weighted variances s²/2rho at a given sum of rhos: rho ~ weight^(1/2) · s."""
    return math.sqrt(weight * sensitivity.coordinates) * sensitivity.largest


def pure_in_rho_proportion(weight: float, sensitivity: Sensitivity) -> float:
    """The same for Laplace noise of epsilon²/2 = rho, whose variance is s²/rho with the L1 sensitivity s."""
    return math.sqrt(weight) * sensitivity.total


_PROPORTIONS = {
    "laplace": laplace_proportion,
    "gaussian": gaussian_proportion,
    "pure in rho": pure_in_rho_proportion,
}


def apportion(total: Fraction, proportions: Sequence[float]) -> tuple[Fraction, ...]:
    """Exact shares on the booking grid that sum to no more than the total, in these proportions."""
    largest = max(proportions)
    # At least one grain each: a vector without a share would need infinite noise.
    exact = [max(1, round(part / largest * _GRAIN)) for part in proportions]
    # Down to whole budget units: each share is booked rounded up, and shares rounded twice could add up to
    # more than the promise.
    shares = [units_down(total * part / sum(exact), LOSS_UNIT) * LOSS_UNIT for part in exact]
    # What rounding left over, less than one unit for each share, goes to the largest.
    first = exact.index(max(exact))
    shares[first] += units_down(total - sum(shares), LOSS_UNIT) * LOSS_UNIT
    return tuple(shares)


def split(
    total: Fraction,
    kind: str,
    sensitivities: Sequence[Sensitivity],
    importance: Sequence[float],
) -> tuple[Fraction, ...]:
    """The best shares of epsilon ("laplace") or rho ("gaussian", "pure in rho") for vectors of this importance."""
    proportion = _PROPORTIONS[kind]
    return apportion(total, [proportion(w, s) for w, s in zip(importance, sensitivities, strict=True)])


def importance(stakes: Sequence[Stake], sensitivities: Sequence[Sensitivity], kind: str) -> tuple[float, ...]:
    """How much a squared step of noise on each vector matters.

    An answer that is read off several vectors weighs as much on each of them, on average, as one that has a vector
    to itself; a vector that several answers are read off counts once, as the heaviest of them says. A vector that no answer is read off, such as one that decides which keys are shown, counts as much as the
    others do on average.
    """
    if any(stake.target is not None for stake in stakes):
        found = _equalised(stakes, sensitivities, kind)
    else:
        found = _heaviest(stakes, sensitivities)
    units = [weight * float(s.largest) ** 2 for weight, s in zip(found, sensitivities, strict=True)]
    read = [unit for unit in units if unit > 0]
    # In units of what one person can do: vectors in cents and in millions are comparable only that way.
    usual = sum(read) / len(read) if read else 1.0
    return tuple(
        weight if weight > 0 else usual / float(s.largest) ** 2
        for weight, s in zip(found, sensitivities, strict=True)
    )


def _unit(stake: Stake, sensitivities: Sequence[Sensitivity]) -> float:
    """The square of what one privacy unit can do to the answer, vector by vector."""
    return sum((move * sensitivities[v].largest) ** 2 for v, move in stake.moves.items()) or 1.0


def _heaviest(stakes: Sequence[Stake], sensitivities: Sequence[Sensitivity]) -> list[float]:
    found = [0.0] * len(sensitivities)
    for stake in stakes:
        factor = stake.weight * len(stake.moves) / _unit(stake, sensitivities)
        for vector, move in stake.moves.items():
            # The heaviest and not the sum: a table that asks for a count and for three figures over it needs
            # the count no better.
            found[vector] = max(found[vector], factor * move**2)
    return found


def _matters(
    stakes: Sequence[Stake], factors: Sequence[float], sensitivities: Sequence[Sensitivity]
) -> list[float]:
    found = [0.0] * len(sensitivities)
    for stake, factor in zip(stakes, factors, strict=True):
        for vector, move in stake.moves.items():
            found[vector] += factor * move**2
    return found


def _equalised(stakes: Sequence[Stake], sensitivities: Sequence[Sensitivity], kind: str) -> list[float]:
    """Weights at which the errors relative to their targets come out equal (multiplicative updates).

    Where answers share vectors not all can be equal; the largest is then as small as it can be.
    """
    proportion = _PROPORTIONS[kind]
    squares = [(stake.target or math.sqrt(_unit(stake, sensitivities))) ** 2 for stake in stakes]
    duals = [1.0] * len(stakes)
    for _ in range(_STEPS):
        weights = _matters(
            stakes, [d / square for d, square in zip(duals, squares, strict=True)], sensitivities
        )
        parts = [
            proportion(weight, s) if weight > 0 else 0.0
            for weight, s in zip(weights, sensitivities, strict=True)
        ]
        variances = [
            _variance(kind, s, part / sum(parts)) if part > 0 else 0.0
            for s, part in zip(sensitivities, parts, strict=True)
        ]
        ratios = [
            sum(move**2 * variances[v] for v, move in stake.moves.items()) / square
            for stake, square in zip(stakes, squares, strict=True)
        ]
        usual = math.exp(sum(math.log(ratio) for ratio in ratios if ratio > 0) / len(ratios))
        # By the ratio to the usual error, so that the weights keep their size while they move apart.
        duals = [dual * max(ratio / usual, 1e-6) for dual, ratio in zip(duals, ratios, strict=True)]
        duals = [max(dual / max(duals), 1e-12) for dual in duals]
    return weights


def _variance(kind: str, sensitivity: Sensitivity, share: float) -> float:
    """The variance of the noise at a share of a budget of one."""
    if kind == "laplace":
        return 2 * (sensitivity.total / share) ** 2
    if kind == "gaussian":
        return sensitivity.coordinates * float(sensitivity.largest) ** 2 / (2 * share)
    return float(sensitivity.total) ** 2 / share
