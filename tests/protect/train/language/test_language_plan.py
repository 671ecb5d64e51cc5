"""Plans of language models: the least loss that is affordable, priced exactly, and never worse for having more."""

import json
from fractions import Fraction

import numpy as np
import pytest
from tests.protect.train.language.laws import RATIOS, SIZES, STEPS, table

from privet.errors import BadTraining, BadUsage, NoSolution
from privet.guarantee import ApproxDP, Gaussian, PoissonSampled, Repeated, epsilon_for
from privet.protect.train.language import PlanSpace, ScalingLaw, plan_language_model

LAW = ScalingLaw.of(table())
PROMISE = ApproxDP(2, 1e-6)
COMPUTE, EXAMPLES = 1e12, 20_000


@pytest.fixture(scope="module")
def usual():
    return plan_language_model(COMPUTE, EXAMPLES, 64, PROMISE, law=LAW)


def space(epsilon=2.0, examples=EXAMPLES):
    return PlanSpace(LAW, examples, 64, epsilon, 1e-6)


def test_the_plan_is_affordable_and_keeps_its_promise(usual):
    assert usual.used_compute <= 1.05 * usual.compute  # a batch is rounded up to whole examples
    event = Repeated(
        PoissonSampled(Fraction(usual.batch, usual.examples), Gaussian(Fraction(usual.noise_multiplier), 1)),
        usual.steps,
    )
    assert epsilon_for(event, PROMISE.delta, accountant="pld").epsilon <= PROMISE.epsilon
    less = Repeated(
        PoissonSampled(
            Fraction(usual.batch, usual.examples), Gaussian(Fraction(0.98 * usual.noise_multiplier), 1)
        ),
        usual.steps,
    )
    assert epsilon_for(less, PROMISE.delta, accountant="pld").epsilon > PROMISE.epsilon, (
        "and has no noise to spare"
    )


def test_no_affordable_combination_is_better(usual):
    space = usual.space
    affordable = space.losses[space.compute <= usual.compute]
    assert usual.expected_loss == pytest.approx(float(affordable.min()))
    low, high = usual.near["size"]
    assert low <= usual.size <= high
    assert space.least_loss(usual.saturating_compute) <= float(space.losses.min()) * 1.01


def test_more_epsilon_examples_or_compute_never_predict_worse():
    losses = {}
    for epsilon in (0.5, 1, 2, 4, 8):
        for examples in (10_000, 100_000, 10_000_000):
            space = PlanSpace(LAW, examples, 64, epsilon, 1e-8)
            for compute in np.geomspace(1e11, 1e18, 8):
                losses[epsilon, examples, float(compute)] = space.least_loss(float(compute))
    for (epsilon, examples, compute), loss in losses.items():
        for (epsilon_, examples_, compute_), other in losses.items():
            if epsilon_ >= epsilon and examples_ >= examples and compute_ >= compute:
                assert other <= loss


def test_what_doubling_buys_is_what_a_plan_with_twice_as_much_expects(usual):
    assert usual.doubled["epsilon"] == pytest.approx(space(4.0).least_loss(COMPUTE))
    assert usual.doubled["examples"] == pytest.approx(space(examples=2 * EXAMPLES).least_loss(COMPUTE))
    assert usual.doubled["compute"] == pytest.approx(space().least_loss(2 * COMPUTE))


def test_it_is_told_in_words_and_as_a_record(usual):
    said = str(usual)
    assert f"{usual.size:,} weights" in said
    assert "Twice as much" in said
    assert "It is made up." in said
    record = json.loads(json.dumps(usual.to_json()))
    assert record["noise_batch_ratio"] == pytest.approx(usual.noise_multiplier / usual.batch)
    assert record["within_two_percent"]["steps"][0] <= usual.steps <= record["within_two_percent"]["steps"][1]


def test_noise_beyond_all_that_was_measured_is_never_planned_with(usual):
    space = PlanSpace(LAW, EXAMPLES, 64, 0.5, 1e-6)
    ratios = space.sigmas / space.axes[1][:, None]
    assert np.all(np.isfinite(space.losses[:, ratios <= RATIOS[-1]]))
    assert not np.any(np.isfinite(space.losses[:, ratios > RATIOS[-1]]))
    assert np.any(ratios > RATIOS[-1]), "or nothing was tried here"
    assert usual.noise_batch_ratio <= RATIOS[-1] * 1.1
    with pytest.raises(NoSolution, match="more noise than any run") as refused:
        plan_language_model(COMPUTE, 200, 64, ApproxDP(0.001, 1e-6), law=LAW)
    assert "more examples" in refused.value.hint
    least = 6 * SIZES[0] * 64 * STEPS[0]
    with pytest.raises(NoSolution, match="more noise than any run") as refused:
        plan_language_model(1.3 * least, EXAMPLES, 64, ApproxDP(0.05, 1e-6), law=LAW)
    assert "operations are needed" in refused.value.hint


def test_a_plan_names_the_rate_that_lost_least_nearby(usual):
    assert usual.rate == pytest.approx(0.008)
    assert "Learning rate: 0.008" in str(usual)


def test_bad_input_is_refused():
    with pytest.raises(NoSolution, match="smallest model"):
        plan_language_model(10.0, EXAMPLES, 64, PROMISE, law=LAW)
    with pytest.raises(BadTraining, match="positive"):
        plan_language_model(float("nan"), EXAMPLES, 64, PROMISE, law=LAW)
    with pytest.raises(BadTraining, match="at least 2"):
        plan_language_model(COMPUTE, 1, 64, PROMISE, law=LAW)
    with pytest.raises(BadUsage):
        plan_language_model(1e14, 1000, 64, "epsilon 2")
