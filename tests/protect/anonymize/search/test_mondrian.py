"""Mondrian: sets and ranges that hold the values of their class, with less loss than hierarchy nodes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.protect.anonymize.adult_tables import adult
from tests.protect.anonymize.search.letters import assert_classes, coded, ladders, tables

from privet.disclosure import Codes
from privet.errors import Unreachable
from privet.guarantee._promise_registry import (
    KAnonymity,
)
from privet.protect.anonymize.hierarchies import Hierarchy
from privet.protect.anonymize.search import search
from privet.protect.anonymize.search._mondrian import numbers_of


@pytest.mark.real_data(twin="test_sets_list_the_values_of_their_class")
def test_sets_lose_less_than_hierarchy_nodes():
    codes, hierarchies, _ = adult()
    found = search(codes, hierarchies, KAnonymity(5), how="mondrian")
    assert found.loss < 0.0204
    assert found.suppressed_rows == 0
    assert_classes(found, 5)


@settings(max_examples=25, deadline=None)
@given(rows=tables, k=st.integers(2, 4))
def test_sets_list_the_values_of_their_class(rows, k):
    codes = coded(rows)
    found = search(codes, ladders(), KAnonymity(k), how="mondrian")
    sizes = np.bincount(found.labels, weights=found.counts)
    assert sizes.min() >= k
    for j, sets in enumerate(found.sets):
        assert sets[found.labels, found.codes[:, j]].all()
    letters = found.sets[0].sum(axis=1)[found.labels] / 4
    assert np.allclose(letters, found.shares[:, 0])


def test_numbers_are_numbers_only_where_all_are():
    def flat(*values):
        return Hierarchy.from_paths("x", [(value, "*") for value in values])

    assert numbers_of(flat("10", "9", "2.5")) == pytest.approx([10, 9, 2.5])
    for others in (("1", "two"), ("1", "nan"), ("1", "inf"), ("1", "")):
        assert numbers_of(flat(*others)) is None


def test_ranges_run_between_numbers_and_sets_do_not():
    """Ages 1, 2 and 9, two rows each: near ones are one class, and 9 joins whom it widens least."""
    ages = Hierarchy.from_paths("age", [(str(age), "*") for age in range(1, 10)])
    codes = Codes.from_rows(("age",), [[0]] * 2 + [[1]] * 2 + [[8]] * 4)
    table = Codes(codes.columns, codes.codes, codes.counts, (9,), (None,))
    found = search(table, [ages.ladder([str(age) for age in range(1, 10)])], KAnonymity(4), how="mondrian")
    assert found.classes == 2
    near = found.labels[0]
    assert found.labels[1] == near
    assert np.flatnonzero(found.sets[0][near]).tolist() == [0, 1]
    assert found.shares[:, 0].tolist() == pytest.approx([2 / 9, 2 / 9, 1 / 9])


def test_a_table_too_small_for_one_class_is_refused():
    with pytest.raises(Unreachable):
        search(coded([(0, 0, 0)] * 3), ladders(), KAnonymity(4), how="mondrian")
