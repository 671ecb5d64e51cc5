"""Metrics as a search needs them: bounds that hold, and nothing made coarse that need not be."""

import math

import numpy as np
import pytest

from privet.disclosure import Codes
from privet.errors import BadSearch
from privet.guarantee._promise_registry import (
    KAnonymity,
)
from privet.protect.anonymize._promise_rules import rules_of
from privet.protect.anonymize.hierarchies import Hierarchy
from privet.protect.anonymize.search import search
from privet.protect.anonymize.search._class_check import judge
from privet.protect.anonymize.search._distinct_tuples import Tuples
from privet.protect.anonymize.search._loss_metrics import METRICS, NodeVerdict, less, metric_named, rounded
from privet.protect.anonymize.search._search import _reference


@pytest.mark.parametrize(
    "metric", ["loss", "loss-geometric", "loss-rank", "discernibility", "class-size", "entropy"]
)
def test_nothing_is_made_coarse_that_need_not_be(metric: str) -> None:
    """Every level but the top tells the same values apart: what is published is what was there."""
    codes = Codes(("zip",), np.array([[0], [1]], np.int32), np.array([5, 5]), (2,), (None,))
    paths = [
        ("01234", "0123*", "012**", "01***", "0****", "*"),
        ("12345", "1234*", "123**", "12***", "1****", "*"),
    ]
    ladder = Hierarchy.from_paths("zip", paths).ladder(["01234", "12345"])
    found = search(codes, [ladder], KAnonymity(5), metric=metric)
    assert found.levels == (0,)
    assert found.optimal
    assert found.loss == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("metric", sorted(METRICS))
def test_bases_known_beforehand_are_never_above_those_of_nodes(metric: str) -> None:
    draw = np.random.default_rng(3)
    rows = np.unique(draw.integers(0, 4, (12, 2)).astype(np.int32), axis=0)
    codes = Codes(("a", "b"), rows, draw.integers(1, 5, len(rows)), (4, 4), (None, None))
    paths = [(str(at), str(at // 2), "*") for at in range(4)]
    ladders = [Hierarchy.from_paths(name, paths).ladder([str(at) for at in range(4)]) for name in "ab"]
    tuples = Tuples(codes, ladders)
    measure = metric_named(metric, tuples)
    rules = rules_of(KAnonymity(2), _reference(codes, ["a", "b"], [], {}))
    bases = measure.bases()
    for node in range(len(tuples.lattice)):
        classes = tuples.classes(tuples.lattice.levels(node))
        verdict = judge(tuples, classes, rules)
        assert verdict is not None
        true = measure.cost(classes, verdict).base
        assert all(base[node] <= number + 1e-12 for base, number in zip(bases, true, strict=True))
    if metric == "class-size":
        assert bases[0].min() > 0


def toy(metric, weights=None, gs_factor=None):
    """(a, 1) and (b, 2) thrice, (c, 3) twice, (a, 3) once; at (1, 1) the first six rows are one class."""
    rows = [(0, 0)] * 3 + [(1, 1)] * 3 + [(2, 2)] * 2 + [(0, 2)]
    every = Codes.from_rows(("letter", "digit"), rows)
    codes = Codes(every.columns, every.codes, every.counts, (4, 3), (None, None))
    letters = Hierarchy.from_paths("letter", [(c, "ab" if c < "c" else "cd", "*") for c in "abcd"])
    digits = Hierarchy.from_paths("digit", [("1", "low", "*"), ("2", "low", "*"), ("3", "high", "*")])
    tuples = Tuples(codes, [letters.ladder("abcd"), digits.ladder("123")])
    return tuples, metric_named(metric, tuples, weights, gs_factor)


BITS = 4 * math.log2(7 / 4) + 3 * math.log2(7 / 3) + math.log2(3) + 2 * math.log2(3 / 2) + 6


BY_HAND = {
    "loss": (11 / 18,),
    "loss-geometric": ((14 / 9 * 5 / 3) ** 0.5 - 1,),
    "loss-rank": (2 / 3, 5 / 9),
    "precision": ((6 / 2 + 3) / 9,),
    "discernibility": (6**2 + 9 * 3,),
    "class-size": (9 / 2,),
    "entropy": (BITS,),
}


@pytest.mark.parametrize("name", sorted(METRICS))
def test_the_cost_of_a_node_is_that_by_hand(name):
    tuples, metric = toy(name)
    classes = tuples.classes((1, 1))
    small = classes.sizes < 5
    cost = metric.cost(classes, NodeVerdict(small, np.where(small, classes.sizes, 0)))
    assert metric.score(cost.base + cost.penalty) == pytest.approx(BY_HAND[name])
    assert np.all(cost.lasting <= cost.penalty + 1e-12)
    nothing = metric.cost(tuples.classes((0, 0)), NodeVerdict(np.zeros(4, bool), np.zeros(4, np.int64)))
    if name not in ("discernibility", "class-size"):
        assert metric.score(nothing.base + nothing.penalty) == pytest.approx(
            [0] * len(BY_HAND[name]), abs=1e-12
        )


def test_weights_and_factors_count():
    tuples, metric = toy("loss", np.array([3.0, 1.0]))
    classes = tuples.classes((1, 1))
    small = classes.sizes < 5
    cost = metric.cost(classes, NodeVerdict(small, np.where(small, classes.sizes, 0)))
    assert float((cost.base + cost.penalty)[0]) == pytest.approx((3 * 5 / 9 + 2 / 3) / 4)
    free = toy("loss", gs_factor=1.0)[1].cost(classes, NodeVerdict(small, np.zeros(3, np.int64)))
    assert float(free.base[0]) == pytest.approx(0), "only suppression weighs"
    with pytest.raises(BadSearch, match="only Loss"):
        toy("precision", gs_factor=0.5)


def test_what_differs_by_rounding_is_equal():
    assert less((1.0,), (2.0,))
    assert not less((1.0,), (1.0 + 1e-15,))
    assert less((1.0, 1.0), (1.0 + 1e-15, 2.0))
    assert not less((1e9 + 1e-4,), (1e9,))
    assert not less((1.0, 3.0), (1.0, 2.0))
    assert rounded((0.1 + 0.2, 3.0)) == (0.3, 3.0)  # exact: rounding is what is tested


def test_a_node_that_ties_with_the_best_is_not_better():
    _, metric = toy("loss-rank")
    parts = [np.array([0.5, 0.4, 0.6]), np.array([0.2, 0.2, 0.0])]
    assert metric.better(parts, None).tolist() == [True] * 3
    assert metric.better(parts, (0.5, 0.2)).tolist() == [False, True, False]
    assert metric.better(parts, (0.5, 0.3)).tolist() == [True, True, False]
