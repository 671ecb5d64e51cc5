"""Single checks of structure: what each notices, how often it cries wolf, and when it says that it cannot tell."""

from dataclasses import replace

import numpy as np
import pytest
from tests.attacks.dp_audit.toy import CLAIM, Toy

from privet.artifact._risk_estimate import Verdict
from privet.attacks.dp_audit import Observed
from privet.attacks.dp_audit._white_box_checks import (
    clipping,
    freshness,
    noise_independence,
    noise_scale,
    participation,
    steps_taken,
)

CHECKS = (noise_scale, noise_independence, clipping, participation, steps_taken)
ALL = np.ones(80, bool)


def right(seed: int = 0, **how) -> Observed:
    return Toy(canaries=80, seed=seed, **how)(ALL)


def test_alarms_are_as_rare_as_stated() -> None:
    """Each check raises an alarm in at most 1 of 10,000 right runs: three of 1,000 have a chance below 2e-4."""
    alarms = 0
    for seed in range(200):
        run = right(seed)
        alarms += sum(check(run).failed for check in CHECKS)
    assert alarms <= 2


@pytest.mark.parametrize("check", [noise_scale, noise_independence, participation])
def test_p_values_are_not_too_small(check) -> None:
    """Under the claim at most a tenth of p-values lie below a tenth; 200 runs, 50 has a chance below 1e-9."""
    assert sum(check(right(seed)).p_value < 0.1 for seed in range(200)) < 50


@pytest.mark.parametrize("factor", [0.9, 1.1])
def test_noise_off_by_a_tenth_is_noticed_both_ways(factor: float) -> None:
    assert noise_scale(right(1, noise=factor)).failed


def test_noise_left_out_of_one_coordinate_or_one_step_is_noticed() -> None:
    run = right(2)
    assert run.exact is not None
    one = run.noisy.copy()
    one[:, 5] = run.exact[:, 5]
    assert noise_scale(replace(run, noisy=one)).failed
    step = run.noisy.copy()
    step[7] = run.exact[7]
    assert noise_scale(replace(run, noisy=step)).failed


def test_noise_used_twice_or_undone_is_noticed() -> None:
    run = right(3)
    assert run.exact is not None
    noise = run.noisy - run.exact
    twice = noise.copy()
    twice[60] = twice[4]
    assert noise_independence(replace(run, noisy=run.exact + twice)).failed
    undone = noise.copy()
    undone[1::2] = -0.5 * undone[::2] + np.sqrt(0.75) * undone[1::2]
    assert noise_independence(replace(run, noisy=run.exact + undone)).failed
    alike = np.repeat(noise[:, :1], noise.shape[1], axis=1)
    assert noise_independence(replace(run, noisy=run.exact + alike)).failed


@pytest.mark.parametrize(
    "how", ["twice the rate", "half the rate", "shuffled", "fixed size", "always the same people"]
)
def test_sampling_that_is_not_as_claimed_is_noticed(how: str) -> None:
    draw = np.random.default_rng(4)
    people, steps, q = 400, 100, 0.1
    mask = draw.random((steps, people)) < {"twice the rate": 0.2, "half the rate": 0.05}.get(how, q)
    if how == "shuffled":
        parts = [np.array_split(draw.permutation(people), 10) for _ in range(10)]
        mask = np.array([np.isin(np.arange(people), part) for epoch in parts for part in epoch])
    elif how == "fixed size":
        mask = np.array([draw.permutation(people) < 40 for _ in range(steps)])
    elif how == "always the same people":
        mask = np.repeat(draw.random((1, people)) < q, steps, axis=0)
    run = Observed(CLAIM, np.zeros((steps, 2)), participation=mask.sum(0), batches=mask.sum(1))
    assert participation(run).failed


def test_without_sampling_everybody_takes_part_in_every_step() -> None:
    whole = replace(CLAIM, q=1.0)
    run = Observed(whole, np.zeros((10, 2)), participation=np.full(5, 10))
    assert not participation(run).failed
    assert participation(replace(run, participation=np.array([10, 10, 9, 10, 10]))).failed


def test_clipping_is_tested_only_if_an_example_reaches_the_norm() -> None:
    run = right(5)
    assert clipping(run).estimate().verdict is Verdict.WITHIN
    calm = replace(run, norms=np.full(100, 0.5 * CLAIM.clip))
    assert clipping(calm).estimate().verdict is Verdict.INCONCLUSIVE
    loud = replace(run, norms=np.array([CLAIM.clip * 1.01]))
    assert clipping(loud).estimate().verdict is Verdict.CONTRADICTS
    assert clipping(replace(run, norms=np.array([np.nan]))).failed


def test_what_was_not_written_down_is_inconclusive() -> None:
    bare = Observed(CLAIM, np.random.default_rng(6).normal(size=(100, 4)))
    for check in (noise_scale, noise_independence, clipping, participation):
        assert check(bare).estimate().verdict is Verdict.INCONCLUSIVE


def test_one_step_of_one_number_cannot_tell_much() -> None:
    run = Observed(CLAIM, np.array([[1.0]]), exact=np.array([[0.0]]))
    assert noise_independence(run).estimate().verdict is Verdict.INCONCLUSIVE
    assert noise_scale(run).estimate().verdict is Verdict.INCONCLUSIVE


def test_more_steps_than_accounted_for_and_fewer() -> None:
    run = right(7)
    assert steps_taken(replace(run, claim=replace(CLAIM, steps=99))).failed
    assert not steps_taken(replace(run, claim=replace(CLAIM, steps=101))).failed


def test_two_runs_draw_their_own_noise() -> None:
    first, second = right(8), right(9)
    assert not freshness(first, second).failed
    assert freshness(first, right(8)).failed
    assert second.exact is not None
    borrowed = second.noisy.copy()
    borrowed[3] = second.exact[3] + (first.noise[50] * CLAIM.sigma * CLAIM.clip)  # type: ignore[index]
    assert freshness(first, replace(second, noisy=borrowed)).failed
    assert freshness(replace(first, exact=None), replace(first, exact=None)).failed
    assert not freshness(replace(first, exact=None), second).failed
