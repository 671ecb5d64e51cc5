"""The learners beside the linear one: what they promise, refuse and reach."""

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet.artifact._feature_encoding import Features, NumberColumn
from privet.artifact._fitted_weights import ModelTarget
from privet.artifact._released_model import ReleasedModel
from privet.errors import BadTraining
from privet.guarantee._privacy_units import Person, Row
from privet.guarantee._promise_registry import ApproxDP
from privet.ledger import Ledger
from privet.protect.train.tabular._learner_registry import LEARNERS, Task, learner

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
