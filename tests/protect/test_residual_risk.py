"""What a table still gives away, counted by hand."""

import numpy as np
import pytest

from privet.disclosure import Codes
from privet.protect._residual_risk import RiskView, risks

# Class 0 has four rows of two illnesses, class 1 one row, class 2 (missing) three rows of one illness.
ROWS = [(0, 0, 0), (0, 0, 1), (0, 1, 1), (0, 1, 2), (1, 0, 3), (2, 2, 4), (2, 2, 5), (2, 2, 5)]


def coded(rows=ROWS) -> Codes:
    return Codes.from_rows(("zip", "ill", "who"), rows, missing=(2, None, None))


def test_risks_by_hand() -> None:
    found = risks(coded(), RiskView(["zip"], ["ill"]))
    assert (found.rows, found.classes, found.smallest_class, found.unique_rows) == (8, 3, 1, 1)
    assert found.highest_risk == pytest.approx(1)
    assert found.mean_risk == pytest.approx(3 / 8)
    # 4 rows at a risk of 1/4, 3 at 1/3 and 1 at 1.
    assert found.rows_above == pytest.approx({"0.05": 1, "0.1": 1, "0.2": 1, "0.33": 1 / 2, "0.5": 1 / 8})
    assert found.sensitive["ill"]["distinct_l"] == 1
    assert found.sensitive["ill"]["rows_of_one_value"] == 4


def test_rows_that_belong_to_no_class_bear_no_risk() -> None:
    found = risks(coded(), RiskView(["zip"], [], "ignored"))
    assert (found.rows, found.classes, found.smallest_class) == (8, 2, 1)
    assert found.mean_risk == pytest.approx(2 / 5)
    wild = risks(coded(), RiskView(["zip"], [], "wildcard"))
    assert wild.smallest_class == 1 + 3, "a gap looks like everybody"


def test_people_are_counted_once_however_many_rows_they_have() -> None:
    """Class 0 has three people in four rows, class 2 two people in three rows."""
    view = RiskView(["zip"], [], persons="who")
    assert view.look_alikes(coded()).tolist() == [3, 3, 3, 3, 1, 2, 2]
    found = risks(coded(), view)
    assert (found.smallest_class, found.unique_rows) == (1, 1)
    gone = RiskView(["zip"], [], "ignored", persons="who").look_alikes(coded())
    assert gone.tolist() == [3, 3, 3, 3, 1, 0, 0]


def test_an_empty_table_gives_nothing_away() -> None:
    found = risks(coded(np.zeros((0, 3), np.int32)), RiskView(["zip"], ["ill"]))
    assert (found.rows, found.classes, found.smallest_class, found.unique_rows) == (0, 0, 0, 0)
    assert (found.highest_risk, found.mean_risk) == pytest.approx((0, 0))
    assert found.sensitive == {}
