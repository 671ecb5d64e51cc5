"""Pairs that agree: all of them, once each, and no more than fit."""

import itertools

import numpy as np
from hypothesis import given, settings
from tests.disclosure.linkage.two_sides import ROWS, agree, rows_of, sides

from privet.disclosure.linkage._candidate_pairs import blocks, candidates, joined, keys, number_of_pairs


@settings(max_examples=80, deadline=None)
@given(ROWS, ROWS)
def test_pairs_that_agree_are_all_found(left, right) -> None:
    both = sides([*left, (0, 0)], [*right, (0, 0)])
    mine, theirs = rows_of(both, "left"), rows_of(both, "right")
    for places in ([0], [1], [0, 1]):
        found = joined(*keys(both, places))
        expected = {
            (i, j)
            for (i, one), (j, other) in itertools.product(enumerate(mine), enumerate(theirs))
            if agree([one[p] for p in places], [other[p] for p in places])
        }
        assert set(zip(found.left.tolist(), found.right.tolist(), strict=True)) == expected
        assert number_of_pairs(*keys(both, places)) == len(expected) == len(found)


def test_candidates_agree_on_some_block_and_fit_the_limit() -> None:
    draw = np.random.default_rng(1)
    left, right = draw.integers(0, 6, (40, 2)), draw.integers(0, 6, (60, 2))
    both = sides([tuple(map(int, r)) for r in left], [tuple(map(int, r)) for r in right])
    for most in (10, 200, 5000):
        chosen = blocks(both, most)
        found = candidates(both, chosen)
        assert len(found) <= most
        expected = sum(
            any(all(one[p] == other[p] for p in places) for places in chosen)
            for one in rows_of(both, "left")
            for other in rows_of(both, "right")
        )
        assert len(found) == expected


def test_coarse_sets_come_first_and_none_contains_another() -> None:
    both = sides([(0, 0), (0, 1), (1, 0)], [(0, 0), (0, 1), (1, 0)])
    # Each column alone makes 5 pairs, both together 3.
    assert blocks(both, 10) == [(0,), (1,)]
    assert blocks(both, 9) == [(0,)]
    assert blocks(both, 5) == [(0,)]
    assert blocks(both, 4) == [(0, 1)]
    assert blocks(both, 3) == [(0, 1)]
    assert blocks(both, 2) == []


def test_a_pair_that_agrees_on_two_sets_is_one_candidate() -> None:
    both = sides([(0, 0)], [(0, 0), (0, 1)])
    found = candidates(both, [(0,), (1,)])
    assert list(zip(found.left.tolist(), found.right.tolist(), strict=True)) == [(0, 0), (0, 1)]
    assert len(candidates(both, [])) == 0


def test_missing_values_join_nothing() -> None:
    both = sides([(None, 0), (1, None), (1, 0)], [(None, 0), (1, None), (1, 0)])
    left, right = keys(both, [0, 1])
    assert left.tolist() == right.tolist() == [-1, -1, 0]
    assert number_of_pairs(left, right) == 1
    assert number_of_pairs(np.array([-1]), np.array([-1])) == 0
