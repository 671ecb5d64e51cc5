"""Fellegi and Sunter's model: how likely two records are of the same person, given how their values agree.

Fellegi and Sunter, "A Theory for Record Linkage", JASA 64 (1969); the chance of agreement among pairs of the
same person is found by expectation and maximization (Winkler 1988), the chance among random pairs is counted.
Agreement on a rare value weighs more than on a common one (Winkler 1989).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.disclosure.linkage._aligned_sides import Sides
from privet.disclosure.linkage._candidate_pairs import Pairs
from privet.disclosure.linkage._value_agreement import LEVELS, SAME, UNKNOWN, Comparisons

_ROUNDS = 200
_STILL = 1e-9
_START = (0.05, 0.10, 0.85)  # different, near, same: for two records of one person
_FLOOR = 1e-4


@dataclass(frozen=True, eq=False)
class FellegiSunter:
    """What expectation and maximization found."""

    agreement: NDArray[np.float64]  # columns x levels, for pairs of the same person
    share: float  # of all pairs, how many are of the same person


def fit(comparisons: Comparisons, all_pairs: int) -> FellegiSunter:
    """Estimate the agreement of true pairs from the candidates.

    The chance of a pattern among random pairs is known for all pairs, and candidates are complete in the
    patterns that they have: so the odds are right though only candidates are looked at.
    """
    patterns, counts = _patterns(comparisons.levels)
    width = patterns.shape[1]
    agreement = np.tile(np.array(_START), (width, 1))
    share = min(0.5, max(1, len(comparisons.levels)) / max(all_pairs, 1) / 10)
    random = _product(patterns, comparisons.chance)
    for _ in range(_ROUNDS):
        true = share * _product(patterns, agreement)
        weight = counts * true / (true + (1 - share) * random)
        new = _shares(patterns, weight)
        moved = float(np.abs(new - agreement).max(initial=0))
        agreement, share = new, min(0.5, max(float(weight.sum()), 1e-9) / max(all_pairs, 1))
        if moved < _STILL:
            break
    return FellegiSunter(agreement, share)


def _patterns(levels: NDArray[np.int8]) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """The different rows of levels, and how often each occurs."""
    packed = np.zeros(len(levels), np.int64)
    for column in levels.T:
        packed = packed * (LEVELS + 1) + (column - UNKNOWN)
    _, first, counts = np.unique(packed, return_index=True, return_counts=True)
    return levels[first], counts


def _product(patterns: NDArray[np.int8], chances: NDArray[np.float64]) -> NDArray[np.float64]:
    found = np.ones(len(patterns))
    for at in range(patterns.shape[1]):
        level = patterns[:, at]
        found *= np.where(level == UNKNOWN, 1.0, chances[at, np.maximum(level, 0)])
    return found


def _shares(patterns: NDArray[np.int8], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    shares = []
    for at in range(patterns.shape[1]):
        level = patterns[:, at]
        known = level != UNKNOWN
        totals = np.bincount(level[known], weights=weight[known], minlength=LEVELS) + _FLOOR
        shares.append(totals / totals.sum())
    return np.array(shares)


def odds(sides: Sides, pairs: Pairs, comparisons: Comparisons, fitted: FellegiSunter) -> NDArray[np.float64]:
    """For each pair the odds that both records are of the same person."""
    total = np.full(len(pairs), np.log(fitted.share / (1 - fitted.share)))
    for at in range(len(sides.columns)):
        level = comparisons.levels[:, at]
        chance = comparisons.chance[at, np.maximum(level, 0)]
        same = level == SAME
        chance[same] = np.maximum(comparisons.frequency[at][sides.right[pairs.right[same], at]], 1e-12)
        weight = np.log(fitted.agreement[at, np.maximum(level, 0)]) - np.log(chance)
        total += np.where(level == UNKNOWN, 0.0, weight)
    return np.asarray(np.exp(np.minimum(total, 500)), np.float64)


def probabilities(pairs: Pairs, chances: NDArray[np.float64], people: int) -> NDArray[np.float64]:
    """The probability of each pair, given that a person has at most one true partner among the candidates."""
    rivals = np.bincount(pairs.left, weights=chances, minlength=people)
    return np.asarray(chances / (1 + rivals[pairs.left]), np.float64)
