"""Whom an attacker takes for whom: joined exactly, and joined by probability."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.disclosure.linkage._aligned_sides import Sides
from privet.disclosure.linkage._candidate_pairs import Pairs, blocks, candidates, joined, keys
from privet.disclosure.linkage._fellegi_sunter import fit, odds, probabilities
from privet.disclosure.linkage._value_agreement import compare

MOST_PAIRS = 2_000_000
# Above this probability an attacker claims to know a person: more likely right than wrong.
THRESHOLD = 0.5


@dataclass(frozen=True, eq=False)
class Claims:
    """Who an attacker takes for whom: positions on both sides, each person once."""

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    probability: NDArray[np.float64]
    with_candidates: int


def exact_claims(sides: Sides) -> Claims:
    """Pairs that agree in every column and are alone in doing so on both sides."""
    pairs = joined(*_limited(sides))
    mine = np.bincount(pairs.left, minlength=len(sides.left))
    theirs = np.bincount(pairs.right, minlength=len(sides.right))
    alone = (mine[pairs.left] == 1) & (theirs[pairs.right] == 1)
    return Claims(
        pairs.left[alone], pairs.right[alone], np.ones(int(alone.sum())), int(np.count_nonzero(mine))
    )


def _limited(sides: Sides) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The keys of all columns; where one occurs often on both sides, only two of its records each are kept.

    More than two say nothing more: nobody among them is alone.
    """
    left, right = keys(sides, range(len(sides.columns)))
    return left, np.where(_place_in_class(right) < 2, right, -1)


def _place_in_class(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each entry, how many equal ones stand before it."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
    first = np.repeat(starts, np.diff(starts, append=len(values)))
    places = np.empty(len(values), np.int64)
    places[order] = np.arange(len(values)) - first
    return places


def probable_claims(sides: Sides, threshold: float = THRESHOLD) -> Claims:
    """Fellegi and Sunter by our own expectation and maximization; see `privet.disclosure.linkage._fellegi_sunter`."""
    chosen = blocks(sides, MOST_PAIRS)
    pairs = candidates(sides, chosen)
    if not len(pairs):
        return Claims(pairs.left, pairs.right, np.zeros(0), 0)
    comparisons = compare(sides, pairs)
    fitted = fit(comparisons, len(sides.left) * len(sides.right))
    chances = probabilities(pairs, odds(sides, pairs, comparisons, fitted), len(sides.left))
    return mutual(pairs, chances, threshold)


def mutual(pairs: Pairs, chances: NDArray[np.float64], threshold: float) -> Claims:
    """Each person's best candidate above the threshold, if the candidate's best is that person too."""
    with_candidates = len(np.unique(pairs.left[chances >= 0.01]))
    order = np.argsort(-chances, kind="stable")
    order = order[chances[order] >= threshold]
    best_left, best_right = np.zeros(len(order), np.bool_), np.zeros(len(order), np.bool_)
    best_left[np.unique(pairs.left[order], return_index=True)[1]] = True
    best_right[np.unique(pairs.right[order], return_index=True)[1]] = True
    kept = order[best_left & best_right]
    return Claims(pairs.left[kept], pairs.right[kept], chances[kept], with_candidates)
