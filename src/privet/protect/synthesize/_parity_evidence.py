"""Is there structure that marginals cannot carry? Asked of the rows with noise, and paid for.

Each column is cut into two halves, by noisy counts. For a set of columns, rows are counted by whether the number of their
upper halves is even: an exclusive or shows there, and nowhere in smaller sets. The set whose counts lie furthest from
those of the fitted model is chosen by the exponential mechanism and its two counts are measured with noise. Only if they stand
clear of both the noise and a tenth of the rows, and no pair inside the set explains it, is the model found wanting.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from privet.engine import SealedMarginals
from privet.protect.synthesize._measurement_run import MeasurementRun

SHARE = 0.02  # of the whole budget
_CLEAR = 4.0  # standard deviations
_WANTING = 0.1  # of the rows
_MOST_SETS = 4000
Halves = Sequence[NDArray[np.bool_]]
Parities = Callable[[Callable[[NDArray[np.int32]], NDArray[np.int64]], Sequence[int]], SealedMarginals]


@dataclass(frozen=True)
class Evidence:
    """What was seen: the columns, how far their noisy counts lie from the model's, and whether that is wanting."""

    columns: tuple[int, ...]
    away: float
    wanting: bool


def halved(counts: Sequence[NDArray[np.float64]]) -> list[NDArray[np.bool_]]:
    """For each column, which codes are its upper half: about half the noisy count in the order of the codes."""
    found = []
    for one in counts:
        kept = np.maximum(one, 0)
        below = np.cumsum(kept) - kept / 2
        found.append(below > kept.sum() / 2)
    return found


def sets_of(columns: int, label: int | None) -> list[tuple[int, ...]]:
    """Sets of three and four columns, with the label in each where there is one; smaller ones first."""
    others = [at for at in range(columns) if at != label]
    sizes = (2, 3) if label is not None else (3, 4)
    beside = () if label is None else (label,)
    every = (tuple(sorted((*one, *beside))) for size in sizes for one in itertools.combinations(others, size))
    return list(itertools.islice(every, _MOST_SETS))


def parity_rule(
    halves: Halves, sets: Sequence[tuple[int, ...]]
) -> Callable[[NDArray[np.int32]], NDArray[np.int64]]:
    """For each row and set, whether the number of upper halves is odd."""

    def rule(codes: NDArray[np.int32]) -> NDArray[np.int64]:
        bits = np.stack([half[codes[:, at]] for at, half in enumerate(halves)], axis=1)
        return np.stack([np.bitwise_xor.reduce(bits[:, list(one)], axis=1) for one in sets], axis=1).astype(
            np.int64
        )

    return rule


def evidence(  # noqa: PLR0917
    run: MeasurementRun,
    halves: Halves,
    label: int | None,
    synthetic: NDArray[np.int64],
    total: float,
    parities: Parities,
    rho: float,
) -> Evidence | None:
    """Compare the rows with a sample of the model, for this much rho; None where there are too few columns."""
    sets = sets_of(len(halves), label)
    if not sets:
        return None
    pairs = list(itertools.combinations(range(len(halves)), 2))
    every = [*sets, *pairs]
    rule = parity_rule(halves, every)
    odd = rule(synthetic.astype(np.int32)).mean(axis=0) * total
    expected: dict[tuple[int, ...], NDArray[np.float64]] = {
        (at,): np.array([total - many, many]) for at, many in enumerate(odd)
    }
    candidates: dict[tuple[int, ...], NDArray[np.float64]] = {(at,): expected[at,] for at in range(len(sets))}
    asked = MeasurementRun(run.run, parities(rule, [2] * len(every)))
    even = dict.fromkeys(candidates, 1)
    chosen = asked.choose(candidates, even, dict.fromkeys(candidates, 0.0), rho / 3)
    away, clear = _away(asked, chosen, expected, rho / 3)
    seen = sets[chosen[0]]
    wanting = away > _WANTING * total + clear
    inside = [(len(sets) + at,) for at, pair in enumerate(pairs) if set(pair) <= set(seen)]
    if wanting:
        # A pair that the model has not met yet shows in every set around it: that is no structure of high order.
        lower = max(_away(asked, pair, expected, rho / (3 * len(inside)))[0] for pair in inside)
        wanting = lower < away / 2
    # In the transcript stand the columns, not the set's number among those that were asked about.
    run.choices += [replace(one, columns=seen) for one in asked.choices]
    run.parities += [replace(one, columns=every[one.columns[0]]) for one in asked.measured]
    return Evidence(seen, away, wanting)


def _away(
    asked: MeasurementRun,
    one: tuple[int, ...],
    expected: dict[tuple[int, ...], NDArray[np.float64]],
    rho: float,
) -> tuple[float, float]:
    """How far noisy counts lie from the model's, and how far noise alone might put them."""
    noisy = asked.measure(one, rho)
    return float(np.abs(noisy.counts - expected[one]).max()), _CLEAR * noisy.sigma
