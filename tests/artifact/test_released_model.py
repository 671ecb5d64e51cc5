"""A released model: codes, predictions, and a folder that holds no code."""

import datetime
import json
import threading

import numpy as np
import pyarrow as pa
import pytest

from privet.artifact._feature_encoding import CategoryColumn, Features, NumberColumn, as_text
from privet.artifact._fitted_weights import FittedWeights, ModelTarget
from privet.artifact._model_folder import CARD, RECORD, WEIGHTS
from privet.artifact._released_answer import Provenance
from privet.artifact._released_model import ReleasedModel
from privet.errors import BadModel, FileProblem
from privet.guarantee._promise_registry import ApproxDP

FEATURES = Features((NumberColumn("age", 0, 100, bins=4), CategoryColumn("ward", ("A", "B"))))


def model(target=None, outputs=1, **settings):
    wanted = target or ModelTarget("ill", ("no", "yes"))
    shapes = np.arange(8 * outputs, dtype=np.float64).reshape(8, outputs) - 3
    return ReleasedModel(
        FittedWeights("additive", {"shapes": shapes, "intercept": np.full(outputs, 0.5)}, settings),
        FEATURES,
        wanted,
        ApproxDP(1, "1e-6"),
        {"unit": "row", "change": "add-or-remove"},
        None,
        Provenance("predict ill", "snapshot:0", "duckdb", {}, ()),
    )


def rows(ages, wards):
    return pa.table({"age": pa.array(ages, pa.float64()), "ward": pa.array(wards, pa.string())})


def test_values_outside_missing_and_unknown_have_their_levels():
    codes = FEATURES.encode(rows([-5, 0, 24.9, 25, 100, 1e9, None, float("nan")], ["A", "B", "C", None] * 2))
    assert codes[:, 0].tolist() == [0, 0, 0, 1, 3, 3, 4, 4]
    assert codes[:, 1].tolist() == [0, 1, 2, 2, 0, 1, 2, 2]


def test_logarithms_and_dates():
    skewed = NumberColumn("cost", 0, 1000, bins=4, scale="log")
    codes = skewed.codes(pa.chunked_array([[0.0, 1000.0, 30.0]]))
    assert codes.tolist() == [0, 3, 1]
    assert np.all(np.diff(skewed.edges()) > 0)
    born = NumberColumn("born", 0, 400, bins=4, dates=True)
    days = pa.chunked_array([[datetime.date(1970, 1, 1), datetime.date(1971, 1, 1), None]])
    assert born.codes(days).tolist() == [0, 3, 4]


@pytest.mark.parametrize(("value", "text"), [(1.0, "1"), (1, "1"), (True, "true"), ("x", "x"), (None, None)])
def test_a_category_has_one_spelling(value, text):
    assert as_text(value) == text


def test_scores_are_the_sum_over_columns():
    found = model().scores(rows([10, 90], ["A", None]))
    # Levels stand in one row: four bins and "missing" of age, then A, B and "other" of ward.
    assert found.ravel().tolist() == pytest.approx([0.5 + (0 - 3) + (5 - 3), 0.5 + (3 - 3) + (7 - 3)])
    assert model().predict(rows([10, 90], ["A", None])).tolist() == ["no", "yes"]
    assert model().predict_proba(rows([10], ["A"])).sum() == pytest.approx(1)


def test_class_weights_are_taken_out_of_probabilities():
    plain = model().predict_proba(rows([10], ["A"]))[0]
    weighted = model(class_weights=[1.0, 3.0]).predict_proba(rows([10], ["A"]))[0]
    assert weighted[1] / weighted[0] == pytest.approx(plain[1] / plain[0] / 3)


def test_several_classes_and_numbers():
    three = model(ModelTarget("stage", ("1", "2", "3")), outputs=3)
    assert three.predict_proba(rows([10, 50], ["A", "B"])).shape == (2, 3)
    assert len(three.shapes()) == 6
    number = model(ModelTarget("days", (), 0, 60))
    assert number.predict(rows([90], [None])).tolist() == [60]
    with pytest.raises(BadModel, match="no probability"):
        number.predict_proba(rows([90], [None]))


def test_missing_columns_are_named():
    with pytest.raises(BadModel, match="lacks 1 column that the model needs: ward"):
        model().predict(pa.table({"age": [1.0], "other": ["x"]}))
    with pytest.raises(BadModel, match="'age' does not hold numbers"):
        model().predict(pa.table({"age": ["old"], "ward": ["A"]}))
    with pytest.raises(BadModel, match="not a table"):
        model().predict(3)


def test_no_rows_and_columns_by_name():
    assert len(model().predict(rows([], []))) == 0
    assert model().predict({"ward": ["A"], "age": [10]}).tolist() == ["no"]


def test_a_folder_comes_back_as_it_was(tmp_path):
    saved = model(steps=20)
    saved.save(tmp_path / "m")
    assert sorted(path.name for path in (tmp_path / "m").iterdir()) == sorted([CARD, RECORD, WEIGHTS])
    loaded = ReleasedModel.load(tmp_path / "m")
    assert loaded.to_json() == saved.to_json()
    table = rows([10, 90, None], ["A", "B", "C"])
    assert np.array_equal(loaded.predict_proba(table), saved.predict_proba(table))
    saved.save(tmp_path / "m")  # a model is replaced
    assert "epsilon = 1" in (tmp_path / "m" / CARD).read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["m"]


@pytest.mark.parametrize("change", ["weights", "record", "missing", "version"])
def test_a_changed_folder_is_refused(tmp_path, change):
    place = model().save(tmp_path / "m")
    if change == "weights":
        content = bytearray((place / WEIGHTS).read_bytes())
        content[-1] ^= 1
        (place / WEIGHTS).write_bytes(bytes(content))
    elif change == "missing":
        (place / WEIGHTS).unlink()
    else:
        record = json.loads((place / RECORD).read_text(encoding="utf-8"))
        record |= {"sentence": "all is well"} if change == "record" else {"schema": 99}
        (place / RECORD).write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(BadModel):
        ReleasedModel.load(place)


def test_somebody_elses_folder_is_not_replaced(tmp_path):
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(FileProblem):
        model().save(tmp_path / "m")
    assert (tmp_path / "m" / "thesis.txt").exists()


def test_threads_that_save_into_one_folder_leave_one_model(tmp_path):
    place, faults = tmp_path / "m", []

    def save():
        try:
            for _ in range(10):
                model().save(place)
        except Exception as fault:  # noqa: BLE001
            faults.append(fault)

    threads = [threading.Thread(target=save) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert ReleasedModel.load(place).fitted.weights.keys() == model().fitted.weights.keys()
    assert [path.name for path in tmp_path.iterdir()] == ["m"]
