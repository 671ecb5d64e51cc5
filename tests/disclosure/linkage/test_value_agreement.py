"""How well values agree: the same, near, different or unknown, and how often by chance."""

import datetime

import numpy as np
import pyarrow as pa
import pytest
from tests.disclosure.linkage.two_sides import rows_of, sides

from privet.disclosure.linkage._candidate_pairs import Pairs
from privet.disclosure.linkage._value_agreement import DIFFERENT, NEAR, SAME, UNKNOWN, compare, near


def test_near_values() -> None:
    day = datetime.date
    left = [(day(1970, 5, 4), "12345", 40)] * 1
    right = [(day(1970, 5, 4), "12399", 41), (day(1970, 4, 5), "99999", 44), (day(1970, 4, 4), None, 40)]
    both = sides(left, right, ("born", "zip", "age"))
    found = compare(both, Pairs(np.zeros(3, np.int64), np.arange(3)))
    order = {row: at for at, row in enumerate(rows_of(both, "right"))}
    levels = {row: found.levels[at].tolist() for row, at in order.items()}
    assert levels[right[0]] == [SAME, NEAR, NEAR]
    assert levels[right[1]] == [DIFFERENT, DIFFERENT, DIFFERENT]
    assert levels[right[2]] == [NEAR, UNKNOWN, SAME]
    assert np.allclose(found.chance.sum(axis=1), 1)


def nearby(labels, left, right):
    return bool(near(labels)(np.array([left], np.int32), np.array([right], np.int32))[0])


def test_numbers_are_near_up_to_one() -> None:
    labels = pa.array([1.0, 2.0, 3.5])
    assert nearby(labels, 0, 1)
    assert not nearby(labels, 1, 2)


def test_texts_are_near_where_they_begin_alike_and_are_longer_than_that() -> None:
    labels = pa.array(["abc", "abd", "ABCD", "abcE", "ab"])
    assert nearby(labels, 2, 3)
    assert not nearby(labels, 0, 2)  # no longer than the beginning itself
    assert not nearby(labels, 1, 2)
    assert not nearby(labels, 4, 4)


def test_dates_are_near_where_two_of_three_parts_agree() -> None:
    day = datetime.date
    labels = pa.array([day(1970, 5, 4), day(1971, 5, 4), day(1970, 6, 4), day(1970, 5, 5), day(1971, 6, 4)])
    assert [nearby(labels, 0, other) for other in (1, 2, 3, 4)] == [True, True, True, False]


def test_truth_values_are_never_near() -> None:
    assert not nearby(pa.array([False, True]), 0, 1)
    assert not nearby(pa.array([False, True]), 0, 0)


def test_chances_are_counted_over_all_pairs() -> None:
    left, right = [(0,), (0,), (5,)], [(0,), (5,), (9,), (9,)]
    found = compare(sides(left, right, ("a",)), Pairs(np.zeros(0, np.int64), np.zeros(0, np.int64)))
    # The same: 2/3 · 1/4 + 1/3 · 1/4 = 1/4. Near: never among the twelve pairs, so the least chance, 1 / (12 + 2).
    different, nearly, same = 1 - 1 / 4 - 1 / 14, 1 / 14, 1 / 4
    assert found.chance[0].tolist() == pytest.approx([different, nearly, same])
    assert found.frequency[0].tolist() == pytest.approx([0.25, 0.25, 0.5])
