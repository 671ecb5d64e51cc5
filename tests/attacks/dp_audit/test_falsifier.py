"""Disproving claims about mechanisms: broken ones are found, right ones are not, and what is found is measured."""

import numpy as np
import pytest
from scipy.stats import binom

from privet.artifact._risk_estimate import Verdict
from privet.attacks._attack_registry import Case
from privet.attacks.dp_audit import Neighbours, falsify
from privet.attacks.dp_audit._distinguishing_events import DistinguishingEvent
from privet.attacks.dp_audit._falsifier import _shown, falsifier, laplace_score
from privet.attacks.dp_audit._output_scores import OutputView
from privet.errors import BadAttack
from privet.guarantee._promise_registry import ApproxDP, PureDP, ZeroConcentratedDP

DRAWS = 20_000
GRID = 2.0**20


def snapped(draws: np.ndarray) -> np.ndarray:
    """On a grid that is the same around every answer: the lowest bits tell nothing."""
    return np.rint(draws * GRID) / GRID


def laplace(scale: float, sensitivity: float = 1.0, seed: int = 0) -> Neighbours:
    draw = np.random.default_rng(seed)
    return Neighbours(
        lambda n: 10 + snapped(sensitivity + draw.laplace(0, scale, n)),
        lambda n: 10 + snapped(draw.laplace(0, scale, n)),
    )


def integers(scale: float, seed: int = 0) -> Neighbours:
    """Discrete Laplace: the difference of two geometric numbers."""
    draw = np.random.default_rng(seed)
    p = 1 - np.exp(-1 / scale)
    return Neighbours(
        lambda n: 5 + draw.geometric(p, n) - draw.geometric(p, n),
        lambda n: 4 + draw.geometric(p, n) - draw.geometric(p, n),
    )


def coins(epsilon: float, seed: int = 0) -> Neighbours:
    """Randomised response: the epsilon is exact, so that a right one is accused as often as it may be."""
    draw = np.random.default_rng(seed)
    p = 1 / (1 + np.exp(-epsilon))
    return Neighbours(
        lambda n: (draw.random(n) < p).astype(float), lambda n: (draw.random(n) >= p).astype(float)
    )


def labelled(epsilon: float, seed: int = 0) -> Neighbours:
    """The same with a label of no meaning: a set of outputs chosen on the draws it is tested on looks worse than it is."""
    draw = np.random.default_rng([seed, 1])
    plain = coins(epsilon, seed)
    return Neighbours(
        lambda n: plain.here(n) + 2 * draw.integers(0, 40, n),
        lambda n: plain.there(n) + 2 * draw.integers(0, 40, n),
    )


def shown_keys(threshold: float, seed: int = 0) -> Neighbours:
    """A group of one person is shown where its noisy size reaches the threshold; without the person there is no group."""
    draw = np.random.default_rng(seed)

    def here(n: int) -> np.ndarray:
        noisy = snapped(1 + draw.laplace(0, 1, n))
        return np.where(noisy >= threshold, noisy, np.nan)

    return Neighbours(here, lambda n: np.full(n, np.nan))


def gaussian(sigma: float, width: int = 3, seed: int = 0) -> Neighbours:
    draw = np.random.default_rng(seed)
    shift = np.full(width, 1 / np.sqrt(width))
    return Neighbours(
        lambda n: snapped(shift + draw.normal(0, sigma, (n, width))),
        lambda n: snapped(draw.normal(0, sigma, (n, width))),
    )


def together(epsilon: float, seed: int = 0) -> Neighbours:
    """Two bits of which each is a fair coin; whether they are equal tells the input."""
    draw = np.random.default_rng(seed)

    def side(bit: int, n: int) -> np.ndarray:
        one = draw.integers(0, 2, n)
        told = np.where(draw.random(n) < 1 / (1 + np.exp(-epsilon)), bit, 1 - bit)
        return np.stack([one, one ^ told], axis=1).astype(float)

    return Neighbours(lambda n: side(1, n), lambda n: side(0, n))


def spread(epsilon: float, width: int = 5, seed: int = 0) -> Neighbours:
    """A part of the epsilon in every output."""
    draw = np.random.default_rng(seed)
    return Neighbours(
        lambda n: snapped(draw.laplace(1, width / epsilon, (n, width))),
        lambda n: snapped(draw.laplace(0, width / epsilon, (n, width))),
    )


def found(target: Neighbours, promise, **settings):
    return falsifier(target, Case(promise=promise, settings={"draws": DRAWS, "plants": 0, **settings}))


# P[1 + Laplace(1) >= threshold] = e^-(threshold - 1) / 2: 0.01 at 1 + ln 50.
THRESHOLD = 1 + np.log(50)
RIGHT: dict[str, tuple] = {
    "coins with a label": (labelled, 1.0, PureDP(1)),
    "laplace": (laplace, 1.0, PureDP(1)),
    "discrete laplace": (integers, 1.0, PureDP(1)),
    "coins": (coins, 1.0, PureDP(1)),
    "thresholded keys": (shown_keys, THRESHOLD, ApproxDP(1, "0.01")),
    "gaussian": (gaussian, 3.730632, ApproxDP(1, "0.00001")),
    "two outputs together": (together, 1.0, PureDP(1)),
}


