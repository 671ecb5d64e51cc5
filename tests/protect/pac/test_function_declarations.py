"""Each ready-made function as a declaration: its output has the shape, bounds and labels that are declared, and can be read."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from tests.protect.pac.people import book, people

import privet as pv
from privet.protect.pac import PacFunction
from privet.protect.pac._function_declarations import DECLARED

VALUES = {"ward": ["a", "b", "c"]}
# Every function, the columns it is tried on, and what is read of its output.
EVERY = {
    "means": (PacFunction.means(), ["age", "cost"], np.ndarray),
    "quantiles": (PacFunction.quantiles([0.5]), ["age", "cost"], np.ndarray),
    "covariance": (PacFunction.covariance(), ["age", "cost"], np.ndarray),
    "histogram": (PacFunction.histogram(4), ["age", "ward", "ill"], np.ndarray),
    "kmeans": (PacFunction.kmeans(2), ["age", "cost"], "PacClusters"),
    "pca": (PacFunction.pca(1), ["age", "cost"], "PacComponents"),
    "ridge": (PacFunction.ridge("cost"), ["age", "ill", "ward"], "PacModel"),
    "logistic_regression": (PacFunction.logistic_regression("ward"), ["age", "cost"], "PacModel"),
    "svm": (PacFunction.svm("ill"), ["age", "cost"], "PacModel"),
    "decision_tree": (PacFunction.decision_tree("ill", points=3), ["age", "ward"], "PacResponses"),
    "forest": (PacFunction.forest("ill", points=[[50, 100]], trees=3), ["age", "cost"], "PacResponses"),
    "responses": (PacFunction.responses(GaussianNB(), "ward", points=2), ["age", "cost"], "PacResponses"),
}


def test_every_function_is_tried_here_and_has_a_method() -> None:
    methods = {
        name for name, one in inspect.getmembers(PacFunction, inspect.isfunction) if not name.startswith("_")
    }
    assert set(EVERY) == set(DECLARED) == methods - {"declared"}


@pytest.mark.parametrize("name", EVERY)
def test_it_is_released_as_it_is_declared_and_read(name) -> None:
    function, columns, kind = EVERY[name]
    applied = people(80).apply(function, columns, keys=VALUES)
    box = applied.function
    assert box.note
    assert len(box.labels) == int(np.prod(box.shape))
    ledger = book()
    answer = pv.release(applied, pv.PacPrivacy(2), ledger=ledger, why="a test", worlds=16, processes=1)
    assert answer.labels == box.labels
    assert answer.shape == box.shape
    assert not list(ledger.incidents())  # no world failed
    assert box.note in answer.notes or name == "means"
    read = applied.read(answer)
    assert type(read).__name__ == kind if isinstance(kind, str) else isinstance(read, kind)
    again = people(80).apply(function, columns, keys=VALUES)
    same = pv.release(again, pv.PacPrivacy(2), ledger=ledger, why="a test", worlds=16, processes=1)
    assert same.numbers == answer.numbers  # the same function is known again


@pytest.mark.parametrize("name", [name for name in EVERY if name != "means"])
def test_outputs_lie_inside_their_declared_bounds(name) -> None:
    """What is clipped would be another function than the one that is named."""
    from privet.engine import world_rows
    from privet.protect.pac import WorldRows

    function, columns, _ = EVERY[name]
    applied = people(80).apply(function, columns, keys=VALUES)
    batches = world_rows(applied.table.relation, applied.columns, applied.unit, seed="s", worlds=2)
    half = WorldRows.of(batches, applied.columns, applied.bounds, "arrow", 2).half(0)
    found = np.asarray(applied.function.compute(half))
    low, high = (np.broadcast_to(np.asarray(end), found.shape) for end in applied.function.clip)
    assert found.shape == applied.function.shape
    assert (found >= low - 1e-12).all()
    assert (found <= high + 1e-12).all()


def test_means_are_one_pass_of_the_engine_and_truth_values_are_not() -> None:
    assert "one pass" in str(pv.explain(people().apply(PacFunction.means(), ["age"]), pv.PacPrivacy("1/16")))
    assert "one pass" not in str(
        pv.explain(people().apply(PacFunction.means(), ["age", "ill"]), pv.PacPrivacy("1/16"))
    )


def test_components_may_fit_public_ones() -> None:
    box = people().apply(PacFunction.pca(1, reference=[[1, 0]]), ["age", "cost"]).function
    assert box.shape == (1, 2)
