"""Rows that were set aside are put into an order that only they decide, and none is lost."""

import numpy as np
import pytest

from privet.engine import set_aside
from privet.protect.train.tabular import _hashed_order as hashed_order
from privet.protect.train.tabular._learner_registry import Examples


def given(order, owner=None):
    draw = np.random.default_rng(0)
    codes = draw.integers(0, 4, (300, 3)).astype(np.uint8)
    target = draw.integers(0, 2, 300).astype(float)
    codes, target = set_aside([(codes[order], target[order])])
    return Examples(codes, target, None if owner is None else owner)


@pytest.mark.parametrize("block", [7, 10_000])
def test_however_rows_came_they_stand_alike(monkeypatch, block):
    monkeypatch.setattr(hashed_order, "_BLOCK", block)
    draw = np.random.default_rng(1)
    first, second = (hashed_order.in_order(given(order)) for order in (np.arange(300), draw.permutation(300)))
    assert np.array_equal(first.codes, second.codes)
    assert np.array_equal(first.target, second.target)
    whole = given(np.arange(300))
    rows = [sorted(map(tuple, np.column_stack([one.codes, one.target]).tolist())) for one in (first, whole)]
    assert rows[0] == rows[1]


def test_however_persons_came_they_stand_alike():
    draw = np.random.default_rng(1)
    owner = draw.integers(0, 40, 300)
    owner = np.unique(owner, return_inverse=True)[1]
    order, names = draw.permutation(300), draw.permutation(owner.max() + 1)
    first = hashed_order.in_order(given(np.arange(300), owner))
    second = hashed_order.in_order(given(order, names[owner[order]]))
    for one, other in zip(first.parts, second.parts, strict=True):
        assert np.array_equal(one, other)
    assert np.all(np.diff(first.owner) >= 0)


def test_bits_are_mixed():
    words = hashed_order._mixed(np.arange(4096, dtype=np.uint64))
    ones = np.array([[int(word) >> bit & 1 for bit in range(64)] for word in words]).mean(axis=0)
    assert np.abs(ones - 0.5).max() < 0.06  # 7.6 standard deviations: by chance once in 10^11
