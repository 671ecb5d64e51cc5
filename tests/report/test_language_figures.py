"""Pictures of a plan: every line is there, and lines of equal loss lie where the losses say."""

import re

import numpy as np
import pytest
from tests.protect.train.language.laws import table

from privet.guarantee import ApproxDP
from privet.protect.train.language import plan_language_model
from privet.report._chart import Plot
from privet.report._language_figures import (
    FACTORS,
    _level,
    best_along_compute,
    equal_losses,
    losses_along_compute,
)


@pytest.fixture(scope="module")
def plan():
    return plan_language_model(1e12, 20_000, 64, ApproxDP(2, 1e-6), law=table())


def test_one_line_for_each_epsilon(plan):
    drawn, rows = losses_along_compute(plan)
    assert drawn.count("epsilon ") >= len(FACTORS)
    losses = [[float(cell) for cell in row[1:] if cell != "–"] for row in rows]
    assert all(one == sorted(one, reverse=True) for one in losses), "a larger epsilon loses less"


@pytest.mark.parametrize("which", ["size", "batch", "steps"])
def test_the_best_lies_between_its_neighbours(plan, which):
    _, rows = best_along_compute(plan, which)
    for _, low, best, high in rows:
        assert float(low) <= float(best) * 1.01
        assert float(best) <= float(high) * 1.01


@pytest.mark.parametrize("other", ["compute", "examples"])
def test_equal_losses_are_drawn_over_both(plan, other):
    drawn, rows = equal_losses(plan, other)
    assert "Equal losses" in drawn
    assert len(rows) == 7


def test_a_line_of_equal_loss_is_where_the_loss_is():
    plot = Plot(width=100, height=100, left=0, right=0, top=0, bottom=0)
    epsilons, values = np.array([1.0, 10.0, 100.0]), np.array([1.0, 100.0])
    losses = np.array([[3.0, 3.0], [2.0, 2.0], [1.0, 1.0]])
    drawn = _level(values, epsilons, losses, 2.0, (plot.x(1, 100, log=True), plot.y(1, 100, log=True)))
    heights = {float(place.split()[1]) for place in re.findall(r"[\d.]+ [\d.]+", drawn.split("<text")[0])}
    assert sorted(heights) == pytest.approx([50]), "half-way up, at epsilon 10"
    assert _level(values, epsilons, losses, 5.0, (plot.x(1, 100, log=True), plot.y(1, 100, log=True))) == ""
