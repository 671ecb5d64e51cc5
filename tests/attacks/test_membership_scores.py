"""What scores say of a promise: a few who are found for certain contradict it, and luck does not."""

import numpy as np
import pytest
from scipy.stats import binom

from privet.attacks._membership_scores import headline, told_apart
from privet.guarantee._promise_registry import PureDP


def test_a_few_found_for_certain_contradict_a_promise_that_the_area_keeps() -> None:
    draw = np.random.default_rng(1)
    members, others = draw.normal(size=3_000), draw.normal(size=3_000)
    members[:150] += 100  # one in twenty is remembered outright
    found = headline(members, others, PureDP(1), 0.95)
    area = told_apart(members, others, PureDP(1), 0.95)["AUC"]
    assert area["high"] < 0.6  # the area alone would pass it: 0.73 is allowed
    assert found["measure"] == "true positives at 1 % false positives"
    assert found["success"].low > found["bound"]
    assert found["detectable"] > found["bound"]
    assert found["baseline"] == pytest.approx(0.01)


def test_too_few_others_cannot_show_a_low_rate() -> None:
    draw = np.random.default_rng(2)
    rates = told_apart(draw.normal(size=100), draw.normal(size=100), PureDP(1), 0.95)["true positives"]
    assert rates["0.1 %"]["ceiling"] == pytest.approx(0, abs=1e-12)  # the highest rate that so few could show


def test_a_kept_promise_is_contradicted_as_rarely_as_stated() -> None:
    """Nothing is told apart, and next to nothing is allowed: all three measures together err in one of twenty cases."""
    draw, broken, runs = np.random.default_rng(3), 0, 200
    for _ in range(runs):
        found = headline(draw.normal(size=600), draw.normal(size=600), PureDP("0.001"), 0.95)
        broken += found["success"].low > found["bound"]
    assert broken <= binom.ppf(1 - 1e-6, runs, 0.05)