@pytest.mark.parametrize("what", RIGHT)
def test_right_mechanisms_are_left_alone(what: str) -> None:
    """At an alarm rate of one in twenty, so many of sixty runs are accused less than once in ten million times."""
    make, parameter, promise = RIGHT[what]
    most = int(binom.isf(1e-7, 60, 0.05))
    accused = [
        seed
        for seed in range(60)
        if found(make(parameter, seed=seed), promise, draws=1_000, alarm=0.05, seed=seed).verdict
        is Verdict.CONTRADICTS
    ]
    assert len(accused) <= most, accused


BROKEN = {
    "half the noise": (laplace(0.5), PureDP(1)),
    "the wrong sensitivity": (laplace(1.0, sensitivity=2.0), PureDP(1)),
    "half the discrete noise": (integers(0.5), PureDP(1)),
    "a threshold off by two": (shown_keys(THRESHOLD - 2), ApproxDP(1, "0.01")),
    "a threshold off by one": (shown_keys(THRESHOLD - 1), ApproxDP(1, "0.01")),
    "noise on a wrong scale": (gaussian(0.2), ApproxDP(1, "0.00001")),
    "variance for deviation": (gaussian(0.5), ZeroConcentratedDP("0.1")),
    "no noise": (laplace(1e-9), PureDP(1)),
    "outputs that tell together": (together(2.16), PureDP(1)),
    "a little in every output": (spread(2.16), PureDP(1)),
}


@pytest.mark.parametrize("how", BROKEN)
def test_broken_mechanisms_are_found(how: str) -> None:
    target, promise = BROKEN[how]
    assert found(target, promise).verdict is Verdict.CONTRADICTS


def test_half_the_noise_of_a_gaussian_is_found() -> None:
    """Its epsilon is 2.16 at the claim's delta, and only one draw in a hundred shows it."""
    target = gaussian(3.730632 / 2, width=1, seed=1)
    assert found(target, ApproxDP(1, "0.00001"), draws=100_000).verdict is Verdict.CONTRADICTS


def test_delta_is_allowed_for() -> None:
    """Outputs that only one input has, as often as delta lets them be, show nothing in sixty runs; twice as often, they do."""
    release = DistinguishingEvent(
        OutputView("", "", lambda rows: rows[:, 0]), "", 0.0, lambda rows: (rows[:, 0] > 0).astype(int)
    )

    def accused(share: float) -> int:
        draw = np.random.default_rng(9)
        sides = [((draw.random((2_000, 1)) < share), np.zeros((2_000, 1))) for _ in range(60)]
        shown = [
            _shown(release, here * 1.0, there, delta=0.01, alarm=1e-3, confidence=0.999)
            for here, there in sides
        ]
        return sum(one.epsilon.low > 1 for one in shown)

    assert accused(0.01) <= 5  # binomial with 60 tries at 1e-3: six or more are rarer than one in 10^10
    assert accused(0.04) > 55


def test_either_input_may_be_the_giveaway() -> None:
    target, promise = BROKEN["a threshold off by two"]
    assert found(Neighbours(target.there, target.here), promise).verdict is Verdict.CONTRADICTS


def test_a_score_helps_where_many_outputs_each_tell_little() -> None:
    draw = np.random.default_rng(3)
    width = 30
    here, there = np.ones(width), np.zeros(width)
    target = Neighbours(
        lambda n: snapped(draw.laplace(here, 3.0, (n, width))),
        lambda n: snapped(draw.laplace(there, 3.0, (n, width))),
        score=lambda draws: laplace_score(draws, here, there, np.full(width, 3.0)),
    )
    assert found(target, PureDP(1)).verdict is Verdict.CONTRADICTS


def test_too_few_draws_are_inconclusive_or_refused() -> None:
    assert found(laplace(1e-9), PureDP(8), draws=500).verdict is Verdict.INCONCLUSIVE
    with pytest.raises(BadAttack, match="hundred draws"):
        falsify(np.zeros(50), np.zeros(50))


def test_the_bound_comes_near_the_truth_from_below() -> None:
    draw = np.random.default_rng(5)
    shown = falsify(
        snapped(1 + draw.laplace(0, 1, 200_000)), snapped(draw.laplace(0, 1, 200_000)), alarm=1e-6
    )
    assert 0.9 < shown.epsilon.low <= 1


def test_a_mechanism_that_says_nothing_shows_nothing() -> None:
    shown = falsify(np.full(1_000, np.nan), np.full(1_000, np.nan))
    assert shown.epsilon.low < 0.1
    assert found(Neighbours(np.zeros, np.zeros), PureDP(1), plants=2).power is None


def test_a_hundred_runs_suffice_for_outputs_that_never_agree() -> None:
    """Guessing "here" always, which is right half of the time, is not preferred to what is always right."""
    here, there = np.full((100, 2), [301.0, 1.0]), np.full((100, 2), [300.0, 0.0])
    found = falsify(here, there, delta=1e-5, alarm=1e-6)
    assert found.wrong == 0
    assert found.epsilon.low == pytest.approx(found.detectable)
    assert found.epsilon.low > 1.5
