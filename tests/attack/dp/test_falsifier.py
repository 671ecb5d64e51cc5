"""Disproving claims about mechanisms: broken ones are found, right ones are not."""

import numpy as np
import pytest

from privet.artifact.risk import Verdict
from privet.attack.dp import Neighbours, falsify
from privet.attack.dp.falsifier import falsifier, laplace_score
from privet.attack.registry import Case
from privet.errors import BadAttack
from privet.guarantee.promises import ApproxDP, PureDP, ZeroConcentratedDP

DRAWS = 20_000


def laplace(scale: float, sensitivity: float = 1.0, seed: int = 0) -> Neighbours:
    draw = np.random.default_rng(seed)
    return Neighbours(
        lambda n: 10 + sensitivity + draw.laplace(0, scale, n), lambda n: 10 + draw.laplace(0, scale, n)
    )


def integers(scale: float, seed: int = 0) -> Neighbours:
    """Discrete Laplace: the difference of two geometric numbers."""
    draw = np.random.default_rng(seed)
    p = 1 - np.exp(-1 / scale)
    return Neighbours(
        lambda n: 5 + draw.geometric(p, n) - draw.geometric(p, n),
        lambda n: 4 + draw.geometric(p, n) - draw.geometric(p, n),
    )


def shown_keys(threshold: float, seed: int = 0) -> Neighbours:
    """A group of one person is shown where its noisy size reaches the threshold; without the person there is no group."""
    draw = np.random.default_rng(seed)

    def here(n: int) -> np.ndarray:
        noisy = 1 + draw.laplace(0, 1, n)
        return np.where(noisy >= threshold, noisy, np.nan)

    return Neighbours(here, lambda n: np.full(n, np.nan))


def gaussian(sigma: float, width: int = 3, seed: int = 0) -> Neighbours:
    draw = np.random.default_rng(seed)
    shift = np.full(width, 1 / np.sqrt(width))
    return Neighbours(
        lambda n: shift + draw.normal(0, sigma, (n, width)), lambda n: draw.normal(0, sigma, (n, width))
    )


def found(target: Neighbours, promise, **settings):
    return falsifier(target, Case(promise=promise, settings={"draws": DRAWS, **settings}))


# P[1 + Laplace(1) >= threshold] = e^-(threshold - 1) / 2: 0.01 at 1 + ln 50.
THRESHOLD = 1 + np.log(50)
RIGHT = {
    "laplace": (laplace, 1.0, PureDP(1)),
    "discrete laplace": (integers, 1.0, PureDP(1)),
    "thresholded keys": (shown_keys, THRESHOLD, ApproxDP(1, "0.01")),
    "gaussian": (gaussian, 3.730632, ApproxDP(1, "0.00001")),
}


@pytest.mark.parametrize("what", RIGHT)
def test_right_mechanisms_are_left_alone(what: str) -> None:
    """At most 5 of 100 runs may be accused; the alarm rate is one in a thousand."""
    make, parameter, promise = RIGHT[what]
    accused = [
        seed
        for seed in range(100)
        if found(make(parameter, seed=seed), promise, draws=2_000).verdict is Verdict.CONTRADICTS
    ]
    assert len(accused) <= 1, accused


BROKEN = {
    "half the noise": (laplace(0.5), PureDP(1)),
    "the wrong sensitivity": (laplace(1.0, sensitivity=2.0), PureDP(1)),
    "half the discrete noise": (integers(0.5), PureDP(1)),
    "a threshold off by two": (shown_keys(THRESHOLD - 2), ApproxDP(1, "0.01")),
    "a threshold off by one": (shown_keys(THRESHOLD - 1), ApproxDP(1, "0.01")),
    "noise on a wrong scale": (gaussian(0.2), ApproxDP(1, "0.00001")),
    "variance for deviation": (gaussian(0.5), ZeroConcentratedDP("0.1")),
    "no noise": (laplace(1e-9), PureDP(1)),
}


@pytest.mark.parametrize("how", BROKEN)
def test_broken_mechanisms_are_found(how: str) -> None:
    target, promise = BROKEN[how]
    assert found(target, promise).verdict is Verdict.CONTRADICTS


def test_either_input_may_be_the_giveaway() -> None:
    target, promise = BROKEN["a threshold off by two"]
    assert found(Neighbours(target.there, target.here), promise).verdict is Verdict.CONTRADICTS


def test_a_score_helps_where_many_outputs_each_tell_little() -> None:
    draw = np.random.default_rng(3)
    width = 30
    here, there = np.ones(width), np.zeros(width)
    target = Neighbours(
        lambda n: draw.laplace(here, 3.0, (n, width)),
        lambda n: draw.laplace(there, 3.0, (n, width)),
        score=lambda draws: laplace_score(draws, here, there, np.full(width, 3.0)),
    )
    assert found(target, PureDP(1)).verdict is Verdict.CONTRADICTS


def test_too_few_draws_are_inconclusive_or_refused() -> None:
    assert found(laplace(1e-9), PureDP(8), draws=500).verdict is Verdict.INCONCLUSIVE
    with pytest.raises(BadAttack, match="hundred draws"):
        falsify(np.zeros(50), np.zeros(50))


def test_the_bound_comes_near_the_truth_from_below() -> None:
    draw = np.random.default_rng(5)
    shown = falsify(1 + draw.laplace(0, 1, 200_000), draw.laplace(0, 1, 200_000), alarm=1e-6)
    assert 0.9 < shown.epsilon.low <= 1
