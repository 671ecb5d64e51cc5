"""The walk over sets of columns: exact against counting row by row, and stopped by work, not by time."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from tests.disclosure.tables import class_of, coded, in_order, made_up, minimal_uniques, rows, subsets

from privet.disclosure._column_set_lattice import walk


def counted(lines, at):
    sizes = class_of(lines, at)
    classes = len({tuple(line[j] for j in at) for line in lines})
    return classes, sum(size == 1 for size in sizes), sum(size - 1 for size in sizes)


@given(rows())
@settings(max_examples=60, deadline=None)
def test_every_set_is_counted_as_by_hand(lines):
    found = walk(coded(lines))
    width = len(lines[0])
    assert [one.at for one in found.sets()] == subsets(width)
    assert found.searched == width
    assert found.complete
    for one in found.sets():
        assert (one.classes, one.uniques, one.agreeing) == counted(lines, one.at)


@given(rows())
@settings(max_examples=60, deadline=None)
def test_sets_that_single_out_for_the_first_time_are_minimal_uniques(lines):
    found = walk(coded(lines))
    wanted = minimal_uniques(lines)
    for size in range(1, len(lines[0]) + 1):
        told = in_order(found.table, found.number[size - 1], lines)
        assert [int(number) for number in told] == [sum(len(at) == size for at in one) for one in wanted]
    for one in found.sets():
        assert one.minimal == sum(one.at in mine for mine in wanted)


def test_larger_sets_are_counted_with_the_marks_inside_them():
    table = made_up(300)
    lines = [
        tuple(map(int, line))
        for line, count in zip(table.codes, table.counts, strict=True)
        for _ in range(count)
    ]
    found = walk(table, largest=2)
    assert found.searched == 2
    assert not found.complete
    for at in ((0, 1, 2), (1, 4, 5, 7)):
        one = found.beyond(at)
        assert (one.classes, one.uniques, one.agreeing) == counted(lines, at)


def test_work_is_limited_and_single_columns_are_always_looked_at():
    table = made_up(300)
    tuples = len(table)
    assert walk(table, limit=0).searched == 1
    assert walk(table, limit=9 * tuples + 36 * tuples).searched >= 2
    assert walk(table, limit=9 * tuples).searched == 1
    assert walk(table, largest=0).searched == 1
    assert walk(table, largest=99, columns=["a", "c"]).searched == 2


def test_columns_are_named_and_others_left_out():
    found = walk(coded([(0, 0, 0), (0, 1, 0), (1, 1, 0)]), ["c", "a"])
    assert {found.names(one.at) for one in found.sets()} == {("c",), ("a",), ("c", "a")}
    assert [one.classes for one in found.sets()] == [1, 2, 2]


def test_it_is_complete_where_every_row_is_singled_out_already():
    lines = [(row, row, row % 2) for row in range(5)]
    found = walk(coded(lines), largest=1)
    assert not found.complete
    single = walk(coded([(row, row) for row in range(5)]), largest=1)
    assert single.complete
    assert len(list(combinations(range(2), 1))) == len(single.levels[0])


def test_tuples_that_occur_twice_are_never_alone():
    found = walk(coded([(0, 0), (0, 0), (1, 0)]))
    by_set = {one.at: one for one in found.sets()}
    assert by_set[(0,)].uniques == by_set[(0, 1)].uniques == 1
    assert by_set[(1,)].uniques == 0
    assert by_set[(1,)].agreeing == 6
    assert by_set[(0, 1)].minimal == 0
    assert np.asarray(found.number).sum() == pytest.approx(1)
