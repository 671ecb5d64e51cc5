"""The plan: its event is what will be sampled and drawn, its noise the least that keeps the promise."""

import dataclasses
from fractions import Fraction

import pytest
from torch import nn

import privet as pv
from privet.errors import BadTraining, UnsafeModel
from privet.guarantee._composition import certify, epsilon_for
from privet.guarantee._events import (
    Composed,
    Gaussian,
    PoissonSampled,
    Repeated,
    SealedPlan,
)
from privet.protect.train.gradients import Clipping, plan

MODEL = nn.Linear(3, 2)
RHO = pv.ZeroConcentratedDP("0.5")


def test_noise_is_calibrated_to_the_promise():
    made = plan(MODEL, pv.ApproxDP(1, "1e-5"), records=10_000, batch=100, steps=1000)
    assert float(made.noise_multiplier) == pytest.approx(1.4156, rel=2e-3)
    assert made.event == SealedPlan(
        Repeated(PoissonSampled(Fraction(1, 100), Gaussian(made.noise_multiplier, 1)), 1000), "1e-5"
    )
    assert 0.99 < certify(made.event).epsilon <= 1
    assert made.divisor == pytest.approx(100)
    losses = [made.epsilon_after(steps) for steps in (0, 1, 10, 300, 999, 1000)]
    assert losses == sorted(losses)
    assert losses[0] == 0
    assert losses[-1] == certify(made.event).epsilon
    exact = epsilon_for(Repeated(made.event.event.event, 300), "1e-5", accountant="pld").epsilon
    assert exact <= made.epsilon_after(300) <= 1


def test_without_sampling_the_noise_is_known_in_closed_form():
    made = plan(MODEL, RHO, records=100, batch=100, steps=4, sampling="full")
    assert made.event == Repeated(Gaussian(made.noise_multiplier, 1), 4)
    assert float(made.noise_multiplier) == pytest.approx(2)
    assert made.q == 1
    assert made.batch == 100
    shuffled = plan(MODEL, RHO, records=100, batch=10, steps=40, sampling="shuffled")
    assert (shuffled.event, shuffled.disjoint, shuffled.steps) == (made.event, 10, 40)
    assert plan(MODEL, RHO, records=100, batch=10, steps=31, sampling="shuffled").event == made.event


def test_replacement_doubles_what_a_record_can_do_and_is_not_amplified():
    made = plan(MODEL, RHO, records=9, batch=9, steps=1, sampling="full", unit=pv.Row(pv.Change.REPLACE))
    assert made.reach == 2
    assert plan(MODEL, RHO, records=9, batch=9, steps=1, sampling="full").reach == 1
    with pytest.raises(BadTraining, match="replaced"):
        plan(MODEL, pv.ApproxDP(1, "1e-5"), records=9, batch=3, steps=1, unit=pv.Row(pv.Change.REPLACE))


def test_adaptive_clipping_pays_for_its_count():
    made = plan(
        MODEL, RHO, records=400, batch=400, steps=2, sampling="full", clipping=Clipping(1.0, "adaptive")
    )
    gradient, count = made.event.event.events
    assert isinstance(made.event.event, Composed)
    assert count == Gaussian(20, Fraction(1, 2))
    plain = plan(MODEL, RHO, records=400, batch=400, steps=2, sampling="full")
    assert gradient.sigma > plain.noise_multiplier
    own = Clipping(1.0, "adaptive", count_noise=3.0)
    made = plan(MODEL, RHO, records=400, batch=400, steps=2, sampling="full", clipping=own)
    assert made.event.event.events[1].sigma == 3


def test_models_that_cannot_be_trained_privately_are_refused_before_anything_is_read():
    with pytest.raises(UnsafeModel, match="BatchNorm"):
        plan(
            nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2)),
            RHO,
            records=9,
            batch=9,
            steps=1,
            sampling="full",
        )
    with pytest.raises(BadTraining, match="parameters"):
        plan(nn.ReLU(), RHO, records=9, batch=9, steps=1, sampling="full")


def test_a_plan_is_frozen_and_says_what_it_is():
    made = plan(MODEL, RHO, records=9, batch=9, steps=1, sampling="full")
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.steps = 2
    assert made.weights == 8
    assert "1 steps on all records" in str(made)
    record = made.to_json()
    assert record["trained"] == [["weight", [2, 3]], ["bias", [2]]]
    assert record["event"] == made.event.to_json()
