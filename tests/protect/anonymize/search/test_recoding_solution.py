"""What a solution says of itself: rows that are not published, and classes that are."""

import numpy as np

from privet.protect.anonymize.search._recoding_solution import Solution


def solution(labels, suppressed, counts):
    rows = len(counts)
    return Solution(
        columns=("a",), codes=np.zeros((rows, 1), np.int32), counts=np.array(counts), nodes=np.zeros((rows, 1), np.int32),
        levels=(0,), suppressed=np.array(suppressed, bool), labels=np.array(labels), shares=np.ones((rows, 1)), loss=0.0,
        value=(0.0,), metric="loss", nodes_evaluated=1, optimal=True, output_type="",
    )  # fmt: skip


def test_rows_are_counted_by_their_tuples_and_classes_by_their_labels():
    found = solution([0, 4, 4, -1, -1], [0, 0, 0, 1, 1], [3, 2, 1, 5, 7])
    assert found.suppressed_rows == 12
    assert found.classes == 2, "suppressed tuples are in no class, and labels may have gaps"


def test_a_table_that_is_suppressed_whole_has_no_class():
    gone = solution([-1, -1], [1, 1], [4, 4])
    assert (gone.suppressed_rows, gone.classes) == (8, 0)
    whole = solution([0, 0], [0, 0], [4, 4])
    assert (whole.suppressed_rows, whole.classes) == (0, 1)
