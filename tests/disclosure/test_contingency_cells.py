"""Counts of sensitive values in classes, against counting by hand."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from tests.disclosure.tables import coded, rows

from privet.disclosure._contingency_cells import cells, cells_of
from privet.errors import BadCodes


@given(rows(width=3))
@settings(max_examples=60, deadline=None)
def test_cells_are_those_of_counting(lines):
    found = cells(coded(lines), ["a", "b"], "c")
    classes = sorted({line[:2] for line in lines})
    told = {
        (classes[at], int(found.originals[value])): int(count)
        for at, value, count in zip(found.classes, found.values, found.counts, strict=True)
    }
    assert told == Counter((line[:2], line[2]) for line in lines)
    assert len(found) == len(classes)
    assert found.sizes.tolist() == [sum(line[:2] == one for line in lines) for one in classes]
    overall = Counter(line[2] for line in lines)
    assert found.overall.tolist() == pytest.approx(
        [overall[int(found.originals[value])] / len(lines) for value in found.values]
    )
    assert found.within.tolist() == pytest.approx(
        [count / found.sizes[at] for at, count in zip(found.classes, found.counts, strict=True)]
    )


def test_triples_of_the_same_class_and_value_are_added_up():
    found = cells_of(np.array([1, 0, 1, 1]), np.array([7, 7, 3, 7]), np.array([2, 5, 1, 4]))
    assert found.starts.tolist() == [0, 1, 3]
    assert found.originals.tolist() == [3, 7]
    assert found.values.tolist() == [1, 0, 1]
    assert found.counts.tolist() == [5, 1, 6]
    assert found.shares.tolist() == pytest.approx([1 / 12, 11 / 12])
    assert found.largest(found.counts).tolist() == [5, 6]
    assert found.sum(found.counts).tolist() == [5, 7]


def test_a_reference_that_is_given_stays():
    found = cells_of(np.array([0]), np.array([2]), np.array([4]), np.array([0.5, 0.25, 0.25]))
    assert found.shares.tolist() == [0.5, 0.25, 0.25]  # exact: shares as given
    assert found.values.tolist() == [2]
    assert found.originals.tolist() == [0, 1, 2]


def test_nobody_has_no_cells():
    nothing = np.zeros(0, np.int64)
    found = cells_of(nothing, nothing, nothing)
    assert len(found) == 0
    assert found.sizes.tolist() == []
    assert found.largest(found.counts).tolist() == []


def test_a_column_is_not_measured_against_itself():
    with pytest.raises(BadCodes):
        cells(coded([(0, 0)]), ["a", "b"], "b")
    with pytest.raises(BadCodes):
        cells(coded([(0, 0)]), ["a"], "nobody")
