"""The linear learner: what is drawn to zero, what is booked, and which steps are taken."""

from fractions import Fraction

import numpy as np
import pytest

import privet as pv
from privet.artifact._feature_encoding import CategoryColumn, Features, NumberColumn
from privet.artifact._fitted_weights import ModelTarget
from privet.errors import BadTraining
from privet.protect.train.tabular._default_hyperparameters import LinearSettings
from privet.protect.train.tabular._feature_basis import Basis
from privet.protect.train.tabular._learner_registry import Task
from privet.protect.train.tabular._linear_models import LinearLearner, _Walk

YES_NO = ModelTarget("y", ("no", "yes"))


def task(numbers=0, categories=(), *, records, target=YES_NO, unit=None):
    columns = [NumberColumn(f"n{at}", 0, 1, 32) for at in range(numbers)]
    columns += [
        CategoryColumn(f"c{at}", tuple(f"v{v}" for v in range(many - 1)))
        for at, many in enumerate(categories)
    ]
    return Task(Features(tuple(columns)), target, unit or pv.Row(), records)


DIGITS = ModelTarget("digit", tuple("0123456789"))


SHAPES = {
    "breast": task(30, records=455),
    "digits": task(64, records=1_437, target=DIGITS),
    "hospital": task(3, (4, 11, 114), records=3_200),
    "adult": task(1, (3, 6, 8, 17, 42, 8, 15), records=24_129),
    "diabetes": task(10, records=353, target=ModelTarget("y", (), 0.0, 350.0)),
}


def test_the_constant_is_not_drawn():
    planned = LinearLearner().plan(SHAPES["hospital"], pv.ApproxDP(1, "1e-6"))
    basis = Basis.of(planned.task.features, planned.chosen.terms)
    pulls = planned._pulls(basis)
    assert pulls.shape == (basis.width, 1)
    assert pulls[-1] == 0
    assert np.all(pulls[:-1] > 0)
    assert pulls[-2] == pytest.approx(10 / 3_200)


def test_steps_have_momentum_a_pull_and_the_mean_of_the_last():
    settings = LinearSettings(steps=4, q=Fraction(1), rate=0.5, clip=1.0, terms=1, momentum=0.5, averaged=0.5)
    walk = _Walk.begin(np.array([[0.0], [1.0]]), 1, settings)
    places, weights, speed = [], np.zeros((2, 1)), np.zeros((2, 1))
    for gradient in (1.0, -2.0, 0.5, 0.0):
        walk.move(np.full((2, 1), gradient))
        speed = 0.5 * speed + gradient + np.array([[0.0], [1.0]]) * weights
        weights = weights - 0.5 * speed
        places.append(weights)
    assert walk.weights == pytest.approx(weights)
    assert walk.mean() == pytest.approx((places[2] + places[3]) / 2)


def test_replaced_units_reach_twice_as_far_and_sums_are_divided_by_a_constant():
    promise = pv.ApproxDP(1, "1e-6")
    plain = LinearLearner().plan(task(2, records=1000), promise)
    replaced = LinearLearner().plan(task(2, records=1000, unit=pv.Row(change=pv.Change.REPLACE)), promise)
    assert plain.reach == pytest.approx(plain.chosen.clip)
    assert replaced.reach == pytest.approx(2 * replaced.chosen.clip)
    assert plain.divisor == pytest.approx(float(plain.chosen.q) * 1000)
    with pytest.raises(BadTraining, match="no option depth"):
        LinearLearner().plan(task(2, records=1000), promise, depth=3)
