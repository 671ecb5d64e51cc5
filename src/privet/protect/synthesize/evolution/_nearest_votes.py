"""Votes: every private sample votes for the synthetic ones nearest to it, and everybody's votes together have length one.

**A vote depends on its own sample and the candidates alone**, to the last bit. Sums of floats depend on their order, and the
order in which a matrix product adds depends on how many rows there are: a near tie could go to another candidate because
somebody else is there. So points are brought to whole numbers, on a grid that the candidates decide; products of floats
only find out which candidates could be nearest, within a bound of their error, and where several could, exact sums of
whole numbers decide.

Votes are normalised for each person by their Euclidean length, in fixed point and rounded down, so that adding or removing
one person moves the histogram by a vector that is no longer than one vote: what `NormedGaussian` noise covers; replacing
one, by sqrt(2) of a vote.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from privet.errors import BadSynthesis
from privet.guarantee import Change
from privet.protect.synthesize.evolution._sample_generator import Points
from privet.sealed import Sealed, Sensitivity

STEP = 2**20  # of fixed point in one vote
_BLOCK = 2**27  # distances held at a time, in bytes
_TILE = 1_024
_FINEST = 20  # powers of two in the steps of the grid from nothing to the largest number of a candidate
_ROUNDING = 2.0**-24  # of a float32


def nearest(private: Points, candidates: Points, votes: int = 1) -> NDArray[np.int64]:
    """The places of the `votes` nearest candidates of each private sample, by Euclidean distance; -1 where it has none.

    Exact on the grid; of candidates that are equally near, the first. Memory grows with neither side.
    """
    if votes < 1:
        raise BadSynthesis("everybody has at least one vote.", "Write votes=1.")
    found = np.full((len(private), votes), -1, dtype=np.int64)
    there = np.flatnonzero(np.isfinite(candidates).all(axis=1))
    if len(there) == 0 or len(private) == 0:
        return found
    grid = _grid(candidates[there])
    near = _on_grid(candidates[there], grid)
    # 2 p·c - |c|² is largest where |p - c|² is least, and with a column more on either side it is one product.
    squares = np.einsum("ij,ij->i", near, near)
    columns = np.ascontiguousarray(np.concatenate([2 * near, -squares[:, None]], axis=1).T, dtype=np.float32)
    rows = max(1, min(_TILE, _BLOCK // (4 * len(near))))
    closeness = np.empty((rows, len(near)), dtype=np.float32)
    able = np.flatnonzero(np.asarray(np.isfinite(private).all(axis=1)))
    reach = float(np.sqrt(squares.max()))
    for start in range(0, len(able), rows):
        voters = able[start : start + rows]
        points = _on_grid(private[voters], grid)
        ones = np.ones((len(voters), 1), np.float32)
        left = np.concatenate([points.astype(np.float32), ones], axis=1)
        scores = np.matmul(left, columns, out=closeness[: len(voters)])
        for voter, place in enumerate(voters):
            found[place, : min(votes, len(there))] = there[
                _decided(scores[voter], points[voter], (near, squares, reach), votes)
            ]
    return found


def _grid(candidates: Points) -> float:
    """How many steps of the grid there are to one: public, as the candidates are."""
    largest = float(np.abs(candidates).max())
    return steps_of_grid(candidates.shape[1]) / largest if largest > 0 else 1.0


def steps_of_grid(dimensions: int) -> int:
    """How many steps L lie between nothing and the largest number: as many as leave all sums of whole numbers exact.

    A candidate's number is at most L and a private one's at most 2 L, so that 2 p·c - |c|² stays below 5 d L², which has to be
    below 2^53; and below 2^24 every number is exact in a float32.
    """
    return int(2 ** min(_FINEST, (50 - math.ceil(math.log2(max(dimensions, 1)))) // 2))


def _on_grid(points: Points, grid: float) -> NDArray[np.float64]:
    """Whole numbers, held as floats whose sums are exact."""
    most = 2 * steps_of_grid(points.shape[1])
    return np.clip(np.rint(points.astype(np.float64) * grid), -most, most)


def _decided(
    scores: NDArray[np.float32],
    point: NDArray[np.float64],
    candidates: tuple[NDArray[np.float64], NDArray[np.float64], float],
    votes: int,
) -> NDArray[np.int64]:
    """The nearest of one voter: by the floats where they leave no doubt, else by whole numbers."""
    near, squares, reach = candidates
    count = min(votes, len(near))
    at = len(scores) - count
    least = scores.max() if count == 1 else np.partition(scores, at)[at]
    # A sum of d products errs by at most (d + 2) units of rounding times the sum of the sizes (Higham 2002, section 3.1).
    size = 2 * float(np.sqrt(point @ point)) * reach + reach * reach
    doubt = 2 * (len(point) + 4) * _ROUNDING * size
    could = np.flatnonzero(scores >= least - np.float32(doubt))
    if len(could) == count == 1:
        return could
    exact = 2 * (near[could] @ point) - squares[could]
    return could[np.lexsort((could, -exact))[:count]]


def sealed_votes(
    choices: NDArray[np.int64], owners: NDArray[np.int64], *, candidates: int, most: int, change: Change
) -> Sealed:
    """The histogram of votes under seal, each person's votes scaled to length one, in steps of `STEP` to a vote.

    Args:
        choices: candidates by sample, as `nearest` gives them; -1 is no vote.
        owners: whose sample it is, as whole numbers.
        candidates: how many there are.
        most: the most entries that one person's votes can reach: samples that count times votes for each.
        change: what neighbours are.
    """
    owner = np.repeat(owners, choices.shape[1])
    flat = choices.reshape(-1)
    voted = flat >= 0
    _, ranks = np.unique(owner[voted], return_inverse=True)
    # One number for each person and candidate: sorting numbers is quicker than sorting pairs.
    pairs, counts = np.unique(ranks.astype(np.int64) * candidates + flat[voted], return_counts=True)
    person, candidate = np.divmod(pairs, candidates)
    if len(counts):
        per_person = np.bincount(person)
        assert per_person.max() <= most, "somebody reaches more candidates than were priced"
    weights = scaled_to_one_vote(counts, person)
    histogram = np.zeros(candidates, dtype=np.int64)
    np.add.at(histogram, candidate, weights)
    return Sealed(histogram, sensitivity_of(most, candidates, change))


def sensitivity_of(most: int, candidates: int, change: Change) -> Sensitivity:
    """How far one person moves the histogram."""
    return Sensitivity.within_norm(max(1, min(most * sides(change), candidates)), length_of(change))


def sides(change: Change) -> int:
    """How many persons' votes differ between neighbours: one that is added or removed, or one and who replaces it."""
    return 2 if change is Change.REPLACE else 1


