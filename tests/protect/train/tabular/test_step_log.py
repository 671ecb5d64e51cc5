"""What a log is told of a step: exact figures to the owner, and to anybody what noisy sums and the account say."""

from fractions import Fraction

import numpy as np
import pytest

import privet as pv
from privet.artifact import Features, ModelTarget
from privet.guarantee import epsilon_for
from privet.protect.train._training_log import TrainingLog
from privet.protect.train.tabular import StepLog, Task
from privet.protect.train.tabular._noise_multiplier import run_of

PROMISE = pv.ApproxDP(1, "1e-5")


def telling(steps=40):
    log = TrainingLog()
    task = Task(Features(()), ModelTarget("y", ("no", "yes")), pv.Row(), 10)
    return log, StepLog(log, task, PROMISE, Fraction(1), steps, Fraction(25), clip=1.0, reach=2.0, rate=0.5)


def test_the_owner_is_told_of_the_batch_and_anybody_of_the_noisy_sum():
    log, step = telling()
    norms = np.array([0.5, 2.0, np.inf, 1.0])
    scores, targets = np.zeros((4, 1)), np.array([0.0, 1.0, 1.0, 0.0])
    noisy = [np.full(8, 100.0)]
    step.see(1, scores, targets, norms, noisy)
    (view,), (seen,) = log.views, log.public
    assert (view.examples, view.left_out) == (4, 1)
    assert view.loss == pytest.approx(np.log(2))
    assert view.clipped_share == pytest.approx(1 / 3)
    assert seen.signal_to_noise == pytest.approx(100**2 / (25 * 2.0) ** 2 - 1)
    assert (seen.step, seen.steps, seen.rate, seen.bound) == pytest.approx((1, 40, 0.5, 1.0))


def test_an_epsilon_on_the_way_holds_for_the_steps_so_far_and_ends_at_the_promise():
    _, step = telling()
    shown = [step._epsilon_after(done) for done in range(1, 41)]
    assert shown == sorted(shown)
    for done in (1, 7, 20, 40):
        true = epsilon_for(run_of(Fraction(1), done, Fraction(25)), PROMISE.delta, accountant="pld").epsilon
        assert min(1.0, true) <= shown[done - 1] + 1e-9
    assert len(set(shown)) <= 20, "only some are computed"
    assert shown[-1] <= 1
