"""Grouping of integer tuples: the same by counting and by sorting, and in the order of the tuples."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.disclosure._tuple_groups import (
    LARGEST_SPACE,
    is_counted,
    labels_of,
    mixed_radix,
    sizes_and_singles,
    sizes_of,
    sorted_keys,
    starts_of,
    totals_of,
)

KEYS = st.lists(st.integers(0, 5), min_size=1, max_size=30).map(lambda keys: np.array(keys, np.int64))
# A space that is counted in place, one that is sorted with packed positions, and one too large for packing.
SPACES = pytest.mark.parametrize("space", [6, 2**20, LARGEST_SPACE])


@given(keys=KEYS)
@settings(max_examples=40, deadline=None)
@SPACES
def test_groups_are_the_same_however_they_are_made(space, keys):
    values, labels, sizes = np.unique(keys, return_inverse=True, return_counts=True)
    assert labels_of(keys, space).tolist() == labels.tolist()
    assert sizes_of(keys, space, None).tolist() == sizes.tolist()
    found, singles = sizes_and_singles(keys, space, None)
    assert found.tolist() == sizes.tolist()
    assert sorted(singles.tolist()) == np.flatnonzero(sizes[labels] == 1).tolist()
    ordered, order = sorted_keys(keys, space)
    assert ordered.tolist() == sorted(keys.tolist())
    assert keys[order].tolist() == ordered.tolist()
    assert int(starts_of(ordered).sum()) == len(values)


@given(keys=KEYS)
@settings(max_examples=40, deadline=None)
@SPACES
def test_a_key_may_stand_for_several_rows(space, keys):
    counts = np.arange(1, len(keys) + 1)
    wanted = [int(counts[keys == value].sum()) for value in np.unique(keys)]
    assert sizes_of(keys, space, counts).tolist() == wanted
    sizes, singles = sizes_and_singles(keys, space, counts)
    assert sizes.tolist() == wanted
    assert singles.tolist() == [0] * (int((keys == keys[0]).sum()) == 1)


def test_counting_takes_small_spaces_and_those_twice_as_long_as_the_keys():
    assert is_counted(2**16, 0)
    assert not is_counted(2**16 + 1, 0)
    assert is_counted(2**20, 2**19)
    assert not is_counted(2**20, 2**19 - 1)


def test_keys_are_in_the_order_of_the_tuples():
    columns = [np.array([1, 0, 1], np.int32), np.array([0, 2, 1], np.int32)]
    keys, space = mixed_radix(columns, [2, 3])
    assert keys.tolist() == [3, 2, 4]
    assert space == 6


def test_a_product_that_would_overflow_is_renumbered():
    wide = np.array([2**31 - 2, 5, 2**31 - 2], np.int32)
    keys, space = mixed_radix([wide, wide, wide], [2**31 - 1] * 3)
    assert space <= LARGEST_SPACE
    assert keys[0] == keys[2] > keys[1] >= 0


def test_a_column_without_values_has_one_place():
    keys, space = mixed_radix([np.zeros(0, np.int32), np.zeros(0, np.int32)], [0, 0])
    assert space == 1
    assert labels_of(keys, space).tolist() == []


def test_totals_are_exact():
    assert totals_of(np.array([0, 2, 0]), np.array([2**50, 1, 1]), 4).tolist() == [2**50 + 1, 0, 1, 0]
