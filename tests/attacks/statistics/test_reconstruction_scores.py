"""The most that a promise lets anybody tell right."""

import time

import numpy as np
import pytest

from privet.artifact import Adversary
from privet.attacks._attack_registry import Case
from privet.attacks.statistics._reconstruction_scores import most_right, scored
from privet.guarantee._promise_registry import ApproxDP, KAnonymity, PureDP


@pytest.mark.parametrize("prior", [0.5, 0.1, 0.9])
def test_the_bound_on_secrets_told_right(prior: float) -> None:
    """Without a promise nothing is bounded; with a tiny epsilon the blind guess is the best."""
    assert most_right(KAnonymity(5), prior) is None
    assert most_right(PureDP("0.000001"), prior) == pytest.approx(max(prior, 1 - prior), abs=1e-3)
    assert most_right(PureDP("0.5"), 0.5) == pytest.approx(np.e / (1 + np.e), abs=1e-3)
    assert most_right(ApproxDP(20, 1e-3), prior) == pytest.approx(1)


def test_a_delta_that_is_doubled_beyond_one_bounds_nothing() -> None:
    """delta (1 + e^epsilon) is 1 and more."""
    assert most_right(ApproxDP(1, "0.27"), 0.5) == pytest.approx(1)
    assert most_right(ApproxDP(1, "0.01"), 0.5) < 1


def test_the_baseline_is_the_best_blind_guess() -> None:
    truth = np.array([True] * 7 + [False] * 3)
    found = scored(
        "x",
        ~truth,
        truth,
        Case(promise=PureDP(1)),
        adversary=Adversary("a", (), "b"),
        questions=4,
        started=time.process_time(),
    )
    assert (found.success.value, found.baseline, found.cost.queries) == (0, pytest.approx(0.7), 4)
    assert found.bound == pytest.approx(most_right(PureDP(1), 0.7))
    assert found.detectable < 1
