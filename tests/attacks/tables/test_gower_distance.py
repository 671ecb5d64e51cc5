"""Distances of rows by hand: numbers over their span, anything else 0 or 1, gaps as far as can be."""

import numpy as np
import pyarrow as pa
import pytest

from privet.attacks.tables import _gower_distance as gower
from privet.attacks.tables._table_codes import coded

LEFT = pa.table({"age": pa.array([0, 10, None]), "sex": ["f", "m", None]})
RIGHT = pa.table({"age": pa.array([5, None]), "sex": ["f", "m"]})


@pytest.fixture(scope="module")
def tables():
    return coded([LEFT, RIGHT], ["age", "sex"])


def all_distances(left, right):
    return np.concatenate([total.copy() for _, total in gower.blocks(left, right)])


def test_distances_by_hand(tables):
    assert all_distances(*tables) == pytest.approx(np.array([[0.5, 2], [1.5, 1], [2, 1]]))


def test_a_table_is_at_no_distance_from_itself(tables):
    assert np.diag(all_distances(tables[0], tables[0])) == pytest.approx([0, 0, 0])


def test_blocks_are_the_same_in_any_size(tables, monkeypatch):
    whole = all_distances(*tables)
    monkeypatch.setattr(gower, "_CELLS", 2)
    assert all_distances(*tables) == pytest.approx(whole)


def test_a_column_taken_away_again_leaves_the_others(tables):
    total = all_distances(*tables)
    mine, theirs = (gower.prepared(one) for one in tables)
    gower.add_column(total, mine[0], theirs[0], -1)
    assert total == pytest.approx(np.array([[0, 1], [1, 0], [1, 1]]))


def test_the_nearest_rows(tables):
    away, which = gower.nearest_row(*tables)
    assert away == pytest.approx([0.5, 1, 1])
    assert which.tolist() == [0, 1, 1]
    assert gower.nearest(*tables)[:, 0] == pytest.approx([0.5, 1, 1])
    assert np.sort(gower.nearest(*tables, neighbours=5), axis=1) == pytest.approx(
        np.sort(all_distances(*tables), axis=1)
    )


def test_copies_are_whole_rows():
    here, there = coded(
        [
            pa.table({"a": [1, 1, None], "b": ["x", "y", None]}),
            pa.table({"a": [1, None, 2], "b": ["y", None, "x"]}),
        ],
        ["a", "b"],
    )
    assert gower.copied(here, there).tolist() == [False, True, True]


def test_how_often_rows_occur():
    (table,) = coded([pa.table({"a": [1, 2, 1, 1]})], ["a"])
    assert gower.occurrences(table).tolist() == [3, 1, 3, 3]


@pytest.mark.parametrize(
    ("values", "left"),
    [
        ([1, 2, 3, 1, 2, 3], [1, 2, 3]),
        ([1, 1, 2, 2, 2, 2], [1, 2, 2]),
        ([1, 1, 2], [1, 1, 2]),
        ([4, 4, 4], [4, 4, 4]),
    ],
)
def test_a_table_published_several_times_is_read_once(values, left):
    """By the common divisor of how often rows occur; a table of one row keeps its size."""
    (table,) = coded([pa.table({"a": values})], ["a"])
    names = sorted(set(values))
    assert sorted(names[code] for code in gower.unrepeated(table).codes[:, 0]) == left
