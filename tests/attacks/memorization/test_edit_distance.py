"""Levenshtein's distance in blocks is the one of the textbook."""

import numpy as np

from privet.attacks.memorization._edit_distance import edit_distances


def textbook(one: list[int], other: list[int]) -> int:
    rows = [[at + to for to in range(len(other) + 1)] for at in range(len(one) + 1)]
    for at, left in enumerate(one, 1):
        for to, right in enumerate(other, 1):
            rows[at][to] = min(
                rows[at - 1][to] + 1, rows[at][to - 1] + 1, rows[at - 1][to - 1] + (left != right)
            )
    return rows[-1][-1]


def test_it_is_the_textbooks() -> None:
    draw = np.random.default_rng(3)
    these, those = draw.integers(0, 3, (40, 9)), draw.integers(0, 3, (40, 7))
    found = edit_distances(these, those)
    assert found.tolist() == [textbook(a, b) for a, b in zip(these.tolist(), those.tolist(), strict=True)]


def test_a_shift_by_one_costs_two_and_equals_cost_nothing() -> None:
    row = np.arange(50)[None]
    assert edit_distances(row, row).tolist() == [0]
    assert edit_distances(row, row + 1).tolist() == [2]
    assert edit_distances(np.empty((0, 5), np.int64), np.empty((0, 5), np.int64)).tolist() == []
