"""Trying to disprove a claimed (epsilon, delta) from draws on two neighbouring inputs.

For any set S of outputs, P[S | one input] <= e^epsilon P[S | the other] + delta. The set is picked on one half of the
draws; on the other half both probabilities are bounded by Clopper-Pearson intervals. So a mechanism that keeps its
claim is accused with probability at most the alarm rate, whatever sets were tried (Ding et al. 2018; Bichsel et al.
2021 choose events in the same way).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact.risk import Adversary, Cost, Estimate, RiskEstimate
from privet.attack.chance import repeatable_generator
from privet.attack.dp.promised import audit_delta, promised_at
from privet.attack.registry import Case, register
from privet.attack.scoring import lower_rate, upper_rate
from privet.errors import BadAttack

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BINS = 40
_RARE = 0.002  # sets rarer than this on both sides are left alone: nothing could be shown with them
_MOST = 700.0

Sampler = Callable[[int], Any]  # so many independent draws: one number each, or one row each
Event = Callable[["NDArray[np.float64]"], "NDArray[np.bool_]"]


@dataclass(frozen=True)
class Neighbours:
    """A mechanism on two neighbouring inputs: `here(n)` and `there(n)` give n independent outputs each.

    An output is a number or a row of numbers; NaN stands for "nothing was released". `score`, if there is one, maps
    outputs to numbers and is tried beside what is found by looking: a likelihood ratio is best.
    """

    here: Sampler
    there: Sampler
    score: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None


@dataclass(frozen=True)
class Shown:
    """What the best set shows: the epsilon at the least, at this delta."""

    epsilon: Estimate
    event: str
    here: tuple[int, int]  # hits and draws on the side where the set is more common
    there: tuple[int, int]
    detectable: float


def falsify(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    *,
    delta: float = 0.0,
    alarm: float = 1e-3,
    score: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None,
    seed: int = 0,
) -> Shown:
    """The largest epsilon that draws on two inputs show, wrong with probability at most `alarm`."""
    here, there = _rows(first), _rows(second)
    if here.shape[1] != there.shape[1] or min(len(here), len(there)) < 100:
        raise BadAttack(
            "a mechanism is tried with at least a hundred draws of the same shape on each input.",
            "Draw more often.",
        )
    draw = repeatable_generator(seed, "halves")
    a, b = (_halves(side, draw) for side in (here, there))
    swapped, name, event = _best(a[0], b[0], delta, alarm, score)
    one, other = (b[1], a[1]) if swapped else (a[1], b[1])
    hits, others = int(event(one).sum()), int(event(other).sum())
    sizes = len(one), len(other)
    low = _log_ratio(lower_rate(hits, sizes[0], alarm / 2) - delta, upper_rate(others, sizes[1], alarm / 2))
    value = _log_ratio(hits / sizes[0] - delta, max(others, 0.5) / sizes[1])
    high = _log_ratio(
        upper_rate(hits, sizes[0], alarm / 2) - delta,
        max(lower_rate(others, sizes[1], alarm / 2), math.exp(-_MOST)),
    )
    most = _log_ratio(lower_rate(sizes[0], sizes[0], alarm / 2) - delta, upper_rate(0, sizes[1], alarm / 2))
    value = max(low, value)
    return Shown(
        Estimate(value, low, max(value, high), 1 - alarm),
        f"{name}{' (inputs exchanged)' if swapped else ''}",
        (hits, sizes[0]),
        (others, sizes[1]),
        most,
    )


def epsilon_shown(
    first: NDArray[np.float64], second: NDArray[np.float64], *, delta: float = 0.0, alarm: float = 1e-7
) -> float:
    """A lower bound on epsilon from draws (or scores of draws) on two inputs, wrong with probability at most `alarm`."""
    return falsify(first, second, delta=delta, alarm=alarm).epsilon.low


def laplace_score(
    draws: NDArray[Any], here: NDArray[Any], there: NDArray[Any], scales: NDArray[Any]
) -> NDArray[np.float64]:
    """The log-likelihood ratio of Laplace noise around two exact answers: the strongest score there is."""
    return np.asarray(((np.abs(draws - there) - np.abs(draws - here)) / scales).sum(axis=1), float)


def _rows(draws: Any) -> NDArray[np.float64]:
    found = np.asarray(draws, float)
    return found[:, None] if found.ndim == 1 else found.reshape(len(found), -1)


def _halves(draws: NDArray[np.float64], draw: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    order = draw.permutation(len(draws))
    half = len(draws) // 2
    return draws[order[:half]], draws[order[half:]]


def _log_ratio(above: float, below: float) -> float:
    if above <= 0:
        return 0.0
    return max(0.0, min(_MOST, math.log(above / below))) if below > 0 else _MOST


def _best(
    a: NDArray[np.float64], b: NDArray[np.float64], delta: float, alarm: float, score: Any
) -> tuple[bool, str, Event]:
    """The set that looks worst on the first half: by the epsilon it would show there, not by the raw ratio."""
    from scipy.special import ndtri

    errors = 1 - float(ndtri(alarm / 2))  # standard errors: as sure as the test, and one more for the choice
    found: tuple[float, bool, str, Event] | None = None
    for name, view in _views(a, b, score):
        x, y = view(a), view(b)
        for swapped, (one, other) in ((False, (x, y)), (True, (y, x))):
            for what, event in _sets(one, other):
                p, q = float(event(one).mean()), float(event(other).mean())
                if max(p, q) < _RARE:
                    continue
                p_low = p - errors * math.sqrt(p * (1 - p) / len(one))
                q_high = q + errors * math.sqrt(q * (1 - q) / len(other)) + 2 * errors / len(other)
                worth = math.log((p_low - delta) / q_high) if p_low > delta else -math.inf
                if found is None or worth > found[0]:
                    found = (worth, swapped, f"{name} {what}", _through(view, event))
    if found is None:
        return False, "every output", lambda draws: np.ones(len(draws), bool)
    return found[1:]


def _through(view: Callable[[Any], Any], event: Event) -> Event:
    return lambda draws: event(view(draws))


def _views(
    a: NDArray[np.float64], b: NDArray[np.float64], score: Any
) -> Iterator[tuple[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]]]:
    """Ways to look at an output as one number: each coordinate, a given score, the line that tells the inputs apart."""
    if score is not None:
        yield "the score", lambda draws: np.asarray(score(draws), float)
    for at in range(min(a.shape[1], 64)):
        yield f"output {at}", _coordinate(at)
    if a.shape[1] > 1:
        both = np.nan_to_num(np.concatenate([a, b]))
        spread = both.std(0)
        apart = (np.nan_to_num(a).mean(0) - np.nan_to_num(b).mean(0)) / np.maximum(spread, 1e-12) ** 2
        yield "the difference", lambda draws: np.nan_to_num(draws) @ apart
        yield "the number released", lambda draws: (~np.isnan(draws)).sum(1).astype(float)


def _coordinate(at: int) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    return lambda draws: draws[:, at]


def _sets(one: NDArray[np.float64], other: NDArray[np.float64]) -> Iterator[tuple[str, Event]]:
    """Sets to try, from the values seen: tails, single common values, and unions of bins by their ratio."""
    both = np.concatenate([one, other])
    if np.isnan(both).any():
        yield "released", lambda x: ~np.isnan(x)
        yield "not released", np.isnan
        both = both[~np.isnan(both)]
        if not len(both):
            return
    cuts = np.unique(
        np.quantile(
            both, np.concatenate([[0.002, 0.005, 0.01], np.linspace(0.02, 0.98, 49), [0.99, 0.995, 0.998]])
        )
    )
    for cut in cuts:
        yield f"at least {cut:.6g}", _at_least(float(cut))
        yield f"at most {cut:.6g}", _at_most(float(cut))
    values, times = np.unique(both, return_counts=True)
    for value in values[times >= max(20, _RARE * len(both))][:200]:
        yield f"equal to {value:.6g}", _equal(float(value))
    yield from _unions(one, other, both)


def _unions(
    one: NDArray[np.float64], other: NDArray[np.float64], both: NDArray[np.float64]
) -> Iterator[tuple[str, Event]]:
    """Bins of equal weight, joined from the most telling on: the sets that are best for the two histograms."""
    edges = np.unique(np.quantile(both, np.linspace(0, 1, _BINS + 1)[1:-1]))
    here = np.bincount(np.searchsorted(edges, one[~np.isnan(one)], "right"), minlength=len(edges) + 1)
    there = np.bincount(np.searchsorted(edges, other[~np.isnan(other)], "right"), minlength=len(edges) + 1)
    order = np.argsort(-(here + 0.5) / (there + 0.5), kind="stable")
    for many in (1, 2, 4, 8, 12, 16, 20, 24):
        if many <= len(order) // 2:
            yield f"in the {many} most telling bins", _bins(edges, order[:many])


def _at_least(cut: float) -> Event:
    return lambda x: x >= cut


def _at_most(cut: float) -> Event:
    return lambda x: x <= cut


def _equal(value: float) -> Event:
    return lambda x: x == value


def _bins(edges: NDArray[np.float64], chosen: NDArray[np.int64]) -> Event:
    return lambda x: ~np.isnan(x) & np.isin(np.searchsorted(edges, x, "right"), chosen)


@register(name="falsifier", on="mechanism", needs=("promise",))
def falsifier(target: Neighbours, case: Case) -> RiskEstimate:
    """Look for a set of outputs that one input makes more likely than the promise allows."""
    started = time.process_time()
    draws = case.whole("draws", 20_000)
    delta = case.number("delta", audit_delta(case.promise))
    shown = falsify(
        np.asarray(target.here(draws)),
        np.asarray(target.there(draws)),
        delta=delta,
        alarm=case.number("alarm", 1e-3),
        score=target.score,
        seed=case.seed,
    )
    bound = promised_at(case.promise, delta)
    return RiskEstimate(
        attack="falsifier",
        measure="epsilon",
        success=shown.epsilon,
        baseline=0.0,
        adversary=Adversary(
            "somebody who knows all records but one",
            ("both neighbouring inputs", "the mechanism"),
            "the outputs of many runs",
        ),
        cost=Cost(time.process_time() - started, queries=2 * draws),
        bound=bound,
        bound_reason="" if bound is None else f"the promise's epsilon at delta {delta:g}",
        promise=case.promise,
        detectable=shown.detectable,
        artifact="mechanism",
        notes=(f"The set: {shown.event}.",),
        details={
            "here": list(shown.here),
            "there": list(shown.there),
            "delta": delta,
        },
    )
