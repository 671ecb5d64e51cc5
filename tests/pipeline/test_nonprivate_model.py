"""The model without noise: what cells stand for counts in equal parts, and it learns what there is."""

import numpy as np
import pyarrow as pa
import pytest

from privet.artifact._feature_encoding import CategoryColumn, Features, NumberColumn
from privet.artifact._fitted_weights import ModelTarget
from privet.pipeline._nonprivate_model import _terms, learned

AGE = NumberColumn("age", 0, 100, bins=10)
AREA = CategoryColumn("area", ("A", "B", "C"))


def test_a_cell_is_the_mean_of_what_it_stands_for() -> None:
    original = pa.table({"area": ["A", "B", "C", "B"], "age": [10, 20, 30, 90]})
    published = pa.table({"area": ["{A, B}", "C", "*", None], "age": ["[10, 30)", "[30, 100)", "*", None]})
    found = _terms(AREA, np.eye(4), published, original)
    assert found == pytest.approx(
        np.array([[0.5, 0.5, 0, 0], [0, 0, 1, 0], [1 / 3, 1 / 3, 1 / 3, 0], [0, 0, 0, 1]])
    )
    ages = _terms(AGE, np.eye(11), published, original)
    assert ages[0, [1, 2]] == pytest.approx([0.5, 0.5])  # 10 and 20, in the second and third bin
    assert ages[1, [3, 9]] == pytest.approx([0.5, 0.5])
    assert ages[3, 10] == 1  # a gap is a gap
    assert ages.sum(axis=1) == pytest.approx(np.ones(4))


def test_a_column_that_was_left_out_is_missing_for_everybody() -> None:
    original = pa.table({"area": ["A", "B"]})
    assert _terms(AREA, np.eye(4), pa.table({"x": [1, 2, 3]}), original)[:, 3].tolist() == [1, 1, 1]


def people(count: int = 4000) -> pa.Table:
    draw = np.random.default_rng(5)
    age = draw.integers(0, 100, count)
    return pa.table(
        {
            "age": age,
            "area": np.array(["A", "B", "C"])[draw.integers(0, 3, count)],
            "back": draw.random(count) < age / 100,
            "cost": age * 2.0 + draw.normal(0, 5, count),
            "ward": np.array(["x", "y", "z"])[np.minimum(age // 34, 2)],
        }
    )


def test_it_learns_shares_classes_and_numbers() -> None:
    rows, features = people(), Features((AGE, AREA))
    asked = pa.table({"age": [5, 50, 95], "area": ["A", "A", "A"]})
    share = learned(rows, rows, features, ModelTarget("back", ("false", "true"))).predict_proba(asked)[:, 1]
    assert share == pytest.approx([0.05, 0.5, 0.95], abs=0.08)
    cost = learned(rows, rows, features, ModelTarget("cost", (), 0, 200)).predict(asked)
    assert np.asarray(cost, float) == pytest.approx([10, 100, 190], abs=12)
    ward = learned(rows, rows, features, ModelTarget("ward", ("x", "y", "z")))
    assert ward.predict(asked).tolist() == ["x", "y", "z"]
    assert ward.classes == ("x", "y", "z")


def test_coarser_rows_teach_less() -> None:
    rows, features, target = people(), Features((AGE,)), ModelTarget("back", ("false", "true"))
    asked = pa.table({"age": [5, 95]})
    gaps = []
    for cells in (
        [f"[{age // 50 * 50}, {age // 50 * 50 + 50})" for age in rows.column("age").to_pylist()],
        ["*"] * 4000,
    ):
        published = rows.set_column(0, "age", pa.array(cells))
        share = learned(published, rows, features, target).predict_proba(asked)[:, 1]
        gaps.append(share[1] - share[0])
    assert 0.3 < gaps[0] < 0.9
    assert gaps[1] == pytest.approx(0, abs=1e-6)
