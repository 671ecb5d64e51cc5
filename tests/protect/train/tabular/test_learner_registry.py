"""The learners beside the linear one: what they promise, refuse and reach."""

import math

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import norm

import privet as pv
from privet.artifact._feature_encoding import Features, NumberColumn
from privet.artifact._fitted_weights import ModelTarget
from privet.artifact._released_model import ReleasedModel
from privet.errors import BadTraining, PermitMismatch
from privet.guarantee._composition import epsilon_for
from privet.guarantee._events import SealedPlan
from privet.guarantee._privacy_units import Change, Person, Row
from privet.guarantee._promise_registry import ApproxDP
from privet.ledger import Ledger
from privet.mechanism import SecretSeed
from privet.mechanism._objective_noise import Geometry, perturbation, term_sigma
from privet.protect.train import (
    _explainable_boosting as ebm,
)
from privet.protect.train import (
    _multilayer_perceptron as mlp,
)
from privet.protect.train import (
    _objective_perturbation as objective,
)
from privet.protect.train.tabular._learner_registry import LEARNERS, Examples, Task, learner

SCHEMA = {
    "x": {"kind": "number", "lower": -3, "upper": 3},
    "c": {"kind": "category", "values": ["a", "b", "c"]},
    "y": {"kind": "category", "values": ["no", "yes"]},
}
NEW = ("ebm", "mlp", "objective")


def rows(n: int, seed: int = 0) -> pa.Table:
    draw = np.random.default_rng(seed)
    x, c = draw.normal(size=n), draw.integers(0, 3, n)
    y = np.where(x + (c - 1) + 0.3 * draw.normal(size=n) > 0, "yes", "no")
    return pa.table({"x": x, "c": np.array(["a", "b", "c"])[c], "y": y})


def task(unit=None, classes=("no", "yes"), records=2000) -> Task:
    return Task(Features((NumberColumn("x", 0, 1),)), ModelTarget("y", classes), unit or Row(), records)


@pytest.mark.parametrize("name", NEW)
def test_it_learns_is_saved_and_booked(name, tmp_path):
    with Ledger(tmp_path / "t.ledger", limit=ApproxDP(2, "1e-5")) as book:
        table = pv.open_table(rows(3000), unit=Row())
        model = pv.train(
            table, ApproxDP(2, "1e-5"), target="y", schema=SCHEMA, records=3000, model=name, ledger=book
        )
        (spend,) = [entry for entry in book.history() if entry.kind == "spend"]
    assert float(spend.cost["epsilon"]) <= 2
    test = rows(2000, seed=1)
    assert (np.asarray(model.predict(test)) == np.array(test["y"])).mean() > 0.85
    model.save(tmp_path / "model")
    again = ReleasedModel.load(tmp_path / "model")
    assert np.array_equal(again.predict_proba(test), model.predict_proba(test))


@pytest.mark.parametrize("name", NEW)
def test_persons_with_several_rows_and_unknown_options_are_refused(name):
    assert name in LEARNERS
    with pytest.raises(BadTraining):
        learner(name).plan(task(Person("p", max_rows=3)), ApproxDP(1, "1e-6"))
    with pytest.raises(BadTraining):
        learner(name).plan(task(), ApproxDP(1, "1e-6"), depth=3)


@pytest.mark.parametrize("name", ["ebm", "objective"])
@pytest.mark.parametrize("classes", [(), ("a", "b", "c")], ids=["number", "three"])
def test_what_cannot_be_certified_is_refused(name, classes):
    with pytest.raises(BadTraining):
        learner(name).plan(task(classes=classes), ApproxDP(1, "1e-6"))


def test_objective_perturbation_refuses_replaced_rows():
    with pytest.raises(BadTraining):
        objective.ObjectiveLearner().plan(task(Row(change=Change.REPLACE)), ApproxDP(1, "1e-6"))


# --- boosting ------------------------------------------------------------------------------------


def test_boosting_is_priced_by_our_account_for_a_replaced_row():
    plan = ebm.BoostingLearner().plan(task(), ApproxDP(1, "1e-6"))
    assert isinstance(plan.event, SealedPlan)
    epsilon = epsilon_for(plan.event.event, "1e-6").epsilon
    assert 0.95 < epsilon <= 1
    # interpret's own statement counts a row that is added: half the reach, so about half the epsilon.
    assert plan.given < 0.7


@pytest.mark.parametrize("many", [0, 5, 150])
def test_interpret_sees_the_same_public_number_of_rows_whatever_there_are(many):
    examples = Examples(np.zeros((many, 1), dtype=np.int32), np.zeros(many))
    codes, classes = ebm._exactly(examples, task(records=100))
    assert codes.shape == (102, 1)
    assert set(classes) == {0, 1}
    assert (codes == 0).sum() >= min(many, 100)


# --- the network ---------------------------------------------------------------------------------


def test_the_network_clips_each_row_to_its_bound():
    """Against gradients by differences, row by row; and a row with a huge weight moves the sum by the bound."""
    own = task()
    draw = np.random.default_rng(3)
    codes = draw.integers(0, 17, (6, 1)).astype(np.int32)
    targets = draw.integers(0, 2, 6).astype(float)
    inputs = mlp.one_hot(codes, own)
    layers = mlp._begin(inputs.shape[1], 1, SecretSeed.fresh())
    layers[1] = (layers[1][0] * 8, layers[1][1])
    total = [np.zeros_like(part) for layer in layers for part in layer]
    for at in range(6):
        single = _by_differences(layers, inputs[at], targets[at])
        norm_ = math.sqrt(sum(float((part**2).sum()) for part in single))
        total = [held + part * min(1, mlp.CLIP / norm_) for held, part in zip(total, single, strict=True)]
    found = mlp.clipped_sums(layers, inputs, targets, own)
    for mine, expected in zip(found, total, strict=True):
        np.testing.assert_allclose(mine, expected, atol=1e-5)
    alone = mlp.clipped_sums(layers, inputs[:1], targets[:1], own)
    assert math.sqrt(sum(float((part**2).sum()) for part in alone)) <= mlp.CLIP


def _by_differences(layers, row, target):
    def loss():
        (first, b1), (second, b2) = layers
        score = float((np.tanh(row @ first + b1) @ second + b2)[0])
        return np.logaddexp(0, score) - target * score

    found = []
    for layer in layers:
        for part in layer:
            gradient = np.zeros_like(part)
            for at in np.ndindex(part.shape):
                kept = part[at]
                part[at] = kept + 1e-5
                up = loss()
                part[at] = kept - 1e-5
                gradient[at] = (up - loss()) / 2e-5
                part[at] = kept
            found.append(gradient)
    return found


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
