"""Many quantiles from a tree of counts: exact without noise, silent without rows, and an interval that holds the truth."""

from fractions import Fraction

import numpy as np
import pytest

import privet as pv
from privet.engine import Branched, EvenBins
from privet.guarantee import DiscreteLaplace
from privet.protect.query.estimators._quantile_tree import TreeReading, _found
from privet.source import Bounds

BINS = EvenBins(0, 10, 100)


TREE = Branched("x", BINS, 10)


SHARES = (Fraction(1, 4), Fraction(1, 2), Fraction(9, 10))


def tree_of(values):
    """The exact tree, level by level."""
    leaves = np.histogram(values, np.linspace(0, 10, 101))[0]
    return np.concatenate([leaves.reshape(size, -1).sum(axis=1) for size in TREE.sizes])


def reading():
    return TreeReading("q", pv.quantiles("x", ["0.25", "0.5", "0.9"]), TREE, Bounds(0, 10), SHARES)


def test_quantiles_of_an_exact_tree_are_those_of_the_values():
    values = np.random.default_rng(2).uniform(0, 10, 4000)
    one = reading()
    shown = one.read(
        {one.vector: np.concatenate([tree_of(values), tree_of(values / 2)])},
        {one.vector: DiscreteLaplace(1)},
        0.95,
    )
    (answer,) = shown.answers
    truth = np.quantile(values, [0.25, 0.5, 0.9])
    assert answer.values == pytest.approx([*truth, *(truth / 2)], abs=0.1)
    assert shown.groups == (0, 0, 0, 1, 1, 1)
    assert shown.labels["share"] == pytest.approx((0.25, 0.5, 0.9) * 2)
    for value, low, high in zip(answer.values, answer.low, answer.high, strict=True):
        assert low <= value <= high
        assert high - low < 1


def test_without_rows_nothing_is_told():
    one = reading()
    empty = np.zeros(TREE.length, np.int64)
    (answer,) = one.read({one.vector: empty}, {one.vector: DiscreteLaplace(1)}, 0.95).answers
    assert answer.values == answer.low == answer.high == (None,) * 3  # exact: nothing is told
    assert _found(np.array([0.0, -5.0]), np.array([0.0, 1.0]), 0.5, np.ones(2)) == (None, None, None)


def test_a_falling_estimate_still_gives_one_value_inside_its_interval():
    below = np.array([0.0, 6.0, 4.0, 7.0, 10.0])
    value, low, high = _found(below, np.arange(5.0), 0.5, np.full(5, 0.5))
    assert low <= value <= high
    assert 0 < value < 3
    sure = _found(below, np.arange(5.0), 0.5, np.full(5, 100.0))
    assert sure[1:] == (0, 4), "any bin could hold it"


def test_more_noise_and_fewer_rows_are_wider():
    one = reading()

    def width(scale, rows):
        return one.width({one.vector: DiscreteLaplace(scale)}, 0.95, rows)

    assert width(1, 1000) < width(10, 1000) < width(10, 100) <= 10
    assert width(1, 10**9) == pytest.approx(10 / 100, rel=0.01), "no finer than a bin"
