"""Batches and rates that nobody states: from promise, plan and weights, and as the rule's own sentences say."""

import numpy as np
import pytest
import torch

import privet as pv
from privet.errors import BadTraining
from privet.guarantee import Change
from privet.mechanism import SecretSeed
from privet.mechanism._correlated_noise import CorrelatedMemory
from privet.protect.train.gradients._automatic_settings import (
    CARRIED,
    FASTEST,
    automatic_batch,
    automatic_rate,
)
from privet.protect.train.gradients._correlated_account import BandedInverseNoise, BandedNoise

PROMISE = pv.ApproxDP(1, "1e-5")


def model():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(20, 10), torch.nn.Tanh(), torch.nn.Linear(10, 2))


def test_the_batch_is_the_smallest_whose_noise_is_that_of_a_larger_one():
    records, steps = 20_000, 200
    batch = automatic_batch(PROMISE, records, steps)
    assert batch == pytest.approx(0.0254 * records, rel=0.02)  # 1 / 3.7306 / sqrt(200 · (e^(4/9) - 1))

    def noise(size):
        made = pv.train.plan(model(), PROMISE, records=records, batch=size, steps=steps)
        return float(made.noise_multiplier) / size

    assert noise(batch) <= 1.2 * noise(4 * batch)
    assert noise(batch // 4) >= 1.4 * noise(batch)


def test_it_grows_with_epsilon_and_never_beyond_all_records():
    sizes = [automatic_batch(pv.ApproxDP(epsilon, "1e-5"), 1_000, 100) for epsilon in (0.1, 1, 4, 200)]
    assert sizes == sorted(sizes)
    assert sizes[-1] == 1_000
    assert automatic_batch(pv.ApproxDP("0.001", "1e-9"), 10, 10_000) == 1


def test_noise_alone_carries_weights_a_multiple_of_their_own_length():
    network = model()
    made = pv.train.plan(network, PROMISE, records=2_000, steps=100)
    assert made.batch == automatic_batch(PROMISE, 2_000, 100)
    rate = automatic_rate(network, float(made.noise_multiplier) / made.divisor, made.steps)
    many = sum(weight.numel() for weight in network.parameters())
    length = sum(float(weight.detach().square().sum()) for weight in network.parameters()) ** 0.5
    walked = rate / (1 - 0.9) * float(made.noise_multiplier) / made.divisor * (100 * many) ** 0.5
    assert walked == pytest.approx(CARRIED * max(1.0, length), rel=1e-6)
    assert pv.Optimizer.automatic(network, made).rate == pytest.approx(rate)
    quiet = pv.train.plan(network, pv.ApproxDP(50, "1e-5"), records=10**7, batch=10**6, steps=2)
    assert pv.Optimizer.automatic(network, quiet).rate == pytest.approx(FASTEST)


KINDS = {
    "independent": "independent",
    "correlated": "correlated",
    "banded": BandedNoise(4),
    "inverse": BandedInverseNoise(4),
}


def in_rounds(noise, network):
    given = {"records": 600, "batch": 20, "steps": 40, "sampling": "epochs"}
    return pv.train.plan(network, PROMISE, noise=noise, **given)


@pytest.mark.parametrize("noise", KINDS.values(), ids=KINDS)
def test_noise_that_later_steps_take_back_counts_as_far_as_it_carries_the_weights(noise):
    """By drawing it: running sums of 4,000 numbers, whose mean square is off by less than a tenth in all but one in 10^9 draws."""
    network = model()
    made = in_rounds(noise, network)
    strategy = made.rounds.strategy or made.event.event
    ratio = float(made.rounds.sigma)
    memory = CorrelatedMemory(strategy, SecretSeed.fresh())
    sums = np.cumsum([ratio * memory.noise(step, 4_000) for step in range(40)], axis=0)
    drawn = (np.square(sums).mean() / 20.5) ** 0.5
    assert made.carried_deviation == pytest.approx(drawn, rel=0.1)
    rate = automatic_rate(network, made.carried_deviation / made.divisor, 40)
    assert pv.Optimizer.automatic(network, made).rate == pytest.approx(rate)


def test_correlated_noise_allows_a_faster_rate_and_a_replaced_record_a_slower_one():
    network = model()
    rates = [pv.Optimizer.automatic(network, in_rounds(noise, network)).rate for noise in KINDS.values()]
    assert all(other > 1.1 * rates[0] for other in rates[1:])
    kept, replaced = (
        pv.train.plan(
            network, PROMISE, records=2_000, batch=100, steps=100, unit=pv.Row(change), sampling="shuffled"
        )
        for change in (Change.ADD_OR_REMOVE, Change.REPLACE)
    )
    assert replaced.carried_deviation == pytest.approx(2 * float(replaced.noise_multiplier))
    assert pv.Optimizer.automatic(network, replaced).rate < pv.Optimizer.automatic(network, kept).rate


def test_where_the_rule_has_too_little_to_go_by_a_batch_is_asked_for():
    full = pv.train.plan(model(), PROMISE, records=50, steps=3, sampling="full")
    assert full.batch == 50
    for asked in ({"noise_multiplier": 2.0}, {"steps": 3, "sampling": "shuffled"}, {"steps": 0}):
        with pytest.raises(BadTraining, match="batch"):
            pv.train.plan(model(), PROMISE, records=50, **asked)
    with pytest.raises(BadTraining):
        pv.train.plan(model(), pv.ZeroConcentratedDP("0.1"), records=50, steps=3)
