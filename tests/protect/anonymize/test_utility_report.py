"""What the published rows are still good for, measured on a sample."""

import numpy as np
import pytest
from tests.protect.anonymize.people import hierarchies, opened

import privet as pv
from privet.errors import BadAnonymization, UtilityUnmeasurable
from privet.protect.anonymize._utility_report import _marginal, _sample


def test_figures_of_use() -> None:
    same = pv.anonymize(opened(), pv.RiskThreshold(average=1), hierarchies=hierarchies(), target="diagnosis")
    assert same.loss == pytest.approx(0)
    moved = [value for name, value in same.utility.items() if name.startswith("marginal")]
    assert moved == pytest.approx([0] * len(moved))
    original, published, _ = (value for name, value in same.utility.items() if name.startswith("accuracy"))
    assert original == pytest.approx(published)
    coarse = pv.anonymize(opened(), pv.KAnonymity(60), hierarchies=hierarchies(), target="visits")
    assert coarse.utility["loss"] == pytest.approx(coarse.loss)
    assert coarse.utility["precision"] > 0
    assert "visits" in coarse.to_arrow().column_names
    with pytest.raises(BadAnonymization, match="not published"):
        pv.anonymize(opened(), pv.KAnonymity(5), hierarchies=hierarchies(), target="name")


def test_a_sample_takes_each_line_as_often_as_its_rows():
    counts = np.array([3, 1, 4])
    assert np.bincount(_sample(counts, 100)).tolist() == [3, 1, 4]
    assert np.array_equal(_sample(counts, 100), _sample(counts, 100))
    large = _sample(np.array([600, 200, 400]), 120)
    assert len(large) == 120
    assert np.bincount(large).tolist() == [60, 20, 40]
    assert large.tolist() != sorted(large.tolist()), "mixed, so that folds are alike"


def test_marginals_move_by_what_cells_stand_for():
    codes = np.array([0, 0, 1, 2], np.int32)
    exact = codes[:, None] == np.arange(3)
    none = np.zeros(4, bool)
    assert _marginal(codes, exact, none) == pytest.approx(0)
    # Everything stands for everything: 1/2, 1/4, 1/4 become thirds.
    assert _marginal(codes, np.ones((4, 3), bool), none) == pytest.approx(1 / 2 - 1 / 3)
    assert _marginal(codes, exact, np.array([True, True, False, False])) == pytest.approx(1 / 2)
    assert _marginal(codes, exact, ~none) == pytest.approx(1)


def test_a_target_that_was_made_coarser_cannot_be_told():
    with pytest.raises(UtilityUnmeasurable, match="'age' is made coarser itself"):
        pv.anonymize(opened(), pv.KAnonymity(60), hierarchies=hierarchies(), target="age")
