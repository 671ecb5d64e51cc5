"""Trying to disprove a claimed (epsilon, delta) from draws on two neighbouring inputs.

Some draws teach scores, some choose events, and the rest is the test. An event is a guess at which input an output came
from, or none. If the input was chosen by a coin and the mechanism keeps (epsilon, delta), the right guesses among all
guesses are at most binomial with share e^epsilon / (1 + e^epsilon), but for guesses that delta lets through: so many as
a binomial of the draws with share delta / 2 (the argument of Steinke, Nasr and Jagielski 2023 for one canary). Whatever
was learned and chosen, a mechanism that keeps its claim is accused with a probability of at most the alarm rate. (Ding
et al. 2018 and Bichsel et al. 2021 choose events on draws of their own too.)
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import UNLIMITED, Adversary, AttackCost, IntervalEstimate, RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks._attack_scores import lower_rate, upper_rate
from privet.attacks._seeded_generator import Draw, repeatable_generator
from privet.attacks.dp_audit._distinguishing_events import DistinguishingEvent, chosen
from privet.attacks.dp_audit._falsifier_power import PlantedTrial, measured
from privet.attacks.dp_audit._output_scores import Rows, Score, views
from privet.attacks.dp_audit._promised_epsilon import audit_delta, promised_at
from privet.errors import BadAttack

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FEWEST = 100  # draws on each input
_TESTED = 2  # events that go into the test; they share the alarm rate
_LEARNING, _CHOOSING = 0.15, 0.2  # of the draws; the rest is tested
_LABELS = 1e-3  # of the alarm rate: that the coin asks for more draws than there are
_EXCESS = 0.1  # of the alarm rate: that delta lets more through than is taken off

Sampler = Callable[[int], Any]  # so many independent draws: one number each, or one row each


@dataclass(frozen=True)
class Neighbours:
    """A mechanism on two neighbouring inputs: `here(n)` and `there(n)` give n independent outputs each.

    An output is a number or a row of numbers; NaN stands for "nothing was released". `score`, if there is one, maps
    outputs to numbers and is tried beside what is learned: a likelihood ratio is best.
    """

    here: Sampler
    there: Sampler
    score: Score | None = None


@dataclass(frozen=True)
class ShownEpsilon:
    """What the best event shows: the epsilon at the least, at this delta."""

    epsilon: IntervalEstimate
    event: str
    right: int  # guesses on tested draws
    wrong: int
    draws: int  # tested, on both inputs together
    detectable: float  # what so many draws would show if every one were guessed, and rightly


def falsify(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    *,
    delta: float = 0.0,
    alarm: float = 1e-3,
    score: Score | None = None,
    seed: int = 0,
) -> ShownEpsilon:
    """The largest epsilon that draws on two inputs show, wrong with probability at most `alarm`."""
    here, there = _rows(first), _rows(second)
    if here.shape[1] != there.shape[1] or min(len(here), len(there)) < _FEWEST:
        raise BadAttack(
            "a mechanism is tried with at least a hundred draws of the same shape on each input.",
            "Draw more often.",
        )
    draw = repeatable_generator(seed, "parts")
    (learn, choose, test), (learn_there, choose_there, test_there) = (
        _parts(side, draw) for side in (here, there)
    )
    tested = _by_coin(test, test_there, alarm * _LABELS, draw)
    events = chosen(
        views(learn, learn_there, score),
        choose,
        choose_there,
        delta=delta,
        alarm=alarm / _TESTED,
        draws=len(tested[0]),
        most=_TESTED,
    )
    each = alarm * (1 - _LABELS) / max(1, len(events))
    found = [_shown(event, *tested, delta=delta, alarm=each, confidence=1 - alarm) for event in events]
    return max(found, key=lambda one: one.epsilon.low)


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


def _rows(draws: Any) -> Rows:
    found = np.asarray(draws, float)
    return found[:, None] if found.ndim == 1 else found.reshape(len(found), -1)


def _parts(draws: Rows, draw: Draw) -> tuple[Rows, Rows, Rows]:
    order = draw.permutation(len(draws))
    learn, choose = int(_LEARNING * len(draws)), int(_CHOOSING * len(draws))
    return draws[order[:learn]], draws[order[learn : learn + choose]], draws[order[learn + choose :]]


def _by_coin(here: Rows, there: Rows, error: float, draw: Draw) -> tuple[Rows, Rows]:
    """Draws as if a fair coin had chosen the input of each.

    There are so few of them that the coin asks either side for more than it has with probability at most `error`.
    """
    from scipy.stats import binom

    sides = min(len(here), len(there))
    low, high = sides, 2 * sides
    while low < high:  # the largest total whose halves hardly ever exceed a side
        middle = (low + high + 1) // 2
        low, high = (middle, high) if 2 * binom.sf(sides, middle, 0.5) <= error else (low, middle - 1)
    asked = int(draw.binomial(low, 0.5))
    return here[:asked], there[: low - asked]


def _shown(
    event: DistinguishingEvent, here: Rows, there: Rows, *, delta: float, alarm: float, confidence: float
) -> ShownEpsilon:
    """What the guesses of one event on tested draws show."""
    ours, theirs = event.guess(here), event.guess(there)
    right, wrong = int((ours > 0).sum() + (theirs < 0).sum()), int((ours < 0).sum() + (theirs > 0).sum())
    draws = len(here) + len(there)
    let_through, error = _excess(draws, delta, alarm)
    low = _log_odds(lower_rate(max(0, right - let_through), max(0, right - let_through) + wrong, error))
    value = math.log(max(right - delta * draws / 2, 0.5) / max(wrong, 0.5))
    high = _log_odds(upper_rate(right, right + wrong, error))
    value = max(low, value, 0.0)
    return ShownEpsilon(
        IntervalEstimate(value, low, max(value, high), confidence),
        event.name,
        right,
        wrong,
        draws,
        _log_odds(lower_rate(draws - let_through, draws - let_through, error)),
    )


def _excess(draws: int, delta: float, alarm: float) -> tuple[int, float]:
    """How many right guesses delta may have let through, and the error that is left."""
    from scipy.stats import binom

    if delta <= 0:
        return 0, alarm
    return int(binom.isf(alarm * _EXCESS, draws, min(1.0, delta / 2))), alarm * (1 - _EXCESS)


def _log_odds(share: float) -> float:
    if share <= 0.5:
        return 0.0
    return min(UNLIMITED, math.log(share / (1 - share))) if share < 1 else UNLIMITED


@register(name="falsifier", on="mechanism", needs=("promise",))
def falsifier(target: Neighbours, case: Case) -> RiskEstimate:
    """Look for outputs that one input makes more likely than the promise allows.

    Settings: `draws` (50000) on each input, `alarm` (0.001), `delta`, and `plants` (10): the leaks of each kind and size
    that are planted to measure what the test finds; with 0 its power is not measured.
    """
    started = time.process_time()
    draws = case.whole("draws", 50_000)
    delta = case.number("delta", audit_delta(case.promise))
    here, there = _rows(target.here(draws)), _rows(target.there(draws))
    test = partial(falsify, delta=delta, alarm=case.number("alarm", 1e-3), score=target.score)
    shown = test(here, there, seed=case.seed)
    bound = promised_at(case.promise, delta)
    power, plants = None, case.whole("plants", 10)
    if bound is not None and plants:
        trial = PlantedTrial(
            lambda a, b, seed: test(a, b, seed=seed).epsilon.low > bound, bound, draws, plants
        )
        power = measured(np.concatenate([here, there]), trial, case.seed)
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
        cost=AttackCost(time.process_time() - started, queries=2 * draws),
        bound=bound,
        bound_reason="" if bound is None else f"the promise's epsilon at delta {delta:g}",
        promise=case.promise,
        detectable=shown.detectable,
        power=power,
        artifact="mechanism",
        notes=(f"Told apart by: {shown.event}.",),
        details={"right": shown.right, "wrong": shown.wrong, "draws": shown.draws, "delta": delta},
    )
