"""Choices read off a hash: the same each time, evenly spread, never outside."""

import hashlib

import numpy as np
import pytest

from privet.disclosure._quasi_random import row_pairs, subsets, whole_numbers


def test_they_are_the_same_each_time_and_others_for_another_name():
    assert whole_numbers("a", 50, 1000).tolist() == whole_numbers("a", 50, 1000).tolist()
    assert whole_numbers("a", 50, 1000).tolist() != whole_numbers("b", 50, 1000).tolist()
    assert whole_numbers("a", 60, 1000)[:50].tolist() == whole_numbers("a", 50, 1000).tolist()


@pytest.mark.parametrize("below", [1, 2, 1000, 2**31])
def test_each_is_the_high_part_of_a_product(below):
    digest = hashlib.shake_128(b"name").digest(8 * 40)
    wanted = [int.from_bytes(digest[8 * at : 8 * at + 8], "little") * below >> 64 for at in range(40)]
    assert whole_numbers("name", 40, below).tolist() == wanted


def test_pairs_are_of_different_rows_and_each_row_alike():
    counts = np.array([1, 3])
    first, second = row_pairs("name", counts, 20_000)
    # Rows 1 to 3 are one tuple; of the twelve ordered pairs of different rows six lie inside it.
    inside = np.mean((first == 1) & (second == 1))
    assert inside == pytest.approx(0.5, abs=0.05)
    assert not ((first == 0) & (second == 0)).any()
    assert np.mean(first == 0) == pytest.approx(0.25, abs=0.03)
    assert set(first) | set(second) == {0, 1}


def test_subsets_are_different_sorted_and_within():
    found = subsets("name", 6, 3, 8)
    assert len(found) == len(set(found)) == 8
    assert all(list(one) == sorted(set(one)) and len(one) == 3 and max(one) < 6 for one in found)
    assert found == subsets("name", 6, 3, 8)
    assert len(subsets("name", 3, 2, 99)) == 3
