"""Weights and their scores: targets between bounds, closed formulas, and probabilities with weights taken back out."""

import math

import numpy as np
import pyarrow as pa
import pytest

from privet.artifact._feature_encoding import CategoryColumn, Features, NumberColumn
from privet.artifact._fitted_weights import FittedWeights, ModelTarget, decided, number_of, probabilities
from privet.errors import UnknownRecord

FEATURES = Features((NumberColumn("age", 0, 100, 2), CategoryColumn("ward", ("ICU",))))
CODES = np.array([[0, 0], [1, 1], [2, 0]], np.int32)  # levels 0 1 2 | 3 4
TWO, THREE = ModelTarget("ill", ("no", "yes")), ModelTarget("ill", ("a", "b", "c"))
NUMBER = ModelTarget("days", (), 10.0, 30.0)


def chunked(values):
    return pa.chunked_array([pa.array(values)])


def test_kinds_of_targets():
    assert (TWO.kind, TWO.outputs) == ("classes", 1)
    assert (THREE.kind, THREE.outputs) == ("classes", 3)
    assert (NUMBER.kind, NUMBER.outputs) == ("number", 1)


def test_targets_as_numbers():
    codes = TWO.encode(chunked(["yes", "no", "perhaps", None]))
    assert codes[:2].tolist() == [1, 0]
    assert np.isnan(codes[2:]).all()
    places = NUMBER.encode(chunked([10, 20, 30, 99, 0]))
    assert places.tolist() == pytest.approx([-1, 0, 1, 1, -1])
    assert np.isnan(NUMBER.encode(chunked(["many"]), lenient=True)).all()


def test_a_number_comes_back_from_its_score():
    assert number_of(NUMBER, np.array([[-1.0], [0.5], [7.0], [-7.0]])).tolist() == pytest.approx(
        [10, 25, 30, 10]
    )


@pytest.mark.parametrize("target", [TWO, THREE, NUMBER])
def test_a_record_gives_the_target_back(target):
    assert ModelTarget.from_json(target.to_json()) == target


@pytest.mark.parametrize(
    "record", [{}, {"name": "a"}, {"classes": []}, {"name": "a", "classes": [], "more": 1}]
)
def test_an_unknown_target_is_refused(record):
    with pytest.raises(UnknownRecord):
        ModelTarget.from_json(record)


def test_additive_scores_are_the_sum_of_levels():
    shapes = np.arange(5.0)[:, None] * [1, 10]
    fitted = FittedWeights("additive", {"shapes": shapes, "intercept": np.array([100.0, 200.0])})
    found = fitted.scores(FEATURES, CODES)
    # Levels 0 and 3, 1 and 4, 2 and 3.
    assert found.tolist() == [[103, 230], [105, 250], [105, 250]]


def test_network_scores_are_those_of_one_hidden_layer():
    hidden = np.array([[0.1], [0.2], [0.3], [0.4], [0.5]])
    fitted = FittedWeights(
        "network",
        {
            "hidden": hidden,
            "hidden_bias": np.array([0.05]),
            "output": np.array([[2.0]]),
            "output_bias": np.array([1.0]),
        },
    )
    found = fitted.scores(FEATURES, CODES)
    wanted = [math.tanh(total / math.sqrt(2) + 0.05) * 2 + 1 for total in (0.5, 0.7, 0.7)]
    assert found[:, 0].tolist() == pytest.approx(wanted)


TREES = {
    "splits": np.array([[[0, 1, 3], [1, 0, 1]], [[1, 1, 2], [0, 0, 1]]], dtype=float),
    "leaves": np.array([[[1.0], [2.0], [4.0], [8.0]], [[10.0], [20.0], [40.0], [80.0]]]),
    "intercept": np.array([0.5]),
}


def test_tree_scores_are_the_sum_of_leaves():
    found = FittedWeights("trees", TREES).scores(FEATURES, CODES)
    # Rows 0-0, 1-1, 2-0: first tree (column 0 in 1..2, column 1 is 0), second tree (column 1 is 1, column 0 is 0).
    assert found[:, 0].tolist() == pytest.approx([0.5 + 4 + 40, 0.5 + 2 + 20, 0.5 + 8 + 10])


def test_trees_that_do_not_go_with_the_columns_are_refused():
    FittedWeights("trees", TREES).refuse_misshapen(FEATURES, 1)
    for place, wrong in (
        ((0, 0, 0), 2.0),
        ((0, 0, 0), -1.0),
        ((0, 0, 2), 4.0),
        ((0, 0, 1), 3.0),
        ((0, 0, 1), 0.5),
        ((0, 0, 1), math.nan),
        ((1, 0, 2), math.inf),
    ):
        splits = TREES["splits"].copy()
        splits[place] = wrong
        with pytest.raises(UnknownRecord):
            FittedWeights("trees", {**TREES, "splits": splits}).refuse_misshapen(FEATURES, 1)
    for name, shape in (
        ("leaves", (2, 3, 1)),
        ("leaves", (1, 4, 1)),
        ("splits", (2, 2)),
        ("splits", (2, 17, 3)),
    ):
        with pytest.raises(UnknownRecord):
            FittedWeights("trees", {**TREES, name: np.zeros(shape)}).refuse_misshapen(FEATURES, 1)
    with pytest.raises(UnknownRecord):
        FittedWeights("trees", {"leaves": TREES["leaves"]}).refuse_misshapen(FEATURES, 1)


def test_an_unknown_kind_is_refused():
    with pytest.raises(UnknownRecord, match="forest"):
        FittedWeights("forest", {}).scores(FEATURES, CODES)


def test_probabilities_are_logistic_and_the_likeliest_is_decided():
    found = probabilities(TWO, np.array([[math.log(3)], [-math.log(3)]]))
    assert found.tolist() == [pytest.approx([0.25, 0.75]), pytest.approx([0.75, 0.25])]
    assert decided(TWO, np.array([[0.1], [-0.1]])).tolist() == [1, 0]
    three = probabilities(THREE, np.log([[0.2, 0.3, 0.5]]) + 700)
    assert three[0].tolist() == pytest.approx([0.2, 0.3, 0.5])
    assert decided(THREE, np.array([[1.0, 3.0, 2.0]])).tolist() == [1]


def test_class_weights_are_taken_back_out():
    # Classes that counted 1 and 4 in the fit: odds of 3 to 1 are 3/4 to 1 in truth.
    found = probabilities(TWO, np.array([[math.log(3)]]), weights=(1.0, 4.0))
    assert found[0].tolist() == pytest.approx([1 / 1.75, 0.75 / 1.75])


def test_clipping_is_taken_back_out():
    # p = (0.25, 0.75), residuals 0.75 and 0.25 at a balance of 0.5: shares in proportion to 0.25 · 2.5 and 0.75 · 1.5.
    found = probabilities(TWO, np.array([[math.log(3)]]), balance=0.5)
    total = 0.25 * 2.5 + 0.75 * 1.5
    assert found[0].tolist() == pytest.approx([0.25 * 2.5 / total, 0.75 * 1.5 / total])
    shares = np.array([0.2, 0.3, 0.5])
    distances = [math.dist(shares, corner) for corner in np.eye(3)]
    wanted = shares * (1 + np.array(distances) / 0.5)
    three = probabilities(THREE, np.log([shares]), balance=0.5)
    assert three[0].tolist() == pytest.approx((wanted / wanted.sum()).tolist())


def test_every_kind_that_is_computed_says_what_its_weights_are() -> None:
    from privet.artifact._fitted_weights import SCORERS, SHAPES

    assert SHAPES.keys() == SCORERS.keys()
