"""Linear models: what they learn, that every half knows every class, and that a stronger penalty moves less."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from privet.protect.pac import PacModel
from privet.protect.pac._design_matrix import Classes, DesignMatrix, Feature
from privet.protect.pac._linear_learners import (
    LogisticWeights,
    MarginWeights,
    RidgeWeights,
    training_rows,
    with_last_class,
)

DESIGN = DesignMatrix((Feature("x", 0, 10), Feature("y", 0, 10)))
TWO, THREE = Classes("c", ("no", "yes")), Classes("c", ("a", "b", "z"))
DRAW = np.random.default_rng(6)  # seeded: every run has the same rows


def rows(classes: Classes, number: int = 300) -> pa.Table:
    places = DRAW.integers(0, len(classes.values), number)
    x = np.clip(places * 10 / (len(classes.values) - 1) + DRAW.normal(0, 1.5, number), 0, 10)
    y = DRAW.random(number) * 10
    return pa.table({"x": x, "y": y, "c": [classes.values[at] for at in places], "n": 3 * x + 10})


@pytest.mark.parametrize("learner", [LogisticWeights, MarginWeights])
@pytest.mark.parametrize(("classes", "points"), [(TWO, [[0, 5], [10, 5]]), (THREE, [[0, 5], [10, 5]])])
def test_classes_are_learned_and_predicted(learner, classes, points) -> None:
    found = learner(DESIGN, classes, 0.01)(rows(classes))
    scores = 1 if len(classes.values) == 2 else len(classes.values) - (learner is LogisticWeights)
    assert found.shape == (scores, 3)
    model = PacModel(DESIGN, classes, with_last_class(found) if learner is LogisticWeights else found)
    assert model.predict(points) == [classes.values[0], classes.values[-1]]
    if learner is LogisticWeights:
        assert model.predict_proba(points).sum(axis=1) == pytest.approx([1, 1])
        assert model.predict_proba(points)[0, 0] > 0.7
    else:
        assert np.linalg.norm(found) == pytest.approx(1)


def test_a_number_is_regressed_in_its_own_units() -> None:
    target = Feature("n", 10, 40)
    found = RidgeWeights(DESIGN, target, 1e-6)(rows(TWO))
    assert PacModel(DESIGN, target, found).predict([[0, 3], [5, 9]]) == pytest.approx([10, 25], abs=0.1)


def test_every_half_knows_every_class_and_order_does_not_matter() -> None:
    some = rows(THREE).filter(pa.compute.not_equal(pa.array(rows(THREE)["c"].to_pylist()), "z"))
    points, codes, weights = training_rows(DESIGN, THREE, some)
    assert set(codes.tolist()) == {0, 1, 2}
    assert weights[-3:].sum() == pytest.approx(1)
    again = training_rows(DESIGN, THREE, some.take(np.arange(some.num_rows)[::-1]))
    assert np.array_equal(points, again[0])
    assert LogisticWeights(DESIGN, THREE, 0.1)(some).shape == (2, 3)


def test_a_stronger_penalty_moves_less_between_halves() -> None:
    """The same halves of the same rows: nothing here is random."""
    every = rows(TWO, 120)
    halves = [every.take(DRAW.permutation(120)[:60]) for _ in range(30)]

    def spread(strength: float) -> float:
        found = [LogisticWeights(DESIGN, TWO, strength)(half)[0, :-1] for half in halves]
        return float(np.var(found, axis=0).sum())

    assert spread(10.0) < spread(0.001) / 2
