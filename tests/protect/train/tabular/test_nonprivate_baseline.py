"""The twin without privacy: measured, and not kept."""

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet.artifact import Features, ModelTarget, NumberColumn
from privet.errors import BadUsage
from privet.protect.train.tabular import Examples, Task
from privet.protect.train.tabular._evaluation import metrics
from privet.protect.train.tabular._nonprivate_baseline import _PULL, _least, twin_metrics


def book(tmp_path, epsilon=8, delta="1e-3", name="b"):
    return pv.Ledger(tmp_path / f"{name}.ledger", limit=pv.ApproxDP(epsilon, delta))


def toy(rows=400, seed=0):
    rng = np.random.default_rng(seed)
    x, color = rng.uniform(0, 10, rows), rng.choice(["red", "green"], rows)
    y = (x + 4 * (color == "red") + rng.normal(0, 1, rows)) > 7
    return pa.table(
        {"x": x, "color": color, "y": y, "z": 2 * x, "who": np.arange(rows) // 4, "day": [None] * rows}
    )


TOY = {
    "x": {"kind": "number", "lower": 0, "upper": 10},
    "color": {"kind": "category", "values": ["red", "green"]},
    "y": {"kind": "category", "values": ["false", "true"]},
}


def test_a_twin_is_measured_and_not_kept(tmp_path):
    from privet.protect.train.tabular._nonprivate_baseline import twin_metrics

    table, test = pv.open_table(toy(2_000), unit=pv.Row()), toy(1_000, seed=1)
    with book(tmp_path) as ledger:
        model = pv.train(table, pv.ApproxDP(1, "1e-5"), target="y", ledger=ledger, schema=TOY, records=2_000)
        before = [entry.kind for entry in ledger.history()]
        twin = twin_metrics(model, table, test)
        assert [entry.kind for entry in ledger.history()] == before
    assert twin["auroc"] >= metrics(model, test)["auroc"] - 0.01
    assert set(twin) == {"rows", "accuracy", "log_loss", "calibration_error", "auroc"}


def test_the_twin_has_the_least_loss():
    """One column of ones and a constant: the share of ones decides, up to the light pull on the column."""
    design = np.array([[1.0, 1.0]] * 4 + [[0.0, 1.0]] * 4)
    targets = np.array([1.0, 1, 1, 0, 0, 0, 0, 1])
    task = Task(Features((NumberColumn("x", 0, 1),)), ModelTarget("y", ("no", "yes")), pv.Row(), 8)
    weights = _least(design, Examples(np.zeros((8, 1), np.int32), targets), task)
    shares = 1 / (1 + np.exp(-design @ weights))[:, 0]
    gradient = design.T @ (shares - targets) / 8 + np.array([_PULL * weights[0, 0], 0])
    assert np.abs(gradient).max() < 1e-4
    assert shares[0] == pytest.approx(0.75, abs=0.01)
    assert shares[-1] == pytest.approx(0.25, abs=0.01)


def test_a_twin_learns_from_a_table():
    with pytest.raises(BadUsage, match="the table of the model"):
        twin_metrics(None, {"x": [1]}, None)
