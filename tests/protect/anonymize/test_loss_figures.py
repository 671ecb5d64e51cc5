"""Every metric beside the one that was searched for, by hand."""

import numpy as np
import pytest

from privet.protect.anonymize._loss_figures import losses
from privet.protect.anonymize.hierarchies import Hierarchy
from privet.protect.anonymize.search import Solution

LETTERS = Hierarchy.from_paths("letter", [(c, "ab" if c < "c" else "cd", "*") for c in "abcd"])


DIGITS = Hierarchy.from_paths("digit", [("1", "low", "*"), ("2", "low", "*"), ("3", "high", "*")])


LADDERS = [LETTERS.ladder("abcd"), DIGITS.ladder("123")]


def solution(**changes):
    """(a, 1) and (b, 2) thrice as (ab, low); (c, 3) twice and (a, 3) once suppressed."""
    codes = np.array([[0, 0], [0, 2], [1, 1], [2, 2]], np.int32)
    suppressed = np.array([False, True, False, True])
    given = {
        "columns": ("letter", "digit"), "codes": codes, "counts": np.array([3, 1, 3, 2]),
        "nodes": np.ones((4, 2), np.int32), "levels": (1, 1), "suppressed": suppressed,
        "labels": np.where(suppressed, -1, 0),
        "shares": np.stack([LADDERS[j].shares[codes[:, j], 1] for j in range(2)], axis=1),
        "loss": 0.0, "value": (0.0,), "metric": "loss", "nodes_evaluated": 1, "optimal": True, "output_type": "",
    }  # fmt: skip
    return Solution(**{**given, **changes})


def test_figures_of_a_toy_are_those_by_hand():
    letters = 4 * np.log2(7 / 4) + 3 * np.log2(7 / 3) + np.log2(3) + 2 * np.log2(3 / 2)
    assert losses(solution(), LADDERS) == pytest.approx(
        {
            "loss": 11 / 18,
            "loss-geometric": (14 / 9 * 5 / 3) ** 0.5 - 1,
            # kept cells stand for 1/2 of the letters and 2/3 of the digits, suppressed ones for all
            "global certainty penalty": ((6 / 2 + 3) / 9 + (6 * 2 / 3 + 3) / 9) / 2,
            "discernibility": 6**2 + 9 * 3,
            "average class size": 9 / 2,
            "precision": (6 / 2 + 3) / 9,
            "entropy": letters + 6,
        }
    )


def test_single_values_cost_no_certainty():
    shares = np.array([[1 / 4, 1 / 3]] * 4)
    plain = solution(shares=shares, levels=(0, 0), nodes=np.zeros((4, 2), np.int32), suppressed=np.zeros(4, bool),
                     labels=np.arange(4))  # fmt: skip
    found = losses(plain, LADDERS)
    assert found["global certainty penalty"] == 0
    assert found["loss"] == pytest.approx(0)
    assert found["precision"] == 0
    assert found["entropy"] == pytest.approx(0)


def test_figures_that_need_levels_are_left_out_where_there_are_none():
    by_row = losses(solution(levels=None), LADDERS)
    assert "precision" in by_row
    assert "entropy" not in by_row
    sets = (np.ones((1, 4), bool), np.ones((1, 3), bool))
    assert not {"precision", "entropy"} & set(losses(solution(levels=None, sets=sets), LADDERS))
