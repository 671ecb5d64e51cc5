"""Linkage of two tables in codes: every pair that agrees is found, and claims are counted rightly."""

import datetime
import itertools

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.disclosure.linkage._aligned_sides import Sides
from privet.disclosure.linkage._candidate_pairs import (
    Pairs,
    blocks,
    candidates,
    joined,
    keys,
    number_of_pairs,
)
from privet.disclosure.linkage._linkage_claims import exact_claims
from privet.disclosure.linkage._value_agreement import DIFFERENT, NEAR, SAME, UNKNOWN, compare

CELLS = st.one_of(st.none(), st.integers(0, 3))
ROWS = st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=12)


def sides(left, right, names=("a", "b")) -> Sides:
    """Both sides in codes, without an engine."""
    columns = list(zip(*left, *right, strict=True))
    labels = [sorted({cell for cell in column if cell is not None}) for column in columns]
    coded = [
        np.array(
            [
                [-1 if c is None else known.index(c) for c, known in zip(row, labels, strict=True)]
                for row in rows
            ]
        )
        for rows in (left, right)
    ]
    return Sides(
        tuple((name, name) for name in names),
        coded[0].astype(np.int32),
        coded[1].astype(np.int32),
        tuple(pa.array(known) for known in labels),
        np.arange(len(left)),
        np.arange(len(right)),
    )


def agree(one, other) -> bool:
    return all(a == b and a is not None for a, b in zip(one, other, strict=True))


def rows_of(found: Sides, side: str) -> list[tuple]:
    codes = getattr(found, side)
    return [
        tuple(None if code < 0 else found.labels[at][int(code)].as_py() for at, code in enumerate(row))
        for row in codes
    ]


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


@settings(max_examples=80, deadline=None)
@given(ROWS, ROWS)
def test_exact_claims_are_pairs_alone_on_both_sides(left, right) -> None:
    both = sides([*left, (0, 0)], [*right, (0, 0)])
    mine, theirs = rows_of(both, "left"), rows_of(both, "right")
    expected = {
        (i, j)
        for (i, one), (j, other) in itertools.product(enumerate(mine), enumerate(theirs))
        if agree(one, other)
        and sum(agree(one, each) for each in theirs) == 1
        and sum(agree(each, other) for each in mine) == 1
    }
    found = exact_claims(both)
    assert set(zip(found.left.tolist(), found.right.tolist(), strict=True)) == expected
    assert found.with_candidates == sum(any(agree(one, other) for other in theirs) for one in mine)


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
