"""Ranges of constants and trees: the last that is taken, and the first that is not."""

import pytest

from privet.engine import _constant_ranges as limits
from privet.engine import expressions as ex
from privet.errors import BadExpression

A = ex.Column("a")


@pytest.mark.parametrize(("start", "length"), [(0, 0), (2**30 - 1, 2**30 - 1), (5, 1)])
def test_substrings_within_any_text(start, length):
    limits.require_substring(start, length)


@pytest.mark.parametrize(
    ("start", "length"), [(-1, 1), (0, -1), (2**30, 1), (0, 2**30), (True, 1), (1.0, 1), ("1", 1), (0, None)]
)
def test_other_substrings_are_refused(start, length):
    with pytest.raises(BadExpression):
        limits.require_substring(start, length)


def test_lists_have_one_to_five_thousand_values():
    limits.require_values((1,))
    limits.require_values(tuple(range(5_000)))
    for wrong in ((), tuple(range(5_001))):
        with pytest.raises(BadExpression):
            limits.require_values(wrong)


@pytest.mark.parametrize(
    ("width", "origin"), [(1.0, 0.0), (1e-99, 0.0), (1e99, -1e99), (1.0, 1e-99), (1.0, -1e-99)]
)
def test_widths_of_sensible_size(width, origin):
    limits.require_width(width, origin)


@pytest.mark.parametrize(
    ("width", "origin"),
    [
        (0.0, 0.0),
        (-1.0, 0.0),
        (1e-100, 0.0),
        (1e100, 0.0),
        (1.0, 1e100),
        (1.0, -1e100),
        (1.0, 1e-100),
        (float("nan"), 0.0),
    ],
)
def test_other_widths_are_refused(width, origin):
    with pytest.raises(BadExpression):
        limits.require_width(width, origin)


def nested(levels):
    found = A
    for _ in range(levels - 1):
        found = ex.Not(found)
    return found


def test_depth_and_parts_are_counted():
    assert limits.measured(A, ex.NODES) == (1, 1)
    assert limits.measured(ex.And(ex.Not(A), A), ex.NODES) == (3, 4)
    assert limits.measured(ex.Pick(A, A), ex.NODES) == (2, 3)


def test_a_hundred_levels_are_the_deepest():
    limits.require_size(nested(100), ex.NODES)
    with pytest.raises(BadExpression, match="levels"):
        limits.require_size(nested(101), ex.NODES)


def test_shared_parts_are_counted_as_often_as_they_are_written():
    shared = A
    for _ in range(10):
        shared = ex.And(shared, shared)  # 2047 parts once written out, of eleven objects
    assert limits.measured(shared, ex.NODES) == (11, 2**11 - 1)
    with pytest.raises(BadExpression, match="parts"):
        limits.require_size(shared, ex.NODES)
    limits.require_size(shared.left, ex.NODES)
