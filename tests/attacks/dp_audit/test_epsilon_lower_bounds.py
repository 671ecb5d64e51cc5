"""What telling canaries apart shows of epsilon."""

import numpy as np
import pytest

from privet.artifact._risk_estimate import Verdict
from privet.attacks._attack_registry import Case
from privet.attacks.dp_audit._epsilon_lower_bounds import (
    CanaryRun,
    _guesses,
    clopper_pearson,
    gaussian,
    guessed,
    one_run,
    one_run_tradeoff,
)
from privet.errors import BadAttack
from privet.guarantee import ApproxDP, PureDP

IN = np.arange(200) < 100


def test_the_surest_are_guessed_on_both_sides() -> None:
    """Five guesses: the three highest are said to be in, the two lowest to be out."""
    included = np.array([1, 0, 1, 0, 1, 1, 0], bool)
    scores = np.array([9.0, 8.0, 7.0, 0.0, 1.0, -5.0, -4.0])
    assert guessed(included, scores, 5) == 2 + 1
    assert guessed(included, scores, 1) == 1
    assert _guesses(100) == [100, 50, 20, 5]
    assert _guesses(2) == [2, 1]


def test_a_perfect_attack_shows_as_much_as_the_canaries_can() -> None:
    perfect = CanaryRun(IN[None], IN[None] * 1.0)
    for attack in (one_run, one_run_tradeoff):
        found = attack(perfect, Case(promise=ApproxDP(1, 1e-5)))
        assert found.success.low == pytest.approx(found.detectable)
        assert found.details["correct"] == found.details["guesses"]
    assert one_run(perfect, Case(promise=ApproxDP(1, 1e-5))).verdict is Verdict.CONTRADICTS


def test_blind_scores_show_nothing() -> None:
    blind = CanaryRun(IN[None], np.random.default_rng(1).normal(size=(1, 200)))
    found = one_run(blind, Case(promise=PureDP("0.01"), confidence=1 - 1e-6))
    assert found.success.low < 0.01
    assert gaussian(blind, Case(promise=ApproxDP(1, 1e-5), confidence=1 - 1e-6)).success.low < 1


def test_estimates_that_rest_on_gaussian_noise_count_only_where_it_is_claimed() -> None:
    scores = IN * 8.0 + np.random.default_rng(2).normal(size=200)
    case = Case(promise=ApproxDP(1, 1e-5))
    assert gaussian(CanaryRun(IN[None], scores[None]), case).verdict is Verdict.NOT_PROMISED
    claimed = gaussian(CanaryRun(IN[None], scores[None], gaussian=True), case)
    assert claimed.verdict is Verdict.CONTRADICTS
    assert claimed.details["mu"] == pytest.approx(8, abs=1)
    with pytest.raises(BadAttack, match="delta above 0"):
        gaussian(CanaryRun(IN[None], scores[None]), Case(promise=PureDP(1)))


def test_each_run_counts_once_with_one_canary() -> None:
    draw = np.random.default_rng(3)
    included = draw.random((300, 2)) < 0.5
    found = clopper_pearson(CanaryRun(included, included * 1.0), Case(promise=PureDP(1)))
    assert found.details["runs"] == 300
    assert found.verdict is Verdict.CONTRADICTS
    one = clopper_pearson(CanaryRun(IN[None], IN[None] * 1.0), Case(promise=PureDP(1)))
    assert one.success.low == pytest.approx(0), "two hundred canaries of one run are one trial"


@pytest.mark.parametrize(
    ("included", "scores"),
    [
        (IN, IN * 1.0),
        (IN[None], np.zeros((1, 3))),
        (IN[None], np.full((1, 200), np.nan)),
        (np.zeros((0, 2), bool), np.zeros((0, 2))),
    ],
)
def test_gaps_and_shapes_are_refused(included, scores) -> None:
    with pytest.raises(BadAttack, match="a row for each run"):
        CanaryRun(included, scores)
