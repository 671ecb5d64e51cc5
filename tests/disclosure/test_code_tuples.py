"""Tables as codes: projection, grouping, and the three ways of grouping that must agree."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.disclosure.tables import NAMES, class_of, coded, in_order, rows

from privet.disclosure import Codes
from privet.disclosure import _tuple_groups as grouping
from privet.errors import BadCodes


@given(rows(), st.data())
def test_groups_are_those_of_counting_row_by_row(lines, data):
    codes = coded(lines)
    columns = data.draw(st.permutations(codes.columns))[: data.draw(st.integers(1, len(codes.columns)))]
    at = [NAMES.index(name) for name in columns]
    groups = codes.groups(columns)
    assert in_order(codes, groups.of_each, lines) == class_of(lines, at)
    assert sorted(groups.sizes) == sorted(codes.sizes(columns))
    assert groups.sizes.sum() == codes.rows == len(lines)


@given(rows(smallest=0, width=3))
def test_projection_keeps_the_counts_and_the_order(lines):
    codes = Codes.from_rows("abc", lines)
    smaller = codes.only(["c", "a"])
    expected = Counter((line[2], line[0]) for line in lines)
    assert [tuple(line) for line in smaller.codes.tolist()] == sorted(expected)
    assert smaller.counts.tolist() == [expected[key] for key in sorted(expected)]
    assert smaller.cardinalities == (codes.cardinalities[2], codes.cardinalities[0])


@pytest.mark.parametrize("space", [50, 10**6, 2**61])
@pytest.mark.parametrize("weighted", [False, True])
def test_counting_packing_and_sorting_agree(space, weighted):
    """Small spaces are counted, larger ones packed and sorted, the largest sorted by position."""
    rng = np.random.default_rng(5)
    keys = rng.choice(rng.integers(0, space, 40), 200)
    counts = rng.integers(1, 3, 200) if weighted else None
    weights = counts if weighted else np.ones(200, np.int64)
    found, labels = np.unique(keys, return_inverse=True)
    sizes = np.bincount(labels, weights=weights)
    assert (grouping.labels_of(keys, space) == labels).all()
    assert (grouping.sizes_of(keys, space, counts) == sizes).all()
    got, singles = grouping.sizes_and_singles(keys, space, counts)
    assert (got == sizes).all()
    assert sorted(singles) == np.flatnonzero(sizes[labels] == 1).tolist()
    assert len(found) == len(got)


@pytest.mark.parametrize("space", [10, 10**9, 2**62])
def test_no_keys_are_no_groups(space):
    nothing = np.zeros(0, np.int64)
    assert len(grouping.labels_of(nothing, space)) == 0
    for counts in (None, nothing):
        sizes, singles = grouping.sizes_and_singles(nothing, space, counts)
        assert len(sizes) == len(singles) == len(grouping.sizes_of(nothing, space, counts)) == 0


def test_a_key_space_beyond_64_bits_is_renumbered_on_the_way():
    rng = np.random.default_rng(7)
    lines = rng.integers(0, 2, (300, 12)) * (2**30 - 1)
    wide = Codes.from_rows([f"c{j}" for j in range(12)], lines)
    narrow = Codes.from_rows([f"c{j}" for j in range(12)], (lines > 0).astype(int))
    assert np.prod([float(c) for c in wide.cardinalities]) > 2**64
    assert wide.counts.tolist() == narrow.counts.tolist()
    assert (wide.codes == narrow.codes * (2**30 - 1)).all()


@pytest.mark.parametrize(
    ("columns", "codes", "counts", "cardinalities", "missing"),
    [
        ((), np.zeros((1, 0)), [1], (), ()),
        (("a", "a"), [[0, 0]], [1], (1, 1), (None, None)),
        (("a",), [[0]], [1], (1, 1), (None,)),
        (("a",), [[0], [1]], [1], (2,), (None,)),
        (("a",), [[2]], [1], (2,), (None,)),
        (("a",), [[-1]], [1], (2,), (None,)),
        (("a",), [[0]], [0], (2,), (None,)),
    ],
)
def test_what_contradicts_itself_is_refused(columns, codes, counts, cardinalities, missing):
    with pytest.raises(BadCodes):
        Codes(columns, np.asarray(codes), np.asarray(counts), cardinalities, missing)


@pytest.mark.parametrize("columns", [[], ["a", "a"], ["z"]])
def test_columns_to_group_by_must_exist(columns):
    with pytest.raises(BadCodes):
        Codes.from_rows("ab", [[0, 1]]).groups(columns)
