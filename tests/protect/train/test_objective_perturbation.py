"""Objective perturbation: what the theorem allows, by the book."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from privet.artifact._feature_encoding import Features, NumberColumn
from privet.artifact._fitted_weights import ModelTarget
from privet.errors import BadTraining, PermitMismatch
from privet.guarantee._privacy_units import Change, Row
from privet.guarantee._promise_registry import ApproxDP
from privet.mechanism._objective_noise import Geometry, perturbation, term_sigma
from privet.protect.train import (
    _objective_perturbation as objective,
)
from privet.protect.train.tabular._learner_registry import Task


def task(unit=None, classes=("no", "yes"), records=2000) -> Task:
    return Task(Features((NumberColumn("x", 0, 1),)), ModelTarget("y", classes), unit or Row(), records)


def test_objective_perturbation_refuses_replaced_rows():
    with pytest.raises(BadTraining):
        objective.ObjectiveLearner().plan(task(Row(change=Change.REPLACE)), ApproxDP(1, "1e-6"))


# --- objective perturbation ----------------------------------------------------------------------


def test_the_linear_term_has_the_least_deviation_that_the_theorem_allows():
    shape = Geometry(1.0, 0.25, 1.0)

    def delta(sigma):
        return 2 * norm.sf(sigma * (1 - math.log(1.25)) - 1 / (2 * sigma))

    sigma = term_sigma(1.0, 1e-6, shape)
    assert delta(sigma) <= 1e-6 < delta(0.999 * sigma)


def test_one_dimension_by_the_book():
    """No data against one row, exactly: the odds of the released weight stay within (epsilon, delta)."""
    epsilon, delta, pull = 1.0, 1e-3, 1.0
    sigma = term_sigma(epsilon, delta, Geometry(1.0, 0.25, pull))
    w = np.linspace(-60, 60, 400_001)
    share = 1 / (1 + np.exp(-w))
    without = norm.pdf(-pull * w, scale=sigma) * pull
    with_row = norm.pdf(-(share - 1) - pull * w, scale=sigma) * (share * (1 - share) + pull)
    step = w[1] - w[0]
    for one, other in ((without, with_row), (with_row, without)):
        assert np.maximum(one - math.exp(epsilon) * other, 0).sum() * step <= delta
        # The bound is not idle: a twentieth of the noise breaks it.
    little = sigma / 20
    one = norm.pdf(-(share - 1) - pull * w, scale=little) * (share * (1 - share) + pull)
    other = norm.pdf(-pull * w, scale=little) * pull
    assert np.maximum(one - math.exp(epsilon) * other, 0).sum() * step > delta


def test_no_term_without_a_permit():
    with pytest.raises(PermitMismatch):
        perturbation(None, Geometry(1, 1, 1), 3)  # type: ignore[arg-type]


def test_newtons_method_ends_where_the_gradient_does():
    draw = np.random.default_rng(4)
    rows, targets = draw.normal(size=(60, 3)) / 3, draw.integers(0, 2, 60).astype(float)
    weighed, term, pull = np.where(targets > 0, 2.0, 1.0), draw.normal(size=3), 0.5
    found = objective._minimum(rows, targets, weighed, pull, term)
    shares = 1 / (1 + np.exp(-rows @ found))
    gradient = rows.T @ (weighed * (shares - targets)) + pull * found + term
    assert np.linalg.norm(gradient) <= objective.SLACK


@pytest.mark.parametrize(("epsilon", "refused"), [(objective.LARGEST, False), (objective.LARGEST + 1, True)])
def test_an_epsilon_beyond_the_proof_is_refused(epsilon, refused):
    learner_ = objective.ObjectiveLearner()
    if refused:
        with pytest.raises(BadTraining, match="must not be above"):
            learner_.plan(task(), ApproxDP(epsilon, "1e-6"))
    else:
        assert learner_.plan(task(), ApproxDP(epsilon, "1e-6")).geometry.pull > 0


def test_class_weights_raise_what_a_row_can_do():
    plain = objective.ObjectivePlan(task(), ApproxDP(1, "1e-6")).geometry
    heavy = objective.ObjectivePlan(
        Task(task().features, task().target, Row(), 100, (1.0, 3.0)), ApproxDP(1, "1e-6")
    ).geometry
    assert (heavy.gradient, heavy.curvature) == pytest.approx((3 * plain.gradient, 3 * plain.curvature))
    assert heavy.pull == pytest.approx(3 * plain.pull)
