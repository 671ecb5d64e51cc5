"""How weights move: rates as scheduled, and what makes no sense refused."""

import math

import pytest

from privet.errors import BadTraining, BadUsage
from privet.protect.train.gradients import (
    Optimizer,
    StepSpeed,
)


@pytest.mark.parametrize(
    "given",
    [
        {"optimizer": "lion"},
        {"schedule": "steps"},
        {"rate": 0},
        {"momentum": 1.0},
        {"average": 1.0},
        {"views": 2},
        {"views": 0},
    ],
)
def test_a_course_that_makes_no_sense_is_refused(given):
    with pytest.raises((BadTraining, BadUsage)):
        Optimizer(**given)


@pytest.mark.parametrize("given", [{"physical": 0}, {"every": 0}, {"threads": 0}, {"engine": "fast"}])
def test_a_speed_that_makes_no_sense_is_refused(given):
    with pytest.raises((BadTraining, BadUsage)):
        StepSpeed(**given)


@pytest.mark.parametrize(
    ("schedule", "warmup", "wanted"),
    [
        ("constant", 0, [1, 1, 1, 1]),
        ("linear", 0, [1, 0.75, 0.5, 0.25]),
        ("cosine", 0, [1, (1 + math.cos(math.pi / 4)) / 2, 0.5, (1 - math.cos(math.pi / 4)) / 2]),
        ("linear", 2, [0.5, 1, 1, 0.5]),
    ],
)
def test_rates_rise_and_fall_as_scheduled(schedule, warmup, wanted):
    settings = Optimizer(rate=2.0, schedule=schedule, warmup=warmup)
    assert [settings.rate_at(step, 4) for step in range(4)] == pytest.approx([2 * one for one in wanted])


def test_only_what_moves_the_weights_is_recorded_of_an_augmentation_its_name():
    def turned(x, generator):
        return x

    record = Optimizer(augment=turned, views=2).to_json()
    assert record["augment"].endswith("turned")
    assert Optimizer().to_json()["augment"] is None
    assert StepSpeed(physical=7).to_json() == {"physical": 7, "engine": "auto", "threads": None}
