"""The promise computed again from the steps that were taken."""

from dataclasses import replace

import numpy as np
import pytest
from tests.attacks.dp_audit.toy import CLAIM, PROMISE

from privet.artifact._risk_estimate import Verdict
from privet.attacks._attack_registry import Case
from privet.attacks.dp_audit import Observed
from privet.attacks.dp_audit._accounting_check import account, accounting
from privet.guarantee._promise_registry import PureDP


def test_the_toy_claims_what_it_costs() -> None:
    assert account(CLAIM.sigma, CLAIM.q, CLAIM.steps, CLAIM.delta) == pytest.approx(1, abs=0.01)


def run(steps: int, sigma: float = CLAIM.sigma) -> Observed:
    return Observed(replace(CLAIM, sigma=sigma), np.zeros((steps, 1)))


def test_a_single_gaussian_release_against_the_known_value() -> None:
    """Balle and Wang 2018, the analytic Gaussian mechanism: sigma 3.730632 for epsilon 1 at delta 1e-5."""
    assert account(3.730632, 1.0, 1, 1e-5) == pytest.approx(1, abs=2e-3)


def test_more_steps_or_less_noise_cost_more() -> None:
    costs = [account(CLAIM.sigma, CLAIM.q, steps, CLAIM.delta) for steps in (10, 50, 100)]
    assert costs == sorted(costs)
    assert account(2 * CLAIM.sigma, CLAIM.q, 100, CLAIM.delta) < costs[-1]


def test_steps_that_nobody_accounted_for_contradict_the_promise() -> None:
    assert accounting(run(100), Case(promise=PROMISE)).verdict is Verdict.WITHIN
    assert accounting(run(150), Case(promise=PROMISE)).verdict is Verdict.CONTRADICTS
    assert accounting(run(100, sigma=2.0), Case(promise=PROMISE)).verdict is Verdict.CONTRADICTS
    assert accounting(run(100), Case(promise=PureDP("0.9"))).verdict is Verdict.CONTRADICTS