def length_of(change: Change) -> int:
    """How long the change is in steps: one vote; or, as votes are never negative, sqrt(2) of one (rounded up)."""
    return math.isqrt(2 * STEP**2) + 1 if change is Change.REPLACE else STEP


def scaled_to_one_vote(counts: NDArray[np.int64], person: NDArray[np.int64]) -> NDArray[np.int64]:
    """Each person's counts over their Euclidean length, in whole steps: never longer than one vote, checked exactly."""
    if len(counts) == 0:
        return counts.astype(np.int64)
    squares = np.bincount(person, weights=counts.astype(np.float64) ** 2)
    weights = np.floor(STEP * counts / np.sqrt(squares[person])).astype(np.int64)
    # Floats may round the last step up; whole numbers decide, and squares of steps fit 64 bits.
    while True:
        lengths = _sums_of_squares(weights, person)
        over = lengths[person] > STEP**2
        if not over.any():
            return weights
        weights = np.where(over, np.maximum(weights - 1, 0), weights)


def _sums_of_squares(weights: NDArray[np.int64], person: NDArray[np.int64]) -> NDArray[np.int64]:
    found = np.zeros(int(person.max()) + 1, dtype=np.int64)
    np.add.at(found, person, weights**2)
    return found


def label_votes(
    labels: NDArray[np.int64], owners: NDArray[np.int64], *, classes: int, most: int, change: Change
) -> Sealed:
    """How many there are of each class, each person's records scaled to one vote; under seal."""
    return sealed_votes(labels[:, None], owners, candidates=classes, most=most, change=change)


def shares_of(noisy: NDArray[np.int64] | Sequence[int]) -> NDArray[np.float64]:
    """Class shares from noisy counts: what is below nothing counts as nothing, and if all is, all are alike."""
    counts = np.maximum(np.asarray(noisy, dtype=np.float64), 0)
    total = math.fsum(counts)
    return counts / total if total > 0 else np.full(len(counts), 1 / len(counts))
