"""Figures of a model on a test table, by hand."""

import numpy as np
import pyarrow as pa
import pytest

from privet.artifact import ModelTarget
from privet.errors import BadModel
from privet.protect.train.tabular._evaluation import area_under_curve, calibration_error, metrics


class Known:
    """Predicts what the column says."""

    def __init__(self, target):
        self.target, self.classes = target, target.classes

    def predict_proba(self, data):
        p = data["p"].to_numpy()
        return np.stack([1 - p, p], axis=1)

    def predict(self, data):
        if self.target.kind == "number":
            return data["p"].to_numpy()
        return np.array(["yes" if p > 0.5 else "no" for p in data["p"].to_numpy()], dtype=object)


def test_areas_count_pairs_and_ties_half():
    score = np.array([0.1, 0.4, 0.4, 0.8])
    assert area_under_curve(score, np.array([False, True, False, True])) == pytest.approx(
        (1 + 0.5 + 1 + 1) / 4
    )
    assert area_under_curve(-score, np.array([False, False, True, True])) == pytest.approx(1 - (0.5 + 3) / 4)


def test_calibration_is_the_gap_between_sureness_and_truth():
    shares = np.array([[0.2, 0.8]] * 10)
    assert calibration_error(shares, np.array([1] * 8 + [0] * 2)) == pytest.approx(0)
    assert calibration_error(shares, np.array([1] * 10)) == pytest.approx(0.2)
    assert calibration_error(np.array([[0.0, 1.0]]), np.array([1])) == pytest.approx(0), (
        "the last bin holds its end"
    )


def test_rows_without_a_known_target_are_not_scored():
    model = Known(ModelTarget("y", ("no", "yes")))
    test = pa.table({"p": [0.9, 0.2, 0.6, 0.5], "y": ["yes", "no", "no", None]})
    found = metrics(model, test)
    assert found["rows"] == 3
    assert found["accuracy"] == pytest.approx(2 / 3)
    assert found["log_loss"] == pytest.approx(-np.log([0.9, 0.8, 0.4]).mean())
    assert found["auroc"] == pytest.approx(1)
    alone = metrics(model, test.slice(0, 1))
    assert "auroc" not in alone, "one class has no curve"


def test_numbers_are_in_their_own_units():
    model = Known(ModelTarget("y", (), 0.0, 10.0))
    found = metrics(model, pa.table({"p": [1.0, 5.0, 9.0], "y": [2.0, 5.0, 99.0]}))
    assert found["mae"] == pytest.approx((1 + 0 + 1) / 3), "clamped to the bounds"
    assert found["rmse"] == pytest.approx((2 / 3) ** 0.5)
    truth = np.array([2.0, 5.0, 10.0])
    assert found["r2"] == pytest.approx(1 - 2 / ((truth - truth.mean()) ** 2).sum())
    assert metrics(model, pa.table({"p": [1.0], "y": [2.0]}))["r2"] == 0


def test_a_table_without_answers_is_refused():
    model = Known(ModelTarget("y", ("no", "yes")))
    with pytest.raises(BadModel, match="lacks the target"):
        metrics(model, pa.table({"p": [0.5]}))
    with pytest.raises(BadModel, match="no row"):
        metrics(model, pa.table({"p": [0.5], "y": ["perhaps"]}))
